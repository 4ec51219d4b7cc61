// Each result is the element's number: quotients of 3 (i - 10) + 2 and others,
// rounded down and up, and the root of a square.
tt.func @rounding_divisions(%floor: !tt.ptr<i32>, %ceil: !tt.ptr<i32>, %unsigned: !tt.ptr<i32>, %root: !tt.ptr<f64>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %ten = arith.constant dense<10> : tensor<32xi32>
  %twentyEight = arith.constant dense<28> : tensor<32xi32>
  %twentyNine = arith.constant dense<29> : tensor<32xi32>
  %product = arith.muli %i, %three : tensor<32xi32>
  %above = arith.subi %product, %twentyEight : tensor<32xi32>
  %down = arith.floordivsi %above, %three : tensor<32xi32>
  %downResult = arith.addi %down, %ten : tensor<32xi32>
  %below = arith.subi %product, %twentyNine : tensor<32xi32>
  %up = arith.ceildivsi %below, %three : tensor<32xi32>
  %nine = arith.subi %ten, %one : tensor<32xi32>
  %upResult = arith.addi %up, %nine : tensor<32xi32>
  %next = arith.addi %product, %one : tensor<32xi32>
  %upUnsigned = arith.ceildivui %next, %three : tensor<32xi32>
  %unsignedResult = arith.subi %upUnsigned, %one : tensor<32xi32>
  %real = arith.sitofp %i : tensor<32xi32> to tensor<32xf64>
  %square = arith.mulf %real, %real : tensor<32xf64>
  %rootResult = math.sqrt %square : tensor<32xf64>
  %floors = tt.splat %floor : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %floorPointers = tt.addptr %floors, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %floorPointers, %downResult : tensor<32x!tt.ptr<i32>>
  %ceils = tt.splat %ceil : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %ceilPointers = tt.addptr %ceils, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %ceilPointers, %upResult : tensor<32x!tt.ptr<i32>>
  %unsigneds = tt.splat %unsigned : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %unsignedPointers = tt.addptr %unsigneds, %i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  tt.store %unsignedPointers, %unsignedResult : tensor<32x!tt.ptr<i32>>
  %roots = tt.splat %root : !tt.ptr<f64> -> tensor<32x!tt.ptr<f64>>
  %rootPointers = tt.addptr %roots, %i : tensor<32x!tt.ptr<f64>>, tensor<32xi32>
  tt.store %rootPointers, %rootResult : tensor<32x!tt.ptr<f64>>
  tt.return
}
