# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over one head: softmax by blocks, and linear by chunks."""

import triton
import triton.language as tl


@triton.jit
def flash_attention(q_ptr, k_ptr, v_ptr, out_ptr, length, scale,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    HEAD: tl.constexpr, CAUSAL: tl.constexpr):
    """scale is that of the scores, times log2 e. Grid: blocks of queries."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    depth = tl.arange(0, HEAD)
    q = tl.load(q_ptr + row[:, None] * HEAD + depth[None, :],
                mask=row[:, None] < length, other=0.0)
    largest = tl.full([BLOCK_M], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    out = tl.zeros([BLOCK_M, HEAD], tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum(length, (tl.program_id(0) + 1) * BLOCK_M)
    for start in range(0, end, BLOCK_N):
        column = start + tl.arange(0, BLOCK_N)
        inside = column[:, None] < length
        place = column[:, None] * HEAD + depth[None, :]
        k = tl.load(k_ptr + place, mask=inside, other=0.0)
        v = tl.load(v_ptr + place, mask=inside, other=0.0)
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = column[None, :] < length
        if CAUSAL:
            seen = seen & (column[None, :] <= row[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        fade = tl.exp2(largest - larger)
        total = total * fade + tl.sum(weights, 1)
        out = tl.dot(weights.to(v.dtype), v, out * fade[:, None])
        largest = larger
    out = out / total[:, None]
    tl.store(out_ptr + row[:, None] * HEAD + depth[None, :], out,
             mask=row[:, None] < length)


@triton.jit
def linear_attention(q_ptr, k_ptr, v_ptr, decay_ptr, out_ptr, state_ptr,
                     chunks, CHUNK: tl.constexpr, HEAD: tl.constexpr):
    """state = exp(decay) state + k^T v token by token, out = q state, with
    one product for what is inside a chunk and one for what came before."""
    token = tl.arange(0, CHUNK)
    depth = tl.arange(0, HEAD)
    state = tl.zeros([HEAD, HEAD], tl.float32)
    for chunk in range(chunks):
        at = chunk * CHUNK + token
        place = at[:, None] * HEAD + depth[None, :]
        q = tl.load(q_ptr + place)
        k = tl.load(k_ptr + place)
        v = tl.load(v_ptr + place)
        decay = tl.load(decay_ptr + at)
        running = tl.cumsum(decay, 0)
        last = tl.sum(decay, 0)
        scores = tl.dot(q, tl.trans(k))
        causal = token[:, None] >= token[None, :]
        fade = tl.exp(tl.where(causal, running[:, None] - running[None, :],
                               0.0))
        scores = tl.where(causal, scores * fade, 0.0)
        out = tl.dot(scores.to(v.dtype), v)
        faded = q.to(tl.float32) * tl.exp(running)[:, None]
        out += tl.dot(faded.to(v.dtype), state.to(v.dtype))
        tl.store(out_ptr + place, out)
        k_faded = k.to(tl.float32) * tl.exp(last - running)[:, None]
        state = state * tl.exp(last) + tl.dot(
            tl.trans(k_faded.to(v.dtype)), v)
    tl.store(state_ptr + depth[:, None] * HEAD + depth[None, :], state)
