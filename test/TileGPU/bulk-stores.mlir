// RUN: tilewright-opt %s --tilegpu-bulk-stores | FileCheck %s
// RUN: sed -e "s/tilegpu.bulk_copy .*//" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// No function without bulk copies has bulk stores.
// NONE-NOT: bulk_store

// Nor where anything else may access the tensor, or tells other programs; where rows
// are not known to begin, or to end, at multiples of 16 bytes (whole units of which are
// written), or boxes may begin before them; where threads hold what they store.
// RUN: sed -e "s/%begin = .*/%other = tt.load %list : !tt.ptr<i32> %begin = arith.muli %i, %c64 : i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s
// RUN: sed -e "s/%begin = .*/%old = tt.load %c : !tt.ptr<f16> %begin = arith.muli %i, %c64 : i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%begin = .*/%yes = arith.constant true %begin = tt.atomic_rmw add, relaxed, gpu, %list, %c1, %yes : (!tt.ptr<i32>, i32, i1) -> i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%begin = .*/tilegpu.barrier %begin = arith.muli %i, %c64 : i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%line: i32 {tt.divisibility = 8 : i32}/%line: i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%n: i32 {tt.divisibility = 8 : i32}/%n: i32/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%begin = .*/%first = tt.load %list : !tt.ptr<i32> %begin = arith.muli %first, %c64 : i32/; s/%rok = .*/%none = arith.constant dense<0> : tensor<64x1xi32, #rows> %rin = arith.cmpi sge, %re, %none : tensor<64x1xi32, #rows> %rlt = arith.cmpi slt, %re, %ms : tensor<64x1xi32, #rows> %rok = arith.andi %rin, %rlt : tensor<64x1xi1, #rows>/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/tensor<64x64xf16, #mma>/tensor<64x64xf16, #rows>/g" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/tt.store %out, %y, %ok/tt.store %out, %y, %ok evictionPolicy = evict_first/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE

// Nor in a loop that multiplies in the same block.
// RUN: sed -e "s/%begin = .*/%begin = arith.muli %i, %c64 : i32 %0 = tilegpu.pend %zero : tensor<64x64xf32, #acc> -> !pending %1 = tilegpu.wgmma %a0, %a0, %0 : !tile * !tile -> !pending %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> tensor<64x64xf32, #acc>/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE

// In a loop the tile is the loop's, and the threads wait for it when they write it again.
// CHECK-LABEL: @loop(
// CHECK: %[[MAP:.*]] = tilegpu.tensor_map %arg1 sizes[%arg2, %arg3 : i32, i32] strides[%arg4 : i32]
// CHECK: %[[TILE:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16
// CHECK: scf.for
// CHECK-NOT: tt.addptr
// CHECK: tilegpu.bulk_store_wait {pending = 0 : i32}
// CHECK-NEXT: tilegpu.local_store %arg5, %[[TILE]]
// CHECK: tilegpu.bulk_store %[[TILE]] to %[[MAP]] at[%{{.*}}, %{{.*}}]
// CHECK-NOT: tt.store
// CHECK: }
// CHECK-NEXT: tilegpu.bulk_store_wait reads {pending = 0 : i32}

