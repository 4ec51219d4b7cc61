// RUN: tilewright-opt %s --tilegpu-verify-barriers --split-input-file --verify-diagnostics -o /dev/null

// What may be missing around bulk copies, found by the other way.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
!half = tensor<64x64xf16, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// Nothing is missing.
tt.func @good(%map: !map, %i: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %x = tilegpu.local_load %t : !tile -> !half
  tilegpu.barrier shared
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %x : !half
}

tt.func @init_unseen(%map: !map, %i: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  // expected-note @+1 {{that access is here}}
  tilegpu.mbarrier_init %b : !barrier
  // expected-error @+1 {{expects a barrier of all warps before it}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  tt.return
}

tt.func @read_before(%map: !map, %i: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  // expected-note @+1 {{that access is here}}
  %x = tilegpu.local_load %t : !tile -> !half
  // expected-error @+1 {{expects a barrier of all warps before it}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  tt.return %x : !half
}

tt.func @written_before(%map: !map, %i: i32, %x: !half) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  // expected-note @+1 {{that access is here}}
  tilegpu.local_store %x, %t : !half -> !tile
  tilegpu.barrier shared
  // expected-error @+1 {{expects a proxy fence and a barrier behind it before it on every path}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  tt.return
}

tt.func @early_read(%map: !map, %i: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  // expected-note @+1 {{that access is here}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  // expected-error @+1 {{expects a wait before it}}
  %x = tilegpu.local_load %t : !tile -> !half
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  tt.return %x : !half
}

// A wait that leaves it in flight.
tt.func @weak_wait(%map: !map, %i: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  // expected-note @+1 {{that access is here}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 1 : i32} : !barrier
  // expected-error @+1 {{expects a wait before it}}
  %x = tilegpu.local_load %t : !tile -> !half
  tt.return %x : !half
}

// Others may wait for the phase before that the next one ends.
tt.func @next_phase(%map: !map, %i: i32, %phase: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  // expected-note @+1 {{that access is here}}
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  // expected-error @+1 {{expects a barrier of all warps before it}}
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b phase %phase {pending = 0 : i32} : !barrier
  tt.return
}

tt.func @undone_early(%map: !map, %i: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.barrier shared
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  // expected-note @+1 {{that access is here}}
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  // expected-error @+1 {{expects a barrier of all warps before it}}
  tilegpu.mbarrier_inval %b : !barrier
  tt.return
}

}
