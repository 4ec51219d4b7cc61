// Exponentials, for flush-subnormals.test: one element a thread.
module {
  tt.func public @f32(%x: f32, %p: !tt.ptr<f32>) {
    %0 = math.exp2 %x : f32
    %1 = math.exp %0 : f32
    tt.store %p, %1 : !tt.ptr<f32>
    tt.return
  }
  tt.func public @bf16(%x: bf16, %p: !tt.ptr<bf16>) {
    %0 = math.exp2 %x : bf16
    tt.store %p, %0 : !tt.ptr<bf16>
    tt.return
  }
}
