# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transposes a matrix by blocks, with a tensor descriptor from the host for the
source and one of the kernel's own for the result; blocks stand over the edges."""

import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def transpose_kernel(source, out, m, n, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    result = tl.make_tensor_descriptor(out, shape=[n, m], strides=[m, 1],
                                       block_shape=[BLOCK, BLOCK])
    result.store([j, i], tl.trans(source.load([i, j])))


def transpose(x, block=32):
    m, n = x.shape
    out = torch.empty((n, m), dtype=x.dtype, device=x.device)
    source = TensorDescriptor(x, list(x.shape), list(x.stride()), [block, block])
    transpose_kernel[(triton.cdiv(m, block), triton.cdiv(n, block))](source, out, m, n, BLOCK=block)
    return out


triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
for m, n in ((64, 32), (40, 80)):
    x = np.arange(m * n, dtype=np.float32).reshape(m, n)
    np.testing.assert_array_equal(transpose(torch.from_numpy(x).cuda()).cpu().numpy(), x.T)
