// Which layouts sums over a cluster take, and that there is one however many layouts
// its result is wanted in.

// A product's columns are in registers: nothing is converted. Parts of rows are those
// of the transposed product.
// RUN: tilewright-opt %S/../Run/reduce-scatter.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4" | FileCheck %s --check-prefix=GROUP
// GROUP-LABEL: @split4(
// GROUP: %[[SUM:.*]] = tilegpu.wgmma_wait %{{.*}} {pending = 0 : i32} : <tensor<64x64xf32, #[[ACC:.*]]>> -> tensor<64x64xf32, #[[ACC]]>
// GROUP-NEXT: tile.reduce_scatter %[[SUM]] {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32, #[[ACC]]> -> tensor<64x16xf32, #{{.*}}>
// GROUP-LABEL: @rows4(
// GROUP: %[[SUM:.*]] = tilegpu.wgmma_wait %{{.*}} {pending = 0 : i32}
// GROUP-NEXT: %[[ROWS:.*]] = tt.trans %[[SUM]]
// GROUP-NEXT: tile.reduce_scatter %[[ROWS]]
// RUN: tilewright-opt %S/../Run/reduce-scatter.mlir --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=1" | FileCheck %s --check-prefix=WARP
// WARP-LABEL: @narrow8(
// WARP: tilegpu.mma {{.*}} -> tensor<16x64xf32, #[[ACC:.*]]>
// WARP-NOT: tilegpu.convert_layout
// WARP: tile.reduce_scatter %{{.*}} {axis = 1 : i32, programs = 8 : i32} : tensor<16x64xf32, #[[ACC]]> -> tensor<16x8xf32, #{{.*}}>

// RUN: tilewright-opt %s --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_90a num-warps=4" | FileCheck %s
// CHECK-LABEL: @transposed_too(
// CHECK: %[[SUM:.*]] = tile.reduce_scatter
// CHECK: %[[STORED:.*]] = tilegpu.convert_layout %[[SUM]]
// CHECK: tt.store %{{.*}}, %[[STORED]]
// CHECK-NOT: tile.reduce_scatter
// CHECK: tt.return
tt.func public @transposed_too(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %d: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %q = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %x = tt.get_program_id x : i32
  %c4096 = arith.constant 4096 : i32
  %c1024 = arith.constant 1024 : i32
  %s64 = arith.constant dense<64> : tensor<64x1xi32>
  %s16 = arith.constant dense<16> : tensor<64x1xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %cols = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %qc = tt.expand_dims %q {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %ro = arith.muli %rows, %s64 : tensor<64x1xi32>
  %rb = tt.broadcast %ro : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %cols : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rb, %cb : tensor<64x64xi32>
  %po = arith.muli %x, %c4096 : i32
  %pa = tt.addptr %a, %po : !tt.ptr<f32>, i32
  %ps = tt.splat %pa : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pp = tt.addptr %ps, %o : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %pp : tensor<64x64x!tt.ptr<f32>>
  %s = tile.reduce_scatter %v {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  %ro2 = arith.muli %rows, %s16 : tensor<64x1xi32>
  %rb2 = tt.broadcast %ro2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %cb2 = tt.broadcast %qc : tensor<1x16xi32> -> tensor<64x16xi32>
  %o2 = arith.addi %rb2, %cb2 : tensor<64x16xi32>
  %po2 = arith.muli %x, %c1024 : i32
  %pc = tt.addptr %c, %po2 : !tt.ptr<f32>, i32
  %pcs = tt.splat %pc : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
  %pcp = tt.addptr %pcs, %o2 : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
  tt.store %pcp, %s : tensor<64x16x!tt.ptr<f32>>
  %t = tt.trans %s {order = array<i32: 1, 0>} : tensor<64x16xf32> -> tensor<16x64xf32>
  %s64b = arith.constant dense<64> : tensor<16x1xi32>
  %qr = tt.expand_dims %q {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %qo = arith.muli %qr, %s64b : tensor<16x1xi32>
  %qb = tt.broadcast %qo : tensor<16x1xi32> -> tensor<16x64xi32>
  %c16 = tt.broadcast %cols : tensor<1x64xi32> -> tensor<16x64xi32>
  %o3 = arith.addi %qb, %c16 : tensor<16x64xi32>
  %pd = tt.addptr %d, %po2 : !tt.ptr<f32>, i32
  %pds = tt.splat %pd : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %pdp = tt.addptr %pds, %o3 : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  tt.store %pdp, %t : tensor<16x64x!tt.ptr<f32>>
  tt.return
}
