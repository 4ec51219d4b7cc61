// RUN: tilewright-opt %s --tilegpu-verify-barriers --split-input-file --verify-diagnostics -o /dev/null

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#turned = #tilegpu.blocked<elements = [16, 1], threads = [2, 16], warps = [4, 1], order = [0, 1]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

tt.func @enough(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier shared
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// What the program asks for is not judged.
tt.func @own() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.barrier
  tt.return
}

tt.func @none(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{expects a barrier of all warps before it on every path from an access of the same bytes, but got none on one}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @weak(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier warp shared
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @none_within_warps(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{expects a barrier before it}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  tt.return
}

// On the way back.
tt.func @loop(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  cf.br ^body
^body:
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error@+1 {{expects a barrier of all warps before it}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier shared
  // expected-note@+1 {{that access is here}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return
}

tt.func @needless(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error@+1 {{orders nothing that others do not: it can be removed}}
  tilegpu.barrier shared
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @strong(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{orders accesses of the same warps alone: a barrier of the warp is enough}}
  tilegpu.barrier shared
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#dot = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 4], order = [1, 0]>
#flat = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#turned = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @no_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  %t = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %w = tilegpu.async_wait {pending = 0 : i32}
  tilegpu.barrier
  // expected-error@+1 {{expects a wait before it}}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

tt.func @no_barrier_behind_the_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  %t = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  tilegpu.barrier
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

// A warp's dot reads the rows of its results: all that the others stored.
tt.func @dot(%a: tensor<8x16xf32, #dot>, %b: tensor<16x8xf32, #dot>, %c: tensor<8x8xf32, #dot>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-note@+1 {{that access is here}}
  %m = tilegpu.local_alloc %a {offset = 0 : i32} : (tensor<8x16xf32, #dot>) -> !tilegpu.memdesc<8x16xf32, #flat>
  %n = tilegpu.local_alloc %b {offset = 512 : i32} : (tensor<16x8xf32, #dot>) -> !tilegpu.memdesc<16x8xf32, #turned>
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %d = tilegpu.multiply_add %m, %n, %c : !tilegpu.memdesc<8x16xf32, #flat> * !tilegpu.memdesc<16x8xf32, #turned> -> tensor<8x8xf32, #dot>
  tt.return
}
}
