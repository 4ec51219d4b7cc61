# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, numpy references and bounds of kernels with matrix products.

In: a variant. Out: a grid and arguments. Same variant, same bits. A product of
K terms in an accumulator of precision U gets K * 2 * U of the product of the
absolute values: matrix units may truncate where others round. Where small
integers make every intermediate result exact, the same bits are asked for.
"""

import numpy as np

from buffers import (U16, U32, U64, UB16, Arguments, Buffer, changed, decode,
                     encode, given, i32, kind, made, normal, reference)
from cases import Scalar
from variants import Variant

Made = tuple[tuple[int, int, int], Arguments]
ONE = (1, 1, 1)

# Values are made of f16's: tf32 and f32 hold them exactly.
_EXACT = ("i8", "fp8e4nv", "fp8e5")


def operand(variant: Variant, index: int, rng: np.random.Generator,
            *shape: int) -> np.ndarray:
    """The bits of an operand."""
    name = kind(variant, index)
    if name in _EXACT or variant.constexprs.get("ACCUMULATOR") == "float16":
        return encode(rng.integers(-3, 4, shape).astype(np.float32), name)
    values = normal(rng, *shape)
    if variant.constexprs.get("PRECISION") not in ("tf32x3", "ieee"):
        values = values.astype(np.float16)
    return encode(values.astype(np.float32), name)


def product(variant: Variant, a: np.ndarray, b: np.ndarray,
            result: str) -> Buffer:
    """The output that holds a b, from the operands' bits."""
    left, right = (decode(bits, kind(variant, 0)).astype(np.float64)
                   for bits in (a, b))
    wanted = left @ right
    accumulator = variant.constexprs.get("ACCUMULATOR", "float32")
    if kind(variant, 0) in _EXACT or accumulator == "float16":
        return made(encode(wanted + 0.0, result), encode(wanted[:0],
                                                         result).dtype)
    sizes = np.abs(left) @ np.abs(right)
    unit = U64 if accumulator == "float64" else U32
    bound = 2 * a.shape[-1] * unit * sizes
    if variant.constexprs.get("PRECISION") == "tf32x3":
        # Of the three products, the fourth, of two rests of 2^-11, is left
        # out, and the rests are rounded to tf32 themselves.
        bound += 3 * 2.0 ** -22 * sizes
    if result == "fp16":
        bound += U16 * np.abs(wanted) + 2.0 ** -25
    return made(wanted, encode(wanted[:0], result).dtype, bound)


@reference("matmul.matmul")
def matmul(variant: Variant, rng: np.random.Generator) -> Made:
    m, n, k = (48, 80, 112) if variant.aligned else (37, 53, 70)
    a, b = operand(variant, 0, rng, m, k), operand(variant, 1, rng, k, n)
    grid = (-(-m // variant.constexprs["BLOCK_M"]),
            -(-n // variant.constexprs["BLOCK_N"]), 1)
    return grid, {"a": given(a), "b": given(b),
                  "c": product(variant, a, b, kind(variant, 2)),
                  "M": i32(m), "N": i32(n), "K": i32(k)}


@reference("matmul.matmul_descriptors")
def matmul_descriptors(variant: Variant, rng: np.random.Generator) -> Made:
    m, n, k = 48, 64, 80
    a, b = operand(variant, 0, rng, m, k), operand(variant, 1, rng, k, n)
    return (2, 2, 1), {"a": given(a), "b": given(b),
                       "c": product(variant, a, b, "fp32"),
                       "M": i32(m), "N": i32(n), "K": i32(k)}


@reference("matmul.transposed_operands")
def transposed_operands(variant: Variant, rng: np.random.Generator) -> Made:
    size = variant.constexprs["BLOCK"]
    a, b = (operand(variant, i, rng, size, size) for i in range(2))
    before = normal(rng, size, size)
    left, right = a.T.astype(np.float64), b.T.astype(np.float64)
    bound = 2 * (size + 1) * U32 * (np.abs(left) @ np.abs(right)
                                    + np.abs(before))
    return ONE, {"a": given(a), "b": given(b),
                 "c": changed(before, before + left @ right, bound)}


@reference("matmul.matmul_int4")
def matmul_int4(variant: Variant, rng: np.random.Generator) -> Made:
    m, n, k = 16, 32, 96
    a = normal(rng, m, k).astype(np.float16)
    b = rng.integers(0, 16, (k, n)).astype(np.uint8)
    scale = normal(rng, n)
    left, right = a.astype(np.float64), (b.astype(np.float64) - 8)
    bound = (2 * k + 1) * U32 * (np.abs(left) @ np.abs(right) * np.abs(scale))
    return ONE, {"a": given(a), "b": given(b[::2] | b[1::2] << 4),
                 "scale": given(scale),
                 "c": made(left @ right * scale, np.float32, bound),
                 "K": i32(k)}


@reference("matmul.batched")
def batched(variant: Variant, rng: np.random.Generator) -> Made:
    a, b = (operand(variant, i, rng, 2, 16, 16) for i in range(2))
    return ONE, {"a": given(a), "b": given(b),
                 "c": product(variant, a, b, "fp32")}


# --- attention --------------------------------------------------------------

def rounding(name: str) -> float:
    return U16 if name == "fp16" else UB16


@reference("attention.flash_attention")
def flash_attention(variant: Variant, rng: np.random.Generator) -> Made:
    """Weights are rounded to the operands' type before the second product;
    as much again is for the errors in f32."""
    length, head, name = 75, variant.constexprs["HEAD"], kind(variant, 0)
    bits = [encode(normal(rng, length, head), name) for _ in range(3)]
    q, k, v = (decode(value, name).astype(np.float64) for value in bits)
    scores = q @ k.T / np.sqrt(head)
    if variant.constexprs["CAUSAL"]:
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    bound = 2 * rounding(name) * (weights @ np.abs(v))
    scale = float(np.float32(np.log2(np.e) / np.sqrt(head)))
    return (-(-length // variant.constexprs["BLOCK_M"]), 1, 1), {
        "q": given(bits[0]), "k": given(bits[1]), "v": given(bits[2]),
        "out": made(weights @ v, np.float32, bound),
        "length": i32(length), "scale": Scalar("f32", scale)}


@reference("attention.linear_attention")
def linear_attention(variant: Variant, rng: np.random.Generator) -> Made:
    """Scores, faded queries and keys, and the state are rounded to bf16 once
    each: at most four roundings on any path to a result."""
    size, head, chunks = 32, variant.constexprs["HEAD"], 3
    tokens, name = size * chunks, kind(variant, 0)
    bits = [encode(normal(rng, tokens, head), name) for _ in range(3)]
    q, k, v = (decode(value, name).astype(np.float64) for value in bits)
    decay = -rng.uniform(0, 0.2, tokens).astype(np.float32)
    state, sizes = np.zeros((2, head, head))
    out, bound = np.zeros((2, tokens, head))
    for i in range(tokens):
        fade = np.exp(np.float64(decay[i]))
        state = state * fade + np.outer(k[i], v[i])
        sizes = sizes * fade + np.abs(np.outer(k[i], v[i]))
        out[i], bound[i] = q[i] @ state, np.abs(q[i]) @ sizes
    return ONE, {"q": given(bits[0]), "k": given(bits[1]),
                 "v": given(bits[2]), "decay": given(decay),
                 "out": made(out, np.float32, 4 * UB16 * bound),
                 "state": made(state, np.float32, 4 * UB16 * sizes),
                 "chunks": i32(chunks)}
