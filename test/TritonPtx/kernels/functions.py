# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are not inlined: their arguments and results are scalars."""

import triton
import triton.language as tl


@triton.jit(noinline=True)
def power(base, exponent):
    result = base * 0 + 1
    while exponent > 0:
        if exponent % 2 == 1:
            result *= base
        base *= base
        exponent //= 2
    return result


@triton.jit(noinline=True)
def row_sum(x_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    return tl.sum(tl.load(x_ptr + at, mask=at < count, other=0))


@triton.jit(noinline=True)
def store_row(x_ptr, out_ptr, count, factor, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < count
    total = row_sum(x_ptr, count, BLOCK)
    x = tl.load(x_ptr + at, mask=inside, other=0)
    tl.store(out_ptr + at, x * factor + total, mask=inside)


@triton.jit
def rows(x_ptr, out_ptr, count, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    program = tl.program_id(0)
    factor = power(program + 2, program + 1)
    for i in range(ROWS):
        row = program * ROWS + i
        store_row(x_ptr + row * count, out_ptr + row * count, count, factor,
                  BLOCK)
