# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C += A B for f16 A and B and f32 C, the inner dimension split in parts that
programs of their own add to C by atomic additions."""

import triton
import triton.language as tl


@triton.jit
def matmul_split_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk,
                          stride_cm, BLOCK_M: tl.constexpr,
                          BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Grid: (ceil(M / BLOCK_M), ceil(N / BLOCK_N), parts). Program p of a part
    takes the tiles p, p + parts, ... of K."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    inside_m = m[:, None] < M
    inside_n = n[None, :] < N
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    step = tl.num_programs(2) * BLOCK_K
    for first in range(tl.program_id(2) * BLOCK_K, K, step):
        here = first + k
        a = tl.load(a_ptr + m[:, None] * stride_am + here[None, :],
                    mask=inside_m & (here[None, :] < K), other=0.0)
        b = tl.load(b_ptr + here[:, None] * stride_bk + n[None, :],
                    mask=(here[:, None] < K) & inside_n, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
    tl.atomic_add(c_ptr + m[:, None] * stride_cm + n[None, :], accumulator,
                  mask=inside_m & inside_n, sem="relaxed")
