// Sums of products, for fp-fusion.test.
tt.func public @f32(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<f32>>
  %y = arith.mulf %x, %x : tensor<1024xf32>
  %z = arith.addf %y, %x : tensor<1024xf32>
  tt.store %a, %z : tensor<1024x!tt.ptr<f32>>
  tt.return
}
tt.func public @f64(%p: !tt.ptr<f64> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f64> -> tensor<1024x!tt.ptr<f64>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f64>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<f64>>
  %y = arith.mulf %x, %x : tensor<1024xf64>
  %z = arith.addf %y, %x : tensor<1024xf64>
  tt.store %a, %z : tensor<1024x!tt.ptr<f64>>
  tt.return
}
tt.func public @f16(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<f16>>
  %y = arith.mulf %x, %x : tensor<1024xf16>
  %z = arith.addf %y, %x : tensor<1024xf16>
  tt.store %a, %z : tensor<1024x!tt.ptr<f16>>
  tt.return
}
tt.func public @bf16(%p: !tt.ptr<bf16> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<bf16>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<bf16>>
  %y = arith.mulf %x, %x : tensor<1024xbf16>
  %z = arith.addf %y, %x : tensor<1024xbf16>
  tt.store %a, %z : tensor<1024x!tt.ptr<bf16>>
  tt.return
}
tt.func public @difference(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %x = tt.load %a : tensor<1024x!tt.ptr<f32>>
  %c = arith.constant dense<3.0> : tensor<1024xf32>
  %y = arith.mulf %x, %x : tensor<1024xf32>
  %w = arith.mulf %x, %c : tensor<1024xf32>
  %z = arith.subf %y, %w : tensor<1024xf32>
  tt.store %a, %z : tensor<1024x!tt.ptr<f32>>
  tt.return
}
