# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums and products, and a recurrence, along either axis."""

import triton
import triton.language as tl

from reductions import load_tile


@triton.jit
def store_tile(out_ptr, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    tl.store(out_ptr + rows * COLUMNS + tl.arange(0, COLUMNS)[None, :], x)


@triton.jit
def running(x_ptr, sums_ptr, products_ptr, ROWS: tl.constexpr,
            COLUMNS: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    store_tile(sums_ptr, tl.cumsum(x, axis=AXIS, reverse=REVERSE), ROWS,
               COLUMNS)
    store_tile(products_ptr, tl.cumprod(x, axis=AXIS, reverse=REVERSE), ROWS,
               COLUMNS)


@triton.jit
def compose(decay_a, input_a, decay_b, input_b):
    return decay_a * decay_b, input_a * decay_b + input_b


@triton.jit
def recurrence(decay_ptr, input_ptr, out_ptr, ROWS: tl.constexpr,
               COLUMNS: tl.constexpr):
    """h[i] = decay[i] * h[i-1] + input[i] along the rows."""
    decay = load_tile(decay_ptr, ROWS, COLUMNS)
    value = load_tile(input_ptr, ROWS, COLUMNS)
    _, state = tl.associative_scan((decay, value), 1, compose)
    store_tile(out_ptr, state, ROWS, COLUMNS)
