# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C = A B for f16 matrices, read and written through tensor descriptors that
the kernel makes. What lies outside of a matrix is read as zero and not
written, so no mask is needed."""

import triton
import triton.language as tl


@triton.jit
def matmul_descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am,
                             stride_bk, stride_cm, BLOCK_M: tl.constexpr,
                             BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Grid: (ceil(M / BLOCK_M), ceil(N / BLOCK_N), 1). Pointers and rows must
    begin at multiples of 16 bytes."""
    a_matrix = tl.make_tensor_descriptor(a_ptr, shape=[M, K],
                                         strides=[stride_am, 1],
                                         block_shape=[BLOCK_M, BLOCK_K])
    b_matrix = tl.make_tensor_descriptor(b_ptr, shape=[K, N],
                                         strides=[stride_bk, 1],
                                         block_shape=[BLOCK_K, BLOCK_N])
    c_matrix = tl.make_tensor_descriptor(c_ptr, shape=[M, N],
                                         strides=[stride_cm, 1],
                                         block_shape=[BLOCK_M, BLOCK_N])
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        accumulator = tl.dot(a_matrix.load([m, k]), b_matrix.load([k, n]),
                             accumulator)
    c_matrix.store([m, n], accumulator.to(tl.float16))
