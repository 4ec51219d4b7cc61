# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention, forward, with a softmax that is kept up online.

q, out: [batch, queries, heads, DIMENSION]; k, v: [batch, keys, heads / GROUP,
DIMENSION], in f16 or bf16; strides are from token to token. Query i sees the
keys up to i + keys - queries: the last query sees them all. Scores are kept as
powers of two: scale is the usual one times log2(e). sums holds log2 of each
row's sum of powers, f32 [batch, heads, queries].
"""

import triton
import triton.language as tl


@triton.jit
def attend(accumulator, total, best, q, k_tile, v_tile, stride_k, stride_v,
           scale, last, first_key, end_key, keys, BLOCK_N: tl.constexpr,
           MASKED: tl.constexpr):
    """Goes over the keys from first_key to end_key. `last`: the last key that
    each row sees; rows see all keys where MASKED is false."""
    n = tl.arange(0, BLOCK_N)
    for first in range(first_key, end_key, BLOCK_N):
        key = first + n
        offset = key.to(tl.int64)
        if MASKED:
            inside = key < keys
            k = tl.load(k_tile + offset[None, :] * stride_k,
                        mask=inside[None, :], other=0.0)
            v = tl.load(v_tile + offset[:, None] * stride_v,
                        mask=inside[:, None], other=0.0)
        else:
            k = tl.load(k_tile + offset[None, :] * stride_k)
            v = tl.load(v_tile + offset[:, None] * stride_v)
        scores = tl.dot(q, k) * scale
        if MASKED:
            scores = tl.where(key[None, :] <= last[:, None], scores,
                              float("-inf"))
        larger = tl.maximum(best, tl.max(scores, axis=1))
        powers = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(best - larger)
        total = total * shrink + tl.sum(powers, axis=1)
        accumulator = tl.dot(powers.to(v.dtype), v,
                             accumulator * shrink[:, None])
        best = larger
    return accumulator, total, best


@triton.jit
def causal_attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, sums_ptr, scale,
                            queries, keys, heads, stride_q, stride_k, stride_v,
                            stride_out, GROUP: tl.constexpr,
                            DIMENSION: tl.constexpr, BLOCK_M: tl.constexpr,
                            BLOCK_N: tl.constexpr):
    """Grid: (ceil(queries / BLOCK_M), batch * heads, 1). Needs keys >= queries
    and heads to be a multiple of GROUP."""
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    first_row = tl.program_id(0) * BLOCK_M
    row = first_row + tl.arange(0, BLOCK_M)
    d = tl.arange(0, DIMENSION)
    is_row = row < queries
    q_token = (batch * queries + row).to(tl.int64)
    q = tl.load(q_ptr + q_token[:, None] * stride_q + head * DIMENSION
                + d[None, :], mask=is_row[:, None], other=0.0)
    column = (head // GROUP) * DIMENSION + d
    k_tile = k_ptr + batch.to(tl.int64) * keys * stride_k + column[:, None]
    v_tile = v_ptr + batch.to(tl.int64) * keys * stride_v + column[None, :]

    accumulator = tl.zeros((BLOCK_M, DIMENSION), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    best = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    # Blocks that the tile's first row sees wholly need no mask.
    behind = keys - queries
    whole = (first_row + behind + 1) // BLOCK_N * BLOCK_N
    end = tl.minimum(first_row + BLOCK_M + behind, keys)
    last = row + behind
    accumulator, total, best = attend(
        accumulator, total, best, q, k_tile, v_tile, stride_k, stride_v, scale,
        last, 0, whole, keys, BLOCK_N, False)
    accumulator, total, best = attend(
        accumulator, total, best, q, k_tile, v_tile, stride_k, stride_v, scale,
        last, whole, end, keys, BLOCK_N, True)

    out_token = (batch * queries + row).to(tl.int64)
    tl.store(out_ptr + out_token[:, None] * stride_out + head * DIMENSION
             + d[None, :],
             (accumulator / total[:, None]).to(out_ptr.dtype.element_ty),
             mask=is_row[:, None])
    tl.store(sums_ptr + tl.program_id(1).to(tl.int64) * queries + row,
             best + tl.log2(total), mask=is_row)
