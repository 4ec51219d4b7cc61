// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file | FileCheck %s

#half = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  // CHECK-DAG: "pid (%u, %u, %u) idx () 100%%: (operand 0) 0x%04x\0A\00"
  // CHECK-DAG: "pid (%u, %u, %u) idx (%2u) 100%%: (operand 1) 0x%08x\0A\00"
  // CHECK-DAG: "pid (%u, %u, %u) done\0A\00"
  // CHECK-DAG: "pid (%u, %u, %u) idx () x: %f\0A\00"

  // Each thread prints a scalar, an element of a tile its owner; the lines are
  // those that Triton's programs print.
  // CHECK-LABEL: llvm.func @prints
  // CHECK: llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, i32, i32, i32)>
  // CHECK: llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, i32, i32)>
  // CHECK-NOT: llvm.cond_br
  // CHECK: llvm.zext %{{.*}} : i16 to i32
  // CHECK: llvm.call @vprintf
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK: llvm.cond_br %[[OWNER]]
  // CHECK: llvm.call @vprintf
  // CHECK-NOT: llvm.call
  // CHECK: return
  tt.func @prints(%a: i16, %b: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tt.splat %b : i32 -> tensor<16xi32, #half>
    tt.print " 100%: " {hex = true, isSigned = array<i32: 1, 0>} : %a, %t : i16, tensor<16xi32, #half>
    tt.return
  }
  tt.func @prints_nothing() attributes {tilegpu.num_warps = 1 : i32} {
    tt.print " done" {hex = false, isSigned = array<i32>}
    tt.return
  }
  tt.func @prints_floats(%a: f16) attributes {tilegpu.num_warps = 1 : i32} {
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %a : f16
    tt.return
  }
}

// -----

#two = #tilegpu.blocked<elements = [2], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
  // CHECK-DAG: "too large\00"
  // CHECK-DAG: "kernel.py\00"

  // One branch for all elements of a thread.
  // CHECK-LABEL: llvm.func @asserts(%arg0: i1, %arg1: i1
  // CHECK: %[[HOLDS:.*]] = llvm.and %arg0, %arg0
  // CHECK: %[[FAILS:.*]] = llvm.xor %[[HOLDS]]
  // CHECK: llvm.cond_br %[[FAILS]]
  // CHECK: %[[LINE:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK: llvm.call @__assertfail(%{{.*}}, %{{.*}}, %[[LINE]], %{{.*}}, %{{.*}})
  // CHECK-NOT: llvm.call
  // CHECK: return
  tt.func @asserts(%c: i1, %d: i1) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tt.splat %c : i1 -> tensor<64xi1, #two>
    tt.assert %t, "too large" : tensor<64xi1, #two> loc("kernel.py":7:3)
    tt.return
  }
}
