# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product with weights of four bits, eight in a word, and a scale and a
zero for each group of them."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def quantized_kernel(x, words, scales, zeros, out, m, n, k, GROUP: tl.constexpr,
                     BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(0, k, BK):
        place = begin + inner
        a = tl.load(x + i[:, None] * k + place[None, :], mask=i[:, None] < m, other=0.0)
        word = tl.load(words + (place[:, None] // 8) * n + j[None, :], mask=j[None, :] < n,
                       other=0)
        weight = (word >> ((place[:, None] % 8) * 4)) & 0xF
        group = (place[:, None] // GROUP) * n + j[None, :]
        scale = tl.load(scales + group, mask=j[None, :] < n, other=0.0)
        zero = tl.load(zeros + group, mask=j[None, :] < n, other=0)
        b = ((weight - zero).to(tl.float16) * scale).to(tl.float16)
        total = tl.dot(a, b, total)
    tl.store(out + i[:, None] * n + j[None, :], total,
             mask=(i[:, None] < m) & (j[None, :] < n))


def quantized_matmul(x, words, scales, zeros, group):
    (m, k), n = x.shape, words.shape[1]
    out = torch.empty((m, n), device=x.device, dtype=torch.float32)
    quantized_kernel[(triton.cdiv(m, 16), triton.cdiv(n, 64))](
        x, words, scales, zeros, out, m, n, k, GROUP=group, BM=16, BN=64, BK=64)
    return out


numbers = np.random.default_rng(4)
m, n, k, group = 5, 96, 128, 64
weights = numbers.integers(0, 16, (k, n), dtype=np.uint32)
words = sum(weights[bit::8] << np.uint32(4 * bit) for bit in range(8)).astype(np.int32)
scales = numbers.uniform(0.01, 0.1, (k // group, n)).astype(np.float16)
zeros = numbers.integers(0, 16, (k // group, n), dtype=np.int32)
x = numbers.standard_normal((m, k)).astype(np.float16)
given = [torch.from_numpy(each).cuda() for each in (x, words, scales, zeros)]
out = quantized_matmul(*given, group)
wide = np.repeat(np.arange(k // group), group)
dense = ((weights.astype(np.int32) - zeros[wide]).astype(np.float16) * scales[wide])
np.testing.assert_allclose(out.cpu().numpy(), x.astype(np.float64) @ dense.astype(np.float64),
                           rtol=1e-5, atol=1e-4)
