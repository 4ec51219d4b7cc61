// out[0] = log(sum of exp(400 |p[i]|)), which f64 holds and f32 does not.
tt.func public @overflow(%p: !tt.ptr<f32> loc("p"),
                         %out: !tt.ptr<f32> loc("out")) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %at = tt.addptr %base, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %x = tt.load %at : tensor<128x!tt.ptr<f32>>
  %magnitude = math.absf %x : tensor<128xf32>
  %factor = arith.constant dense<400.0> : tensor<128xf32>
  %y = arith.mulf %magnitude, %factor : tensor<128xf32>
  %e = math.exp %y : tensor<128xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  %log = math.log %sum : f32
  tt.store %out, %log : !tt.ptr<f32>
  tt.return
}
