// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=4" | FileCheck %s --check-prefixes=MANY,UNKNOWN
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=4 ctas-per-multiprocessor=2" | FileCheck %s --check-prefix=MANY
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=4 ctas-per-multiprocessor=1" | FileCheck %s --check-prefix=ONE

// Tiles of 32 KB: two CTAs of eight warps have room for two buffers each, and
// the one CTA that a small launch gives a multiprocessor for four.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [8, 1], order = [1, 0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
!pointers = tensor<128x128x!tt.ptr<f16>, #rows>
!tile = !tilegpu.memdesc<128x128xf16, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// MANY-LABEL: @small_launch
// MANY: tilegpu.local_load %{{.*}} {tilegpu.schedule = array<i32: 1,
// ONE-LABEL: @small_launch
// ONE: tilegpu.local_load %{{.*}} {tilegpu.schedule = array<i32: 3,
tt.func @small_launch(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> tensor<128x128xf16, #rows>
  }
  tt.return
}

// A loop over tiles that steps by 108, which an A100 has multiprocessors: one
// CTA each, where the launch is not known. Not where programs differ in another
// dimension too.
// UNKNOWN-LABEL: @persistent
// UNKNOWN: tilegpu.local_load %{{.*}} {tilegpu.schedule = array<i32: 3,
// UNKNOWN-LABEL: @in_two_dimensions
// UNKNOWN: tilegpu.local_load %{{.*}} {tilegpu.schedule = array<i32: 1,
tt.func @persistent(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c108 = arith.constant 108 : i32
  %first = tt.get_program_id x : i32
  scf.for %tile = %first to %n step %c108 : i32 {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %m = tilegpu.local_alloc : () -> !tile
      %t = tilegpu.async_copy %p, %m : !pointers -> !tile
      %g = tilegpu.async_commit %t
      tilegpu.async_wait %g {pending = 0 : i32}
      %x = tilegpu.local_load %m : !tile -> tensor<128x128xf16, #rows>
    }
  }
  tt.return
}

tt.func @in_two_dimensions(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c108 = arith.constant 108 : i32
  %first = tt.get_program_id x : i32
  %other = tt.get_program_id y : i32
  scf.for %tile = %first to %n step %c108 : i32 {
    scf.for %i = %other to %n step %c1 : i32 {
      %m = tilegpu.local_alloc : () -> !tile
      %t = tilegpu.async_copy %p, %m : !pointers -> !tile
      %g = tilegpu.async_commit %t
      tilegpu.async_wait %g {pending = 0 : i32}
      %x = tilegpu.local_load %m : !tile -> tensor<128x128xf16, #rows>
    }
  }
  tt.return
}

}
