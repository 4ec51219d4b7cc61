# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gated delta rule in chunks, from the WY form of each.

Tokens are [batch, tokens, heads, size]; gate holds, f32, the running sum of
log2 of the decay from the begin of each token's chunk; w and u, its WY form:
the values that a chunk adds to the state S at its begin are u - w S. With G
the gate:
  new = u - w S
  out = scale ((2^G q) S + (q k^T * 2^(G_i - G_j), i >= j) new)
  S  <- 2^G_last S + k^T (2^(G_last - G) new)
"""

import triton
import triton.language as tl


@triton.jit
def load_tokens(ptr, row, inside, column, SIZE: tl.constexpr):
    """A tile [tokens, columns]; zeros past the end."""
    return tl.load(ptr + row[:, None] * SIZE + column[None, :],
                   mask=inside[:, None] & (column[None, :] < SIZE), other=0.0)


@triton.jit
def advance(state, k, new, gate, last, inside):
    """The state at the end of a chunk. k: [tokens, KEY]."""
    decayed = new * tl.where(inside, tl.exp2(last - gate), 0.0)[:, None]
    return tl.dot(tl.trans(k), decayed.to(k.dtype), state * tl.exp2(last))


@triton.jit
def chunk_gated_delta_state_kernel(
        k_ptr, w_ptr, u_ptr, gate_ptr, initial_ptr, states_ptr, new_ptr,
        final_ptr, tokens, heads, KEY: tl.constexpr, VALUE: tl.constexpr,
        CHUNK: tl.constexpr, BLOCK_V: tl.constexpr):
    """Grid: (ceil(VALUE / BLOCK_V), batch * heads, 1).

    states: [batch, chunks, heads, KEY, VALUE], that at the begin of each
    chunk; new: [batch, tokens, heads, VALUE]; initial, final: [batch, heads,
    KEY, VALUE], f32.
    """
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    chunks = tl.cdiv(tokens, CHUNK)
    key = tl.arange(0, KEY)
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    in_state = key[:, None] * VALUE + value[None, :]
    whole = tl.program_id(1).to(tl.int64) * (KEY * VALUE) + in_state
    state = tl.load(initial_ptr + whole, mask=inside_v, other=0.0)
    for chunk in range(chunks):
        place = ((batch * chunks + chunk).to(tl.int64) * heads + head) * (
            KEY * VALUE)
        tl.store(states_ptr + place + in_state,
                 state.to(states_ptr.dtype.element_ty), mask=inside_v)
        token = chunk * CHUNK + tl.arange(0, CHUNK)
        inside = token < tokens
        row = (batch * tokens + token).to(tl.int64) * heads + head
        end = tl.minimum(chunk * CHUNK + CHUNK, tokens) - 1
        k = load_tokens(k_ptr, row, inside, key, KEY)
        w = load_tokens(w_ptr, row, inside, key, KEY)
        u = load_tokens(u_ptr, row, inside, value, VALUE).to(tl.float32)
        new = u - tl.dot(w, state.to(w.dtype))
        tl.store(new_ptr + row[:, None] * VALUE + value[None, :],
                 new.to(new_ptr.dtype.element_ty),
                 mask=inside[:, None] & inside_v)
        gate = tl.load(gate_ptr + row, mask=inside, other=0.0)
        last = tl.load(gate_ptr + (batch * tokens + end).to(tl.int64) * heads
                       + head)
        state = advance(state, k, new, gate, last, inside)
    tl.store(final_ptr + whole, state, mask=inside_v)


@triton.jit
def chunk_gated_delta_fused_kernel(
        q_ptr, k_ptr, w_ptr, u_ptr, gate_ptr, out_ptr, final_ptr, scale,
        tokens, heads, KEY: tl.constexpr, VALUE: tl.constexpr,
        CHUNK: tl.constexpr, BLOCK_V: tl.constexpr):
    """States and outputs in one: no state but the last leaves the program.

    Grid: (ceil(VALUE / BLOCK_V), batch * heads, 1). Starts from zero.
    """
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    step = tl.arange(0, CHUNK)
    key = tl.arange(0, KEY)
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    state = tl.zeros((KEY, BLOCK_V), dtype=tl.float32)
    for first in range(0, tokens, CHUNK):
        token = first + step
        inside = token < tokens
        row = (batch * tokens + token).to(tl.int64) * heads + head
        end = tl.minimum(first + CHUNK, tokens) - 1
        q = load_tokens(q_ptr, row, inside, key, KEY)
        k = load_tokens(k_ptr, row, inside, key, KEY)
        w = load_tokens(w_ptr, row, inside, key, KEY)
        u = load_tokens(u_ptr, row, inside, value, VALUE).to(tl.float32)
        gate = tl.load(gate_ptr + row, mask=inside, other=0.0)
        last = tl.load(gate_ptr + (batch * tokens + end).to(tl.int64) * heads
                       + head)
        new = u - tl.dot(w, state.to(w.dtype))
        seen = (step[:, None] >= step[None, :]) & inside[:, None]
        scores = tl.where(seen, tl.dot(q, tl.trans(k))
                          * tl.exp2(gate[:, None] - gate[None, :]), 0.0)
        out = tl.dot(q, state.to(q.dtype)) * tl.exp2(gate)[:, None]
        out = tl.dot(scores.to(q.dtype), new.to(q.dtype), out)
        tl.store(out_ptr + row[:, None] * VALUE + value[None, :],
                 (out * scale).to(out_ptr.dtype.element_ty),
                 mask=inside[:, None] & inside_v)
        state = advance(state, k, new, gate, last, inside)
    tl.store(final_ptr + tl.program_id(1).to(tl.int64) * (KEY * VALUE)
             + key[:, None] * VALUE + value[None, :], state, mask=inside_v)
