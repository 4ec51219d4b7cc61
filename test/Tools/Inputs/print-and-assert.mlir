// Every kind of value; a loop, so that the records are not allocated in it.
tt.func public @print_and_assert(%p: !tt.ptr<f32>, %n: i32, %x: f16, %y: bf16, %w: i64, %z: f64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %limit = tt.splat %n : i32 -> tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %places = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %inside = arith.cmpi slt, %i, %limit : tensor<64xi32>
  tt.assert %inside, "100% inside" : tensor<64xi1>
  %v = tt.load %places, %inside : tensor<64x!tt.ptr<f32>>
  scf.for %k = %c0 to %n step %c1 : i32 {
    tt.print " tile: " {hex = false, isSigned = array<i32: 1, 0>} : %v, %inside : tensor<64xf32>, tensor<64xi1>
    tt.print " hex: " {hex = true, isSigned = array<i32: 1, 1>} : %v, %w : tensor<64xf32>, i64
  }
  tt.print " scalars: " {hex = false, isSigned = array<i32: 1, 1, 0, 1, 1, 1, 1>} : %n, %x, %w, %y, %z, %p, %w : i32, f16, i64, bf16, f64, !tt.ptr<f32>, i64
  tt.print "the end" {hex = false, isSigned = array<i32>}
  tt.return
}
