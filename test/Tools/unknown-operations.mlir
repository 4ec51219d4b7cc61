// An operation that nobody knows is reported at its author's line, each name
// once, and before anything else that its text may have wrong.

// RUN: not tilewright compile %s --emit=ptx -o - 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: kernel.py:7:4: error: expects an operation of tile IR that is known here (docs/TritonIR.md lists them), but got 'tt.unknown'
// CHECK: standard.py:290:36: error: {{.*}} but got 'tt.with_region'
// CHECK: kernel.py:9:2: error: {{.*}} but got 'nobody.dialect'
// CHECK: unknown-operations.mlir:[[#@LINE+15]]:3: error: {{.*}} but got 'tt.without_place'

#loc = loc("kernel.py":1:0)
#loc1 = loc("kernel.py":7:4)
#loc2 = loc("x"(#loc1))
#loc3 = loc("standard.py":290:36)
#loc4 = loc(callsite(#loc3 at #loc1))
module {
  tt.func public @kernel(%p: !tt.ptr<f32> loc("p"(#loc))) {
    %x = tt.unknown %p {text = "a \"( b"} : !tt.ptr<f32> -> f32 loc(#loc2)
    %y:2 = "tt.with_region"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32 loc("kernel.py":8:1)):
      tt.return %a : f32 loc(#loc)
    }) : (f32) -> (f32, f32) loc(#loc4)
    nobody.dialect %x : f32 loc("kernel.py":9:2)
  tt.without_place
    %z = tt.unknown %p : !tt.ptr<f32> -> f32 loc(#loc)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
