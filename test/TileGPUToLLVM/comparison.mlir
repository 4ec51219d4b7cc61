// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file | FileCheck %s

// Eight rows of a thread against a bound of unknown sign: one subtraction that
// saturates, and comparisons with constants.

#layout = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @saturating
  tt.func @saturating(%base: !tt.ptr<i1>, %bound: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #layout>
    %bounds = tt.splat %bound : i32 -> tensor<256xi32, #layout>
    // CHECK-COUNT-1: %[[LEFT:.*]] = llvm.inline_asm "sub.sat.s32 $0, $1, $2;", "=r,r,r" %arg1, %{{.*}} : (i32, i32) -> i32
    // CHECK: llvm.icmp "slt" %{{.*}}, %[[LEFT]] : i32
    // CHECK-COUNT-7: llvm.icmp "slt" %{{.*}}, %[[LEFT]] : i32
    // CHECK-NOT: llvm.icmp
    %mask = arith.cmpi slt, %i, %bounds : tensor<256xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i1> -> tensor<256x!tt.ptr<i1>, #layout>
    %pointer = tt.addptr %bases, %i : tensor<256x!tt.ptr<i1>, #layout>, tensor<256xi32, #layout>
    tt.store %pointer, %mask : tensor<256x!tt.ptr<i1>, #layout>
    tt.return
  }
}

// -----

// Four rows are cheaper one by one, unless both sides are known not to be
// negative.

#layout = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @few
  tt.func @few(%base: !tt.ptr<i1>, %bound: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #layout>
    %bounds = tt.splat %bound : i32 -> tensor<128xi32, #layout>
    // CHECK-NOT: llvm.sub
    // CHECK-COUNT-4: llvm.icmp "slt" %{{.*}}, %arg1 : i32
    %mask = arith.cmpi slt, %i, %bounds : tensor<128xi32, #layout>
    %program = tt.get_program_id x : i32
    %programs = tt.splat %program : i32 -> tensor<128xi32, #layout>
    // CHECK: %[[DIFFERENCE:.*]] = llvm.sub
    // CHECK-COUNT-4: llvm.icmp "sge" %{{.*}}, %[[DIFFERENCE]] : i32
    %beyond = arith.cmpi sge, %i, %programs : tensor<128xi32, #layout>
    %both = arith.andi %mask, %beyond : tensor<128xi1, #layout>
    %bases = tt.splat %base : !tt.ptr<i1> -> tensor<128x!tt.ptr<i1>, #layout>
    %pointer = tt.addptr %bases, %i : tensor<128x!tt.ptr<i1>, #layout>, tensor<128xi32, #layout>
    tt.store %pointer, %both : tensor<128x!tt.ptr<i1>, #layout>
    tt.return
  }
}

// -----

// A triangle: the difference of two affine tensors is one number in a thread.

#layout = #tilegpu.blocked<elements = [1, 8], threads = [32, 1], warps = [1, 1], order = [1, 0]>
#row = #tilegpu.slice<dim = 1, parent = #layout>
#column = #tilegpu.slice<dim = 0, parent = #layout>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @triangle
  tt.func @triangle(%base: !tt.ptr<i1>) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #row>
    %j = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #column>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32, #row> -> tensor<32x1xi32, #layout>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<8xi32, #column> -> tensor<1x8xi32, #layout>
    %rows = tt.broadcast %i2 : tensor<32x1xi32, #layout> -> tensor<32x8xi32, #layout>
    %columns = tt.broadcast %j2 : tensor<1x8xi32, #layout> -> tensor<32x8xi32, #layout>
    // CHECK: %[[DIFFERENCE:.*]] = llvm.sub
    // CHECK-COUNT-8: llvm.icmp "sge" %{{.*}}, %[[DIFFERENCE]] : i32
    %mask = arith.cmpi sge, %rows, %columns : tensor<32x8xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i1> -> tensor<32x8x!tt.ptr<i1>, #layout>
    %pointer = tt.addptr %bases, %rows : tensor<32x8x!tt.ptr<i1>, #layout>, tensor<32x8xi32, #layout>
    tt.store %pointer, %mask : tensor<32x8x!tt.ptr<i1>, #layout>
    tt.return
  }
}

// -----

// Of eight rows those from the bound on are outside in every thread, unless
// their numbers may be negative.

#layout = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @beyond
  tt.func @beyond(%base: !tt.ptr<i1>, %offset: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i1> -> tensor<256x!tt.ptr<i1>, #layout>
    %pointer = tt.addptr %bases, %i : tensor<256x!tt.ptr<i1>, #layout>, tensor<256xi32, #layout>
    %bound = arith.constant dense<96> : tensor<256xi32, #layout>
    // CHECK-COUNT-3: llvm.icmp "slt"
    // CHECK-NOT: llvm.icmp
    // CHECK: llvm.mlir.constant(false) : i1
    %mask = arith.cmpi slt, %i, %bound : tensor<256xi32, #layout>
    tt.store %pointer, %mask : tensor<256x!tt.ptr<i1>, #layout>
    // CHECK-COUNT-3: llvm.icmp "sgt"
    // CHECK-NOT: llvm.icmp
    // CHECK: llvm.mlir.constant(true) : i1
    %last = arith.constant dense<95> : tensor<256xi32, #layout>
    %outside = arith.cmpi sgt, %i, %last : tensor<256xi32, #layout>
    tt.store %pointer, %outside : tensor<256x!tt.ptr<i1>, #layout>
    // CHECK-COUNT-8: llvm.icmp "slt"
    // CHECK-NOT: llvm.icmp
    %offsets = tt.splat %offset : i32 -> tensor<256xi32, #layout>
    %moved = arith.addi %i, %offsets : tensor<256xi32, #layout>
    %unknown = arith.cmpi slt, %moved, %bound : tensor<256xi32, #layout>
    tt.store %pointer, %unknown : tensor<256x!tt.ptr<i1>, #layout>
    tt.return
  }
}
