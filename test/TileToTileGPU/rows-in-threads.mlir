// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_90a num-warps=1" --mlir-print-local-scope | FileCheck %s

// What a loop carries and reduces in each iteration waits for shuffles: a row
// is in as few lanes as its registers allow, 4 of 16 elements.
// CHECK-LABEL: @carried
// CHECK: "tt.reduce"
// CHECK: (tensor<8x64xf32, #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [1, 1], order = [1, 0]>>)
tt.func public @carried(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<8x64xf32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %state = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zero) -> (tensor<8x64xf32>) : i32 {
    %begin = arith.muli %i, %c64 : i32
    %begins = tt.splat %begin : i32 -> tensor<64xi32>
    %offsets = arith.addi %begins, %columns : tensor<64xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %at = tt.addptr %ps, %offsets : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %k = tt.load %at : tensor<64x!tt.ptr<f32>>
    %key = tt.expand_dims %k {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %keys = tt.broadcast %key : tensor<1x64xf32> -> tensor<8x64xf32>
    %product = arith.mulf %h, %keys : tensor<8x64xf32>
    %v = "tt.reduce"(%product) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<8x64xf32>) -> tensor<8xf32>
    %value = tt.expand_dims %v {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
    %values = tt.broadcast %value : tensor<8x1xf32> -> tensor<8x64xf32>
    %outer = arith.mulf %values, %keys : tensor<8x64xf32>
    %next = arith.subf %h, %outer : tensor<8x64xf32>
    scf.yield %next : tensor<8x64xf32>
  }
  %sum = "tt.reduce"(%state) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<8x64xf32>) -> tensor<8xf32>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %to = tt.addptr %qs, %rows : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %sum : tensor<8x!tt.ptr<f32>>
  tt.return
}

// What the loop loads lies as it does in memory, however it is reduced.
// CHECK-LABEL: @loaded
// CHECK: "tt.reduce"
// CHECK: (tensor<8x64xf32, #tilegpu.blocked<elements = [1, 4], threads = [2, 16], warps = [1, 1], order = [1, 0]>>)
tt.func public @loaded(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %stride = arith.constant dense<64> : tensor<8x1xi32>
  %y = arith.muli %row, %stride : tensor<8x1xi32>
  %ys = tt.broadcast %y : tensor<8x1xi32> -> tensor<8x64xi32>
  %xs = tt.broadcast %column : tensor<1x64xi32> -> tensor<8x64xi32>
  %tile = arith.addi %ys, %xs : tensor<8x64xi32>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<8xf32>) : i32 {
    %begin = arith.muli %i, %c512 : i32
    %begins = tt.splat %begin : i32 -> tensor<8x64xi32>
    %offsets = arith.addi %begins, %tile : tensor<8x64xi32>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
    %at = tt.addptr %ps, %offsets : tensor<8x64x!tt.ptr<f32>>, tensor<8x64xi32>
    %x = tt.load %at : tensor<8x64x!tt.ptr<f32>>
    %v = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<8x64xf32>) -> tensor<8xf32>
    %next = arith.addf %s, %v : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %to = tt.addptr %qs, %rows : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  tt.store %to, %sums : tensor<8x!tt.ptr<f32>>
  tt.return
}

// Each of 64 values meets each of 128: of 64 columns a thread has 32 rows.
// CHECK-LABEL: @each_with_each
// CHECK: "tt.reduce"
// CHECK: (tensor<64x128xi32, #tilegpu.blocked<elements = [1, 8], threads = [16, 2], warps = [1, 1], order = [1, 0]>>)
tt.func public @each_with_each(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %pAt = tt.addptr %ps, %rows : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %pAt : tensor<64x!tt.ptr<f32>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %qAt = tt.addptr %qs, %columns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %y = tt.load %qAt : tensor<128x!tt.ptr<f32>>
  %xc = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %yr = tt.expand_dims %y {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %xs = tt.broadcast %xc : tensor<64x1xf32> -> tensor<64x128xf32>
  %ys = tt.broadcast %yr : tensor<1x128xf32> -> tensor<64x128xf32>
  %above = arith.cmpf ogt, %xs, %ys : tensor<64x128xf32>
  %ones = arith.extui %above : tensor<64x128xi1> to tensor<64x128xi32>
  %count = "tt.reduce"(%ones) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64x128xi32>) -> tensor<64xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %os, %rows : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %to, %count : tensor<64x!tt.ptr<i32>>
  tt.return
}
