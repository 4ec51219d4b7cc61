# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A W for f16 A and 4-bit W, dequantized tile by tile.

W is stored as GPTQ v2 checkpoints store it:
  packed  i32 [K/8, N]            nibble i of word (r, n) is W's row 8r + i
  scales  f16 [ceil(K/GROUP), N]
  zeros   i32 [ceil(K/GROUP), N/8], nibble i of word (g, c) is column 8c + i;
          or f16 [ceil(K/GROUP), N] where ZEROS_PACKED is false
and stands for (nibble - zero) * scale.
"""

import triton
import triton.language as tl


@triton.jit
def load_zeros(zeros_ptr, group, n, inside_n, N, ZEROS_PACKED: tl.constexpr):
    """The zero points of one group, f16 [BLOCK_N]."""
    if ZEROS_PACKED:
        words = tl.load(zeros_ptr + group * (N // 8) + n // 8, mask=inside_n,
                        other=0)
        return ((words >> ((n % 8) * 4)) & 0xF).to(tl.float16)
    else:
        return tl.load(zeros_ptr + group * N + n, mask=inside_n, other=0.0)


@triton.jit
def matmul_w4a16_kernel(a_ptr, packed_ptr, scales_ptr, zeros_ptr, c_ptr,
                        M, N, K, stride_am, stride_cm,
                        BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                        ZEROS_PACKED: tl.constexpr):
    """Grid: (ceil(M / BLOCK_M), ceil(N / BLOCK_N), 1).

    Needs K and N to be multiples of 8 and BLOCK_K to divide GROUP, so that
    one tile of W lies in one group.
    """
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    inside_m = m[:, None] < M
    inside_n = n < N
    shift = (k % 8) * 4

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for done in range(0, K, BLOCK_K):
        here = done + k
        group = done // GROUP
        a = tl.load(a_ptr + m[:, None] * stride_am + here[None, :],
                    mask=inside_m & (here[None, :] < K), other=0.0)
        words = tl.load(packed_ptr + (here[:, None] // 8) * N + n[None, :],
                        mask=(here[:, None] < K) & inside_n[None, :], other=0)
        scale = tl.load(scales_ptr + group * N + n, mask=inside_n, other=0.0)
        zero = load_zeros(zeros_ptr, group, n, inside_n, N, ZEROS_PACKED)
        quantized = ((words >> shift[:, None]) & 0xF).to(tl.float16)
        w = (quantized - zero[None, :]) * scale[None, :]
        accumulator = tl.dot(a, w, accumulator)

    c_tile = c_ptr + m[:, None] * stride_cm + n[None, :]
    tl.store(c_tile, accumulator.to(tl.float16),
             mask=inside_m & inside_n[None, :])
