# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's random numbers (Philox)."""

import triton
import triton.language as tl


@triton.jit
def philox(bits_ptr, uniform_ptr, normal_ptr, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(bits_ptr + at, tl.randint(seed, at))
    tl.store(uniform_ptr + at, tl.rand(seed, at))
    tl.store(normal_ptr + at, tl.randn(seed, at))


@triton.jit
def dropout(x_ptr, out_ptr, count, probability, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(x_ptr + at, mask=inside)
    kept = tl.rand(seed, at) > probability
    tl.store(out_ptr + at, tl.where(kept, x / (1 - probability), 0.0),
             mask=inside)
