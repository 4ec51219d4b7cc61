# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B for f16 matrices of any shape and stride, accumulated in f32."""

import triton
import triton.language as tl


@triton.jit
def matmul_f16_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak,
                      stride_bk, stride_bn, stride_cm, stride_cn,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """Grid: (ceil(M / BLOCK_M) * ceil(N / BLOCK_N), 1, 1).

    Programs walk GROUP_M tiles down a column before they go to the next one,
    so that programs that run together share tiles of A and B in L2.
    """
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    group_size = GROUP_M * tiles_n
    first_m = (program // group_size) * GROUP_M
    rows_in_group = tl.minimum(tiles_m - first_m, GROUP_M)
    tile_m = first_m + (program % group_size) % rows_in_group
    tile_n = (program % group_size) // rows_in_group

    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    inside_m = m[:, None] < M
    inside_n = n[None, :] < N
    a_tile = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_tile = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for done in range(0, K, BLOCK_K):
        left = K - done
        a = tl.load(a_tile, mask=inside_m & (k[None, :] < left), other=0.0)
        b = tl.load(b_tile, mask=inside_n & (k[:, None] < left), other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_tile += BLOCK_K * stride_ak
        b_tile += BLOCK_K * stride_bk

    c_tile = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_tile, accumulator.to(tl.float16), mask=inside_m & inside_n)
