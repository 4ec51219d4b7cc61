# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products whose tiles come by bulk copies, on Hopper: launches pass tensor maps that
they make of the arguments, or memory for those that kernels make of descriptors.
test_programs.py runs it."""

import numpy as np
import torch
import triton
import triton.language as tl

import tilewright.triton as door


@triton.jit
def multiply(a, b, c, m, n, k, ap, am, bp, bk, cp, cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    batch = tl.program_id(2)
    inner = tl.arange(0, BK)
    a += batch * ap
    b += batch * bp
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, k, BK):
        x = tl.load(a + i[:, None] * am + (first + inner)[None, :],
                    mask=(i < m)[:, None] & (first + inner < k)[None, :], other=0.0)
        y = tl.load(b + (first + inner)[:, None] * bk + j[None, :],
                    mask=(first + inner < k)[:, None] & (j < n)[None, :], other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + batch * cp + i[:, None] * cm + j[None, :], total.to(tl.float16),
             mask=(i < m)[:, None] & (j < n)[None, :])


def run(batches, m, n, k):
    """The product is right; the kernel that made it."""
    numbers = np.random.default_rng(m)
    a = numbers.standard_normal((batches, m, k)).astype(np.float16)
    b = numbers.standard_normal((batches, k, n)).astype(np.float16)
    c = torch.from_numpy(np.full((batches, m, n), np.nan, dtype=np.float16)).cuda()
    kernel = multiply[(triton.cdiv(m, 128), triton.cdiv(n, 256), batches)](
        torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), c, m, n, k, m * k, k, k * n, n, m * n, n,
        BM=128, BN=256, BK=64, num_warps=8, num_stages=3)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c.cpu().numpy(), expected, rtol=2 ** -10, atol=k * 2 ** -20)
    return kernel


# Other tensors of the same shape, another shape, and tiles that are not full.
kernels = [run(2, 128, 64, 256), run(2, 128, 64, 256), run(2, 144, 80, 320), run(1, 112, 64, 48)]
assert all(kernel.metadata.tilewright_maps for kernel in kernels)
assert "cp.async.bulk.tensor" in kernels[0].asm["ptx"]

# Who does not run what is compiled may launch it otherwise.
alone = multiply.warmup(*[torch.float16] * 3, *[1024] * 9, BM=128, BN=256, BK=32, num_warps=8,
                        num_stages=3, grid=(1,))
assert not alone.metadata.tilewright_maps

with door.enable(tensor_maps=False):
    assert not run(2, 128, 64, 256).metadata.tilewright_maps

# A tensor without elements: masks leave out all that is copied.
nothing = torch.from_numpy(np.full((128, 64), 7, dtype=np.float16)).cuda()
multiply[(1, 1, 1)](nothing, nothing, nothing, 0, 64, 64, 8192, 64, 4096, 64, 8192, 64,
                    BM=128, BN=256, BK=64, num_warps=8, num_stages=3)
np.testing.assert_array_equal(nothing.cpu().numpy(), np.float16(7))

# What a map cannot be made of is said.
stride = torch.from_numpy(np.zeros(1 << 16, dtype=np.float16)).cuda()
try:
    multiply[(1, 1, 1)](stride, stride, stride, 128, 64, 64, 8192, -64, 4096, 64, 8192, 64,
                        BM=128, BN=256, BK=64, num_warps=8, num_stages=3)
    raise AssertionError("a negative stride has been taken")
except ValueError as error:
    assert "expect strides" in str(error) and "TILEWRIGHT_TRITON_TENSOR_MAPS=0" in str(error), error


@triton.jit
def multiply_rows(a, b, c, table, count, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    block = tl.load(table)
    for at in range(count):
        x = tl.load(a + i[:, None] * 512 + (at * BK + inner)[None, :])
        y = tl.load(b + (block * BK + inner)[:, None] * BN + j[None, :])
        total = tl.dot(x, y, total)
        block = tl.load(table + at + 1)
    tl.store(c + i[:, None] * BN + j[None, :], total.to(tl.float16))


# Rows that a table names, of which nobody knows that they are not negative.
numbers = np.random.default_rng(5)
a, b = (numbers.standard_normal(shape).astype(np.float16) for shape in ((128, 512), (512, 128)))
order = np.append(numbers.permutation(8), 0).astype(np.int32)
c = torch.from_numpy(np.full((128, 128), np.nan, dtype=np.float16)).cuda()
kernel = multiply_rows[(1,)](*(torch.from_numpy(each).cuda() for each in (a, b)), c,
                             torch.from_numpy(order).cuda(), 8, BM=128, BN=128, BK=64,
                             num_warps=8, num_stages=3)
assert any(recipe.get("signed_dimensions") for recipe in kernel.metadata.tilewright_maps)
rows = np.concatenate([np.arange(64) + 64 * block for block in order[:8]])
np.testing.assert_allclose(c.cpu().numpy(), a.astype(np.float64) @ b[rows].astype(np.float64),
                           rtol=2 ** -10, atol=512 * 2 ** -20)


@triton.jit
def multiply_groups(addresses, sizes, groups, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    for group in range(groups):
        a = tl.load(addresses + 3 * group).to(tl.pointer_type(tl.float16))
        b = tl.load(addresses + 3 * group + 1).to(tl.pointer_type(tl.float16))
        c = tl.load(addresses + 3 * group + 2).to(tl.pointer_type(tl.float16))
        m, k = tl.load(sizes + 2 * group), tl.load(sizes + 2 * group + 1)
        x = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
        y = tl.make_tensor_descriptor(b, [k, BN], [BN, 1], [BK, BN])
        z = tl.make_tensor_descriptor(c, [m, BN], [BN, 1], [BM, BN])
        row = tl.program_id(0) * BM
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for first in range(0, k, BK):
            total = tl.dot(x.load([row, first]), y.load([first, 0]), total)
        z.store([row, 0], total.to(tl.float16))


# Descriptors of addresses that the kernel loads: it makes their maps. One problem ends
# within a tile, one has nothing to sum, and one no rows.
triton.set_allocator(lambda size, alignment, stream: torch.empty(
    size, dtype=torch.int8, device="cuda"))
shapes = [(256, 192), (144, 80), (128, 0), (0, 64), (200, 448)]
tensors = [[numbers.standard_normal(shape).astype(np.float16)
            for shape in ((max(m, 1), max(k, 8)), (max(k, 1), 128))] for m, k in shapes]
given = [[torch.from_numpy(each).cuda() for each in pair] for pair in tensors]
made = [torch.from_numpy(np.full((max(m, 1), 128), 7, dtype=np.float16)).cuda() for m, _ in shapes]
addresses = np.array([[x.data_ptr(), y.data_ptr(), z.data_ptr()]
                      for (x, y), z in zip(given, made)], dtype=np.int64)
kernel = multiply_groups[(2,)](torch.from_numpy(addresses).cuda(),
                               torch.from_numpy(np.array(shapes, dtype=np.int32)).cuda(),
                               len(shapes), BM=128, BN=128, BK=64, num_warps=4, num_stages=3)
assert kernel.metadata.global_scratch_size and "tensormap.replace" in kernel.asm["ptx"]
for (m, k), (x, y), z in zip(shapes, tensors, made):
    expected = x[:m, :k].astype(np.float64) @ y[:k].astype(np.float64) if m else np.float16(7)
    np.testing.assert_allclose(z.cpu().numpy(), np.broadcast_to(expected, z.shape),
                               rtol=2 ** -10, atol=512 * 2 ** -20)
