// p[i] = FACTOR * p[i] + n, for i below LAST.
tt.func public @scale(%p: !tt.ptr<f32> loc("p"), %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %last = arith.constant dense<LAST> : tensor<128xi32>
  %mask = arith.cmpi slt, %i, %last : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %at = tt.addptr %base, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %x = tt.load %at, %mask, %zero : tensor<128x!tt.ptr<f32>>
  %factor = arith.constant dense<FACTOR> : tensor<128xf32>
  %y = arith.mulf %x, %factor : tensor<128xf32>
  %added = arith.sitofp %n : i32 to f32
  %all = tt.splat %added : f32 -> tensor<128xf32>
  %z = arith.addf %y, %all : tensor<128xf32>
  tt.store %at, %z, %mask : tensor<128x!tt.ptr<f32>>
  tt.return
}
