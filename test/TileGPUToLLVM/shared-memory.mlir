// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#rhs = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
#swizzled = #tilegpu.shared_swizzled<vector = 8, perPhase = 2, maxPhase = 4, order = [1, 0]>
#transposed = #tilegpu.shared_swizzled<vector = 8, perPhase = 2, maxPhase = 4, order = [0, 1]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
#flat = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
#few = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_80"} {

// CHECK: llvm.mlir.global external @tilewright_shared()

// CHECK-LABEL: llvm.func @vectors
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @tilewright_shared : !llvm.ptr<3>
// CHECK: %[[TILE:.*]] = llvm.getelementptr %[[SHARED]][1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %[[TILE]][%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
// CHECK: llvm.store %{{.*}}, %[[ADDRESS]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: llvm.load %[[ADDRESS]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
tt.func @vectors(%out: !tt.ptr<f16>, %scalar: f16) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f16 -> tensor<32x32xf16, #rows>
  %m = tilegpu.local_alloc {offset = 1024 : i32} : () -> !tilegpu.memdesc<32x32xf16, #swizzled, mutable>
  tilegpu.local_store %x, %m : tensor<32x32xf16, #rows> -> !tilegpu.memdesc<32x32xf16, #swizzled, mutable>
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tilegpu.memdesc<32x32xf16, #swizzled, mutable> -> tensor<32x32xf16, #rows>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #rows>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #rows>
  tt.return
}

// The left operand has K in a thread, as the rows in memory: ldmatrix as it is.
// CHECK-LABEL: llvm.func @ldmatrix
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.return
tt.func @ldmatrix(%out: !tt.ptr<f16>, %scalar: f16) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f16 -> tensor<64x32xf16, #rows>
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (tensor<64x32xf16, #rows>) -> !tilegpu.memdesc<64x32xf16, #swizzled>
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tilegpu.memdesc<64x32xf16, #swizzled> -> tensor<64x32xf16, #lhs>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #lhs>
  tt.store %p, %y : tensor<64x32x!tt.ptr<f16>, #lhs>
  tt.return
}

// The right operand's rows in memory run along N: ldmatrix.trans.
// CHECK-LABEL: llvm.func @ldmatrix_trans
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
tt.func @ldmatrix_trans(%out: !tt.ptr<f16>, %scalar: f16) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f16 -> tensor<32x32xf16, #rows>
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (tensor<32x32xf16, #rows>) -> !tilegpu.memdesc<32x32xf16, #swizzled>
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tilegpu.memdesc<32x32xf16, #swizzled> -> tensor<32x32xf16, #rhs>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #rhs>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #rhs>
  tt.return
}

// Threads with copies do not store: 64 of 128 threads own a value.
// CHECK-LABEL: llvm.func @owners_store
// CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
// CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.b32 [$1], $2;", "b,r,r" %[[OWNER]], %{{.*}}, %{{.*}} : (i1, i32, i32) -> (){{$}}
tt.func @owners_store(%out: !tt.ptr<f32>, %scalar: f32) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f32 -> tensor<64xf32, #few>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<64xf32, #plain, mutable>
  tilegpu.local_store %x, %m : tensor<64xf32, #few> -> !tilegpu.memdesc<64xf32, #plain, mutable>
  tt.return
}

// A boolean takes a byte; four are a word.
// CHECK-LABEL: llvm.func @booleans
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.trunc %{{.*}} : i8 to i1
tt.func @booleans(%out: !tt.ptr<i32>, %scalar: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : i1 -> tensor<512xi1, #flat>
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<512xi1, #plain, mutable>
  tilegpu.local_store %x, %m : tensor<512xi1, #flat> -> !tilegpu.memdesc<512xi1, #plain, mutable>
  tilegpu.barrier warp
  %y = tilegpu.local_load %m : !tilegpu.memdesc<512xi1, #plain, mutable> -> tensor<512xi1, #flat>
  %z = arith.extui %y : tensor<512xi1, #flat> to tensor<512xi32, #flat>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #flat>
  tt.store %p, %z : tensor<512x!tt.ptr<i32>, #flat>
  tt.return
}

