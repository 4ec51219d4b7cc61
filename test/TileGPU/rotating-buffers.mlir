// RUN: tilewright-opt %s --tilegpu-insert-barriers --tilegpu-verify-barriers --split-input-file --verify-diagnostics | FileCheck %s

// Which buffer an index takes is known on each path: accesses of others are not
// ordered.

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
!two = !tilegpu.memdesc<32x16xf32, #shared, buffers = 2, mutable>
!rows = tensor<32x16xf32, #rows>
!columns = tensor<32x16xf32, #columns>
module attributes {tilegpu.target = "sm_75"} {

// Written and read in one iteration: the write two iterations later is behind
// the barrier of the one between.
// CHECK-LABEL: @alternating
// CHECK: ^bb2
// CHECK: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-NOT: tilegpu.barrier
// CHECK-LABEL: @one_buffer
tt.func @alternating(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero, %zero : i32, i32)
^bb1(%i: i32, %k: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  tilegpu.local_store %x, %a : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %i, %one : i32
  %other = arith.xori %k, %one : i32
  cf.br ^bb1(%next, %other : i32, i32)
^bb3:
  tt.return
}

// A number that never changes.
// CHECK: ^bb2
// CHECK: tilegpu.barrier shared
// CHECK: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-LABEL: @ahead
tt.func @one_buffer(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero, %zero : i32, i32)
^bb1(%i: i32, %k: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  tilegpu.local_store %x, %a : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %i, %one : i32
  cf.br ^bb1(%next, %k : i32, i32)
^bb3:
  tt.return
}

// Written an iteration before it is read, by numbers that stay one apart.
// CHECK: ^bb2
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: local_store
// CHECK-NOT: tilegpu.barrier
// CHECK: local_load
// CHECK-NOT: tilegpu.barrier
// CHECK-LABEL: @not_ahead
tt.func @ahead(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  %first = tilegpu.memdesc_index %m[%zero] : !two -> !tile
  tilegpu.local_store %x, %first : !rows -> !tile
  cf.br ^bb1(%zero, %zero, %one : i32, i32, i32)
^bb1(%i: i32, %read: i32, %write: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %b = tilegpu.memdesc_index %m[%write] : !two -> !tile
  %a = tilegpu.memdesc_index %m[%read] : !two -> !tile
  tilegpu.local_store %x, %b : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %i, %one : i32
  %r = arith.addi %read, %one : i32
  %rend = arith.cmpi eq, %r, %two : i32
  %r1 = arith.select %rend, %zero, %r : i32
  %w = arith.addi %write, %one : i32
  %w1 = arith.remsi %w, %two : i32
  cf.br ^bb1(%next, %r1, %w1 : i32, i32, i32)
^bb3:
  tt.return
}

// The same but that both begin at one buffer.
// CHECK: ^bb2
// CHECK: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-LABEL: @passed_on
tt.func @not_ahead(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero, %zero, %zero : i32, i32, i32)
^bb1(%i: i32, %read: i32, %write: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %b = tilegpu.memdesc_index %m[%write] : !two -> !tile
  %a = tilegpu.memdesc_index %m[%read] : !two -> !tile
  tilegpu.local_store %x, %b : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %i, %one : i32
  %r1 = arith.xori %read, %one : i32
  %w1 = arith.xori %write, %one : i32
  cf.br ^bb1(%next, %r1, %w1 : i32, i32, i32)
^bb3:
  tt.return
}

// A buffer that is passed to the next iteration was chosen by the number that
// was: it may be any.
// CHECK: ^bb2
// CHECK: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-LABEL: @counter
tt.func @passed_on(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  %first = tilegpu.memdesc_index %m[%one] : !two -> !tile
  cf.br ^bb1(%zero, %zero, %first : i32, i32, !tile)
^bb1(%i: i32, %k: i32, %before: !tile):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  tilegpu.local_store %x, %a : !rows -> !tile
  %y = tilegpu.local_load %before : !tile -> !columns
  %next = arith.addi %i, %one : i32
  %other = arith.xori %k, %one : i32
  cf.br ^bb1(%next, %other, %a : i32, i32, !tile)
^bb3:
  tt.return
}

// A number without end, of which the buffer's is computed, is not followed.
// CHECK: ^bb2
// CHECK: tilegpu.barrier shared
// CHECK: local_store
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-LABEL: @again
tt.func @counter(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero : i32)
^bb1(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %k = arith.remsi %i, %two : i32
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  tilegpu.local_store %x, %a : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %i, %one : i32
  cf.br ^bb1(%next : i32)
^bb3:
  tt.return
}

// The number begins anew with each run of the inner loop: what the last
// iteration of the one read the first of the next may write.
// CHECK: ^bb4
// CHECK: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK: ^bb5
// CHECK: tilegpu.barrier shared
// CHECK-LABEL: @used_behind
tt.func @again(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero : i32)
^bb1(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb6
^bb2:
  cf.br ^bb3(%zero, %zero : i32, i32)
^bb3(%j: i32, %k: i32):
  %inner = arith.cmpi slt, %j, %n : i32
  cf.cond_br %inner, ^bb4, ^bb5
^bb4:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  tilegpu.local_store %x, %a : !rows -> !tile
  %y = tilegpu.local_load %a : !tile -> !columns
  %next = arith.addi %j, %one : i32
  %other = arith.xori %k, %one : i32
  cf.br ^bb3(%next, %other : i32, i32)
^bb5:
  %outer = arith.addi %i, %one : i32
  cf.br ^bb1(%outer : i32)
^bb6:
  tt.return
}

// A buffer is used behind a loop in the loop that counts: the number is known
// there still.
// CHECK: ^bb5
// CHECK-NOT: tilegpu.barrier
// CHECK: ^bb6
tt.func @used_behind(%x: !rows, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero, %zero, %one : i32, i32, i32)
^bb1(%i: i32, %k: i32, %l: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb6
^bb2:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  %b = tilegpu.memdesc_index %m[%l] : !two -> !tile
  tilegpu.barrier
  tilegpu.local_store %x, %b : !rows -> !tile
  cf.br ^bb3(%zero : i32)
^bb3(%j: i32):
  %inner = arith.cmpi slt, %j, %n : i32
  cf.cond_br %inner, ^bb4, ^bb5
^bb4:
  %next = arith.addi %j, %one : i32
  cf.br ^bb3(%next : i32)
^bb5:
  %y = tilegpu.local_load %a : !tile -> !columns
  %outer = arith.addi %i, %one : i32
  %k1 = arith.xori %k, %one : i32
  %l1 = arith.xori %l, %one : i32
  cf.br ^bb1(%outer, %k1, %l1 : i32, i32, i32)
^bb6:
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
!two = !tilegpu.memdesc<32x16xf32, #shared, buffers = 2, mutable>
!pointers = tensor<32x16x!tt.ptr<f32>, #rows>
module attributes {tilegpu.target = "sm_80"} {
// A copy of the iteration before is on its way yet.
tt.func @no_wait(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !two
  cf.br ^bb1(%zero, %zero, %one : i32, i32, i32)
^bb1(%i: i32, %k: i32, %l: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %a = tilegpu.memdesc_index %m[%k] : !two -> !tile
  %b = tilegpu.memdesc_index %m[%l] : !two -> !tile
  // expected-note@+1 {{the copy is here}}
  %t = tilegpu.async_copy %p, %b : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 2 : i32}
  // expected-error@+1 {{'tilegpu.local_load' op expects a tilegpu.async_wait for the copy that writes its bytes on every path from there}}
  %x = tilegpu.local_load %a : !tile -> tensor<32x16xf32, #rows>
  %next = arith.addi %i, %one : i32
  %k1 = arith.xori %k, %one : i32
  %l1 = arith.xori %l, %one : i32
  cf.br ^bb1(%next, %k1, %l1 : i32, i32, i32)
^bb3:
  %e = tilegpu.async_wait {pending = 0 : i32}
  tt.return
}
}
