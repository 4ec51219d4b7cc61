# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic operations: sums, extremes, exchanges, and a lock."""

import triton
import triton.language as tl


@triton.jit
def scatter_add(x_ptr, place_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    place = tl.load(place_ptr + at, mask=inside)
    x = tl.load(x_ptr + at, mask=inside)
    tl.atomic_add(out_ptr + place, x, mask=inside)


@triton.jit
def add_tile(x_ptr, out_ptr, BLOCK: tl.constexpr):
    """Every program adds its tile to the same one."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + at)
    tl.atomic_add(out_ptr + at, x, sem="relaxed")


@triton.jit
def extremes(x_ptr, largest_ptr, smallest_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.atomic_max(largest_ptr + at % 8, x)
    tl.atomic_min(smallest_ptr + at % 8, x)


@triton.jit
def bits(x_ptr, and_ptr, or_ptr, xor_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.atomic_and(and_ptr + at % 4, x)
    tl.atomic_or(or_ptr + at % 4, x)
    tl.atomic_xor(xor_ptr + at % 4, x)


@triton.jit
def tickets(counter_ptr, out_ptr):
    """Each program takes a number and signs its place."""
    number = tl.atomic_add(counter_ptr, 1)
    tl.store(out_ptr + number, number * 10)


@triton.jit
def locked_sum(x_ptr, lock_ptr, out_ptr, BLOCK: tl.constexpr):
    """A lock around a sum that is not atomic."""
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + at)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr + at, tl.load(out_ptr + at) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)
