// RUN: tilewright-opt %s --tilegpu-insert-barriers --tilegpu-verify-barriers --split-input-file --verify-diagnostics --mlir-print-local-scope | FileCheck %s

// Four warps; a row of the first layout is in one lane, a column of the second.
#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#turned = #tilegpu.blocked<elements = [16, 1], threads = [2, 16], warps = [4, 1], order = [0, 1]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @across_warps
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NOT: tilegpu.barrier
tt.func @across_warps(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// Each warp reads the 32 rows that it has written itself.
// CHECK-LABEL: @within_warps
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier warp shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NOT: tilegpu.barrier
tt.func @within_warps(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  tt.return
}

// CHECK-LABEL: @other_bytes
// CHECK-NOT: tilegpu.barrier
// CHECK: tt.return
tt.func @other_bytes(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %n = tilegpu.local_alloc {offset = 8192 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  tt.return
}

// The second tile begins where the second warp's part of the first does: bytes
// of another warp.
// CHECK-LABEL: @overlapping_bytes
// CHECK: tilegpu.local_load
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_store
tt.func @overlapping_bytes(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #rows>
  %n = tilegpu.local_alloc {offset = 2048 : i32} : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  tt.return
}

// The same threads write the same bytes again: in another layout others of
// their warp.
// CHECK-LABEL: @written_again
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier warp shared
// CHECK-NEXT: tilegpu.local_store
// CHECK-NOT: tilegpu.barrier
tt.func @written_again(%x: tensor<128x16xf32, #rows>, %y: tensor<128x16xf32, #turned>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.local_store %y, %m : tensor<128x16xf32, #turned> -> !tile
  tt.return
}

// One barrier, behind both stores and before both loads.
// CHECK-LABEL: @one_for_both
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NOT: tilegpu.barrier
tt.func @one_for_both(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %n = tilegpu.local_alloc {offset = 8192 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// The program's own barrier does, and stays.
// CHECK-LABEL: @own_barrier
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier{{$}}
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: tilegpu.barrier{{$}}
// CHECK-NEXT: tt.return
tt.func @own_barrier(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tilegpu.barrier
  tt.return
}

// A loop with one tile needs a barrier each way; with two, each orders the
// other's way back.
// CHECK-LABEL: @one_tile_in_a_loop
// CHECK-COUNT-2: tilegpu.barrier shared
// CHECK-NOT: tilegpu.barrier
// CHECK-LABEL: @two_tiles_in_a_loop
// CHECK-COUNT-2: tilegpu.barrier shared
// CHECK-NOT: tilegpu.barrier
tt.func @one_tile_in_a_loop(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  cf.br ^body
^body:
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return
}
tt.func @two_tiles_in_a_loop(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  cf.br ^body
^body:
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %n = tilegpu.local_alloc {offset = 8192 : i32} : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return
}

// What is stored before a loop is waited for before it.
// CHECK-LABEL: @before_the_loop
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: cf.br
// CHECK-NOT: tilegpu.barrier
tt.func @before_the_loop(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  cf.br ^body
^body:
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return
}

// Only who stores waits: the other way has nothing to wait for.
// CHECK-LABEL: @in_the_branch
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: cf.br
// CHECK-NOT: tilegpu.barrier
tt.func @in_the_branch(%x: tensor<128x16xf32, #rows>, %c: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  cf.cond_br %c, ^then, ^end
^then:
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  cf.br ^end
^end:
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// A block argument may stand for either tile.
// CHECK-LABEL: @through_a_block_argument
// CHECK: {{^ *}}^bb1(%[[EITHER:[0-9]+]]: !tilegpu.memdesc
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load %[[EITHER]]
tt.func @through_a_block_argument(%x: tensor<128x16xf32, #rows>, %c: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %n = tilegpu.local_alloc {offset = 8192 : i32} : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  cf.cond_br %c, ^end(%m : !tile), ^end(%n : !tile)
^end(%either: !tile):
  %y = tilegpu.local_load %either : !tile -> tensor<128x16xf32, #columns>
  tt.return
}
}

// -----

#one = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [1, 1], order = [1, 0]>
#other = #tilegpu.blocked<elements = [4, 1], threads = [4, 8], warps = [1, 1], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
!tile = !tilegpu.memdesc<8x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @one_warp
// CHECK: tilegpu.barrier warp shared
// CHECK-NOT: tilegpu.barrier shared
tt.func @one_warp(%x: tensor<8x16xf32, #one>) attributes {tilegpu.num_warps = 1 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<8x16xf32, #one> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<8x16xf32, #other>
  tt.return
}
}

// -----

// Copies: two buffers, one group each.
#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @copy
// CHECK: tilegpu.async_wait
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK: tilegpu.async_wait
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NOT: tilegpu.barrier
tt.func @copy(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32x16xf32, #shared, buffers = 2, mutable>
  %a = tilegpu.memdesc_index %m[%zero] : !tilegpu.memdesc<32x16xf32, #shared, buffers = 2, mutable> -> !tile
  %b = tilegpu.memdesc_index %m[%one] : !tilegpu.memdesc<32x16xf32, #shared, buffers = 2, mutable> -> !tile
  %t0 = tilegpu.async_copy %p, %a : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g0 = tilegpu.async_commit %t0
  %t1 = tilegpu.async_copy %p, %b : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g1 = tilegpu.async_commit %t1
  %w0 = tilegpu.async_wait %g0 {pending = 1 : i32}
  %x = tilegpu.local_load %a : !tile -> tensor<32x16xf32, #columns>
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  %y = tilegpu.local_load %b : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

// A barrier before the wait orders nothing.
// CHECK-LABEL: @barrier_before_the_wait
// CHECK: tilegpu.barrier{{$}}
// CHECK-NEXT: {{.*}}tilegpu.async_wait
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: {{.*}}tilegpu.local_load
tt.func @barrier_before_the_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %t = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  tilegpu.barrier
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @no_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %n = tilegpu.local_alloc {offset = 2048 : i32} : () -> !tile
  %t = tilegpu.async_copy %p, %n : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  // expected-note@+1 {{the copy is here}}
  %u = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %h = tilegpu.async_commit %u
  %w = tilegpu.async_wait %g {pending = 1 : i32}
  // expected-error@+1 {{'tilegpu.local_load' op expects a tilegpu.async_wait for the copy that writes its bytes on every path from there}}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @structured(%x: tensor<32x16xf32, #rows>, %c: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  scf.if %c {
    // expected-error@+1 {{expects control flow as a graph of blocks (run convert-scf-to-cf first), but got it inside 'scf.if'}}
    tilegpu.local_store %x, %m : tensor<32x16xf32, #rows> -> !tile
  }
  tt.return
}
}
