# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sum of a gate inside each chunk of packed sequences.

Sequence s owns the tokens cu_seqlens[s] .. cu_seqlens[s+1] of gate [T, heads].
It is cut into chunks of CHUNK tokens, and the sum starts anew in each. A row
(sequence, chunk of that sequence) of chunk_indices is one program's work. A
launch may have more rows than there are chunks: a program whose chunk begins
past the end of its sequence returns at once.
"""

import triton
import triton.language as tl


@triton.jit
def locate_chunk(cu_seqlens_ptr, chunk_indices_ptr, row):
    """First token of the sequence, its length, and the chunk, all i32."""
    sequence = tl.load(chunk_indices_ptr + row * 2).to(tl.int32)
    chunk = tl.load(chunk_indices_ptr + row * 2 + 1).to(tl.int32)
    begin = tl.load(cu_seqlens_ptr + sequence).to(tl.int32)
    end = tl.load(cu_seqlens_ptr + sequence + 1).to(tl.int32)
    return begin, end - begin, chunk


@triton.jit
def cumsum_varlen_kernel(gate_ptr, out_ptr, scale, cu_seqlens_ptr,
                         chunk_indices_ptr, heads, CHUNK: tl.constexpr,
                         REVERSE: tl.constexpr):
    """One head at a time. Grid: (rows of chunk_indices, heads, 1)."""
    begin, length, chunk = locate_chunk(cu_seqlens_ptr, chunk_indices_ptr,
                                        tl.program_id(0))
    if chunk * CHUNK >= length:
        return
    token = chunk * CHUNK + tl.arange(0, CHUNK)
    inside = token < length
    offsets = (begin + token).to(tl.int64) * heads + tl.program_id(1)
    gate = tl.load(gate_ptr + offsets, mask=inside, other=0.0)
    total = tl.cumsum(gate, axis=0, reverse=REVERSE) * scale
    tl.store(out_ptr + offsets, total, mask=inside)


@triton.jit
def cumsum_varlen_tile_kernel(gate_ptr, out_ptr, scale, cu_seqlens_ptr,
                              chunk_indices_ptr, heads, CHUNK: tl.constexpr,
                              BLOCK_HEADS: tl.constexpr,
                              REVERSE: tl.constexpr):
    """Several heads at a time.

    Grid: (rows of chunk_indices, ceil(heads / BLOCK_HEADS), 1).
    """
    begin, length, chunk = locate_chunk(cu_seqlens_ptr, chunk_indices_ptr,
                                        tl.program_id(0))
    if chunk * CHUNK >= length:
        return
    token = chunk * CHUNK + tl.arange(0, CHUNK)
    head = tl.program_id(1) * BLOCK_HEADS + tl.arange(0, BLOCK_HEADS)
    inside = (token[:, None] < length) & (head[None, :] < heads)
    offsets = (begin + token).to(tl.int64)[:, None] * heads + head[None, :]
    gate = tl.load(gate_ptr + offsets, mask=inside, other=0.0)
    total = tl.cumsum(gate, axis=0, reverse=REVERSE) * scale
    tl.store(out_ptr + offsets, total, mask=inside)
