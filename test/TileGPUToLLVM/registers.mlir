// RUN: tilewright-opt %s --tilegpu-to-llvm | FileCheck %s
// RUN: sed s/sm_80/sm_75/ %s | tilewright-opt --tilegpu-to-llvm | FileCheck %s --check-prefix=TURING

// Registers of a thread (nvvm.maxnreg): the most that leave a multiprocessor the
// CTAs that tiles and shared memory allow.

#rows = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
!pointers = tensor<16384x!tt.ptr<f32>, #rows>
module attributes {tilegpu.target = "sm_80"} {

// Three CTAs of four warps: 128 registers for the tile, and 36 more.
// CHECK-LABEL: llvm.func @floats
// CHECK-SAME: nvvm.maxnreg = 168 : i32
tt.func @floats(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #rows>
  %p = tt.splat %from : !tt.ptr<f32> -> !pointers
  %p1 = tt.addptr %p, %i : !pointers, tensor<16384xi32, #rows>
  %tile = tt.load %p1 : !pointers
  %q = tt.splat %to : !tt.ptr<f32> -> !pointers
  %q1 = tt.addptr %q, %i : !pointers, tensor<16384xi32, #rows>
  tt.store %q1, %tile : !pointers
  tt.return
}

// Integers that are loaded count as floats do; those that are made where they
// are used do not (above).
// CHECK-LABEL: llvm.func @integers
// CHECK-SAME: nvvm.maxnreg = 168 : i32
tt.func @integers(%from: !tt.ptr<i32>, %to: !tt.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #rows>
  %p = tt.splat %from : !tt.ptr<i32> -> tensor<16384x!tt.ptr<i32>, #rows>
  %p1 = tt.addptr %p, %i : tensor<16384x!tt.ptr<i32>, #rows>, tensor<16384xi32, #rows>
  %tile = tt.load %p1 : tensor<16384x!tt.ptr<i32>, #rows>
  %q = tt.splat %to : !tt.ptr<i32> -> tensor<16384x!tt.ptr<i32>, #rows>
  %q1 = tt.addptr %q, %i : tensor<16384x!tt.ptr<i32>, #rows>, tensor<16384xi32, #rows>
  tt.store %q1, %tile : tensor<16384x!tt.ptr<i32>, #rows>
  tt.return
}

// Shared memory allows one CTA: it has all registers.
// CHECK-LABEL: llvm.func @shared
// CHECK-SAME: nvvm.maxnreg = 255 : i32
tt.func @shared() attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 100000 : i32} {
  tt.return
}

// Nothing lives: half of the warps that a multiprocessor can hold are enough.
// CHECK-LABEL: llvm.func @small
// CHECK-SAME: nvvm.maxnreg = 64 : i32
// TURING-LABEL: llvm.func @small
// TURING-SAME: nvvm.maxnreg = 128 : i32
tt.func @small() attributes {tilegpu.num_warps = 4 : i32} {
  tt.return
}
}
