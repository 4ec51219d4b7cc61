// RUN: tilewright-opt %s --tile-carry-scalars --canonicalize | FileCheck %s
// RUN: tilewright run %s --kernel=positions --device=emulator --arg=poison:256xi32 --arg=%t.npy=poison:64xi32 --arg=i32:4
// RUN: tilewright run %s --kernel=expected --device=emulator --arg=poison:64xi32 --arg=i32:256 --compare=0=%t.npy

// To all positions a loop adds the same number: it carries that, and what comes of them
// in the end is computed behind it.
// CHECK-LABEL: @positions(
// CHECK: %[[FIRST:.*]] = tt.make_range
// CHECK: %[[DISTANCE:.*]] = scf.for {{.*}} iter_args(%[[D:[^ ]*]] = %c0_i32) -> (i32)
// CHECK: %[[ALL:.*]] = tt.splat %[[D]]
// CHECK: arith.addi %[[FIRST]], %[[ALL]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[D]], %c64_i32
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: %[[WAY:.*]] = tt.splat %[[DISTANCE]]
// CHECK: %[[LAST:.*]] = arith.addi %[[FIRST]], %[[WAY]]
// CHECK: tt.store %{{.*}}, %[[LAST]]
tt.func public @positions(%out: !tt.ptr<i32>, %end: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %all = arith.constant dense<64> : tensor<64xi32>
  %first = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %first) -> (tensor<64xi32>) : i32 {
    %to = tt.addptr %outs, %at : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %to, %at : tensor<64x!tt.ptr<i32>>
    %next = arith.addi %at, %all : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %ends = tt.splat %end : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %ends, %first : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %last : tensor<64x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @expected(
tt.func public @expected(%out: !tt.ptr<i32>, %n: i32) {
  %first = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %all = tt.splat %n : i32 -> tensor<64xi32>
  %last = arith.addi %all, %first : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %outs, %first : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %last : tensor<64x!tt.ptr<i32>>
  tt.return
}

// Each element by a number of its own, or the position times two: it stays.
// CHECK-LABEL: @others(
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<64xi32>, tensor<64xi32>)
tt.func public @others(%out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first, %b = %first) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %to = tt.addptr %outs, %a : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %to, %b : tensor<64x!tt.ptr<i32>>
    %c = arith.addi %a, %first : tensor<64xi32>
    %d = arith.addi %b, %b : tensor<64xi32>
    scf.yield %c, %d : tensor<64xi32>, tensor<64xi32>
  }
  tt.return
}
