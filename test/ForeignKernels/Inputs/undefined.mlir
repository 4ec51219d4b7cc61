// out[i] = min(-|p[i]|, 1e6 q[i] - 5), of which q has 62 elements that are
// loaded: behind the minimum a large number is not seen.
tt.func public @undefined(%p: !tt.ptr<f32> loc("p"), %q: !tt.ptr<f32> loc("q"),
                          %out: !tt.ptr<f32> loc("out")) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %last = arith.constant dense<62> : tensor<64xi32>
  %mask = arith.cmpi slt, %i, %last : tensor<64xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %at : tensor<64x!tt.ptr<f32>>
  %magnitude = math.absf %x : tensor<64xf32>
  %qbase = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qat = tt.addptr %qbase, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %y = tt.load %qat, %mask : tensor<64x!tt.ptr<f32>>
  %negative = arith.negf %magnitude : tensor<64xf32>
  %factor = arith.constant dense<1.0e6> : tensor<64xf32>
  %five = arith.constant dense<5.0> : tensor<64xf32>
  %product = arith.mulf %y, %factor : tensor<64xf32>
  %other = arith.subf %product, %five : tensor<64xf32>
  %least = arith.minnumf %negative, %other : tensor<64xf32>
  %obase = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %oat = tt.addptr %obase, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %oat, %least : tensor<64x!tt.ptr<f32>>
  tt.return
}
