tt.func public @copy(%source: !tt.ptr<f32>, %destination: !tt.ptr<f32>) {
  %0 = tt.load %source : !tt.ptr<f32>
  tt.store %destination, %0 : !tt.ptr<f32>
  tt.return
}
