# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums along either axis of a matrix of any size.

The summed axis is walked tile by tile, with the sums of what lies behind
carried along. REVERSE sums from the other end. Sums have the type of out,
whatever the elements have.
"""

import triton
import triton.language as tl


@triton.jit
def cumsum_rows_kernel(x_ptr, out_ptr, rows, columns, stride_x, stride_out,
                       ROWS: tl.constexpr, BLOCK: tl.constexpr,
                       REVERSE: tl.constexpr):
    """Along each row. Grid: (ceil(rows / ROWS), 1, 1)."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    blocks = tl.cdiv(columns, BLOCK)
    carry = tl.zeros((ROWS,), dtype=out_ptr.dtype.element_ty)
    for step in range(blocks):
        block = blocks - 1 - step if REVERSE else step
        column = block * BLOCK + tl.arange(0, BLOCK)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * stride_x + column[None, :],
                    mask=inside, other=0).to(out_ptr.dtype.element_ty)
        sums = tl.cumsum(x, axis=1, reverse=REVERSE) + carry[:, None]
        tl.store(out_ptr + row[:, None] * stride_out + column[None, :], sums,
                 mask=inside)
        carry += tl.sum(x, axis=1)


@triton.jit
def cumsum_columns_kernel(x_ptr, out_ptr, rows, columns, stride_x, stride_out,
                          BLOCK: tl.constexpr, COLUMNS: tl.constexpr,
                          REVERSE: tl.constexpr):
    """Along each column. Grid: (ceil(columns / COLUMNS), 1, 1)."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    blocks = tl.cdiv(rows, BLOCK)
    carry = tl.zeros((COLUMNS,), dtype=out_ptr.dtype.element_ty)
    for step in range(blocks):
        block = blocks - 1 - step if REVERSE else step
        row = block * BLOCK + tl.arange(0, BLOCK)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        x = tl.load(x_ptr + row[:, None] * stride_x + column[None, :],
                    mask=inside, other=0).to(out_ptr.dtype.element_ty)
        sums = tl.cumsum(x, axis=0, reverse=REVERSE) + carry[None, :]
        tl.store(out_ptr + row[:, None] * stride_out + column[None, :], sums,
                 mask=inside)
        carry += tl.sum(x, axis=0)
