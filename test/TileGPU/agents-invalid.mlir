// RUN: tilewright-opt %s --split-input-file --verify-diagnostics -o /dev/null

tt.func @sum() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects agents that have the 4 warps of the function (tilegpu.num_warps) in sum, but got 6}}
  tilegpu.warp_specialize warps = [2, 4] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @power() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects agents of a power of two warps from 1 to 32, but got 3}}
  tilegpu.warp_specialize warps = [1, 3] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}

// -----

// Without agents nothing shares them.
// expected-error@+1 {{expects tilegpu.num_warps to be an i32 power of two from 1 to 32, but got 5 : i32}}
tt.func @five() attributes {tilegpu.num_warps = 5 : i32} {
  tt.return
}

// -----

tt.func @regions() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects a number of warps for each agent, one agent at least, but got 2 numbers and 1 regions}}
  tilegpu.warp_specialize warps = [2, 2] {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @inLoop(%n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  scf.for %i = %n to %n step %n : i32 {
    // expected-error@+1 {{expects to be in the body of a function, where all its warps come by, but got it inside 'scf.for'}}
    tilegpu.warp_specialize warps = [4] {
      tilegpu.agent_return
    }
  }
  tt.return
}

// -----

tt.func @registers() attributes {tilegpu.num_warps = 8 : i32} {
  // expected-error@+1 {{expects numbers of registers that are multiples of 8 from 24 to 256, but got 41}}
  tilegpu.warp_specialize warps = [4, 4] registers = [41, 232] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @registersOfFew() attributes {tilegpu.num_warps = 5 : i32} {
  // expected-error@+1 {{expects agents with a number of registers to have a multiple of 4 warps, but got 1}}
  tilegpu.warp_specialize warps = [1, 4] registers = [40, 232] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @end() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.warp_specialize warps = [4] {
    // expected-error@+1 {{expects tilegpu.agent_return at the end of an agent}}
    ub.unreachable
  }
  tt.return
}

// -----

#two = #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>
tt.func @layout() attributes {tilegpu.num_warps = 5 : i32} {
  tilegpu.warp_specialize warps = [1, 4] {
    tilegpu.agent_return
  }, {
    // expected-error@+1 {{expects layouts for 4 warps (the agent's), but got 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [2], order = [0]>>', which is for 2}}
    %x = arith.constant dense<1.0> : tensor<64xf32, #two>
    tilegpu.agent_return
  }
  tt.return
}

// -----

#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
tt.func @foreign(%m: !tilegpu.memdesc<128xf32, #shared, mutable>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #four>
  tilegpu.warp_specialize warps = [4] {
    // expected-error@+1 {{expects tiles to reach an agent through shared memory, but got 'tensor<128xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>>' from outside of it}}
    tilegpu.local_store %x, %m : tensor<128xf32, #four> -> !tilegpu.memdesc<128xf32, #shared, mutable>
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @token() attributes {tilegpu.num_warps = 4 : i32} {
  %c = tilegpu.async_commit
  tilegpu.warp_specialize warps = [4] {
    // expected-error@+1 {{expects copies to be waited for by the agent that starts them, but got a token from outside of it}}
    %w = tilegpu.async_wait %c {pending = 0 : i32}
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @outside() attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  // expected-error@+1 {{expects to be run by an agent of tilegpu.warp_specialize}}
  tilegpu.barrier_wait %b
  tt.return
}

// -----

tt.func @alone() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects one agent to arrive here and another one of the same tilegpu.warp_specialize to wait}}
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [4] {
    tilegpu.barrier_arrive %b
    tilegpu.barrier_wait %b
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @several() attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [1, 1, 2] {
    // expected-error@+1 {{expects one agent to arrive at a named barrier and one to wait there, but got several}}
    tilegpu.barrier_arrive %b
    tilegpu.agent_return
  }, {
    tilegpu.barrier_arrive %b
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %b
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @inside() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.warp_specialize warps = [4] {
    // expected-error@+1 {{expects to be outside of the agents that it orders}}
    %b = tilegpu.named_barrier : !tilegpu.named_barrier
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @id() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects an id from 1 to 15, but got 16}}
  %b = tilegpu.named_barrier {id = 16 : i32} : !tilegpu.named_barrier
  tt.return
}

// -----

tt.func @ids() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+1 {{expects a barrier from 0 to 15 for each agent, but got [1, 2]}}
  tilegpu.warp_specialize warps = [4] attributes {barrier_ids = array<i32: 1, 2>} {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @registersOfSome() attributes {tilegpu.num_warps = 8 : i32} {
  // expected-error@+1 {{expects a number of registers for each of 2 agents, but got 1}}
  tilegpu.warp_specialize warps = [4, 4] registers = [40] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}

// -----

tt.func @passedOn() attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  // expected-error@+1 {{expects named barriers to be used by tilegpu.barrier_arrive and tilegpu.barrier_wait alone}}
  cf.br ^next(%b : !tilegpu.named_barrier)
^next(%c: !tilegpu.named_barrier):
  tt.return
}
