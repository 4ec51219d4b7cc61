// What ../agents.mlir computes, as tile IR.
tt.func public @expected(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %pairs: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %size = arith.constant 1024 : i32
  %program = tt.get_program_id x : i32
  %tiles = arith.muli %pairs, %two : i32
  %begin = arith.muli %program, %tiles : i32
  %end = arith.addi %begin, %tiles : i32
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %starts = arith.muli %rows, %width : tensor<32x1xi32>
  %a = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %places = arith.addi %a, %b : tensor<32x32xi32>
  scf.for %tile = %begin to %end step %one : i32 {
    %offset = arith.muli %tile, %size : i32
    %from = tt.addptr %in, %offset : !tt.ptr<f32>, i32
    %to = tt.addptr %out, %offset : !tt.ptr<f32>, i32
    %froms = tt.splat %from : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %tos = tt.splat %to : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %p = tt.addptr %froms, %places : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %q = tt.addptr %tos, %places : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %x = tt.load %p : tensor<32x32x!tt.ptr<f32>>
    %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
    %sum = "tt.reduce"(%y) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %sums = tt.expand_dims %sum {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %s = tt.broadcast %sums : tensor<1x32xf32> -> tensor<32x32xf32>
    %z = arith.addf %y, %s : tensor<32x32xf32>
    tt.store %q, %z : tensor<32x32x!tt.ptr<f32>>
  }
  tt.return
}
