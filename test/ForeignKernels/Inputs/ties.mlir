// out[i] = 0.5 / (1 / n) + 0.5 as an integer, n = 2 i + 3: the quotient is a tie,
// which the rounding of 1 / n decides; then n itself.
tt.func public @ties(%out: !tt.ptr<i32> loc("out")) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %two = arith.constant dense<2> : tensor<1024xi32>
  %three = arith.constant dense<3> : tensor<1024xi32>
  %even = arith.muli %i, %two : tensor<1024xi32>
  %odd = arith.addi %even, %three : tensor<1024xi32>
  %n = arith.sitofp %odd : tensor<1024xi32> to tensor<1024xf32>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %half = arith.constant dense<0.5> : tensor<1024xf32>
  %scale = arith.divf %one, %n : tensor<1024xf32>
  %quotient = arith.divf %half, %scale : tensor<1024xf32>
  %up = arith.addf %quotient, %half : tensor<1024xf32>
  %rounded = arith.fptosi %up : tensor<1024xf32> to tensor<1024xi32>
  %base = tt.splat %out : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
  %at = tt.addptr %base, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
  tt.store %at, %rounded : tensor<1024x!tt.ptr<i32>>
  tt.return
}
