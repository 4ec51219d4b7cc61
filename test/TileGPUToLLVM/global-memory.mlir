// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file | FileCheck %s

// An access takes neighbours together wherever they are among a thread's
// registers: here every other one is of another row.

// CHECK-LABEL: @apart
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
#apart = #tilegpu.linear<register = [[32, 0], [0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = []>
#columns = #tilegpu.slice<dim = 0, parent = #apart>
#rows = #tilegpu.slice<dim = 1, parent = #apart>
module attributes {tilegpu.target = "sm_80"} {
tt.func @apart(%from: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
  %pitch = arith.constant dense<4> : tensor<64x1xi32, #apart>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %c = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #columns>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #apart>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<4xi32, #columns> -> tensor<1x4xi32, #apart>
  %r2 = arith.muli %r1, %pitch : tensor<64x1xi32, #apart>
  %r3 = tt.broadcast %r2 : tensor<64x1xi32, #apart> -> tensor<64x4xi32, #apart>
  %c3 = tt.broadcast %c1 : tensor<1x4xi32, #apart> -> tensor<64x4xi32, #apart>
  %i = arith.addi %r3, %c3 : tensor<64x4xi32, #apart>
  %p = tt.splat %from : !tt.ptr<f32> -> tensor<64x4x!tt.ptr<f32>, #apart>
  %p1 = tt.addptr %p, %i : tensor<64x4x!tt.ptr<f32>, #apart>, tensor<64x4xi32, #apart>
  %v = tt.load %p1 : tensor<64x4x!tt.ptr<f32>, #apart>
  %q = tt.splat %to : !tt.ptr<f32> -> tensor<64x4x!tt.ptr<f32>, #apart>
  %q1 = tt.addptr %q, %i : tensor<64x4x!tt.ptr<f32>, #apart>, tensor<64x4xi32, #apart>
  tt.store %q1, %v : tensor<64x4x!tt.ptr<f32>, #apart>
  tt.return
}
}

// -----

// Rows of which nobody knows where they end are stored in vectors; the first
// elements of the last vector by themselves, where a thread has such.

// CHECK-LABEL: @ends
// CHECK: llvm.inline_asm {{.*}}"@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: llvm.inline_asm {{.*}}"@$5 st.global.v4.b32 [$0+512], {$1, $2, $3, $4};"
// CHECK-NOT: st.global
// CHECK: llvm.cond_br %{{.*}}, ^[[CUT:.*]], ^[[REST:.*]]
// CHECK: ^[[CUT]]:
// CHECK-COUNT-14: "@$2 st.global.b16
// CHECK-NOT: st.global
// CHECK: llvm.br ^[[REST]]
// CHECK: ^[[REST]]:
#blocked = #tilegpu.blocked<elements = [8], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @ends(%to: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #blocked>
  %v = arith.trunci %r : tensor<512xi32, #blocked> to tensor<512xi16, #blocked>
  %end = tt.splat %n : i32 -> tensor<512xi32, #blocked>
  %inside = arith.cmpi slt, %r, %end : tensor<512xi32, #blocked>
  %p = tt.splat %to : !tt.ptr<i16> -> tensor<512x!tt.ptr<i16>, #blocked>
  %q = tt.addptr %p, %r : tensor<512x!tt.ptr<i16>, #blocked>, tensor<512xi32, #blocked>
  tt.store %q, %v, %inside : tensor<512x!tt.ptr<i16>, #blocked>
  tt.return
}

// Rows that end at a fourth element: two halves are too few for a branch.
// CHECK-LABEL: @ends_at_fourths
// CHECK-NOT: llvm.cond_br
// CHECK: "@$5 st.global.v4.b32 [$0], {$1, $2, $3, $4};"
// CHECK: "@$5 st.global.v4.b32 [$0+512], {$1, $2, $3, $4};"
// CHECK: "@$3 st.global.v2.b32 [$0], {$1, $2};"
// CHECK: "@$3 st.global.v2.b32 [$0+512], {$1, $2};"
// CHECK-NOT: st.global
// CHECK: llvm.return
tt.func @ends_at_fourths(%to: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 4 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #blocked>
  %v = arith.trunci %r : tensor<512xi32, #blocked> to tensor<512xi16, #blocked>
  %end = tt.splat %n : i32 -> tensor<512xi32, #blocked>
  %inside = arith.cmpi slt, %r, %end : tensor<512xi32, #blocked>
  %p = tt.splat %to : !tt.ptr<i16> -> tensor<512x!tt.ptr<i16>, #blocked>
  %q = tt.addptr %p, %r : tensor<512x!tt.ptr<i16>, #blocked>, tensor<512xi32, #blocked>
  tt.store %q, %v, %inside : tensor<512x!tt.ptr<i16>, #blocked>
  tt.return
}

// What is left out of a vector's beginning leaves elements.
// CHECK-LABEL: @begins
// CHECK-NOT: llvm.cond_br
// CHECK-COUNT-16: "@$2 st.global.b16
// CHECK-NOT: st.global
// CHECK: llvm.return
tt.func @begins(%to: !tt.ptr<i16> {tt.divisibility = 16 : i32}, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #blocked>
  %v = arith.trunci %r : tensor<512xi32, #blocked> to tensor<512xi16, #blocked>
  %begin = tt.splat %n : i32 -> tensor<512xi32, #blocked>
  %inside = arith.cmpi sge, %r, %begin : tensor<512xi32, #blocked>
  %p = tt.splat %to : !tt.ptr<i16> -> tensor<512x!tt.ptr<i16>, #blocked>
  %q = tt.addptr %p, %r : tensor<512x!tt.ptr<i16>, #blocked>, tensor<512xi32, #blocked>
  tt.store %q, %v, %inside : tensor<512x!tt.ptr<i16>, #blocked>
  tt.return
}
}

// -----

// A scalar that the first thread alone needs, which of an agent is a later one
// of the CTA: all others have 0, or what a mask leaves.

// CHECK-LABEL: @first_thread
// CHECK: %[[ISFIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.inline_asm {{.*}}"mov.b32 $0, 0;\0A\09@$2 ld.global.b32 $0, [$1];", "=&r,l,b" %{{.*}}, %[[ISFIRST]] :
// CHECK: llvm.mlir.constant(-32 : i32)
// CHECK: %[[ISFIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %[[ISFIRST]]
// CHECK: llvm.inline_asm {{.*}}"mov.b32 $0, $3;\0A\09@$2 ld.global.b32 $0, [$1];", "=&r,l,b,r" %{{.*}}, %[[BOTH]], %{{.*}} :
module attributes {tilegpu.target = "sm_80"} {
tt.func @first_thread(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %m: i1, %o: i32) attributes {tilegpu.num_warps = 5 : i32} {
  %x = tt.load %p {tilegpu.first_thread} : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  tilegpu.warp_specialize warps = [1, 4] {
    tilegpu.agent_return
  }, {
    %y = tt.load %q, %m, %o {tilegpu.first_thread} : !tt.ptr<i32>
    tt.store %q, %y : !tt.ptr<i32>
    tilegpu.agent_return
  }
  tt.return
}
}
