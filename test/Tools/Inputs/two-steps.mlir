// 64 rows of A, 128 columns, with B, 128 x 64, in two steps.
tt.func public @multiply(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %rows: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %s64 = arith.constant 64 : i64
  %s128 = arith.constant 128 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %da = tt.make_tensor_descriptor %a, [%rows, %c128], [%s128, %one] : <f16>, <tensor<64x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%c128, %c64], [%s64, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%rows, %c64], [%s64, %one] : <f16>, <tensor<64x64xf16>>
  %x = tt.get_program_id x : i32
  %row = arith.muli %x, %c64 : i32
  %sum = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %va = tt.descriptor_load %da[%row, %k] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %vb = tt.descriptor_load %db[%k, %c0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %next = tt.dot %va, %vb, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tt.descriptor_store %dc[%row, %c0], %out : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.return
}
