// RUN: tilewright-opt %s --canonicalize | FileCheck %s

// Copies to memory that nothing reads, as the loads of what they bring were
// found to be dead.

#own = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32], [64]]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
!pointers = tensor<128x!tt.ptr<f32>, #own>
module attributes {tilegpu.target = "sm_80"} {

// The group and the wait for it go with the copy.
// CHECK-LABEL: @unread
// CHECK-NEXT: tt.return
tt.func @unread(%p: !pointers) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %c = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g = tilegpu.async_commit %c
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  tt.return
}

// CHECK-LABEL: @read
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.async_wait
// CHECK: tilegpu.local_load
tt.func @read(%p: !pointers) -> tensor<128xf32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %c = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g = tilegpu.async_commit %c
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %m : !tile -> tensor<128xf32, #own>
  tt.return %x : tensor<128xf32, #own>
}

// Of a group of two the other one stays.
// CHECK-LABEL: @one_of_two
// CHECK: %[[TILE:.*]] = tilegpu.local_alloc
// CHECK-NEXT: %[[COPY:.*]] = tilegpu.async_copy %{{.*}}, %[[TILE]]
// CHECK-NEXT: %[[GROUP:.*]] = tilegpu.async_commit %[[COPY]]
// CHECK-NEXT: tilegpu.async_wait %[[GROUP]]
// CHECK-NEXT: tilegpu.local_load %[[TILE]]
tt.func @one_of_two(%p: !pointers) -> tensor<128xf32, #own> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %n = tilegpu.local_alloc : () -> !tile
  %c = tilegpu.async_copy %p, %m : !pointers -> !tile
  %d = tilegpu.async_copy %p, %n : !pointers -> !tile
  %g = tilegpu.async_commit %d, %c
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %m : !tile -> tensor<128xf32, #own>
  tt.return %x : tensor<128xf32, #own>
}
}
