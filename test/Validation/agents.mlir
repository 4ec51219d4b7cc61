// RUN: tilewright-opt %s --validate-passes --canonicalize -o /dev/null 2>&1 | FileCheck %s

// What runs at the same time is not validated, and is said not to be.
// CHECK: remark: 'agents' is not validated: {{.*}} expects ops that run one after the other, but got 2 agents that run at the same time
tt.func @agents() attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [2, 2] {
    tilegpu.barrier_arrive %b
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %b
    tilegpu.agent_return
  }
  tt.return
}
