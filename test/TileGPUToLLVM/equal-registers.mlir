// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse | FileCheck %s

// Integers that are the same for neighbours are computed once for them: LLVM
// does not know that an argument is divisible.

#layout = #tilegpu.blocked<elements = [4, 1], threads = [32, 1], warps = [1, 1], order = [0, 1]>
#rows = #tilegpu.slice<dim = 1, parent = #layout>
module attributes {tilegpu.target = "sm_80"} {
  // Of four rows, quotients and comparisons of the rows are one.
  // CHECK-LABEL: llvm.func @rows
  tt.func @rows(%base: !tt.ptr<i32>, %bound: i32 {tt.divisibility = 16 : i32},
                %divisor: i32 {tt.divisibility = 16 : i32})
      attributes {tilegpu.num_warps = 1 : i32} {
    %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #rows>
    %row = tt.expand_dims %range {axis = 1 : i32} : tensor<128xi32, #rows> -> tensor<128x1xi32, #layout>
    %bounds = tt.splat %bound : i32 -> tensor<128x1xi32, #layout>
    %divisors = tt.splat %divisor : i32 -> tensor<128x1xi32, #layout>
    // CHECK: llvm.sdiv
    // CHECK-NOT: llvm.sdiv
    %quotient = arith.divsi %row, %divisors : tensor<128x1xi32, #layout>
    // CHECK: llvm.icmp "slt"
    // CHECK-NOT: llvm.icmp
    %mask = arith.cmpi slt, %row, %bounds : tensor<128x1xi32, #layout>
    // The remainders are four.
    // CHECK-COUNT-4: llvm.srem
    // CHECK-NOT: llvm.srem
    %rest = arith.remsi %row, %divisors : tensor<128x1xi32, #layout>
    %sum = arith.addi %quotient, %rest : tensor<128x1xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i32> -> tensor<128x1x!tt.ptr<i32>, #layout>
    %pointers = tt.addptr %bases, %row : tensor<128x1x!tt.ptr<i32>, #layout>, tensor<128x1xi32, #layout>
    tt.store %pointers, %sum, %mask : tensor<128x1x!tt.ptr<i32>, #layout>
    tt.return
  }
}
