# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions along one axis, over all of a tile, and with a place."""

import triton
import triton.language as tl


@triton.jit
def load_tile(x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    return tl.load(x_ptr + rows * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@triton.jit
def sums(x_ptr, rows_ptr, columns_ptr, all_ptr, ROWS: tl.constexpr,
         COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    tl.store(rows_ptr + tl.arange(0, ROWS), tl.sum(x, axis=1))
    tl.store(columns_ptr + tl.arange(0, COLUMNS), tl.sum(x, axis=0))
    tl.store(all_ptr, tl.sum(x))


@triton.jit
def extremes(x_ptr, largest_ptr, smallest_ptr, ROWS: tl.constexpr,
             COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    tl.store(largest_ptr + tl.arange(0, ROWS), tl.max(x, axis=1))
    tl.store(smallest_ptr + tl.arange(0, COLUMNS), tl.min(x, axis=0))


@triton.jit
def places(x_ptr, largest_ptr, smallest_ptr, ROWS: tl.constexpr,
           COLUMNS: tl.constexpr):
    """The first place of the largest in a row, of the smallest in a column."""
    x = load_tile(x_ptr, ROWS, COLUMNS)
    tl.store(largest_ptr + tl.arange(0, ROWS), tl.argmax(x, axis=1))
    tl.store(smallest_ptr + tl.arange(0, COLUMNS), tl.argmin(x, axis=0))


@triton.jit
def parity(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    tl.store(out_ptr + tl.arange(0, ROWS), tl.xor_sum(x, axis=1))


@triton.jit
def combine_logarithms(a, b):
    larger = tl.maximum(a, b)
    return larger + tl.log(tl.exp(a - larger) + tl.exp(b - larger))


@triton.jit
def logarithm_of_sum(x_ptr, out_ptr, ROWS: tl.constexpr,
                     COLUMNS: tl.constexpr):
    """A combination of our own."""
    x = load_tile(x_ptr, ROWS, COLUMNS)
    tl.store(out_ptr + tl.arange(0, ROWS),
             tl.reduce(x, 1, combine_logarithms))
