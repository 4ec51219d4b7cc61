// RUN: tilewright-opt %s --split-input-file --tilegpu-pipeline-loops --verify-diagnostics

// Schedules by hand that cannot be.

module attributes {tilegpu.target = "sm_80"} {
tt.func public @missing(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i {tilegpu.schedule = array<i32: 0, 0>} : !tt.ptr<i32>, i32
    // expected-error @+1 {{'tt.store' op expects the attribute tilegpu.schedule, which other ops of the loop have, but got none}}
    tt.store %q, %i : !tt.ptr<i32>
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @too_early(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-note @+1 {{which is given in stage 1, order 3}}
    %q = tt.addptr %p, %i {tilegpu.schedule = array<i32: 1, 3>} : !tt.ptr<i32>, i32
    // expected-error @+1 {{'tt.store' op expects to run after what gives its operand, but got stage 1, order 2}}
    tt.store %q, %i {tilegpu.schedule = array<i32: 1, 2>} : !tt.ptr<i32>
  }
  tt.return
}
}

// -----

// Of two iterations before.
module attributes {tilegpu.target = "sm_80"} {
tt.func public @carried_too_early(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    // expected-error @+1 {{'tt.addptr' op expects to run after what gives its operand, but got stage 0, order 0}}
    %q = tt.addptr %p, %b {tilegpu.schedule = array<i32: 0, 0>} : !tt.ptr<i32>, i32
    // expected-note @+1 {{which is given in stage 3, order 1}}
    %next = arith.addi %a, %i {tilegpu.schedule = array<i32: 3, 1>} : i32
    tt.store %q, %next {tilegpu.schedule = array<i32: 3, 2>} : !tt.ptr<i32>
    scf.yield %next, %a : i32, i32
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @malformed(%n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'arith.constant' op expects tilegpu.schedule to be a stage of 0 or more and an order, but got array<i32: 1>}}
  %c0 = arith.constant {tilegpu.schedule = array<i32: 1>} 0 : i32
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @buffered(%n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'arith.constant' op expects tilegpu.buffered on loops and allocations, without a value, but got unit}}
  %c0 = arith.constant {tilegpu.buffered} 0 : i32
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @negative(%n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{'arith.constant' op expects tilegpu.schedule to be a stage of 0 or more and an order, but got array<i32: -1, 0>}}
  %c0 = arith.constant {tilegpu.schedule = array<i32: -1, 0>} 0 : i32
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @no_mask(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{'scf.for' op expects ops of early stages that may be left out by a mask, but got others}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %old = tt.atomic_cas relaxed, gpu, %p, %i, %n {tilegpu.schedule = array<i32: 0, 0>} : (!tt.ptr<i32>, i32, i32) -> i32
    %q = tt.addptr %p, %i {tilegpu.schedule = array<i32: 1, 0>} : !tt.ptr<i32>, i32
  }
  tt.return
}
}

// -----

#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<32xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func public @passed_on(%p: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = tilegpu.local_alloc : () -> !tile
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (!tile) : i32 {
    // expected-error @+1 {{'tilegpu.local_alloc' op expects to be used by ops of the loop, which has a schedule, but got one that passes it on: scf.yield}}
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    scf.yield %m : !tile
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func public @no_mask_for_a_flag(%p: !tt.ptr<i32>, %n: i32, %begin: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{'scf.for' op expects ops of early stages that may be left out by a mask, but got others}}
  scf.for %i = %begin to %n step %c1 : i32 {
    %old = tt.atomic_cas relaxed, gpu, %p, %i, %n {tilegpu.schedule = array<i32: 0, 0>} : (!tt.ptr<i32>, i32, i32) -> i32
    %q = tt.addptr %p, %i {tilegpu.schedule = array<i32: 1, 0>} : !tt.ptr<i32>, i32
  }
  tt.return
}
}
