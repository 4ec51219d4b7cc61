tt.func public @masked_copy(%from: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %size = arith.constant 64 : i32
  %program = tt.get_program_id x : i32
  %start = arith.muli %program, %size : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %i = arith.addi %starts, %range : tensor<64xi32>
  %counts = tt.splat %count : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %i, %counts : tensor<64xi32>
  %from_splat = tt.splat %from : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %from_pointers = tt.addptr %from_splat, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %to_splat = tt.splat %to : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %to_pointers = tt.addptr %to_splat, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %value = tt.load %from_pointers, %mask : tensor<64x!tt.ptr<f32>>
  tt.store %to_pointers, %value, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
