# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data that changes its place: gather, scatter, transposes, sorting."""

import triton
import triton.language as tl

from reductions import load_tile
from scans import store_tile


@triton.jit
def gather_rows(table_ptr, index_ptr, out_ptr, count, limit,
                COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of a table, -1 where the index lies outside of it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index_ptr + at, mask=at < count, other=-1)
    column = tl.arange(0, COLUMNS)[None, :]
    known = ((row >= 0) & (row < limit))[:, None]
    x = tl.load(table_ptr + row[:, None] * COLUMNS + column, mask=known,
                other=-1.0)
    tl.store(out_ptr + at[:, None] * COLUMNS + column, x,
             mask=(at < count)[:, None])


@triton.jit
def scatter(x_ptr, place_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """out[place[i]] = x[i] where place[i] is even."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = tl.load(place_ptr + at, mask=inside, other=1)
    x = tl.load(x_ptr + at, mask=inside)
    tl.store(out_ptr + place, x, mask=inside & (place % 2 == 0))


@triton.jit
def gather_in_tile(x_ptr, index_ptr, out_ptr, ROWS: tl.constexpr,
                   COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    index = load_tile(index_ptr, ROWS, COLUMNS)
    store_tile(out_ptr, tl.gather(x, index, axis=1), ROWS, COLUMNS)


@triton.jit
def transpose(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    store_tile(out_ptr, tl.trans(x), COLUMNS, ROWS)


@triton.jit
def permute(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr,
            C: tl.constexpr):
    """out [C, A, B] of x [A, B, C]."""
    x = tl.load(x_ptr + tl.arange(0, A * B * C)).reshape(A, B, C)
    x = tl.permute(x, 2, 0, 1).reshape(A * B * C)
    tl.store(out_ptr + tl.arange(0, A * B * C), x)


@triton.jit
def interleave(x_ptr, y_ptr, out_ptr, sums_ptr, BLOCK: tl.constexpr):
    """x and y in turn, and the sums of neighbours in that."""
    at = tl.arange(0, BLOCK)
    both = tl.interleave(tl.load(x_ptr + at), tl.load(y_ptr + at))
    tl.store(out_ptr + tl.arange(0, 2 * BLOCK), both)
    even, odd = tl.split(both.reshape(BLOCK, 2))
    tl.store(sums_ptr + at, even + odd)


@triton.jit
def sort(x_ptr, up_ptr, down_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    x = load_tile(x_ptr, ROWS, COLUMNS)
    store_tile(up_ptr, tl.sort(x), ROWS, COLUMNS)
    store_tile(down_ptr, tl.sort(x, descending=True), ROWS, COLUMNS)


@triton.jit
def flip(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    store_tile(out_ptr, tl.flip(load_tile(x_ptr, ROWS, COLUMNS), 1), ROWS,
               COLUMNS)


@triton.jit
def histogram(x_ptr, out_ptr, BLOCK: tl.constexpr, BINS: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr + tl.arange(0, BINS), tl.histogram(x, BINS))


@triton.jit
def unpack_int4(packed_ptr, scale_ptr, out_ptr, ROWS: tl.constexpr,
                GROUP: tl.constexpr):
    """Eight numbers of four bits from each word, low first, times the scale
    of the row."""
    row = tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, GROUP)[None, :]
    word = tl.load(packed_ptr + row * (GROUP // 8) + column // 8)
    value = ((word >> (column % 8 * 4)) & 15) - 8
    scale = tl.load(scale_ptr + row)
    tl.store(out_ptr + row * GROUP + column,
             (value.to(tl.float16) * scale))
