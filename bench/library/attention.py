# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax attention beside the backends of PyTorch's function."""

from functools import partial

import torch
import torch.nn.functional as F
from case import Case, count_bytes, normal, rms
from timing import count_copies
from torch.nn.attention import SDPBackend, sdpa_kernel

from tilewright import ops

BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION,
            "cuDNN": SDPBackend.CUDNN_ATTENTION,
            "memory-efficient": SDPBackend.EFFICIENT_ATTENTION}
# Batch, heads, heads of keys, queries, keys, dim, causal.
PREFILL = [(1, 32, 32, 8192, 8192, 128, True), (1, 32, 32, 4096, 4096, 128, True),
           (8, 32, 32, 2048, 2048, 128, True), (4, 32, 8, 2048, 2048, 64, True),
           (1, 16, 16, 1000, 3000, 96, False)]
DECODE = [(64, 32, 8, 1, 8192, 128, False), (64, 32, 32, 1, 2048, 128, False),
          (1, 32, 8, 1, 32768, 128, False)]


def attention():
    return [(f"attention {batch} x {heads}/{kv_heads} x {queries} x {keys}, "
             f"{dim}{', causal' if causal else ''}",
             partial(make, batch, heads, kv_heads, queries, keys, dim, causal))
            for batch, heads, kv_heads, queries, keys, dim, causal in
            PREFILL + DECODE]


def expected_head(q, k, v, causal):
    """The last head's of the last batch, in float64, of which the scores of 64
    queries at a time are kept."""
    q, k, v = (x[-1, -1].double() for x in (q, k, v))
    seen = torch.arange(k.shape[0], device="cuda")
    rows = []
    for at, part in enumerate(q.split(64)):
        scores = part @ k.T / q.shape[1] ** 0.5
        if causal:
            place = 64 * at + torch.arange(len(part), device="cuda")
            scores.masked_fill_(seen > place[:, None], float("-inf"))
        rows.append(scores.softmax(1) @ v)
    return torch.cat(rows)


def make(batch, heads, kv_heads, queries, keys, dim, causal):
    sizes = 4 * batch * (heads * queries + kv_heads * keys) * dim
    sets = [(normal(batch, heads, queries, dim),
             normal(batch, kv_heads, keys, dim),
             normal(batch, kv_heads, keys, dim))
            for _ in range(count_copies(sizes))]
    out = torch.empty_like(sets[0][0])
    words = {"causal": "top-left"} if causal else {}

    def theirs(q, k, v, backend):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(
                q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)

    pairs = queries * keys / 2 if causal else queries * keys
    return Case(
        [lambda x=x: ops.attention(*x, out=out, **words) for x in sets],
        {name: [lambda x=x, b=backend: theirs(*x, b) for x in sets]
         for name, backend in BACKENDS.items()},
        lambda: rms(ops.attention(*sets[0], **words)[-1, -1],
                    expected_head(*sets[0], causal)),
        2e-3, count_bytes(*sets[0], out), 4.0 * batch * heads * pairs * dim)
