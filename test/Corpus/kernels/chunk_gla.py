# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simple gated linear attention in chunks: states, then outputs.

Tokens are [batch, tokens, heads, size]; gate holds, f32, the running sum of
log2 of the decay from the begin of each token's chunk. Of a chunk with the
state S at its begin, and G its gate:
  out = scale ((2^G q) S + (q k^T * 2^(G_i - G_j), i >= j) v)
  S  <- 2^G_last S + (2^(G_last - G) k)^T v
"""

import triton
import triton.language as tl


@triton.jit
def chunk_gla_state_kernel(k_ptr, v_ptr, gate_ptr, states_ptr, final_ptr,
                           tokens, heads, KEY: tl.constexpr,
                           VALUE: tl.constexpr, CHUNK: tl.constexpr,
                           BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr):
    """Grid: (KEY / BLOCK_K, ceil(VALUE / BLOCK_V), batch * heads).

    states: [batch, chunks, heads, KEY, VALUE], that at the begin of each
    chunk; final: [batch, heads, KEY, VALUE], f32. Starts from zero.
    """
    batch = tl.program_id(2) // heads
    head = tl.program_id(2) % heads
    chunks = tl.cdiv(tokens, CHUNK)
    key = tl.program_id(0) * BLOCK_K + tl.arange(0, BLOCK_K)
    value = tl.program_id(1) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    in_state = key[:, None] * VALUE + value[None, :]
    state = tl.zeros((BLOCK_K, BLOCK_V), dtype=tl.float32)
    for chunk in range(chunks):
        place = ((batch * chunks + chunk).to(tl.int64) * heads + head) * (
            KEY * VALUE)
        tl.store(states_ptr + place + in_state,
                 state.to(states_ptr.dtype.element_ty), mask=inside_v)
        token = chunk * CHUNK + tl.arange(0, CHUNK)
        inside = token < tokens
        row = (batch * tokens + token).to(tl.int64) * heads + head
        end = tl.minimum(chunk * CHUNK + CHUNK, tokens) - 1
        k = tl.load(k_ptr + row[None, :] * KEY + key[:, None],
                    mask=inside[None, :], other=0.0)
        v = tl.load(v_ptr + row[:, None] * VALUE + value[None, :],
                    mask=inside[:, None] & inside_v, other=0.0)
        gate = tl.load(gate_ptr + row, mask=inside, other=0.0)
        last = tl.load(gate_ptr + (batch * tokens + end).to(tl.int64) * heads
                       + head)
        decayed = v * tl.where(inside, tl.exp2(last - gate), 0.0)[:, None]
        state = tl.dot(k, decayed.to(v.dtype), state * tl.exp2(last))
    tl.store(final_ptr + tl.program_id(2).to(tl.int64) * (KEY * VALUE)
             + in_state, state, mask=inside_v)


@triton.jit
def chunk_gla_output_kernel(q_ptr, k_ptr, v_ptr, gate_ptr, states_ptr, out_ptr,
                            scale, tokens, heads, KEY: tl.constexpr,
                            VALUE: tl.constexpr, CHUNK: tl.constexpr,
                            BLOCK_K: tl.constexpr, BLOCK_V: tl.constexpr):
    """Grid: (ceil(VALUE / BLOCK_V), ceil(tokens / CHUNK), batch * heads).
    BLOCK_K divides KEY."""
    batch = tl.program_id(2) // heads
    head = tl.program_id(2) % heads
    chunk = tl.program_id(1)
    step = tl.arange(0, CHUNK)
    token = chunk * CHUNK + step
    inside = token < tokens
    row = (batch * tokens + token).to(tl.int64) * heads + head
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    place = ((batch * tl.num_programs(1) + chunk).to(tl.int64) * heads
             + head) * (KEY * VALUE)
    out = tl.zeros((CHUNK, BLOCK_V), dtype=tl.float32)
    scores = tl.zeros((CHUNK, CHUNK), dtype=tl.float32)
    for first in range(0, KEY, BLOCK_K):
        key = first + tl.arange(0, BLOCK_K)
        q = tl.load(q_ptr + row[:, None] * KEY + key[None, :],
                    mask=inside[:, None], other=0.0)
        k = tl.load(k_ptr + row[None, :] * KEY + key[:, None],
                    mask=inside[None, :], other=0.0)
        state = tl.load(states_ptr + place + key[:, None] * VALUE
                        + value[None, :], mask=inside_v, other=0.0)
        out = tl.dot(q, state, out)
        scores = tl.dot(q, k, scores)
    gate = tl.load(gate_ptr + row, mask=inside, other=0.0)
    seen = (step[:, None] >= step[None, :]) & inside[:, None]
    scores = tl.where(seen, scores * tl.exp2(gate[:, None] - gate[None, :]),
                      0.0)
    v = tl.load(v_ptr + row[:, None] * VALUE + value[None, :],
                mask=inside[:, None] & inside_v, other=0.0)
    out = tl.dot(scores.to(v.dtype), v, out * tl.exp2(gate)[:, None])
    tl.store(out_ptr + row[:, None] * VALUE + value[None, :],
             (out * scale).to(out_ptr.dtype.element_ty),
             mask=inside[:, None] & inside_v)
