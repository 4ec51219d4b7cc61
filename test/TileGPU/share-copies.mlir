// RUN: tilewright-opt %s --tilegpu-share-copies=cluster=2 | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-share-copies=cluster=4 | FileCheck %s --check-prefix=FOUR
// RUN: tilewright-opt %s --tilegpu-share-copies | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/sm_90a/sm_80/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// NONE-NOT: cluster
// NONE-NOT: ctas

// The rows are those of the program's number along y: each CTA copies a half of them,
// and waits for the readers of both.
// CHECK: @one({{.*}}tilegpu.cluster = 2 : i32
// CHECK: tilegpu.tensor_map %arg0 {{.*}} -> <[64, 64], f16, swizzle = 128, ctas = 2>
// CHECK: tilegpu.tensor_map %arg1 {{.*}} -> <[64, 64], f16, swizzle = 128>
// CHECK: tilegpu.mbarrier_init %{{.*}} :
// CHECK: tilegpu.mbarrier_init %{{.*}} arrivals = 4 ctas = 2 :
// CHECK: tilegpu.mbarrier_wait %{{[^ ]*}} phase %{{[^ ]*}} {pending
// CHECK: tilegpu.mbarrier_arrive %{{.*}} ctas = 2 :
// CHECK: tilegpu.mbarrier_wait before %{{.*}} ctas = 2 {pending
// CHECK: tilegpu.bulk_copy
// FOUR: ctas = 4>

// Of the number along x a quotient by a multiple of the cluster is the same, whatever is
// computed of it.
// RUN: sed -e "s/%index = .*/%index = arith.divsi %x, %c2 : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s
// RUN: sed -e "s/%index = .*/%q = arith.shrui %x, %c1 : i32 %index = arith.muli %q, %q : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s
// RUN: sed -e "s/%index = .*/%q = arith.divui %x, %c64 : i32 %index = arith.addi %q, %n : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=4 | FileCheck %s --check-prefix=FOUR
// RUN: sed -e "s/%index = .*/%index = arith.divsi %x, %c2 : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=4 | FileCheck %s --check-prefix=NONE
// Other quotients, remainders and sums are not, nor is what is loaded.
// RUN: sed -e "s/%index = .*/%index = arith.divsi %x, %n : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%index = .*/%index = arith.remsi %x, %c2 : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%index = .*/%q = arith.addi %x, %c1 : i32 %index = arith.divsi %q, %c2 : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%index = .*/%index = tt.load %list : !tt.ptr<i32>/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// What differs in one iteration differs in the next ones.
// RUN: sed -e "s/%held = %index/%held = %x/" -e "s/%row = arith.muli %index/%row = arith.muli %held/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%row = arith.muli %index/%row = arith.muli %held/" -e "s/, %held : i32/, %x : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%row = arith.muli %index/%row = arith.muli %held/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s
// Of a loop without iterations comes what it was given; of loops that go on as long as
// they like nothing is known. Those before the copies change nothing.
// RUN: sed -e "s/%index = .*/%index = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) : i32 { scf.yield %c1 : i32 }/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%index = .*/%w = scf.while (%i = %x) : (i32) -> (i32) { %go = arith.cmpi slt, %i, %n : i32 scf.condition(%go) %c1 : i32 } do { ^bb0(%j: i32): scf.yield %j : i32 } %index = arith.addi %w, %c1 : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/%index = .*/scf.while (%i = %x, %h = %x) : (i32, i32) -> () { %go = arith.cmpi slt, %i, %h : i32 scf.condition(%go) } do { scf.yield %x, %x : i32, i32 } &/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s
// Programs that copy the same, but not equally often.
// RUN: sed -e "s/%end = .*/%end = arith.addi %often, %x : i32/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/tilegpu.mbarrier_arrive %e/%isOne = arith.cmpi eq, %x, %c1 : i32 tilegpu.mbarrier_arrive %e if %isOne/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// RUN: sed -e "s/tilegpu.bulk_copy.*tell %f/%isOne = arith.cmpi eq, %x, %c1 : i32 & if %isOne/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// Too few rows for parts of whole patterns.
// RUN: sed -e "s/64x64xf16/8x64xf16/; s/\[64, 64\]/[8, 64]/" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE
// Nobody says that a tile has been read.
// RUN: sed -e "/mbarrier_wait before/d" %s | tilewright-opt --tilegpu-share-copies=cluster=2 | FileCheck %s --check-prefix=NONE

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tiles = !tilegpu.memdesc<64x64xf16, #k, buffers = 3, mutable>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 3, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @one(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %often: i32, %list: !tt.ptr<i32>) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant 64 : i64
  %mapA = tilegpu.tensor_map %a sizes [%n, %c64 : i32, i32] strides [%width : i64] : !tt.ptr<f16> -> !map
  %mapB = tilegpu.tensor_map %b sizes [%n, %c64 : i32, i32] strides [%width : i64] : !tt.ptr<f16> -> !map
  %x = tt.get_program_id x : i32
  %index = tt.get_program_id y : i32
  %column = arith.muli %x, %c64 : i32
  %end = arith.addi %often, %c1 : i32
  %ma = tilegpu.local_alloc : () -> !tiles
  %mb = tilegpu.local_alloc : () -> !tiles
  %full = tilegpu.local_alloc : () -> !barriers
  %empty = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %full : !barriers
  tilegpu.mbarrier_init %empty arrivals = 4 : !barriers
  tilegpu.warp_specialize warps = [4, 4] registers = [232, 24] {
    scf.for %t = %c0 to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      tilegpu.mbarrier_wait %f phase %p {pending = 2 : i32} : !barrier
      tilegpu.mbarrier_arrive %e : !barrier
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }, {
    scf.for %t = %c0 to %end step %c1 iter_args(%s = %c0, %p = %c0, %held = %index) -> (i32, i32, i32) : i32 {
      %toA = tilegpu.memdesc_index %ma[%s] : !tiles -> !tile
      %toB = tilegpu.memdesc_index %mb[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      %row = arith.muli %index, %c64 : i32
      tilegpu.mbarrier_wait before %e phase %p {pending = 2 : i32} : !barrier
      tilegpu.bulk_copy %mapA, %mapB at [%row, %t, %t, %column] to %toA, %toB tell %f : !map, !map -> !tile, !tile tell !barrier
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1, %held : i32, i32, i32
    }
    tilegpu.agent_return
  }
  tt.return
}

}
