# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax of each row of a matrix, the whole row in one tile."""

import triton
import triton.language as tl


@triton.jit
def fused_softmax_kernel(in_ptr, out_ptr, columns, in_row_stride,
                         out_row_stride, BLOCK: tl.constexpr):
    """Grid: (rows, 1, 1). Needs columns <= BLOCK.

    Columns past the end load -inf, so they add exp(-inf) = 0 to the sum.
    The arithmetic is f32 whatever the element type of the matrix.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    values = tl.load(in_ptr + row * in_row_stride + column, mask=inside,
                     other=float("-inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    result = powers / tl.sum(powers, axis=0)
    tl.store(out_ptr + row * out_row_stride + column,
             result.to(out_ptr.dtype.element_ty), mask=inside)
