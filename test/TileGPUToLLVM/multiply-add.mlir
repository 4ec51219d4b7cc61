// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#blocked = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {

// f16 sums are kept in f32 and rounded once. A short K is one step. A's two
// elements of K are one word, B's two rows are apart.
// CHECK-LABEL: llvm.func @one_step
// CHECK: %[[C:.*]] = llvm.fpext %arg1 : f16 to f32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
// CHECK: %[[A:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %[[C]])
// CHECK: %[[B:.*]] = llvm.intr.fma(%{{.*}}, %{{.*}}, %[[A]])
// CHECK: llvm.fptrunc %[[B]] : f32 to f16
// CHECK-NOT: llvm.intr.fma
// CHECK-NOT: llvm.br
// CHECK: llvm.return
tt.func @one_step(%out: !tt.ptr<f16>, %x: f16) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<8x2xf16, #rows>
  %b = tilegpu.local_alloc {offset = 32 : i32} : () -> !tilegpu.memdesc<2x4xf16, #rows>
  %c = tt.splat %x : f16 -> tensor<8x4xf16, #blocked>
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x2xf16, #rows> * !tilegpu.memdesc<2x4xf16, #rows> -> tensor<8x4xf16, #blocked>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x4x!tt.ptr<f16>, #blocked>
  tt.store %p, %d : tensor<8x4x!tt.ptr<f16>, #blocked>
  tt.return
}

// A long K is a loop, which LLVM is asked not to unroll: 512 multiply-adds for
// the one sum, twice.
// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.br ^[[BODY:.*]](%{{.*}}, %arg1 : i32, f32)
// CHECK: ^[[BODY]](%[[I:.*]]: i32, %[[SUM:.*]]: f32):
// CHECK: llvm.shl %[[I]], %{{.*}} : i32
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK: %[[LAST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
// CHECK: llvm.cond_br %[[LAST]], ^[[EXIT:.*]](%{{.*}} : f32), ^[[BODY]](%{{.*}}, %{{.*}} : i32, f32) {loop_annotation = #{{.*}}}
// CHECK: ^[[EXIT]](%{{.*}}: f32):
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
tt.func @loop(%out: !tt.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<8x1024xf32, #rows>
  %b = tilegpu.local_alloc {offset = 32768 : i32} : () -> !tilegpu.memdesc<1024x4xf32, #rows>
  %c = tt.splat %x : f32 -> tensor<8x4xf32, #blocked>
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x1024xf32, #rows> * !tilegpu.memdesc<1024x4xf32, #rows> -> tensor<8x4xf32, #blocked>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<8x4x!tt.ptr<f32>, #blocked>
  tt.store %p, %d : tensor<8x4x!tt.ptr<f32>, #blocked>
  tt.return
}

// Eight-bit integers: four of K together.
// CHECK-LABEL: llvm.func @dp4a
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.idp4a.s.s"(%{{.*}}, %{{.*}}, %arg1) : (i32, i32, i32) -> i32
// CHECK-NOT: idp4a
// CHECK: llvm.return
tt.func @dp4a(%out: !tt.ptr<i32>, %x: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<8x4xi8, #rows>
  %b = tilegpu.local_alloc {offset = 32 : i32} : () -> !tilegpu.memdesc<4x4xi8, #rows>
  %c = tt.splat %x : i32 -> tensor<8x4xi32, #blocked>
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x4xi8, #rows> * !tilegpu.memdesc<4x4xi8, #rows> -> tensor<8x4xi32, #blocked>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<8x4x!tt.ptr<i32>, #blocked>
  tt.store %p, %d : tensor<8x4x!tt.ptr<i32>, #blocked>
  tt.return
}
}

// -----

#blocked = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @types(%x: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<8x4xf32, #rows>
  %b = tilegpu.local_alloc {offset = 128 : i32} : () -> !tilegpu.memdesc<4x4xf32, #rows>
  %c = tt.splat %x : i32 -> tensor<8x4xi32, #blocked>
  // expected-error @+2 {{expects float operands and an accumulator of 16 bits or more, or integer operands and an accumulator at least as wide, but got 'f32' and 'f32' -> 'i32'}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.multiply_add'}}
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x4xf32, #rows> * !tilegpu.memdesc<4x4xf32, #rows> -> tensor<8x4xi32, #blocked>
  tt.return
}
}

// -----

#blocked = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @wide() attributes {tilegpu.num_warps = 1 : i32} {
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<8x4xi128, #rows>
  %b = tilegpu.local_alloc {offset = 512 : i32} : () -> !tilegpu.memdesc<4x4xi128, #rows>
  %c = arith.constant dense<0> : tensor<8x4xi128, #blocked>
  // expected-error @+2 {{expects operands of 8, 16, 32 or 64 bits, each element in one place, but got '!tilegpu.memdesc<8x4xi128}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.multiply_add'}}
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x4xi128, #rows> * !tilegpu.memdesc<4x4xi128, #rows> -> tensor<8x4xi128, #blocked>
  tt.return
}
}

// -----

#blocked = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @shapes(%a: !tilegpu.memdesc<8x4xf32, #rows>, %b: !tilegpu.memdesc<2x4xf32, #rows>, %c: tensor<8x4xf32, #blocked>) {
  // expected-error @+1 {{expects the same K in both operands, but got 4 and 2}}
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x4xf32, #rows> * !tilegpu.memdesc<2x4xf32, #rows> -> tensor<8x4xf32, #blocked>
  tt.return
}

// -----

#rows = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
tt.func @no_layout(%a: !tilegpu.memdesc<8x4xf32, #rows>, %b: !tilegpu.memdesc<4x4xf32, #rows>, %c: tensor<8x4xf32>) {
  // expected-error @+1 {{expects a result with a register layout, but got 'tensor<8x4xf32>'}}
  %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<8x4xf32, #rows> * !tilegpu.memdesc<4x4xf32, #rows> -> tensor<8x4xf32>
  tt.return
}