// One buffer of three, transposed: an address and a type. The load then runs across the rows in memory.
// CHECK-LABEL: llvm.func @views
// CHECK-SAME: %[[INDEX:[a-z0-9]+]]: i32
// CHECK: %[[TILE:.*]] = llvm.getelementptr %{{.*}}[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(2048 : i32)
// CHECK: %[[BYTES:.*]] = llvm.mul %[[INDEX]], %[[SIZE]]
// CHECK: %[[BUFFER:.*]] = llvm.getelementptr %[[TILE]][%[[BYTES]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
// CHECK: llvm.getelementptr %[[BUFFER]]
// CHECK: nvvm.ldmatrix %{{.*}} {{{.*}}layout = #nvvm.mma_layout<col>
tt.func @views(%out: !tt.ptr<f16>, %index: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 256 : i32} : () -> !tilegpu.memdesc<32x32xf16, #swizzled, buffers = 3, mutable>
  %b = tilegpu.memdesc_index %m[%index] : !tilegpu.memdesc<32x32xf16, #swizzled, buffers = 3, mutable> -> !tilegpu.memdesc<32x32xf16, #swizzled, mutable>
  %t = tilegpu.memdesc_trans %b {order = array<i32: 1, 0>} : !tilegpu.memdesc<32x32xf16, #swizzled, mutable> -> !tilegpu.memdesc<32x32xf16, #transposed, mutable>
  %y = tilegpu.local_load %t : !tilegpu.memdesc<32x32xf16, #transposed, mutable> -> tensor<32x32xf16, #rows>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #rows>
  tt.store %p, %y : tensor<32x32x!tt.ptr<f16>, #rows>
  tt.return
}

// CHECK-LABEL: llvm.func @warp_barrier
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK: nvvm.bar.warp.sync %[[ALL]] : i32
tt.func @warp_barrier() attributes {tilegpu.num_warps = 1 : i32} {
  tilegpu.barrier warp
  tt.return
}
}

// -----

// No ldmatrix on Volta.
#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#swizzled = #tilegpu.shared_swizzled<vector = 8, perPhase = 2, maxPhase = 4, order = [1, 0]>
module attributes {tilegpu.target = "sm_70"} {
// CHECK-LABEL: llvm.func @without_ldmatrix
// CHECK-NOT: ldmatrix
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
tt.func @without_ldmatrix(%out: !tt.ptr<f16>, %scalar: f16) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f16 -> tensor<64x32xf16, #rows>
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (tensor<64x32xf16, #rows>) -> !tilegpu.memdesc<64x32xf16, #swizzled>
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tilegpu.memdesc<64x32xf16, #swizzled> -> tensor<64x32xf16, #lhs>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #lhs>
  tt.store %p, %y : tensor<64x32x!tt.ptr<f16>, #lhs>
  tt.return
}
}

// -----

// An accumulator goes out by stmatrix where the target has it.
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#swizzled = #tilegpu.shared_swizzled<vector = 8, perPhase = 2, maxPhase = 4, order = [1, 0]>
module attributes {tilegpu.target = "sm_90a"} {
// CHECK-LABEL: llvm.func @stmatrix
// CHECK: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {{{.*}}layout = #nvvm.mma_layout<row>
// CHECK: nvvm.stmatrix
// CHECK-NOT: llvm.store
// CHECK: llvm.return
tt.func @stmatrix(%scalar: f16) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tt.splat %scalar : f16 -> tensor<64x32xf16, #mma>
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (tensor<64x32xf16, #mma>) -> !tilegpu.memdesc<64x32xf16, #swizzled>
  tt.return
}
}

// -----

#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @no_offset() attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+2 {{expects an offset (run tilegpu-allocate-shared-memory first)}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.local_alloc'}}
  %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64xf32, #plain, mutable>
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_75"} {
tt.func @no_async_copies() attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+2 {{expects a target with cp.async, but got sm_75}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.async_commit'}}
  %t = tilegpu.async_commit
  tt.return
}
}
