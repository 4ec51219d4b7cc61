# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few steps of linear attention, token by token, on states kept in place.

The state of a head is a matrix S [key_size, value_size], f32. A step is
  S <- D S                      D = exp(gate), of the head or of each row of S
  S <- S + k (v - S^T k)^T b    with DELTA_RULE, b = beta of the token
  S <- S + k v^T                without
  out = scale S^T q
Sequences find their states by slots: [batch]; a sequence whose slot is
negative has no work, as a server pads its batches.
"""

import triton
import triton.language as tl


@triton.jit
def linear_attention_decode_kernel(
        q_ptr, k_ptr, v_ptr, gate_ptr, beta_ptr, state_ptr, slots_ptr, out_ptr,
        scale, steps, heads, key_size, value_size, BLOCK_K: tl.constexpr,
        BLOCK_V: tl.constexpr, VECTOR_GATE: tl.constexpr,
        DELTA_RULE: tl.constexpr):
    """Grid: (ceil(value_size / BLOCK_V), batch * heads, 1).

    Needs key_size <= BLOCK_K. q, k: [batch, steps, heads, key_size]; v, out:
    [batch, steps, heads, value_size]; gate: [batch, steps, heads], and
    key_size with VECTOR_GATE, f32; beta: [batch, steps, heads].
    """
    sequence = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    slot = tl.load(slots_ptr + sequence)
    if slot < 0:
        return
    key = tl.arange(0, BLOCK_K)
    value = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    inside_k = key < key_size
    inside_v = value < value_size
    inside = inside_k[:, None] & inside_v[None, :]
    row = (slot.to(tl.int64) * heads + head) * key_size + key
    place = state_ptr + row[:, None] * value_size + value[None, :]
    state = tl.load(place, mask=inside, other=0.0)
    for step in range(steps):
        token = (sequence * steps + step).to(tl.int64) * heads + head
        q = tl.load(q_ptr + token * key_size + key, mask=inside_k, other=0.0)
        k = tl.load(k_ptr + token * key_size + key, mask=inside_k,
                    other=0.0).to(tl.float32)
        v = tl.load(v_ptr + token * value_size + value, mask=inside_v,
                    other=0.0).to(tl.float32)
        if VECTOR_GATE:
            gate = tl.load(gate_ptr + token * key_size + key, mask=inside_k,
                           other=0.0)
            state *= tl.exp(gate)[:, None]
        else:
            state *= tl.exp(tl.load(gate_ptr + token))
        if DELTA_RULE:
            beta = tl.load(beta_ptr + token).to(tl.float32)
            v = (v - tl.sum(state * k[:, None], axis=0)) * beta
        state += k[:, None] * v[None, :]
        out = tl.sum(state * (q.to(tl.float32) * scale)[:, None], axis=0)
        tl.store(out_ptr + token * value_size + value,
                 out.to(out_ptr.dtype.element_ty), mask=inside_v)
    tl.store(place, state, mask=inside)
