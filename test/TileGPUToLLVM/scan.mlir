// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#registers = #tilegpu.linear<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = []>
#lanes = #tilegpu.linear<register = [], lane = [[1], [2], [0], [0], [0]], warp = []>
#both = #tilegpu.linear<register = [[1]], lane = [[2], [0], [0], [0], [0]], warp = []>
#repeated = #tilegpu.linear<register = [[2]], lane = [[1], [0], [0], [0], [0]], warp = []>
module attributes {tilegpu.target = "sm_80"} {

// In registers: one after the other, the earlier element first.
// CHECK-LABEL: llvm.func @in_registers
// CHECK: %[[A:.*]] = llvm.sub %[[FIRST:.*]], %{{.*}} : i32
// CHECK: %[[B:.*]] = llvm.sub %[[A]], %{{.*}} : i32
// CHECK: llvm.sub %[[B]], %{{.*}} : i32
// CHECK-NOT: llvm.sub
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @in_registers(%in: !tt.ptr<i32> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #registers>
  %p = tt.splat %in : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #registers>
  %q = tt.addptr %p, %i : tensor<4x!tt.ptr<i32>, #registers>, tensor<4xi32, #registers>
  %x = tt.load %q : tensor<4x!tt.ptr<i32>, #registers>
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.subi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<4xi32, #registers>) -> tensor<4xi32, #registers>
  tt.store %q, %r : tensor<4x!tt.ptr<i32>, #registers>
  tt.return
}

// Between lanes: one shuffle a bit.
// CHECK-LABEL: llvm.func @in_lanes
// CHECK: %[[LOWER:.*]] = nvvm.shfl.sync idx %{{.*}}, %arg1, %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: %[[SUM:.*]] = llvm.add %[[LOWER]], %arg1 : i32
// CHECK: %[[ONE:.*]] = llvm.select %{{.*}}, %[[SUM]], %arg1 : i1, i32
// CHECK: %[[NEXT:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[ONE]], %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: llvm.add %[[NEXT]], %[[ONE]] : i32
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @in_lanes(%out: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %n : i32 -> tensor<4xi32, #lanes>
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<4xi32, #lanes>) -> tensor<4xi32, #lanes>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #lanes>
  tt.store %p, %r : tensor<4x!tt.ptr<i32>, #lanes>
  tt.return
}

// Registers below lanes: the totals of the threads are scanned, then put before the elements.
// CHECK-LABEL: llvm.func @registers_below_lanes
// CHECK: %[[TOTAL:.*]] = llvm.add %arg1, %arg1 : i32
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[TOTAL]], %{{.*}}, %{{.*}} : i32 -> i32
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.add %{{.*}}, %arg1 : i32
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @registers_below_lanes(%out: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %n : i32 -> tensor<4xi32, #both>
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<4xi32, #both>) -> tensor<4xi32, #both>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #both>
  tt.store %p, %r : tensor<4x!tt.ptr<i32>, #both>
  tt.return
}

// Lanes below registers: the total of the lower half comes from its last lane.
// CHECK-LABEL: llvm.func @lanes_below_registers
// CHECK-COUNT-3: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
tt.func @lanes_below_registers(%out: !tt.ptr<i32>, %n: i32, %m: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #repeated>
  %r = "tt.scan"(%i) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<4xi32, #repeated>) -> tensor<4xi32, #repeated>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #repeated>
  tt.store %p, %r : tensor<4x!tt.ptr<i32>, #repeated>
  tt.return
}
}

// -----

#warps = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @across_warps(%n: i32) attributes {tilegpu.num_warps = 2 : i32} {
  %x = tt.splat %n : i32 -> tensor<64xi32, #warps>
  // expected-error @+2 {{expects a layout in which each bit of axis 0 is distributed among registers alone or lanes alone, but got [warps] for bit 5}}
  // expected-error @+1 {{failed to legalize operation 'tt.scan'}}
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<64xi32, #warps>) -> tensor<64xi32, #warps>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#m = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @other_result(%n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %x = tt.splat %n : i32 -> tensor<64xi32, #l>
  // expected-error @+2 {{expects results of the sources' layout}}
  // expected-error @+1 {{failed to legalize operation 'tt.scan'}}
  %r = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<64xi32, #l>) -> tensor<64xi32, #m>
  tt.return
}
}
