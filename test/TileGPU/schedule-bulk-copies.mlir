// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=3 bulk-copies=true" --tilegpu-pipeline-loops --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=3" --tilegpu-pipeline-loops | FileCheck %s --check-prefix=OFF
// OFF-NOT: bulk_copy

// Which tiles of a pipeline the asynchronous proxy brings, and when. The left
// operand of each product is a tile of pointers; the right one stays.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#ofRows = #tilegpu.slice<dim = 1, parent = #rows>
#ofColumns = #tilegpu.slice<dim = 0, parent = #rows>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
!sums = tensor<64x64xf32, #acc>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!row = tensor<64xi32, #ofRows>
!column = tensor<64xi32, #ofColumns>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
!indices = tensor<64x64xi32, #rows>
!mask = tensor<64x64xi1, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// Rows from 64 times the program's number on, to the size that the mask says;
// columns along the loop. The pointers that it carried are gone. A step waits for
// its own copy first, and starts the one two iterations ahead, if it is there,
// telling the mbarrier that was waited for in the step before.
// CHECK-LABEL: @box
// CHECK-SAME: (%[[A:.*]]: !tt.ptr<f16> {{.*}}, %[[M:[a-z0-9]*]]: i32, %[[S:[a-z0-9]*]]: i32 {{.*}}, %[[C:.*]]: tensor<64x64xf32
// CHECK: %[[ANY:.*]] = arith.constant 2147483647 : i64
// CHECK: %[[MAP:.*]] = tilegpu.tensor_map %[[A]] sizes[%[[M]], %[[ANY]] : i32, i64] strides[%[[S]] : i32] : !tt.ptr<f16> -> <[64, 64], f16, swizzle = 128>
// CHECK: %[[BARRIERS:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi64, {{.*}}, buffers = 3, mutable>
// CHECK: tilegpu.mbarrier_init %[[BARRIERS]]
// CHECK-COUNT-2: tilegpu.bulk_copy %[[MAP]]
// CHECK: scf.for {{.*}} iter_args({{[^,]*}}, %[[NUMBER:[a-z0-9]*]] = {{[^,]*}}, %[[PHASE:[a-z0-9]*]] = 
// CHECK: %[[NOW:.*]] = tilegpu.memdesc_index %[[BARRIERS]][%[[NUMBER]]]
// CHECK: tilegpu.mbarrier_wait %[[NOW]] phase %[[PHASE]] {pending = 1 : i32}
// CHECK-NOT: async_copy
// CHECK: tilegpu.bulk_copy %[[MAP]] at[%{{.*}}, %{{.*}}] to %{{.*}} tell %{{.*}} if %
// CHECK: tilegpu.wgmma
// CHECK: scf.yield
// CHECK: tilegpu.mbarrier_inval %[[BARRIERS]]
tt.func @box(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %s: i32 {tt.divisibility = 8 : i32}, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %step = arith.constant dense<64> : !indices
  %mb = tilegpu.local_alloc %b : (!half) -> !tile
  %x = tt.get_program_id x : i32
  %first = arith.muli %x, %c64 : i32
  %firsts = tt.splat %first : i32 -> !row
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : !row
  %r = arith.addi %firsts, %range : !row
  %ms = tt.splat %m : i32 -> !row
  %in = arith.cmpi slt, %r, %ms : !row
  %in2 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1, #ofRows> -> tensor<64x1xi1, #rows>
  %mask = tt.broadcast %in2 : tensor<64x1xi1, #rows> -> !mask
  %ss = tt.splat %s : i32 -> !row
  %far = arith.muli %r, %ss : !row
  %far2 = tt.expand_dims %far {axis = 1 : i32} : !row -> tensor<64x1xi32, #rows>
  %fars = tt.broadcast %far2 : tensor<64x1xi32, #rows> -> !indices
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : !column
  %k2 = tt.expand_dims %k {axis = 0 : i32} : !column -> tensor<1x64xi32, #rows>
  %ks = tt.broadcast %k2 : tensor<1x64xi32, #rows> -> !indices
  %offsets = arith.addi %fars, %ks : !indices
  %base = tt.splat %a : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %base, %offsets : !pointers, !indices
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c, %at = %p) -> (!sums, !pointers) : i32 {
    %ma = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %at, %ma mask %mask : !pointers -> !tile mask !mask
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !tile * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %next = tt.addptr %at, %step : !pointers, !indices
    scf.yield %2, %next : !sums, !pointers
  }
  tt.return %sum#0 : !sums
}

// Of a stride that nothing is known of, in bytes a multiple of 2.
// CHECK-LABEL: @unaligned
// CHECK-NOT: bulk_copy
// CHECK: tt.return
tt.func @unaligned(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !tile
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : !row
  %ss = tt.splat %s : i32 -> !row
  %far = arith.muli %range, %ss : !row
  %far2 = tt.expand_dims %far {axis = 1 : i32} : !row -> tensor<64x1xi32, #rows>
  %fars = tt.broadcast %far2 : tensor<64x1xi32, #rows> -> !indices
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : !column
  %k2 = tt.expand_dims %k {axis = 0 : i32} : !column -> tensor<1x64xi32, #rows>
  %ks = tt.broadcast %k2 : tensor<1x64xi32, #rows> -> !indices
  %offsets = arith.addi %fars, %ks : !indices
  %base = tt.splat %a : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %base, %offsets : !pointers, !indices
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %ma : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !tile * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %sum : !sums
}

// The kernel writes to the tensor itself, before.
// CHECK-LABEL: @written
// CHECK-NOT: bulk_copy
// CHECK: tt.return
tt.func @written(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %stride = arith.constant dense<64> : !row
  %mb = tilegpu.local_alloc %b : (!half) -> !tile
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : !row
  %far = arith.muli %range, %stride : !row
  %far2 = tt.expand_dims %far {axis = 1 : i32} : !row -> tensor<64x1xi32, #rows>
  %fars = tt.broadcast %far2 : tensor<64x1xi32, #rows> -> !indices
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : !column
  %k2 = tt.expand_dims %k {axis = 0 : i32} : !column -> tensor<1x64xi32, #rows>
  %ks = tt.broadcast %k2 : tensor<1x64xi32, #rows> -> !indices
  %offsets = arith.addi %fars, %ks : !indices
  %base = tt.splat %a : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %base, %offsets : !pointers, !indices
  tt.store %p, %b : !pointers
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %ma : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !tile * !tile -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %sum : !sums
}

}
