// An assertion whose location is a call's, as Triton 3.2 prints those of its
// own library.
tt.func public @kernel(%p: !tt.ptr<f32>, %c: i1) {
  tt.assert %c, "late" : i1 loc(callsite("library.py":3:1 at "kernel.py":7:3))
  tt.return
}
