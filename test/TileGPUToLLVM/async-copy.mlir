// RUN: tilewright-opt %s --tilegpu-to-llvm --cse | FileCheck %s

#flat = #tilegpu.blocked<elements = [4], threads = [32], warps = [1], order = [0]>
#plain = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
module attributes {tilegpu.target = "sm_80"} {

// Sixteen bytes together, around the first level of cache.
// CHECK-LABEL: llvm.func @whole
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
tt.func @whole(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128xf32, #plain, mutable>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %p = tt.splat %in : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %q = tt.addptr %p, %r : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %t = tilegpu.async_copy %q, %m : tensor<128x!tt.ptr<f32>, #flat> -> !tilegpu.memdesc<128xf32, #plain, mutable>
  %c = tilegpu.async_commit %t
  %w = tilegpu.async_wait %c {pending = 1 : i32}
  tt.return
}

// A mask of the first elements: sixteen bytes, of which so many are read, and
// behind them zeros.
// CHECK-LABEL: llvm.func @first
// CHECK-COUNT-4: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: %[[BYTES:.*]] = llvm.add
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
tt.func @first(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128xf32, #plain, mutable>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %b = tt.splat %n : i32 -> tensor<128xi32, #flat>
  %mask = arith.cmpi slt, %r, %b : tensor<128xi32, #flat>
  %p = tt.splat %in : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %q = tt.addptr %p, %r : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %t = tilegpu.async_copy %q, %m mask %mask : tensor<128x!tt.ptr<f32>, #flat> -> !tilegpu.memdesc<128xf32, #plain, mutable> mask tensor<128xi1, #flat>
  %c = tilegpu.async_commit %t
  tt.return
}

// A mask of the last ones: four bytes at a time; nothing is read where it is
// false, and zeros are written.
// CHECK-LABEL: llvm.func @masked
// CHECK: %[[BYTES:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 4, cache = ca, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
tt.func @masked(%in: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128xf32, #plain, mutable>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %b = tt.splat %n : i32 -> tensor<128xi32, #flat>
  %mask = arith.cmpi sge, %r, %b : tensor<128xi32, #flat>
  %p = tt.splat %in : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %q = tt.addptr %p, %r : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %t = tilegpu.async_copy %q, %m mask %mask : tensor<128x!tt.ptr<f32>, #flat> -> !tilegpu.memdesc<128xf32, #plain, mutable> mask tensor<128xi1, #flat>
  %c = tilegpu.async_commit %t
  tt.return
}

// What is masked out receives another value: a copy or a store.
// CHECK-LABEL: llvm.func @other
// CHECK: llvm.inline_asm has_side_effects "@$0 cp.async.ca.shared.global [$1], [$2], 4, $3;"
// CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.b32 [$1], $2;"
tt.func @other(%in: !tt.ptr<f32>, %n: i32, %fill: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128xf32, #plain, mutable>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %b = tt.splat %n : i32 -> tensor<128xi32, #flat>
  %mask = arith.cmpi slt, %r, %b : tensor<128xi32, #flat>
  %p = tt.splat %in : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
  %q = tt.addptr %p, %r : tensor<128x!tt.ptr<f32>, #flat>, tensor<128xi32, #flat>
  %o = tt.splat %fill : f32 -> tensor<128xf32, #flat>
  %t = tilegpu.async_copy %q, %m mask %mask other %o : tensor<128x!tt.ptr<f32>, #flat> -> !tilegpu.memdesc<128xf32, #plain, mutable> mask tensor<128xi1, #flat> other tensor<128xf32, #flat>
  tt.return
}

// Two bytes are too few for cp.async: through a register.
// CHECK-LABEL: llvm.func @narrow
// CHECK-NOT: cp.async
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
// CHECK: llvm.return
tt.func @narrow(%in: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128xf16, #plain, mutable>
  %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #flat>
  %p = tt.splat %in : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #flat>
  %q = tt.addptr %p, %r : tensor<128x!tt.ptr<f16>, #flat>, tensor<128xi32, #flat>
  %t = tilegpu.async_copy %q, %m : tensor<128x!tt.ptr<f16>, #flat> -> !tilegpu.memdesc<128xf16, #plain, mutable>
  tt.return
}
}
