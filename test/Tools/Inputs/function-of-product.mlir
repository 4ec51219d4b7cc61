// A function of a sum of a product, for fp-fusion.test: one element a thread.
tt.func public @function(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %a : tensor<128x!tt.ptr<f32>>
  %y = arith.mulf %x, %x : tensor<128xf32>
  %w = arith.addf %y, %x : tensor<128xf32>
  %z = math.log %w : tensor<128xf32>
  tt.store %a, %z : tensor<128x!tt.ptr<f32>>
  tt.return
}
