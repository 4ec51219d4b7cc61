// What agents leave unordered: the pass that inserts barriers says so, and so
// does the check that shares no code with it.

// RUN: split-file %s %t
// RUN: not tilewright-opt %t/none.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/none.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/late-wait.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/late-wait.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/early-arrival.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/early-arrival.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/branch.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/branch.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/one-buffer.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/one-buffer.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/copy.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not tilewright-opt %t/copy.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/no-wait.mlir --tilegpu-insert-barriers 2>&1 | FileCheck %s --check-prefix=NO-WAIT
// RUN: not tilewright-opt %t/no-wait.mlir --tilegpu-verify-barriers 2>&1 | FileCheck %s --check-prefix=NOT-WAITED
// RUN: not tilewright-opt %t/again.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not tilewright-opt %t/left.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not tilewright-opt %t/never.mlir --tilegpu-verify-agent-order 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not tilewright-opt %t/global.mlir --tilegpu-order-global-accesses 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not tilewright-opt %t/many.mlir --tilegpu-allocate-named-barriers 2>&1 | FileCheck %s --check-prefix=MANY

// Four agents of ten accesses each may come to 11 * 11 * 11 * 11 places; of thirty,
// to more than are followed.
// RUN: %python %S/Inputs/many-loads.py 10 | tilewright-opt --tilegpu-verify-agent-order -o /dev/null
// RUN: %python %S/Inputs/many-loads.py 30 | not tilewright-opt --tilegpu-verify-agent-order -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDERS

// ORDERS: error: 'tilegpu.warp_specialize' op expects agents whose orders can be followed, but got too many; use fewer agents, named barriers, or accesses to shared memory
// UNORDERED: error: 'tilegpu.local_{{load|store}}' op expects barriers that order it with an access of the same bytes by another agent, but got none on some path; let the one arrive at a named barrier or an mbarrier behind its access and the other wait before its own
// UNORDERED: note: the other agent's access is here
// UNKNOWN: error: 'tilegpu.local_{{load|store}}' op expects its agent to know that an access of the same bytes by another one is done, but it need not
// UNKNOWN: note: that access is here
// NO-WAIT: error: 'tilegpu.agent_return' op expects a tilegpu.async_wait for the copy that writes its bytes on every path from there
// NO-WAIT: note: the copy is here
// NOT-WAITED: error: 'tilegpu.agent_return' op expects a wait before it on every path
// AGAIN: error: 'tilegpu.barrier_arrive' op expects the arrival before it at the same barrier to be taken by a wait, but the agent may come here again before; let it wait for the other agent between
// LEFT: error: 'tilegpu.barrier_arrive' op expects a tilegpu.barrier_wait for each arrival, but the agents may end with one left
// NEVER: error: 'tilegpu.barrier_wait' op expects agents that come to their ends in some order, but one waits here for an arrival that does not come
// GLOBAL: error: 'tt.store' op expects agents to share buffers in global memory only to read them, but got an access of what another agent may touch, and one of them writes
// GLOBAL: note: the other agent's access is here
// MANY: error: 'tilegpu.warp_specialize' op expects the 15 barriers that a CTA has beside that of all its warps to be enough for named barriers and agents, but got more; use fewer named barriers or agents

//--- none.mlir
// Nothing orders the two.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.agent_return
  }, {
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- late-wait.mlir
// The one waits behind its access.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.barrier_wait %full
    tilegpu.agent_return
  }
  tt.return
}
}

//--- early-arrival.mlir
// The other arrives before its own.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.barrier_arrive %full
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %full
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- branch.mlir
// One way waits, the other does not.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    cf.cond_br %c, ^wait, ^end
  ^wait:
    tilegpu.barrier_wait %full
    cf.br ^end
  ^end:
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- one-buffer.mlir
// Two tiles are said to be empty, but there is one.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  %empty = tilegpu.named_barrier : !tilegpu.named_barrier
  %more = tilegpu.named_barrier : !tilegpu.named_barrier
  %second = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    cf.br ^loop
  ^loop:
      tilegpu.barrier_wait %empty
      tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
      tilegpu.barrier_arrive %full
      tilegpu.barrier_wait %more
      tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
      tilegpu.barrier_arrive %second
    cf.cond_br %c, ^loop, ^end
  ^end:
    tilegpu.barrier_wait %empty
    tilegpu.barrier_wait %more
    tilegpu.agent_return
  }, {
    tilegpu.barrier_arrive %empty
    tilegpu.barrier_arrive %more
    cf.br ^loop
  ^loop:
      tilegpu.barrier_wait %full
      %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
      tilegpu.barrier_arrive %empty
      tilegpu.barrier_wait %second
      %z = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
      tilegpu.barrier_arrive %more
    cf.cond_br %c, ^loop, ^end
  ^end:
    tilegpu.agent_return
  }
  tt.return
}
}

//--- copy.mlir
// A copy goes on behind the arrival.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #one>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #one>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #one>, tensor<128xi32, #one>
    %t = tilegpu.async_copy %a, %m : tensor<128x!tt.ptr<f32>, #one> -> !tile
    %g = tilegpu.async_commit %t
    tilegpu.barrier_arrive %full
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %full
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- no-wait.mlir
// Nobody waits for a copy.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.warp_specialize warps = [1, 4] {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #one>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #one>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #one>, tensor<128xi32, #one>
    %t = tilegpu.async_copy %a, %m : tensor<128x!tt.ptr<f32>, #one> -> !tile
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
}

//--- again.mlir
// Two arrivals, of which one may be lost.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.barrier_arrive %full
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %full
    tilegpu.barrier_wait %full
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- left.mlir
// An arrival that nobody waits for on one path.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    cf.cond_br %c, ^wait, ^end
  ^wait:
    tilegpu.barrier_wait %full
    cf.br ^end
  ^end:
    tilegpu.agent_return
  }
  tt.return
}
}

//--- never.mlir
// The second wait has no arrival.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = arith.constant dense<1.0> : tensor<128xf32, #one>
    tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %full
    tilegpu.barrier_wait %full
    tilegpu.agent_return
  }
  tt.return
}
}

//--- global.mlir
// Named barriers are followed for shared memory alone.
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @f(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %c: i1) attributes {tilegpu.num_warps = 5 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %full = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 4] {
    %x = tt.load %p : !tt.ptr<f32>
    tilegpu.barrier_arrive %full
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %full
    %v = arith.constant 1.0 : f32
    tt.store %p, %v : !tt.ptr<f32>
    tilegpu.agent_return
  }
  tt.return
}
}

//--- many.mlir
// The agents' own barriers count too.
module attributes {tilegpu.target = "sm_80"} {
tt.func @f() attributes {tilegpu.num_warps = 4 : i32} {
  %b0 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b1 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b2 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b3 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b4 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b5 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b6 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b7 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b8 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b9 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b10 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b11 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b12 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b13 = tilegpu.named_barrier : !tilegpu.named_barrier
  %b14 = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [2, 2] {
    tilegpu.barrier
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
}
