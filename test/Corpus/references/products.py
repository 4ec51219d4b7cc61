# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of matrix products."""

import numpy as np

from cases import matrix_buffer, output_buffer, updated_matrix
from manifest import Kernel
from references.common import (SLACK, TINY16, U16, U32, Arguments, Grid,
                               Parameters, ceil_div, reference)


def product_reference(a: np.ndarray, b: np.ndarray, exact: bool
                      ) -> tuple[np.ndarray, np.ndarray | None]:
    """a b for f16 matrices, f32 sums and an f16 result; the error allowed.

    A matrix instruction adds a block of products to the accumulator: it may
    cut every addend, and the sum, to 24 bits below the largest of them. A
    block of n products so makes n + 2 errors of at most 2 * U32 of the sum of
    |a||b|. The smallest block (Volta's, n = 4) is the worst: 6/4 errors for
    each of the k products, blocks filled up to a multiple of 4. Sums by FMA
    in any order stay below that: k errors of U32. The result is rounded once
    to f16.

    Where all partial sums are whole multiples of one power of two and below
    2^24 of it, no step but the last rounds: `exact` asks for the same bits.
    """
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    result = wide_a @ wide_b
    if exact:
        return result, None
    magnitude = np.abs(wide_a) @ np.abs(wide_b)
    depth = 4 * ceil_div(a.shape[1], 4)
    bound = SLACK * 1.5 * depth * 2 * U32 * magnitude
    bound += (np.abs(result) + bound) * U16 + TINY16
    return result, bound


def _operand(values: str, shape: tuple[int, int],
             rng: np.random.Generator) -> np.ndarray:
    if values == "integers":
        return rng.integers(-3, 4, shape).astype(np.float16)
    return rng.standard_normal(shape).astype(np.float16)


@reference("matmul")
def matmul(kernel: Kernel, case: Parameters,
           rng: np.random.Generator) -> tuple[Grid, Arguments]:
    m, n, k = case["M"], case["N"], case["K"]
    gap, transposed = case.get("gap", 0), case.get("transposed", "")
    values = case.get("values", "random")
    a, b = _operand(values, (m, k), rng), _operand(values, (k, n), rng)
    result, bound = product_reference(a, b, values == "integers")
    a_buffer, am, ak = matrix_buffer(a, gap, "A" in transposed)
    b_buffer, bk, bn = matrix_buffer(b, 2 * gap, "B" in transposed)
    c_buffer, cm, cn = output_buffer(np.float16, result, bound, 3 * gap,
                                     "C" in transposed)
    tiles = (ceil_div(m, kernel.constexprs["BLOCK_M"])
             * ceil_div(n, kernel.constexprs["BLOCK_N"]))
    return (tiles, 1, 1), {
        "a_ptr": a_buffer, "b_ptr": b_buffer, "c_ptr": c_buffer,
        "M": m, "N": n, "K": k, "stride_am": am, "stride_ak": ak,
        "stride_bk": bk, "stride_bn": bn, "stride_cm": cm, "stride_cn": cn}


@reference("matmul_split_k")
def matmul_split_k(kernel: Kernel, case: Parameters, rng: np.random.Generator
                   ) -> tuple[Grid, Arguments]:
    """C += A B in f32, by parts.

    Tolerance: the product's own, as of product_reference but for the last
    rounding; a part of K fills up a block of its own. Each of the parts is
    then added in any order: as many errors of U32 of |C| + |A||B| at most.
    """
    m, n, k = case["M"], case["N"], case["K"]
    gap, parts = case.get("gap", 0), case["parts"]
    values = case.get("values", "random")
    a, b = _operand(values, (m, k), rng), _operand(values, (k, n), rng)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    before = rng.integers(-9, 10, (m, n)).astype(np.float64)
    magnitude = np.abs(wide_a) @ np.abs(wide_b)
    depth = 4 * (ceil_div(k, 4) + parts)
    bound = None if values == "integers" else SLACK * U32 * (
        3.0 * depth * magnitude + parts * (np.abs(before) + magnitude))
    a_buffer, am, _ = matrix_buffer(a, gap)
    b_buffer, bk, _ = matrix_buffer(b, 2 * gap)
    c_buffer, cm, _ = updated_matrix("fp32", before, before + wide_a @ wide_b,
                                     bound, 3 * gap)
    grid = (ceil_div(m, kernel.constexprs["BLOCK_M"]),
            ceil_div(n, kernel.constexprs["BLOCK_N"]), parts)
    return grid, {"a_ptr": a_buffer, "b_ptr": b_buffer, "c_ptr": c_buffer,
                  "M": m, "N": n, "K": k, "stride_am": am, "stride_bk": bk,
                  "stride_cm": cm}


