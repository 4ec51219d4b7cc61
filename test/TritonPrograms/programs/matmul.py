# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A matrix product with a grouped order of blocks, masks, an autotuner and an
activation."""

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.autotune([triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4, num_stages=2)],
                 key=["m", "n", "k"])
@triton.jit
def matmul_kernel(a, b, c, m, n, k, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    program = tl.program_id(0)
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = program // (GROUP * columns)
    first = group * GROUP
    height = min(rows - first, GROUP)
    row = first + (program % (GROUP * columns)) % height
    column = (program % (GROUP * columns)) // height
    i = (row * BM + tl.arange(0, BM)) % m
    j = (column * BN + tl.arange(0, BN)) % n
    inner = tl.arange(0, BK)
    left = a + (i[:, None] * am + inner[None, :] * ak)
    right = b + (inner[:, None] * bk + j[None, :] * bn)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        x = tl.load(left, mask=inner[None, :] < k - step * BK, other=0.0)
        y = tl.load(right, mask=inner[:, None] < k - step * BK, other=0.0)
        total = tl.dot(x, y, total)
        left += BK * ak
        right += BK * bk
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)
    i = row * BM + tl.arange(0, BM)
    j = column * BN + tl.arange(0, BN)
    tl.store(c + cm * i[:, None] + cn * j[None, :], total.to(tl.float16),
             mask=(i[:, None] < m) & (j[None, :] < n))


def matmul(a, b, activation=""):
    m, k = a.shape
    n = b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=torch.float16)
    matmul_kernel[lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)](
        a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0),
        c.stride(1), GROUP=2, ACTIVATION=activation)
    return c


numbers = np.random.default_rng(3)
for m, n, k, activation in ((64, 64, 64, ""), (96, 80, 72, "leaky_relu")):
    a = numbers.standard_normal((m, k)).astype(np.float16)
    b = numbers.standard_normal((k, n)).astype(np.float16)
    c = matmul(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), activation)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    if activation:
        expected = np.where(expected >= 0, expected, 0.01 * expected)
    # A sum of k products in float32, and the rounding to float16.
    np.testing.assert_allclose(c.cpu().numpy(), expected, rtol=2 ** -10, atol=k * 2 ** -20)
