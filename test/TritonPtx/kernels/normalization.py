# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and layer norm over rows."""

import triton
import triton.language as tl


@triton.jit
def softmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + row * columns + at, mask=inside, other=-float("inf"))
    x = x.to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    weights = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * columns + at,
             weights.to(out_ptr.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, columns,
               epsilon, BLOCK: tl.constexpr):
    """Two passes over the row, in blocks."""
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
        x = x.to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, axis=0) / columns
    variance = tl.sum(squares, axis=0) / columns - mean * mean
    scale = 1 / tl.sqrt(variance + epsilon)
    tl.store(mean_ptr + row, mean)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        x = tl.load(x_ptr + row * columns + at, mask=inside, other=0.0)
        weight = tl.load(weight_ptr + at, mask=inside)
        bias = tl.load(bias_ptr + at, mask=inside)
        y = (x.to(tl.float32) - mean) * scale * weight + bias
        tl.store(out_ptr + row * columns + at, y, mask=inside)