// Two stores of one tensor, one behind the other's box: the second may start while the
// first one is in flight, the first one when that of the iteration before is done.
// RUN: sed -e "s/tt.store %out, %y, %ok/tt.store %out, %y, %ok : tensor<64x64x!tt.ptr<f16>, #rows> %b2 = arith.addi %begin, %c256 : i32 %rb2 = tt.splat %b2 : i32 -> tensor<64xi32, #row> %r2 = arith.addi %rb2, %rr : tensor<64xi32, #row> %re2 = tt.expand_dims %r2 {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #rows> %rok2 = arith.cmpi slt, %re2, %ms : tensor<64x1xi32, #rows> %rokb2 = tt.broadcast %rok2 : tensor<64x1xi1, #rows> -> tensor<64x64xi1, #rows> %down2 = arith.muli %re2, %lines : tensor<64x1xi32, #rows> %downs2 = tt.broadcast %down2 : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows> %ok2 = arith.andi %rokb2, %cokb : tensor<64x64xi1, #rows> %at2 = arith.addi %downs2, %across : tensor<64x64xi32, #rows> %out2 = tt.addptr %cs, %at2 : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows> %y2 = arith.addf %y, %y : tensor<64x64xf16, #rows> tt.store %out2, %y2, %ok2/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=TWO
// TWO: scf.for
// TWO: tilegpu.bulk_store_wait {pending = 0 : i32}
// TWO: tilegpu.bulk_store %
// TWO: tilegpu.bulk_store_wait {pending = 1 : i32}
// TWO-NEXT: %[[SUM:.*]] = arith.addf %arg5, %arg5 : tensor<64x64xf16, #blocked>
// TWO-NEXT: tilegpu.local_store %[[SUM]]
// TWO: tilegpu.bulk_store %
// TWO: }
// TWO-NEXT: tilegpu.bulk_store_wait reads {pending = 0 : i32}
// TWO-NOT: bulk_store
// Of boxes that may meet neither is stored so.
// RUN: sed -e "s/tt.store %out, %y, %ok/tt.store %out, %y, %ok : tensor<64x64x!tt.ptr<f16>, #rows> %y2 = arith.addf %y, %y : tensor<64x64xf16, #rows> tt.store %out, %y2, %ok/" %s | tilewright-opt --tilegpu-bulk-stores | FileCheck %s --check-prefix=NONE
#mma = #tilegpu.blocked<elements = [1, 2], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#column = #tilegpu.slice<dim = 0, parent = #rows>
#row = #tilegpu.slice<dim = 1, parent = #rows>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @loop(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %m: i32, %n: i32 {tt.divisibility = 8 : i32}, %line: i32 {tt.divisibility = 8 : i32}, %x: tensor<64x64xf16, #mma>, %map: !map, %a0: !tile, %b: !barrier, %list: !tt.ptr<i32>, %zero: tensor<64x64xf32, #acc>) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  tilegpu.bulk_copy %map at [%c0, %c0] to %a0 tell %b : !map -> !tile tell !barrier
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    %begin = arith.muli %i, %c64 : i32
    %y = tilegpu.convert_layout %x : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %rr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %rb = tt.splat %begin : i32 -> tensor<64xi32, #row>
    %r = arith.addi %rb, %rr : tensor<64xi32, #row>
    %re = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #rows>
    %ms = tt.splat %m : i32 -> tensor<64x1xi32, #rows>
    %rok = arith.cmpi slt, %re, %ms : tensor<64x1xi32, #rows>
    %rokb = tt.broadcast %rok : tensor<64x1xi1, #rows> -> tensor<64x64xi1, #rows>
    %lines = tt.splat %line : i32 -> tensor<64x1xi32, #rows>
    %down = arith.muli %re, %lines : tensor<64x1xi32, #rows>
    %downs = tt.broadcast %down : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %cr = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %ce = tt.expand_dims %cr {axis = 0 : i32} : tensor<64xi32, #column> -> tensor<1x64xi32, #rows>
    %ns = tt.splat %n : i32 -> tensor<1x64xi32, #rows>
    %cok = arith.cmpi slt, %ce, %ns : tensor<1x64xi32, #rows>
    %cokb = tt.broadcast %cok : tensor<1x64xi1, #rows> -> tensor<64x64xi1, #rows>
    %across = tt.broadcast %ce : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %ok = arith.andi %rokb, %cokb : tensor<64x64xi1, #rows>
    %at = arith.addi %downs, %across : tensor<64x64xi32, #rows>
    %cs = tt.splat %c : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
    %out = tt.addptr %cs, %at : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
    tt.store %out, %y, %ok : tensor<64x64x!tt.ptr<f16>, #rows>
  }
  tt.return
}
}
