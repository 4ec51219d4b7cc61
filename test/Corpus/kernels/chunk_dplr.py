# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Diagonal plus low rank linear attention in chunks of packed sequences.

Sequence s owns the tokens cu_seqlens[s] .. cu_seqlens[s+1]; tokens are [T,
heads, size]. Keys, queries and both low-rank factors come with their decays
already multiplied in; decay holds, f32 [T, heads, KEY], the running sum of
log2 of the diagonal from the begin of each token's chunk. With D = 2^decay of
a chunk's last token, and the WY form w, u:
  new = w S + u
  out = q S + (scores_v, i >= j) v + (scores_b, i >= j) new
  S  <- D S + k^T v + b^T new
"""

import triton
import triton.language as tl


@triton.jit
def load_tokens(ptr, row, inside, column, SIZE: tl.constexpr):
    """A tile [tokens, columns]; zeros past the end."""
    return tl.load(ptr + row[:, None] * SIZE + column[None, :],
                   mask=inside[:, None] & (column[None, :] < SIZE), other=0.0)


@triton.jit
def chunk_dplr_state_kernel(
        k_ptr, b_ptr, w_ptr, u_ptr, v_ptr, decay_ptr, states_ptr, new_ptr,
        final_ptr, cu_seqlens_ptr, chunk_offsets_ptr, heads, KEY: tl.constexpr,
        VALUE: tl.constexpr, CHUNK: tl.constexpr, BLOCK_V: tl.constexpr):
    """Grid: (ceil(VALUE / BLOCK_V), sequences * heads, 1).

    states: [all chunks, heads, KEY, VALUE], that at the begin of each chunk,
    those of sequence s from chunk_offsets[s] on; new: [T, heads, VALUE];
    final: [sequences, heads, KEY, VALUE], f32. Starts from zero.
    """
    sequence = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    begin = tl.load(cu_seqlens_ptr + sequence).to(tl.int32)
    tokens = tl.load(cu_seqlens_ptr + sequence + 1).to(tl.int32) - begin
    first_chunk = tl.load(chunk_offsets_ptr + sequence).to(tl.int32)
    key = tl.arange(0, KEY)
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    in_state = key[:, None] * VALUE + value[None, :]
    state = tl.zeros((KEY, BLOCK_V), dtype=tl.float32)
    for chunk in range(tl.cdiv(tokens, CHUNK)):
        place = ((first_chunk + chunk).to(tl.int64) * heads + head) * (
            KEY * VALUE)
        tl.store(states_ptr + place + in_state,
                 state.to(states_ptr.dtype.element_ty), mask=inside_v)
        token = chunk * CHUNK + tl.arange(0, CHUNK)
        inside = token < tokens
        row = (begin + token).to(tl.int64) * heads + head
        end = begin + tl.minimum(chunk * CHUNK + CHUNK, tokens) - 1
        w = load_tokens(w_ptr, row, inside, key, KEY)
        u = load_tokens(u_ptr, row, inside, value, VALUE)
        new = tl.dot(w, state.to(w.dtype)) + u
        new = new.to(new_ptr.dtype.element_ty)
        tl.store(new_ptr + row[:, None] * VALUE + value[None, :], new,
                 mask=inside[:, None] & inside_v)
        k = load_tokens(k_ptr, row, inside, key, KEY)
        b = load_tokens(b_ptr, row, inside, key, KEY)
        v = load_tokens(v_ptr, row, inside, value, VALUE)
        last = tl.load(decay_ptr + (end.to(tl.int64) * heads + head) * KEY
                       + key)
        state = tl.dot(tl.trans(k), v, state * tl.exp2(last)[:, None])
        state = tl.dot(tl.trans(b), new, state)
    tl.store(final_ptr + tl.program_id(1).to(tl.int64) * (KEY * VALUE)
             + in_state, state, mask=inside_v)


@triton.jit
def chunk_dplr_output_kernel(
        q_ptr, v_ptr, new_ptr, scores_v_ptr, scores_b_ptr, states_ptr, out_ptr,
        cu_seqlens_ptr, chunk_indices_ptr, heads, KEY: tl.constexpr,
        VALUE: tl.constexpr, CHUNK: tl.constexpr, BLOCK_V: tl.constexpr):
    """Grid: (ceil(VALUE / BLOCK_V), rows of chunk_indices, heads).

    A row (sequence, chunk of that sequence) is one program's work, and its
    number that of the chunk's state. A program whose chunk begins past the end
    of its sequence returns at once. scores: [T, heads, CHUNK]; what lies above
    the diagonal may be anything.
    """
    head = tl.program_id(2)
    sequence = tl.load(chunk_indices_ptr + tl.program_id(1) * 2).to(tl.int32)
    chunk = tl.load(chunk_indices_ptr + tl.program_id(1) * 2 + 1).to(tl.int32)
    begin = tl.load(cu_seqlens_ptr + sequence).to(tl.int32)
    tokens = tl.load(cu_seqlens_ptr + sequence + 1).to(tl.int32) - begin
    if chunk * CHUNK >= tokens:
        return
    step = tl.arange(0, CHUNK)
    token = chunk * CHUNK + step
    inside = token < tokens
    row = (begin + token).to(tl.int64) * heads + head
    key = tl.arange(0, KEY)
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_v = value[None, :] < VALUE
    place = (tl.program_id(1).to(tl.int64) * heads + head) * (KEY * VALUE)
    state = tl.load(states_ptr + place + key[:, None] * VALUE
                    + value[None, :], mask=inside_v, other=0.0)
    q = load_tokens(q_ptr, row, inside, key, KEY)
    v = load_tokens(v_ptr, row, inside, value, VALUE)
    new = load_tokens(new_ptr, row, inside, value, VALUE)
    seen = step[:, None] >= step[None, :]
    scores_v = tl.where(seen, load_tokens(scores_v_ptr, row, inside, step,
                                          CHUNK), 0.0)
    scores_b = tl.where(seen, load_tokens(scores_b_ptr, row, inside, step,
                                          CHUNK), 0.0)
    out = tl.dot(q, state)
    out = tl.dot(scores_v.to(v.dtype), v, out)
    out = tl.dot(scores_b.to(v.dtype), new, out)
    tl.store(out_ptr + row[:, None] * VALUE + value[None, :],
             out.to(out_ptr.dtype.element_ty),
             mask=inside[:, None] & inside_v)
