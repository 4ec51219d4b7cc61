# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, numpy references and bounds of kernels without matrix products.

In: a variant. Out: a grid and arguments. Same variant, same bits. Bounds
follow from types: n terms whose order is the compiler's get n * U, functions
the error that the CUDA Math API or PTX states for them. Where the inputs make
every intermediate result exact, the same bits are asked for.
"""

import math
from typing import Any

import numpy as np

from buffers import (U16, U32, Arguments, blocks, changed, decode, encode,
                     given, i32, kind, made, normal, reference)
from buffers import _DTYPES as DTYPES
from cases import Scalar
from variants import Variant

Made = tuple[tuple[int, int, int], Arguments]
ONE = (1, 1, 1)


def shape(variant: Variant) -> tuple[int, int]:
    return variant.constexprs["ROWS"], variant.constexprs["COLUMNS"]


def integers(rng: np.random.Generator, name: str, *size: int) -> np.ndarray:
    """Any value of the type."""
    limits = np.iinfo(DTYPES[name])
    return rng.integers(limits.min, limits.max, size, DTYPES[name], True)


# --- element by element -----------------------------------------------------

# Greatest relative and absolute errors. ex2.approx, rsqrt.approx: 2^-22
# (PTX ISA), with the rounding of x log2 e, |x| <= 8, before exp; logf 1 ulp,
# sinf, cosf and erff 2 ulp (CUDA Math API).
_FUNCTIONS = [
    (np.exp, 16 * U32 + 2.0 ** -22, 0.0),
    (lambda x: np.log(np.abs(x) + 1), 2 * U32, 2 * U32),
    (lambda x: np.sqrt(np.abs(x)), 2.0 ** -22, 0.0),
    (np.sin, 4 * U32, 4 * U32),
    (np.cos, 4 * U32, 4 * U32),
    (np.vectorize(math.erf), 4 * U32, 0.0),
    (lambda x: 1 / (1 + np.exp(-x)), 24 * U32 + 2.0 ** -22, 0.0),
    (lambda x: np.floor(x) - np.ceil(x), 0.0, 0.0),
    (np.exp2, 2.0 ** -22, 0.0),
    (lambda x: 1 / np.sqrt(np.abs(x) + 0.5), 2.0 ** -22 + U32, 0.0),
    (lambda x: 1 / (np.abs(x) + 0.25), 2 * U32, 0.0),
]


@reference("elementwise.math_f32")
def math_f32(variant: Variant, rng: np.random.Generator) -> Made:
    count = 200
    x = np.clip(2.5 * normal(rng, count), -8, 8)
    x[:4] = [0.0, -0.0, 2.0, -3.0]
    exact = x.astype(np.float64)
    wanted = np.stack([function(exact) for function, _, _ in _FUNCTIONS])
    bound = np.stack([relative * np.abs(row) + absolute
                      for row, (_, relative, absolute)
                      in zip(wanted, _FUNCTIONS)])
    return blocks(count, 128), {"x": given(x),
                                "out": made(wanted, np.float32, bound),
                                "count": i32(count)}


@reference("elementwise.multiply_add")
def multiply_add(variant: Variant, rng: np.random.Generator) -> Made:
    count, name = 500, kind(variant, 0)
    x, y = (encode(normal(rng, count), name) for _ in range(2))
    a, b = (decode(value, name).astype(np.float64) for value in (x, y))
    # In f64 the product is exact; the sum's rounding there is far below f32's.
    wanted = encode((a * b + a).astype(np.float32), name)
    return blocks(count, 256), {"x": given(x), "y": given(y),
                                "out": made(wanted, wanted.dtype),
                                "count": i32(count)}


@reference("elementwise.native_arithmetic")
def native_arithmetic(variant: Variant, rng: np.random.Generator) -> Made:
    """Small integers: exact with or without fused operations."""
    count, name = 300, kind(variant, 0)
    x, y = (rng.integers(-8, 9, count).astype(np.float32) for _ in range(2))
    wanted = encode(np.maximum(x * y - y, x), name)
    return blocks(count, 128), {"x": given(encode(x, name)),
                                "y": given(encode(y, name)),
                                "out": made(wanted, wanted.dtype),
                                "count": i32(count)}


@reference("elementwise.integers")
def integer_operations(variant: Variant, rng: np.random.Generator) -> Made:
    count, name = 200, kind(variant, 0)
    x, y = (integers(rng, name, count) for _ in range(2))
    y = np.where((y == 0) | (y == -1), DTYPES[name](3), y)
    quotient = np.trunc(x / y.astype(np.float64)).astype(x.dtype)
    if name == "i64":
        quotient = np.array([int(a) // int(b) if (a < 0) == (b < 0)
                             else -(-int(a) // int(b)) for a, b in zip(x, y)])
    with np.errstate(over="ignore"):
        wanted = np.stack([
            x + y * x, quotient, x - quotient * y, x << (y & 7), x >> (y & 7),
            (x & y) | (~x ^ y), np.minimum(x, y), np.maximum(x, y),
            np.where(x < y, x, -y), np.abs(x)])
    return blocks(count, 128), {"x": given(x), "y": given(y),
                                "out": made(wanted, x.dtype),
                                "count": i32(count)}


@reference("elementwise.high_product")
def high_product(variant: Variant, rng: np.random.Generator) -> Made:
    x, y = (integers(rng, "u32", 128) for _ in range(2))
    wanted = (x.astype(np.uint64) * y >> 32).astype(np.uint32)
    return ONE, {"x": given(x), "y": given(y),
                 "out": made(wanted, np.uint32)}


@reference("elementwise.convert")
def convert(variant: Variant, rng: np.random.Generator) -> Made:
    """Truncated to integers, else rounded to nearest, ties mostly to even."""
    source, result = kind(variant, 0), kind(variant, 1)
    if source[0] == "i":
        x = integers(rng, source, 128)
    elif source.startswith("fp8"):
        # All bit patterns but those of infinities and NaNs.
        x = (np.arange(128) + 128 * rng.integers(0, 2, 128)).astype(np.uint8)
        x[127 if source == "fp8e4nv" else slice(124, 128)] = 0
    else:
        scale = 30 if result[0] == "i" else 4
        x = encode(scale * np.clip(normal(rng, 128), -4, 4), source)
    values = decode(x, source)
    if (source, result) == ("fp16", "fp8e5"):
        # Triton's own sequence of instructions: ties go away from zero.
        wanted = (x.view(np.uint16) + 0x80 >> 8).astype(np.uint8)
    else:
        wanted = encode(np.trunc(values) if result[0] == "i" else values,
                        result)
    return ONE, {"x": given(x), "out": made(wanted, wanted.dtype)}


@reference("elementwise.reinterpret")
def reinterpret(variant: Variant, rng: np.random.Generator) -> Made:
    x = normal(rng, 128)
    wanted = (x.view(np.int32) + 1).view(np.float32)
    return ONE, {"x": given(x), "out": made(wanted, np.float32)}


@reference("elementwise.collatz")
def collatz(variant: Variant, rng: np.random.Generator) -> Made:
    def steps(value: int) -> int:
        count = 0
        while value > 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        return count

    x = rng.integers(1, 60, 128).astype(np.int32)
    wanted = np.array([steps(int(value)) for value in x])
    return ONE, {"x": given(x), "out": made(wanted, np.int32)}


@reference("elementwise.inline_assembly")
def inline_assembly(variant: Variant, rng: np.random.Generator) -> Made:
    x = integers(rng, "i32", 128) >> np.arange(128, dtype=np.int32) % 32
    wanted = np.array([32 - int(value).bit_length()
                       for value in x.view(np.uint32)])
    return ONE, {"x": given(x), "out": made(wanted, np.int32)}


# --- reductions -------------------------------------------------------------

@reference("reductions.sums")
def sums(variant: Variant, rng: np.random.Generator) -> Made:
    """Small integers, so that every order gives the same bits."""
    name = kind(variant, 0)
    x = rng.integers(-4, 5, shape(variant)).astype(DTYPES[name])
    exact = x.astype(np.int64)
    results = {"rows": exact.sum(1), "columns": exact.sum(0),
               "all": exact.sum(keepdims=True)}
    return ONE, {"x": given(x), **{key: made(value, DTYPES[name])
                                   for key, value in results.items()}}


@reference("reductions.extremes")
def extremes(variant: Variant, rng: np.random.Generator) -> Made:
    name = kind(variant, 0)
    x = (integers(rng, name, *shape(variant)) if name in ("i32", "u32")
         else encode(normal(rng, *shape(variant)), name))
    values = decode(x, name)
    largest, smallest = (encode(value, name)
                         for value in (values.max(1), values.min(0)))
    return ONE, {"x": given(x), "largest": made(largest, x.dtype),
                 "smallest": made(smallest, x.dtype)}


@reference("reductions.places")
def places(variant: Variant, rng: np.random.Generator) -> Made:
    """Few values, so that there are ties."""
    x = rng.integers(-9, 10, shape(variant)).astype(DTYPES[kind(variant, 0)])
    return ONE, {"x": given(x), "largest": made(x.argmax(1), np.int32),
                 "smallest": made(x.argmin(0), np.int32)}


@reference("reductions.parity")
def parity(variant: Variant, rng: np.random.Generator) -> Made:
    x = integers(rng, "i32", *shape(variant))
    return ONE, {"x": given(x),
                 "out": made(np.bitwise_xor.reduce(x, 1), np.int32)}


@reference("reductions.logarithm_of_sum")
def logarithm_of_sum(variant: Variant, rng: np.random.Generator) -> Made:
    """Each of the 6 levels of the tree adds some units of a value below 8."""
    x = normal(rng, *shape(variant))
    wanted = np.log(np.exp(x.astype(np.float64)).sum(1))
    return ONE, {"x": given(x), "out": made(wanted, np.float32,
                                            6 * 4 * 8 * U32)}


# --- scans ------------------------------------------------------------------

def along(function: Any, x: np.ndarray, variant: Variant) -> np.ndarray:
    axis = variant.constexprs["AXIS"]
    if variant.constexprs["REVERSE"]:
        return np.flip(function(np.flip(x, axis), axis), axis)
    return function(x, axis)


@reference("scans.running")
def running(variant: Variant, rng: np.random.Generator) -> Made:
    """Signs and powers of two for f32, so that products are exact."""
    if kind(variant, 0) == "i32":
        x = integers(rng, "i32", *shape(variant))
        with np.errstate(over="ignore"):
            results = [along(function, x, variant).astype(np.int32)
                       for function in (np.cumsum, np.cumprod)]
    else:
        x = rng.choice([-2, -1, -0.5, 0.5, 1, 2], shape(variant))
        x = x.astype(np.float32)
        results = [along(np.cumsum, x, variant), along(np.cumprod, x, variant)]
    return ONE, {"x": given(x), "sums": made(results[0], x.dtype),
                 "products": made(results[1], x.dtype)}


@reference("scans.recurrence")
def recurrence(variant: Variant, rng: np.random.Generator) -> Made:
    decay = rng.uniform(0.5, 1, shape(variant)).astype(np.float32)
    value = normal(rng, *shape(variant))
    state, size = np.zeros((2, shape(variant)[0]))
    wanted, sizes = np.zeros((2, *shape(variant)))
    for i in range(shape(variant)[1]):
        state = state * decay[:, i] + value[:, i]
        size = size * decay[:, i] + np.abs(value[:, i])
        wanted[:, i], sizes[:, i] = state, size
    bound = 2 * shape(variant)[1] * U32 * sizes
    return ONE, {"decay": given(decay), "input": given(value),
                 "out": made(wanted, np.float32, bound)}


# --- rows -------------------------------------------------------------------

@reference("normalization.softmax")
def softmax(variant: Variant, rng: np.random.Generator) -> Made:
    """A weight has the error of its exponential, the difference being below
    16, and of the sum of them all."""
    name = kind(variant, 1)
    columns = 200 if name == "fp32" else 496
    x = encode(normal(rng, 5, columns), name)
    weights = np.exp(x - x.astype(np.float64).max(1, keepdims=True))
    wanted = weights / weights.sum(1, keepdims=True)
    relative = 2 * (32 * U32 + 2.0 ** -22) + 16 * U32
    bound = wanted * relative
    if name == "fp16":
        bound = bound + wanted * U16 + 2.0 ** -25
    return (5, 1, 1), {"x": given(x), "out": made(wanted, x.dtype, bound),
                       "columns": i32(columns)}


@reference("normalization.layer_norm")
def layer_norm(variant: Variant, rng: np.random.Generator) -> Made:
    columns, epsilon, name = (304, 1e-5, kind(variant, 0))
    x = encode(normal(rng, 3, columns) + 0.5, name)
    weight, bias = normal(rng, columns), normal(rng, columns)
    values = decode(x, name).astype(np.float64)
    mean = values.mean(1)
    scale = 1 / np.sqrt(values.var(1) + epsilon)
    wanted = (values - mean[:, None]) * scale[:, None] * weight + bias
    # Sums of `columns` terms of squares; the variance is at least half of
    # the mean square here.
    unit = columns * U32
    mean_bound = unit * np.abs(values).mean(1)
    bound = (4 * unit * np.abs(wanted - bias) + np.abs(weight)
             * (2 * mean_bound * scale)[:, None] + 2 * U32 * np.abs(wanted))
    return (3, 1, 1), {
        "x": given(x), "weight": given(weight), "bias": given(bias),
        "out": made(wanted, np.float32, bound),
        "mean": made(mean, np.float32, mean_bound),
        "columns": i32(columns), "epsilon": Scalar("f32", epsilon)}


# --- random numbers ---------------------------------------------------------

def philox_words(seed: int, count: int) -> list[np.ndarray]:
    """Philox 4x32-10 (Salmon et al., SC 2011) of the counters below count,
    in the order in which Triton gives them."""
    mask = np.uint64(0xFFFFFFFF)
    c0 = np.arange(count, dtype=np.uint64)
    c1, c2, c3 = np.zeros((3, count), np.uint64)
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c2 = ((b >> np.uint64(32)) ^ c1 ^ np.uint64(k0),
                  (a >> np.uint64(32)) ^ c3 ^ np.uint64(k1))
        c1, c3 = b & mask, a & mask
        k0 = (k0 + 0x9E3779B9) & 0xFFFFFFFF
        k1 = (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return [word.astype(np.uint32) for word in (c0, c1, c2, c3)]


def uniform(words: np.ndarray) -> np.ndarray:
    """f32 in [0, 1), as Triton makes it of an i32."""
    signed = words.view(np.int32)
    signed = np.where(signed < 0, -signed - 1, signed).astype(np.float32)
    return signed * np.float32(4.6566127342e-10)


@reference("philox.philox")
def philox(variant: Variant, rng: np.random.Generator) -> Made:
    seed, count = 1234567, 256
    words = philox_words(seed, count)
    first = np.maximum(uniform(words[0]), np.float32(1e-7))
    radius = np.sqrt(-2 * np.log(first.astype(np.float64)))
    angle = 2 * np.pi * uniform(words[1]).astype(np.float64)
    # The angle below 2 pi is rounded twice, and its cosine; the radius, whose
    # square is below 33, comes from a logarithm and a root.
    bound = radius * 16 * U32 + 4 * U32 / np.maximum(radius, 1e-3)
    return blocks(count, 128), {
        "bits": made(words[0].view(np.int32), np.int32),
        "uniform": made(uniform(words[0]), np.float32),
        "normal": made(radius * np.cos(angle), np.float32, bound),
        "seed": i32(seed)}


@reference("philox.dropout")
def dropout(variant: Variant, rng: np.random.Generator) -> Made:
    """div.full: 2 ulp (PTX ISA)."""
    seed, count, probability = 77, 300, 0.25
    x = normal(rng, count)
    kept = uniform(philox_words(seed, count)[0]) > probability
    wanted = np.where(kept, x / (1 - probability), 0.0)
    return blocks(count, 128), {
        "x": given(x), "out": made(wanted, np.float32,
                                   4 * U32 * np.abs(wanted)),
        "count": i32(count), "probability": Scalar("f32", probability),
        "seed": i32(seed)}


# --- atomics ----------------------------------------------------------------

@reference("atomics.scatter_add")
def scatter_add(variant: Variant, rng: np.random.Generator) -> Made:
    """Small integers: exact in any order."""
    count, dtype = 300, DTYPES[kind(variant, 0)]
    x = rng.integers(-4, 5, count).astype(dtype)
    place = rng.integers(0, 40, count).astype(np.int32)
    before = np.arange(40).astype(dtype)
    after = before.copy()
    np.add.at(after, place, x)
    return blocks(count, 128), {"x": given(x), "place": given(place),
                                "out": changed(before, after),
                                "count": i32(count)}


@reference("atomics.add_tile")
def add_tile(variant: Variant, rng: np.random.Generator) -> Made:
    block, dtype = variant.constexprs["BLOCK"], DTYPES[kind(variant, 0)]
    x = rng.integers(-9, 10, (3, block)).astype(dtype)
    before = np.ones(block, dtype)
    return (3, 1, 1), {"x": given(x), "out": changed(before,
                                                     before + x.sum(0))}


@reference("atomics.extremes")
def atomic_extremes(variant: Variant, rng: np.random.Generator) -> Made:
    name = kind(variant, 0)
    x = (normal(rng, 256) if name == "fp32" else integers(rng, name, 256))
    rows = x.reshape(-1, 8)
    before = rows[0].copy()
    return (2, 1, 1), {"x": given(x),
                       "largest": changed(before, rows.max(0)),
                       "smallest": changed(before, rows.min(0))}


@reference("atomics.bits")
def atomic_bits(variant: Variant, rng: np.random.Generator) -> Made:
    x = integers(rng, "i32", 256)
    rows = x.reshape(-1, 4)
    ones, zeros = np.full(4, -1, np.int32), np.zeros(4, np.int32)
    return (2, 1, 1), {
        "x": given(x), "and": changed(ones, np.bitwise_and.reduce(rows, 0)),
        "or": changed(zeros, np.bitwise_or.reduce(rows, 0)),
        "xor": changed(zeros, np.bitwise_xor.reduce(rows, 0))}


@reference("atomics.tickets")
def tickets(variant: Variant, rng: np.random.Generator) -> Made:
    return (6, 1, 1), {"counter": changed(np.array([0], np.int32),
                                          np.array([6], np.int32)),
                       "out": made(np.arange(6) * 10, np.int32)}


@reference("atomics.locked_sum")
def locked_sum(variant: Variant, rng: np.random.Generator) -> Made:
    x = rng.integers(-99, 100, (5, 128)).astype(np.int32)
    before = np.arange(128, dtype=np.int32)
    return (5, 1, 1), {"x": given(x), "lock": given(np.zeros(1, np.int32)),
                       "out": changed(before,
                                      before + x.sum(0, dtype=np.int32))}


# --- rearrangements ---------------------------------------------------------

@reference("rearrangement.gather_rows")
def gather_rows(variant: Variant, rng: np.random.Generator) -> Made:
    count, limit = 50, 12
    table = normal(rng, limit, 16)
    index = rng.integers(-3, limit + 4, count).astype(np.int32)
    known = (index >= 0) & (index < limit)
    wanted = np.where(known[:, None], table[np.where(known, index, 0)], -1)
    return blocks(count, 32), {"table": given(table), "index": given(index),
                               "out": made(wanted, np.float32),
                               "count": i32(count), "limit": i32(limit)}


@reference("rearrangement.scatter")
def scatter(variant: Variant, rng: np.random.Generator) -> Made:
    count = 250
    x = normal(rng, count).astype(np.float16)
    place = rng.permutation(count).astype(np.int32)
    wanted = np.zeros(count, np.float16)
    wanted[place] = x
    return blocks(count, 128), {
        "x": given(x), "place": given(place),
        "out": made(wanted, np.float16, written=np.arange(count) % 2 == 0),
        "count": i32(count)}


@reference("rearrangement.gather_in_tile")
def gather_in_tile(variant: Variant, rng: np.random.Generator) -> Made:
    x = normal(rng, *shape(variant))
    index = rng.integers(0, shape(variant)[1], shape(variant))
    wanted = np.take_along_axis(x, index, 1)
    return ONE, {"x": given(x), "index": given(index.astype(np.int32)),
                 "out": made(wanted, np.float32)}


def any_tile(variant: Variant, rng: np.random.Generator,
             *size: int) -> np.ndarray:
    name = kind(variant, 0)
    return (integers(rng, name, *size) if name[0] == "i"
            else normal(rng, *size).astype(DTYPES[name]))


@reference("rearrangement.transpose")
def transpose(variant: Variant, rng: np.random.Generator) -> Made:
    x = any_tile(variant, rng, *shape(variant))
    return ONE, {"x": given(x), "out": made(x.T, x.dtype)}


@reference("rearrangement.permute")
def permute(variant: Variant, rng: np.random.Generator) -> Made:
    x = any_tile(variant, rng, *variant.constexprs.values())
    return ONE, {"x": given(x), "out": made(x.transpose(2, 0, 1), x.dtype)}


@reference("rearrangement.interleave")
def interleave(variant: Variant, rng: np.random.Generator) -> Made:
    x, y = normal(rng, 128), normal(rng, 128)
    return ONE, {"x": given(x), "y": given(y),
                 "out": made(np.stack([x, y], 1), np.float32),
                 "sums": made(x + y, np.float32)}


@reference("rearrangement.sort")
def sort(variant: Variant, rng: np.random.Generator) -> Made:
    x = any_tile(variant, rng, *shape(variant))
    up = np.sort(x, 1)
    return ONE, {"x": given(x), "up": made(up, x.dtype),
                 "down": made(up[:, ::-1], x.dtype)}


@reference("rearrangement.flip")
def flip(variant: Variant, rng: np.random.Generator) -> Made:
    x = any_tile(variant, rng, *shape(variant))
    return ONE, {"x": given(x), "out": made(x[:, ::-1], x.dtype)}


@reference("rearrangement.histogram")
def histogram(variant: Variant, rng: np.random.Generator) -> Made:
    x = rng.integers(0, 32, 256).astype(np.int32)
    return ONE, {"x": given(x), "out": made(np.bincount(x, minlength=32),
                                            np.int32)}


@reference("rearrangement.unpack_int4")
def unpack_int4(variant: Variant, rng: np.random.Generator) -> Made:
    rows, group = variant.constexprs["ROWS"], variant.constexprs["GROUP"]
    packed = integers(rng, "i32", rows, group // 8)
    scale = normal(rng, rows, 1).astype(np.float16)
    nibbles = packed.view(np.uint32)[:, :, None] >> (
        4 * np.arange(8, dtype=np.uint32)) & 15
    values = nibbles.reshape(rows, group).astype(np.float16) - np.float16(8)
    return ONE, {"packed": given(packed), "scale": given(scale),
                 "out": made(values * scale, np.float16)}
