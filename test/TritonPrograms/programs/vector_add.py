# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds two vectors, with a masked tail."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    tl.store(out + place, tl.load(x + place, mask=inside) + tl.load(y + place, mask=inside),
             mask=inside)


def add(x, y):
    out = torch.empty_like(x)
    count = out.numel()
    add_kernel[lambda meta: (triton.cdiv(count, meta["BLOCK"]),)](x, y, out, count, BLOCK=256)
    return out


numbers = np.random.default_rng(1)
for count in (1, 1000, 4096):
    x, y = (torch.from_numpy(numbers.standard_normal(count, dtype=np.float32)).cuda()
            for _ in range(2))
    np.testing.assert_array_equal(add(x, y).cpu().numpy(), (x.cpu().numpy() + y.cpu().numpy()))
