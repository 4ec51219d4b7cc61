// A matrix of a batch that two bounds may leave out: no box has two sizes in one
// dimension, so threads copy it (program 1 is masked by the first bound alone,
// program 2 by both).

// RUN: tilewright run %s --target=sm_90a --device=emulator --num-warps=4 --bulk-copies=false --grid=3 --arg=random:3x64x192xf16:1 --arg=random:64x192xf16:2 --arg=%t.npy=poison:3x64x64xf32 --arg=i32:1 --arg=i32:2 --arg=i32:192 --arg=i32:12288
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-warps=4 --bulk-copies --grid=3 --arg=random:3x64x192xf16:1 --arg=random:64x192xf16:2 --arg=poison:3x64x64xf32 --arg=i32:1 --arg=i32:2 --arg=i32:192 --arg=i32:12288 --compare=2=%t.npy

tt.func public @batch(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %first_bound: i32, %second_bound: i32, %k: i32 {tt.divisibility = 8 : i32}, %matrix: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %which = tt.get_program_id x : i32
  %isFirst = arith.cmpi slt, %which, %first_bound : i32
  %isSecond = arith.cmpi slt, %which, %second_bound : i32
  %inside = arith.andi %isFirst, %isSecond : i1
  %mask = tt.splat %inside : i1 -> tensor<64x64xi1>
  %offset = arith.muli %which, %matrix : i32
  %begin = tt.addptr %a, %offset : !tt.ptr<f16>, i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %ks = tt.splat %k : i32 -> tensor<64x1xi32>
  %distance = arith.muli %row, %ks : tensor<64x1xi32>
  %distances = tt.broadcast %distance : tensor<64x1xi32> -> tensor<64x64xi32>
  %as = tt.splat %begin : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<64x64xi32>
    %inRow = arith.addi %is, %columns : tensor<64x64xi32>
    %all = arith.addi %distances, %inRow : tensor<64x64xi32>
    %pa = tt.addptr %as, %all : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %pb = tt.addptr %bs, %all : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %x = tt.load %pa, %mask, %none : tensor<64x64x!tt.ptr<f16>>
    %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %t, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %tile = arith.muli %which, %c4096 : i32
  %out = tt.addptr %c, %tile : !tt.ptr<f32>, i32
  %cs = tt.splat %c64 : i32 -> tensor<64x1xi32>
  %outRow = arith.muli %row, %cs : tensor<64x1xi32>
  %outRows = tt.broadcast %outRow : tensor<64x1xi32> -> tensor<64x64xi32>
  %outs = arith.addi %outRows, %columns : tensor<64x64xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %po = tt.addptr %os, %outs : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %po, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
