# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products: every operand type, with loads pipelined or not."""

import triton
import triton.language as tl


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
           ACCUMULATOR: tl.constexpr, PRECISION: tl.constexpr):
    """c [M, N] = a [M, K] b [K, N]; any sizes."""
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    c = tl.zeros([BLOCK_M, BLOCK_N], ACCUMULATOR)
    for start in range(0, K, BLOCK_K):
        k = start + depth
        a = tl.load(a_ptr + row[:, None] * K + k[None, :],
                    mask=(row[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + column[None, :],
                    mask=(k[:, None] < K) & (column[None, :] < N), other=0.0)
        c = tl.dot(a, b, c, input_precision=PRECISION,
                   out_dtype=ACCUMULATOR)
    tl.store(c_ptr + row[:, None] * N + column[None, :],
             c.to(c_ptr.dtype.element_ty),
             mask=(row[:, None] < M) & (column[None, :] < N))


@triton.jit
def transposed_operands(a_ptr, b_ptr, c_ptr, BLOCK: tl.constexpr):
    """c += a^T b^T for tiles, the old c being the accumulator."""
    row = tl.arange(0, BLOCK)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    a = tl.load(a_ptr + row * BLOCK + column)
    b = tl.load(b_ptr + row * BLOCK + column)
    c = tl.load(c_ptr + row * BLOCK + column)
    tl.store(c_ptr + row * BLOCK + column, tl.dot(a.T, b.T, c))


@triton.jit
def matmul_int4(a_ptr, b_ptr, scale_ptr, c_ptr, K, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c [BLOCK_M, BLOCK_N] = a (b - 8) scale; b packs rows k and k + 1 of
    [K, BLOCK_N] into bytes."""
    row = tl.arange(0, BLOCK_M)[:, None]
    column = tl.arange(0, BLOCK_N)[None, :]
    half = tl.arange(0, BLOCK_K // 2)[:, None]
    c = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for start in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + row * K + start + tl.arange(0, BLOCK_K)[None, :])
        packed = tl.load(b_ptr + (start // 2 + half) * BLOCK_N + column)
        low = (packed & 15).to(tl.int8) - 8
        high = (packed >> 4).to(tl.int8) - 8
        b = tl.join(low, high).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        c = tl.dot(a, b.to(tl.float16), c)
    scale = tl.load(scale_ptr + column)
    tl.store(c_ptr + row * BLOCK_N + column, c * scale)


@triton.jit
def matmul_descriptors(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr):
    """The same product through tensor descriptors."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK, BLOCK])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK, BLOCK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    row = tl.program_id(0) * BLOCK
    column = tl.program_id(1) * BLOCK
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for k in range(0, K, BLOCK):
        total = tl.dot(a.load([row, k]), b.load([k, column]), total)
    c.store([row, column], total)


@triton.jit
def batched(a_ptr, b_ptr, c_ptr, BATCH: tl.constexpr, BLOCK: tl.constexpr):
    """A product for each member of a batch in one program."""
    member = tl.arange(0, BATCH)[:, None, None] * BLOCK * BLOCK
    row = tl.arange(0, BLOCK)[None, :, None]
    column = tl.arange(0, BLOCK)[None, None, :]
    at = member + row * BLOCK + column
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))
