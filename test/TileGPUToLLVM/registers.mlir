// RUN: tilewright-opt %s --tilegpu-to-llvm | FileCheck %s
// RUN: sed s/sm_80/sm_75/ %s | tilewright-opt --tilegpu-to-llvm | FileCheck %s --check-prefix=TURING

// Registers of a thread (nvvm.maxnreg): the most that leave a multiprocessor the
// CTAs that tiles and shared memory allow.

#rows = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
!pointers = tensor<16384x!tt.ptr<f32>, #rows>
!halves = tensor<16384x!tt.ptr<f16>, #rows>
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

// Nothing but other CTAs hides that threads wait for each other: what is
// computed from element to element takes no registers of its own. 64 for halves,
// and 16 more: six CTAs.
// CHECK-LABEL: llvm.func @computed_late
// CHECK-SAME: nvvm.maxnreg = 80 : i32
tt.func @computed_late(%from: !tt.ptr<f16>, %to: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #rows>
  %p = tt.splat %from : !tt.ptr<f16> -> !halves
  %p1 = tt.addptr %p, %i : !halves, tensor<16384xi32, #rows>
  tilegpu.barrier
  %tile = tt.load %p1 : !halves
  %wide = arith.extf %tile : tensor<16384xf16, #rows> to tensor<16384xf32, #rows>
  %square = arith.mulf %wide, %wide : tensor<16384xf32, #rows>
  %narrow = arith.truncf %square : tensor<16384xf32, #rows> to tensor<16384xf16, #rows>
  %q = tt.splat %to : !tt.ptr<f16> -> !halves
  %q1 = tt.addptr %q, %i : !halves, tensor<16384xi32, #rows>
  tt.store %q1, %narrow : !halves
  tt.return
}

// What lives while threads wait for each other is computed before: 128, and 16
// more.
// CHECK-LABEL: llvm.func @held
// CHECK-SAME: nvvm.maxnreg = 168 : i32
tt.func @held(%from: !tt.ptr<f16>, %to: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #rows>
  %p = tt.splat %from : !tt.ptr<f16> -> !halves
  %p1 = tt.addptr %p, %i : !halves, tensor<16384xi32, #rows>
  %tile = tt.load %p1 : !halves
  %wide = arith.extf %tile : tensor<16384xf16, #rows> to tensor<16384xf32, #rows>
  tilegpu.barrier
  %square = arith.mulf %wide, %wide : tensor<16384xf32, #rows>
  %narrow = arith.truncf %square : tensor<16384xf32, #rows> to tensor<16384xf16, #rows>
  %q = tt.splat %to : !tt.ptr<f16> -> !halves
  %q1 = tt.addptr %q, %i : !halves, tensor<16384xi32, #rows>
  tt.store %q1, %narrow : !halves
  tt.return
}

// A loop hides latency by itself: 128 for the squares, and 36 more. Of these it
// needs 64 for what it loads, and 16, to load it all together.
// CHECK-LABEL: llvm.func @loop
// CHECK-SAME: nvvm.maxnreg = 168 : i32
// CHECK-SAME: tilegpu.registers_of_loads = 80 : i32
tt.func @loop(%from: !tt.ptr<f16>, %to: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32, #rows>
  %p = tt.splat %from : !tt.ptr<f16> -> !halves
  %p1 = tt.addptr %p, %i : !halves, tensor<16384xi32, #rows>
  %q = tt.splat %to : !tt.ptr<f16> -> !halves
  %q1 = tt.addptr %q, %i : !halves, tensor<16384xi32, #rows>
  cf.br ^loop(%c0 : i32)
^loop(%k: i32):
  tilegpu.barrier
  %tile = tt.load %p1 : !halves
  %wide = arith.extf %tile : tensor<16384xf16, #rows> to tensor<16384xf32, #rows>
  %square = arith.mulf %wide, %wide : tensor<16384xf32, #rows>
  %narrow = arith.truncf %square : tensor<16384xf32, #rows> to tensor<16384xf16, #rows>
  tt.store %q1, %narrow : !halves
  %next = arith.addi %k, %c1 : i32
  %more = arith.cmpi slt, %next, %n : i32
  cf.cond_br %more, ^loop(%next : i32), ^end
^end:
  tt.return
}

// CUDA's assembler unrolls short loops by four: a scalar and its address in each.
// CHECK-LABEL: llvm.func @short_loop
// CHECK-SAME: tilegpu.registers_of_loads = 28 : i32
tt.func @short_loop(%p: !tt.ptr<f32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  cf.br ^loop(%c0, %zero : i32, f32)
^loop(%k: i32, %sum: f32):
  %q = tt.addptr %p, %k : !tt.ptr<f32>, i32
  %x = tt.load %q : !tt.ptr<f32>
  %new = arith.addf %sum, %x : f32
  %next = arith.addi %k, %c1 : i32
  %more = arith.cmpi slt, %next, %n : i32
  cf.cond_br %more, ^loop(%next, %new : i32, f32), ^end
^end:
  tt.store %p, %new : !tt.ptr<f32>
  tt.return
}

// As few as are best for the launch, if the function says so. Nothing is loaded in
// a loop.
// CHECK-LABEL: llvm.func @for_launch
// CHECK-SAME: nvvm.maxnreg = 48 : i32
// CHECK-NOT: tilegpu.registers_of_loads
// CHECK-SAME: {
tt.func @for_launch() attributes {tilegpu.num_warps = 4 : i32, tilegpu.registers = 48 : i32} {
  tt.return
}
}
