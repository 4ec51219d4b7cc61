# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""out[i] = x[i] + y[i]: the smallest kernel with a tail mask."""

import triton
import triton.language as tl


@triton.jit
def vector_add_kernel(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    """Grid: (ceil(count / BLOCK), 1, 1)."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)