@reference("matmul_descriptor")
def matmul_descriptor(kernel: Kernel, case: Parameters,
                      rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """As matmul, with rows that begin at multiples of 16 bytes: a case's sizes
    need be none, as gaps fill rows up."""
    m, n, k = case["M"], case["N"], case["K"]
    values, gap = case.get("values", "random"), case.get("gap", 0)
    a, b = _operand(values, (m, k), rng), _operand(values, (k, n), rng)
    result, bound = product_reference(a, b, values == "integers")
    a_buffer, am, _ = matrix_buffer(a, gap + -k % 8)
    b_buffer, bk, _ = matrix_buffer(b, 2 * gap + -n % 8)
    c_buffer, cm, _ = output_buffer(np.float16, result, bound,
                                    3 * gap + -n % 8)
    grid = (ceil_div(m, kernel.constexprs["BLOCK_M"]),
            ceil_div(n, kernel.constexprs["BLOCK_N"]), 1)
    return grid, {"a_ptr": a_buffer, "b_ptr": b_buffer, "c_ptr": c_buffer,
                  "M": m, "N": n, "K": k, "stride_am": am, "stride_bk": bk,
                  "stride_cm": cm}


def pack_rows(nibbles: np.ndarray) -> np.ndarray:
    """[8r, n] values 0..15 -> i32 [r, n]; row 8r + i becomes nibble i."""
    grouped = nibbles.astype(np.uint32).reshape(-1, 8, nibbles.shape[1])
    shifts = np.arange(0, 32, 4, dtype=np.uint32)[None, :, None]
    return np.bitwise_or.reduce(grouped << shifts, axis=1).view(np.int32)


def pack_columns(nibbles: np.ndarray) -> np.ndarray:
    """[g, 8c] values 0..15 -> i32 [g, c]; column 8c + i becomes nibble i."""
    return np.ascontiguousarray(pack_rows(nibbles.T).T)


def dequantize(nibbles: np.ndarray, zeros: np.ndarray, scales: np.ndarray,
               group: int) -> np.ndarray:
    """(nibble - zero) * scale, each step rounded to f16 as the kernel's is."""
    of_row = np.arange(nibbles.shape[0]) // group
    return ((nibbles.astype(np.float16) - zeros[of_row].astype(np.float16))
            * scales[of_row])


def _scales(values: str, shape: tuple[int, int],
            rng: np.random.Generator) -> np.ndarray:
    if values == "integers":
        return np.exp2(rng.integers(-1, 2, shape)).astype(np.float16)
    return rng.uniform(0.01, 0.1, shape).astype(np.float16)


@reference("matmul_w4a16")
def matmul_w4a16(kernel: Kernel, case: Parameters, rng: np.random.Generator
                 ) -> tuple[Grid, Arguments]:
    """C = A W with W dequantized.

    Tolerance: W is f16, reached by operations that are rounded one by one,
    so the reference rounds it at the same places and no error is left but
    the product's own.
    """
    m, n, k, gap = case["M"], case["N"], case["K"], case.get("gap", 0)
    values, group = case.get("values", "random"), kernel.constexprs["GROUP"]
    packed_zeros = kernel.constexprs["ZEROS_PACKED"]
    groups = ceil_div(k, group)
    a = _operand(values, (m, k), rng)
    nibbles = rng.integers(0, 16, (k, n))
    scales = _scales(values, (groups, n), rng)
    zeros = rng.integers(0, 16, (groups, n)).astype(np.float16)
    if not packed_zeros and values != "integers":
        zeros = rng.uniform(4.0, 12.0, zeros.shape).astype(np.float16)
    w = dequantize(nibbles, zeros, scales, group)
    result, bound = product_reference(a, w, values == "integers")
    stored_zeros = (pack_columns(zeros.astype(np.uint32)) if packed_zeros
                    else zeros)
    a_buffer, am, _ = matrix_buffer(a, gap)
    c_buffer, cm, _ = output_buffer(np.float16, result, bound, 3 * gap)
    grid = (ceil_div(m, kernel.constexprs["BLOCK_M"]),
            ceil_div(n, kernel.constexprs["BLOCK_N"]), 1)
    return grid, {"a_ptr": a_buffer,
                  "packed_ptr": matrix_buffer(pack_rows(nibbles))[0],
                  "scales_ptr": matrix_buffer(scales)[0],
                  "zeros_ptr": matrix_buffer(stored_zeros)[0],
                  "c_ptr": c_buffer, "M": m, "N": n, "K": k,
                  "stride_am": am, "stride_cm": cm}
