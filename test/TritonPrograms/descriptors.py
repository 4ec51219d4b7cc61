# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors from the host: tiles come as fast as through pointers whose strides
are known, and outside of a tensor there is what the launch's descriptor says, whatever
the kernel was compiled for. test_programs.py runs it."""

import numpy as np
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

on_hopper = triton.runtime.driver.active.get_current_target().arch >= 90


@triton.jit
def multiply(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, k, BK):
        total = tl.dot(a.load([i, first]), b.load([j, first]).T, total)
    c.store([i, j], total.to(tl.float16))


@triton.jit
def read(source, out, BLOCK: tl.constexpr):
    i, j = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    rows, columns = i + tl.arange(0, BLOCK), j + tl.arange(0, BLOCK)
    width = tl.num_programs(1) * BLOCK
    tl.store(out + rows[:, None] * width + columns[None, :], source.load([i, j]))


def describe(x, block, columns=None, **options):
    """The first columns of `x`."""
    shape = [x.shape[0], columns or x.shape[1]]
    return TensorDescriptor(x, shape, list(x.stride()), block, **options)


def check_product(m, n, k):
    numbers = np.random.default_rng(m)
    a, b = (numbers.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    c = torch.from_numpy(np.full((m, n), np.nan, dtype=np.float16)).cuda()
    kernel = multiply[(triton.cdiv(m, 128), triton.cdiv(n, 128))](
        describe(torch.from_numpy(a).cuda(), [128, 64]),
        describe(torch.from_numpy(b).cuda(), [128, 64]), describe(c, [128, 128]), k,
        BM=128, BN=128, BK=64, num_warps=4, num_stages=3)
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(c.cpu().numpy(), expected, rtol=2 ** -10, atol=k * 2 ** -20)
    return kernel


def check_read(columns, **options):
    """40 x `columns` of a tensor with 48 columns, by blocks that reach beyond it."""
    x = np.arange(40 * 48, dtype=np.float32).reshape(40, 48)
    out = torch.from_numpy(np.full((64, 64), -1, dtype=np.float32)).cuda()
    source = describe(torch.from_numpy(x).cuda(), [32, 32], columns, **options)
    kernel = read[(2, 2)](source, out, BLOCK=32)
    expected = np.full((64, 64), np.nan if options else 0, dtype=np.float32)
    expected[:40, :columns] = x[:, :columns]
    np.testing.assert_array_equal(out.cpu().numpy(), expected)
    return kernel


# No copy brings less than 16 bytes, and where it may, a box at a time.
kernels = [check_product(128, 128, 256), check_product(144, 80, 320)]
for kernel in kernels:
    narrow = [line for line in kernel.asm["ptx"].split("\n")
              if "cp.async.ca" in line or "ld.global.b16" in line or "ld.global.u16" in line]
    assert not narrow, narrow
    assert bool(kernel.metadata.tilewright_maps) == on_hopper
    assert ("cp.async.bulk.tensor" in kernel.asm["ptx"]) == on_hopper

# Each way after the others, and again: rows of whole vectors, others, and NaNs outside.
for _ in range(2):
    ways = [check_read(48), check_read(41), check_read(48, padding="nan"),
            check_read(41, padding="nan")]
assert len({way.hash for way in ways}) == 3
