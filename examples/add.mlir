// Adds two vectors, 64 elements a program, with a masked tail. The names in
// loc(...) are those that parameters have for callers.
tt.func public @add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"),
                    %y: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("y"),
                    %out: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("out"),
                    %count: i32 loc("count")) {
  %size = arith.constant 64 : i32
  %program = tt.get_program_id x : i32
  %start = arith.muli %program, %size : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %starts, %range : tensor<64xi32>
  %counts = tt.splat %count : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %offsets, %counts : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %px = tt.addptr %xs, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = tt.load %px, %inside : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %py = tt.addptr %ys, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %b = tt.load %py, %inside : tensor<64x!tt.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<64xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %po = tt.addptr %os, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %po, %sum, %inside : tensor<64x!tt.ptr<f32>>
  tt.return
}
