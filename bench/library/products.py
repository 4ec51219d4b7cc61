# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dense, quantized and 8-bit products beside cuBLAS, by PyTorch's functions."""

from functools import partial

import torch
from case import Case, count_bytes, normal, rms
from timing import count_copies

from tilewright import ops, quantized

# Rows, columns, depth: 40 problems.
DENSE = [(m, n, k) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336),
                                (8192, 8192), (1000, 4096))
         for m in (1, 4, 16, 64, 256, 1024, 4096, 8192)]
QUANTIZED = [(m, n, k) for n, k in ((8192, 8192), (14336, 4096),
                                    (4096, 14336), (28672, 8192))
             for m in (1, 4, 16, 64, 256, 4096)]
EIGHT_BITS = [(m, 8192, 8192) for m in (1, 16, 64, 256, 1024, 4096)]


def dense():
    return [(f"f16 {m} x {n} x {k}", partial(make_dense, m, n, k))
            for m, n, k in DENSE]


def make_dense(m, n, k):
    a = normal(m, k)
    count = count_copies(2 * k * n)
    weights = [normal(k, n) for _ in range(count)]
    out, other = (torch.empty(m, n, device="cuda", dtype=torch.float16)
                  for _ in range(2))
    return Case(
        [lambda w=w: ops.matmul(a, w, out=out) for w in weights],
        {"cuBLAS": [lambda w=w: torch.matmul(a, w, out=other)
                    for w in weights]},
        lambda: rms(ops.matmul(a, weights[0]),
                    a.double() @ weights[0].double()),
        1e-3, count_bytes(a, weights[0], out), 2.0 * m * n * k)


def make_weights(n, k, group=128, symmetric=False):
    """Weights as GPTQ has them, symmetric ones without zeros."""
    words = torch.randint(-2**31, 2**31 - 1, (k // 8, n), device="cuda",
                          dtype=torch.int32)
    scales = (torch.rand(k // group, n, device="cuda") / 100).half()
    if symmetric:
        return quantized.QuantizedWeights(words, scales, (k, n), "int4", group)
    zeros = torch.randint(0, 16, (k // group, n), device="cuda",
                          dtype=torch.int8)
    return quantized.QuantizedWeights(words, scales, (k, n), "uint4", group,
                                      zeros)


def dequantized(w):
    k, n = w.shape
    codes = torch.stack([(w.words >> 4 * i) & 15 for i in range(8)], 1)
    codes = codes.reshape(k, n)
    spread = lambda x: x.double().repeat_interleave(w.group, 0)
    if w.zeros is None:
        return ((codes ^ 8) - 8) * spread(w.scales)
    return (codes - spread(w.zeros)) * spread(w.scales)


def quantized_products():
    return [(f"W4A16 {m} x {n} x {k}", partial(make_quantized, m, n, k))
            for m, n, k in QUANTIZED]


def symmetric_products():
    return [(f"W4A16 symmetric {m} x {n} x {k}",
             partial(make_quantized, m, n, k, symmetric=True))
            for m, n, k in QUANTIZED]


def prepacked_products():
    return [(f"W4A16 prepacked {m} x {n} x {k}",
             partial(make_quantized, m, n, k, ops.prepack))
            for m, n, k in QUANTIZED]


def reads_of(weights):
    """Launches that read the bytes of each of the weights."""
    try:
        import reading
    except ImportError:  # Where there is no Triton.
        return {}
    words = [reading.gather(*(x for x in (w.words, w.scales, w.zeros)
                              if x is not None)) for w in weights]
    return {"a read": [partial(reading.read, x) for x in words]}


def make_quantized(m, n, k, bring=lambda w: w, symmetric=False):
    """W4A16 in groups of 128, weights as the packages store them, brought to
    another order. Beside it a launch that reads the weights' bytes."""
    a = normal(m, k)
    plain = make_weights(n, k, symmetric=symmetric)
    numbers = dequantized(plain)
    weights = [bring(plain)]
    weights += [bring(make_weights(n, k, symmetric=symmetric))
                for _ in range(count_copies(n * k / 2) - 1)]
    half = [numbers.half() for _ in range(count_copies(2 * n * k))]
    out, other = (torch.empty(m, n, device="cuda", dtype=torch.float16)
                  for _ in range(2))
    w = weights[0]
    return Case(
        [lambda w=w: ops.quantized_matmul(a, w, out=out) for w in weights],
        {"cuBLAS f16": [lambda w=w: torch.matmul(a, w, out=other)
                        for w in half], **reads_of(weights)},
        lambda: rms(ops.quantized_matmul(a, weights[0]),
                    a.double() @ numbers),
        2e-3, count_bytes(a, w.words, w.scales, w.zeros, out),
        2.0 * m * n * k)


def eight_bits():
    return [(f"{name} {m} x {n} x {k}", partial(make_scaled, m, n, k, type))
            for m, n, k in EIGHT_BITS
            for name, type in (("int8", torch.int8),
                               ("e4m3", torch.float8_e4m3fn))]


def make_scaled(m, n, k, type):
    """8-bit operands with scales of rows and columns."""
    isInt = type == torch.int8
    if isInt:
        make = lambda *shape: torch.randint(-127, 128, shape, device="cuda",
                                            dtype=type)
    else:
        make = lambda *shape: normal(*shape, type=type)
    a = make(m, k)
    weights = [make(n, k).t() for _ in range(count_copies(n * k))]
    rows, columns = (torch.rand(x, device="cuda") / 100 for x in (m, n))
    out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    if isInt:
        theirs = lambda w: torch._int_mm(a, w)
    else:
        theirs = lambda w: torch._scaled_mm(
            a, w, scale_a=rows[:, None], scale_b=columns[None],
            out_dtype=torch.bfloat16)
    return Case(
        [lambda w=w: ops.scaled_matmul(a, w, rows, columns, out=out)
         for w in weights],
        {"torch": [lambda w=w: theirs(w) for w in weights]},
        lambda: rms(ops.scaled_matmul(a, weights[0], rows, columns,
                                      out_type="f32"),
                    (a.double() @ weights[0].double()) *
                    rows.double()[:, None] * columns.double()),
        # Hopper's matrix units add products of fp8 with some 14 bits.
        1e-6 if isInt else 1e-3,
        count_bytes(a, weights[0], rows, columns, out), 2.0 * m * n * k)
