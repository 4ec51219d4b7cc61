// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=3 bulk-copies=true" --tilegpu-pipeline-loops | FileCheck %s

// Maps know no i1, though it has a byte in memory: threads copy such tiles.

#rows = #tilegpu.blocked<elements = [1, 16], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#ofRows = #tilegpu.slice<dim = 1, parent = #rows>
#ofColumns = #tilegpu.slice<dim = 0, parent = #rows>
#shared = #tilegpu.shared_swizzled<vector = 16, perPhase = 1, maxPhase = 1, order = [1, 0]>
!tile = !tilegpu.memdesc<32x64xi1, #shared, mutable>
!pointers = tensor<32x64x!tt.ptr<i1>, #rows>
!indices = tensor<32x64xi32, #rows>
module attributes {tilegpu.target = "sm_90a"} {
// CHECK-LABEL: @bits
// CHECK-NOT: tensor_map
// CHECK: tilegpu.async_copy
tt.func @bits(%a: !tt.ptr<i1> {tt.divisibility = 16 : i32}, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.constant dense<1024> : tensor<32x1xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #ofRows>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ofRows> -> tensor<32x1xi32, #rows>
  %r2 = arith.muli %r1, %stride : tensor<32x1xi32, #rows>
  %rows = tt.broadcast %r2 : tensor<32x1xi32, #rows> -> !indices
  %k = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ofColumns>
  %k1 = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32, #ofColumns> -> tensor<1x64xi32, #rows>
  %columns = tt.broadcast %k1 : tensor<1x64xi32, #rows> -> !indices
  %base = tt.splat %a : !tt.ptr<i1> -> !pointers
  scf.for %i = %c0 to %n step %c1 : i32 {
    %at = arith.muli %i, %c64 : i32
    %ats = tt.splat %at : i32 -> !indices
    %here = arith.addi %columns, %ats : !indices
    %o = arith.addi %rows, %here : !indices
    %p = tt.addptr %base, %o : !pointers, !indices
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> tensor<32x64xi1, #rows>
    tt.store %out, %x : !pointers
  }
  tt.return
}
}
