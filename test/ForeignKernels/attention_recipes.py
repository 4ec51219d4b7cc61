# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention."""

import torch

from recipes import add, head_gate, key, key_gate, qkv

add("parallel_attn", "ops.attn:parallel_attn", qkv())
add("parallel_forgetting_attn",
    "ops.forgetting_attn:parallel_forgetting_attn", qkv(g=head_gate))
add("parallel_based", "ops.based:parallel_based", qkv(16, 64), varlen=False)

add("fused_chunk_based", "ops.based:fused_chunk_based", qkv(16, 64),
    varlen=False)
add("parallel_rebased", "ops.rebased:parallel_rebased", qkv(16, 64),
    varlen=False)
add("parallel_nsa", "ops.nsa:parallel_nsa",
    lambda inputs: {"q": inputs.of(2, 160, 64, 64),
                    "k": inputs.of(2, 160, 4, 64),
                    "v": inputs.of(2, 160, 4, 64),
                    "g_slc": inputs.of(2, 160, 64),
                    "g_cmp": inputs.of(2, 160, 64), "block_counts": 4,
                    "block_size": 32}, varlen=False)
add("parallel_path_attn", "ops.path_attn:parallel_path_attn",
    qkv(w=lambda inputs: inputs.tokens(64, dtype=torch.float32),
        beta=lambda inputs: inputs.tokens(dtype=torch.float32), g=head_gate),
    varlen=False)
add("parallel_stickbreaking",
    "ops.stickbreaking_attn:parallel_stickbreaking_attn", qkv(), varlen=False)
add("parallel_parallax", "ops.parallax.parallel:parallel_parallax",
    qkv(r=key), varlen=False)
add("parallel_wall_attn", "ops.wall_attn.parallel:parallel_wall_attn",
    qkv(g=key_gate), varlen=False)
