# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B for matrices of any shape and row stride; C is the sums' type."""

import triton
import triton.language as tl


@triton.jit
def matmul_typed_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk,
                        stride_cm, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                        PRECISION: tl.constexpr):
    """Grid: (ceil(M / BLOCK_M), ceil(N / BLOCK_N), 1)."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    inside_m = m[:, None] < M
    inside_n = n[None, :] < N
    a_tile = a_ptr + m[:, None] * stride_am + k[None, :]
    b_tile = b_ptr + k[:, None] * stride_bk + n[None, :]

    sum_type = c_ptr.dtype.element_ty
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=sum_type)
    for done in range(0, K, BLOCK_K):
        left = K - done
        a = tl.load(a_tile, mask=inside_m & (k[None, :] < left), other=0)
        b = tl.load(b_tile, mask=inside_n & (k[:, None] < left), other=0)
        accumulator = tl.dot(a, b, accumulator, input_precision=PRECISION,
                             out_dtype=sum_type)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * stride_bk

    c_tile = c_ptr + m[:, None] * stride_cm + n[None, :]
    tl.store(c_tile, accumulator, mask=inside_m & inside_n)
