// RUN: split-file %s %t
// RUN: tilewright-opt %t/agents.mlir --tilegpu-to-llvm --cse | FileCheck %t/agents.mlir
// RUN: sed s/sm_90a/sm_80/ %t/agents.mlir | tilewright-opt --tilegpu-to-llvm --cse | FileCheck %t/agents.mlir --check-prefix=FIXED
// RUN: tilewright-opt %t/invalid.mlir --split-input-file --verify-diagnostics --tilegpu-to-llvm -o /dev/null
// RUN: tilewright compile %t/agents.mlir --target=sm_90a --emit=ptx -o - | FileCheck %t/agents.mlir --check-prefix=PTX
// RUN: not tilewright compile %t/agents.mlir --target=sm_80 --emit=ptx -o - 2>&1 | FileCheck %t/agents.mlir --check-prefix=OTHER
// RUN: tilewright compile %t/agents.mlir --target=sm_90a --emit=artifact-json -o - | FileCheck %t/agents.mlir --check-prefix=BLOCK

//--- agents.mlir
#four = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_90a"} {

// OTHER: error: expects to be compiled for sm_90a, which the module names in tilegpu.target, but got sm_80
// BLOCK: "num_warps": 12

// All warps wait, and part by their numbers; those of the second agent are
// numbered from its first. What agents have of registers is moved, where the
// target can do that, from what all have on entry: 4 * 40 + 8 * 232 of 12.
// CHECK-LABEL: llvm.func @agents
// CHECK-SAME: nvvm.maxnreg = 168 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 384, 1, 1>
// CHECK: nvvm.barrier0
// CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = llvm.lshr %[[ID]]
// CHECK: %[[IS_FIRST:.*]] = llvm.icmp "ult" %[[WARP]]
// CHECK: llvm.cond_br %[[IS_FIRST]], ^[[FIRST:.*]], ^[[SECOND:bb[0-9]+]]
// CHECK: ^[[FIRST]]:
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
// CHECK: nvvm.setmaxregister increase 168
// CHECK: llvm.br ^[[END:bb[0-9]+]]
// CHECK: nvvm.setmaxregister increase 232
// CHECK: nvvm.barrier id = {{.*}} number_of_threads = {{.*}}
// CHECK: llvm.mlir.constant(-128 : i32)
// CHECK: ^[[END]]:
// CHECK: nvvm.barrier0
// FIXED-LABEL: llvm.func @agents
// FIXED-SAME: nvvm.maxnreg = 168 : i32
// FIXED-NOT: setmaxregister

// PTX: .maxnreg 168
// PTX: bar.sync 0;
// PTX: setmaxnreg.dec.sync.aligned.u32 40;
// PTX: bar.arrive 1, 384;
// PTX: setmaxnreg.inc.sync.aligned.u32 232;
// PTX: bar.sync 1, 384;
// PTX: bar.sync 2, 256;
// PTX: bar.sync 0;
tt.func public @agents(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) attributes {tilegpu.num_warps = 12 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.named_barrier {id = 1 : i32} : !tilegpu.named_barrier
  tilegpu.warp_specialize warps = [4, 8] registers = [40, 232] attributes {barrier_ids = array<i32: 0, 2>} {
    %x = arith.constant dense<1.0> : tensor<128xf32, #four>
    tilegpu.local_store %x, %m : tensor<128xf32, #four> -> !tile
    tilegpu.barrier_arrive %b
    tilegpu.agent_return
  }, {
    tilegpu.barrier_wait %b
    %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>
    tilegpu.barrier
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>, tensor<128xi32, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>
    tt.store %a, %y : tensor<128x!tt.ptr<f32>, #tilegpu.blocked<elements = [1], threads = [32], warps = [8], order = [0]>>
    tilegpu.agent_return
  }
  %one = arith.constant 1.0 : f32
  tt.store %q, %one : !tt.ptr<f32>
  tt.return
}
}

//--- invalid.mlir
module attributes {tilegpu.target = "sm_90a"} {
tt.func @registers() attributes {tilegpu.num_warps = 12 : i32} {
  // expected-error@+1 {{expects agents with no more than the 64512 registers that 384 threads can have on sm_90a in sum, but got 69632}}
  tilegpu.warp_specialize warps = [4, 8] registers = [64, 240] {
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
tt.func @twice() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.warp_specialize warps = [4] registers = [40] {
    tilegpu.agent_return
  }
  // expected-error@+1 {{expects one tilegpu.warp_specialize of a function to name registers, but got several}}
  tilegpu.warp_specialize warps = [4] registers = [80] {
    tilegpu.agent_return
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func @barrier() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.warp_specialize warps = [2, 2] {
    // expected-error@+2 {{expects a barrier of its agent's own (run tilegpu-allocate-named-barriers first)}}
    // expected-error@+1 {{failed to legalize operation 'tilegpu.barrier'}}
    tilegpu.barrier
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func @named() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+2 {{expects an id (run tilegpu-allocate-named-barriers first)}}
  // expected-error@+1 {{failed to legalize operation 'tilegpu.named_barrier'}}
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
}
