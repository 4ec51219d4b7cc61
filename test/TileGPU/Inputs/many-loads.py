# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function of four agents that load a tile as often as is said, and a
fifth that waits for them and writes it."""

import sys

TILE = "!tilegpu.memdesc<32xf32, #shared, mutable>"
TENSOR = "tensor<32xf32, #one>"

loads = "".join(f"    %x{i} = tilegpu.local_load %m : {TILE} -> {TENSOR}\n"
                for i in range(int(sys.argv[1])))
agents = [loads + f"    tilegpu.barrier_arrive %b{agent}\n"
          for agent in range(4)]
agents.append("".join(f"    tilegpu.barrier_wait %b{i}\n" for i in range(4)) +
              f"    %x = arith.constant dense<1.0> : {TENSOR}\n"
              f"    tilegpu.local_store %x, %m : {TENSOR} -> {TILE}\n")
print("#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [1],"
      " order = [0]>\n"
      "#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1,"
      " maxPhase = 1, order = [0]>\n"
      'module attributes {tilegpu.target = "sm_80"} {\n'
      "tt.func @f() attributes {tilegpu.num_warps = 5 : i32} {\n"
      f"  %m = tilegpu.local_alloc {{offset = 0 : i32}} : () -> {TILE}")
for agent in range(4):
    print(f"  %b{agent} = tilegpu.named_barrier : !tilegpu.named_barrier")
print("  tilegpu.warp_specialize warps = [1, 1, 1, 1, 1] {\n" +
      "  }, {\n".join(agent + "    tilegpu.agent_return\n"
                      for agent in agents) + "  }\n  tt.return\n}\n}")
