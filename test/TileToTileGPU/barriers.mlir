// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barriers of the user's become ours.
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s

// CHECK-LABEL: tt.func public @between_a_store_and_a_load
// CHECK: tt.store
// CHECK-NEXT: tilegpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NEXT: tilegpu.barrier
// CHECK: scf.yield
tt.func public @between_a_store_and_a_load(%pointer: !tt.ptr<i32>, %turns: i32) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %splat = tt.splat %pointer : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %pointers = tt.addptr %splat, %range : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  tt.store %pointers, %range : tensor<128x!tt.ptr<i32>>
  gpu.barrier
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = scf.for %turn = %zero to %turns step %one iter_args(%before = %range) -> tensor<128xi32> : i32 {
    %value = tt.load %pointers : tensor<128x!tt.ptr<i32>>
    gpu.barrier
    scf.yield %value : tensor<128xi32>
  }
  tt.store %pointers, %last : tensor<128x!tt.ptr<i32>>
  tt.return
}
