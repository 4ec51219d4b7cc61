# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layer norm of each row of a matrix, its result in fp8 (e4m3).

A row is read three times, tile by tile: for its mean, for its variance around
that mean, and for the result (x - mean) * rsqrt(variance + epsilon) * weight +
bias, which is multiplied by inverse_scale and kept within e4m3's range.
"""

import triton
import triton.language as tl


@triton.jit
def layer_norm_fp8_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr,
                          deviation_ptr, columns, stride_x, stride_out,
                          epsilon, inverse_scale, BLOCK: tl.constexpr):
    """Grid: (rows, 1, 1). Needs a column. mean and deviation (the factor, one
    by the standard deviation) are f32, one for each row."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride_x
    out_ptr += row * stride_out
    column = tl.arange(0, BLOCK)

    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        here = first + column
        sums += tl.load(x_ptr + here, mask=here < columns,
                        other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        here = first + column
        x = tl.load(x_ptr + here, mask=here < columns,
                    other=0.0).to(tl.float32)
        distance = tl.where(here < columns, x - mean, 0.0)
        squares += distance * distance
    deviation = tl.rsqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(mean_ptr + row, mean)
    tl.store(deviation_ptr + row, deviation)

    for first in range(0, columns, BLOCK):
        here = first + column
        inside = here < columns
        x = tl.load(x_ptr + here, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + here, mask=inside,
                         other=0.0).to(tl.float32)
        bias = tl.load(bias_ptr + here, mask=inside, other=0.0).to(tl.float32)
        result = ((x - mean) * deviation * weight + bias) * inverse_scale
        result = tl.clamp(result, -448.0, 448.0)
        tl.store(out_ptr + here, result.to(out_ptr.dtype.element_ty),
                 mask=inside)
