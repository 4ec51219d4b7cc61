// Mistakes in handing buffers round by mbarriers: each is said, at the access that
// nothing orders, or where one waits for ever.

// RUN: sed -e "" %s | tilewright-opt --tilewright-tilegpu -o /dev/null

// Who has read does not say so.
// RUN: sed -e "/mbarrier_arrive %e/d" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=NEVER
// Who reads does not wait.
// RUN: sed -e "/mbarrier_wait %f/d" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=UNORDERED
// Who copies does not wait.
// RUN: sed -e "/mbarrier_wait before/d" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// Who copies waits for a phase that only the copy would bring about.
// RUN: sed -e "s/mbarrier_wait before %e/mbarrier_wait %e/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=NEVER
// Who reads waits for the phase before.
// RUN: sed -e "s/mbarrier_wait %f/mbarrier_wait before %f/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=UNORDERED
// The phase does not turn with the buffers.
// RUN: sed -e "s/select %isLast, %other/select %isLast, %c0/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=UNORDERED
// Who has read says so before.
// RUN: sed -e "/mbarrier_arrive %e/d" -e "s/^ .*tilegpu.local_load/tilegpu.mbarrier_arrive %e : !barrier &/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=UNORDERED
// Fewer warps are expected than arrive, and more.
// RUN: sed -e "s/arrivals = 4/arrivals = 3/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: sed -e "s/arrivals = 4/arrivals = 8/" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=NEVER
// A buffer is handed back that is another one.
// RUN: sed -e "s/index %empty.*..: /index %empty[%c0] : /" %s | not tilewright-opt --tilewright-tilegpu 2>&1 | FileCheck %s --check-prefix=UNORDERED
// Numbers that no mbarrier can have.
// RUN: sed -e "s/arrivals = 4/arrivals = 0/" %s | not tilewright-opt 2>&1 | FileCheck %s --check-prefix=ARRIVALS

// By the other way, which follows what agents know: the same mistakes, made where
// nothing looks for them any more. (Whether agents come to their ends it does not ask.)
// RUN: tilewright-opt %s --convert-scf-to-cf --tilegpu-allocate-shared-memory --tilegpu-insert-barriers -o %t.mlir
// RUN: tilewright-opt %t.mlir --tilegpu-verify-barriers -o /dev/null
// RUN: sed -e "/mbarrier_wait %/d" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "/mbarrier_wait before/d" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "s/mbarrier_wait %/mbarrier_wait before %/" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "s/mbarrier_wait before \(%[0-9]*\) phase %[0-9]*/mbarrier_wait before \1/" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "s/mbarrier_wait \(%[0-9]*\) phase %[0-9]*/mbarrier_wait \1/" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "/local_load/{h;d}" -e "/mbarrier_arrive/G" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed -e "s/memdesc_index %6\[%[0-9]*\]/memdesc_index %6[%c0_i32]/" %t.mlir | not tilewright-opt --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'tilegpu.{{bulk_copy|local_load}}' op expects its agent to know that an access of the same bytes by another one is done, but it need not
// UNKNOWN: note: that access is here

// NEVER: error: 'tilegpu.mbarrier_wait' op expects agents that come to their ends in some order, but one waits here for an arrival that does not come
// NO-WAIT: error: 'tilegpu.bulk_copy' op expects a tilegpu.mbarrier_wait for the copy that writes its bytes on every path from there
// UNORDERED: error: 'tilegpu.{{bulk_copy|local_load}}' op expects barriers that order it with an access of the same bytes by another agent, but got none on some path
// UNORDERED: note: the other agent's access is here
// AGAIN: error: 'tilegpu.mbarrier_arrive' op expects the arrival before it at the same barrier to be taken by a wait
// ARRIVALS: error: 'tilegpu.mbarrier_init' op expects from 1 to 1048575 arrivals, but got 0

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tiles = !tilegpu.memdesc<64x64xf16, #k, buffers = 3, mutable>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 3, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
module attributes {tilegpu.target = "sm_90a"} {
tt.func public @one(%in: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32, %count: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant 64 : i64
  %map = tilegpu.tensor_map %in sizes [%n, %c64 : i32, i32] strides [%width : i64] : !tt.ptr<f16> -> !map
  %program = tt.get_program_id x : i32
  %begin = arith.muli %program, %count : i32
  %end = arith.addi %begin, %count : i32
  %m = tilegpu.local_alloc : () -> !tiles
  %full = tilegpu.local_alloc : () -> !barriers
  %empty = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %full : !barriers
  tilegpu.mbarrier_init %empty arrivals = 4 : !barriers
  tilegpu.warp_specialize warps = [4, 4] registers = [232, 24] {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>>
    %r = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<64x1xi32, #rows>
    %c = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #tilegpu.slice<dim = 0, parent = #rows>> -> tensor<1x64xi32, #rows>
    %w = arith.constant dense<64> : tensor<64x1xi32, #rows>
    %starts = arith.muli %r, %w : tensor<64x1xi32, #rows>
    %a = tt.broadcast %starts : tensor<64x1xi32, #rows> -> tensor<64x64xi32, #rows>
    %b = tt.broadcast %c : tensor<1x64xi32, #rows> -> tensor<64x64xi32, #rows>
    %places = arith.addi %a, %b : tensor<64x64xi32, #rows>
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      tilegpu.mbarrier_wait %f phase %p {pending = 2 : i32} : !barrier
      %x = tilegpu.local_load %tile : !tile -> tensor<64x64xf16, #rows>
      tilegpu.mbarrier_arrive %e : !barrier
      %row = arith.muli %t, %c64 : i32
      %offset = arith.muli %row, %c64 : i32
      %to = tt.addptr %out, %offset : !tt.ptr<f16>, i32
      %tos = tt.splat %to : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #rows>
      %q = tt.addptr %tos, %places : tensor<64x64x!tt.ptr<f16>, #rows>, tensor<64x64xi32, #rows>
      tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #rows>
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }, {
    scf.for %t = %begin to %end step %c1 iter_args(%s = %c0, %p = %c0) -> (i32, i32) : i32 {
      %tile = tilegpu.memdesc_index %m[%s] : !tiles -> !tile
      %f = tilegpu.memdesc_index %full[%s] : !barriers -> !barrier
      %e = tilegpu.memdesc_index %empty[%s] : !barriers -> !barrier
      %row = arith.muli %t, %c64 : i32
      tilegpu.mbarrier_wait before %e phase %p {pending = 2 : i32} : !barrier
      tilegpu.bulk_copy %map at [%row, %c0] to %tile tell %f : !map -> !tile tell !barrier
      %next = arith.addi %s, %c1 : i32
      %isLast = arith.cmpi eq, %s, %c2 : i32
      %s1 = arith.select %isLast, %c0, %next : i32
      %other = arith.xori %p, %c1 : i32
      %p1 = arith.select %isLast, %other, %p : i32
      scf.yield %s1, %p1 : i32, i32
    }
    tilegpu.agent_return
  }
  tt.return
}

}
