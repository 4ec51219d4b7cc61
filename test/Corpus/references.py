# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, float64 references and derived tolerances of the corpus' kernels.

In: a kernel and one of its cases (manifest.py). Out: the launch's arguments
with what the outputs must hold (cases.py). Same case, same bits: all random
numbers come from a generator seeded by the names of the kernel and the case.

Tolerances follow from the types and the sizes. Throughout,
  U16 = 2^-11, U32 = 2^-24: the largest relative error of one rounding to
  nearest in f16 and in f32; TINY16 = 2^-25: half the spacing of f16's
  subnormals, the largest absolute error of a rounding there;
  SLACK covers the products of errors that the first-order sums leave out.
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cases import Buffer, Case, Scalar, matrix_buffer, output_buffer
from manifest import Kernel

U16 = 2.0 ** -11
U32 = 2.0 ** -24
TINY16 = 2.0 ** -25
SLACK = 1.0 + 2.0 ** -8

Arguments = dict[str, Buffer | int | float]
Parameters = dict[str, Any]
Grid = tuple[int, int, int]

# numpy has no bf16: its bits are held as uint16.
_DTYPES = {"*fp16": np.float16, "*bf16": np.uint16, "*fp32": np.float32,
           "*fp64": np.float64, "*i8": np.int8, "*i32": np.int32,
           "*i64": np.int64}
_SCALARS = {"i32": "i32", "i64": "i64", "fp32": "f32"}


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


# --- vector_add -------------------------------------------------------------

def _special_values(dtype: type) -> np.ndarray:
    limits = np.finfo(dtype)
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, limits.max,
              limits.min, limits.tiny, -limits.tiny,
              limits.smallest_subnormal, -limits.smallest_subnormal]
    return np.array(values, dtype)


def _vector(values: str, count: int, dtype: type, stride: int,
            rng: np.random.Generator) -> np.ndarray:
    """`stride` tells how often a special value is repeated before the next,
    so that two vectors of different strides meet in every pair."""
    if values == "integers":
        return rng.integers(-500, 501, count).astype(dtype)
    if values == "special":
        table = _special_values(dtype)
        return table[np.arange(count) // stride % table.size]
    return rng.standard_normal(count).astype(dtype)


def vector_add(kernel: Kernel, case: Parameters,
               rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """out = x + y.

    Tolerance: none. One addition is rounded once, to nearest, whether it is
    done in the elements' type or in f32: an f16 sum in f32 has so many bits
    to spare (24 >= 2 * 11 + 2) that rounding it twice changes nothing.
    """
    count, block = case["count"], kernel.constexprs["BLOCK"]
    dtype = _DTYPES[kernel.signature["x_ptr"]]
    values = case.get("values", "random")
    x = _vector(values, count, dtype, 1, rng)
    y = _vector(values, count, dtype, _special_values(dtype).size, rng)
    with np.errstate(over="ignore", invalid="ignore"):
        total = (x + y).astype(np.float64)
    buffers = {"x_ptr": matrix_buffer(x[None, :])[0],
               "y_ptr": matrix_buffer(y[None, :])[0],
               "out_ptr": output_buffer(dtype, total[None, :], None)[0]}
    return ((max(1, ceil_div(count, block)), 1, 1),
            {**buffers, "count": count})


# --- fused_softmax ----------------------------------------------------------

def _softmax_input(values: str, rows: int, columns: int, dtype: type,
                   rng: np.random.Generator) -> np.ndarray:
    x = rng.standard_normal((rows, columns))
    if values == "large":
        x = 1000.0 + 40.0 * x
    if values == "equal":
        x = np.broadcast_to(x[:, :1], x.shape)
    x = x.astype(dtype)
    if values == "special":
        limits = np.finfo(dtype)
        x[0, ::3] = -np.inf
        x[1, columns // 2] = np.inf
        x[2, columns // 3] = np.nan
        x[3, :] = -np.inf
        x[4, ::2], x[4, 1::2] = limits.max, limits.min
        x[5, :] = limits.smallest_subnormal
        x[6, 0] = np.nan
        x[7, columns - 1] = np.inf
    return x


def softmax_reference(x: np.ndarray,
                      dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Softmax of each row and the error allowed to a result of `dtype`.

    With d = x - max(x), each step in f32:
      the difference, log2(e) as a constant, and their product are rounded:
      the exponent d * log2(e) is wrong by 3 * U32 of itself, hence the power
      by 3 * U32 * |d|; ex2.approx itself by 2^-22 (PTX ISA);
      the sum of n positive terms, in any order, by n * U32, and by what its
      terms bring, weighted as they are: sum of p_j * (error of power j);
      div.full by 2 units in the last place = 2^-22.
    Powers and quotients below 2^-126 may be flushed to zero: 2^-126 each,
    the divisor being at least 1.
    """
    with np.errstate(invalid="ignore"):
        wide = x.astype(np.float64)
        d = wide - np.max(wide, axis=1, keepdims=True)
        powers = np.exp(d)
        result = powers / np.sum(powers, axis=1, keepdims=True)
        distance = np.where(powers > 0.0, np.abs(d), 0.0)
    power_error = 3 * U32 * distance + 2.0 ** -22
    sum_error = (x.shape[1] * U32
                 + np.sum(result * power_error, axis=1, keepdims=True))
    bound = (SLACK * result * (power_error + sum_error + 2.0 ** -22)
             + 2.0 * 2.0 ** -126)
    if dtype == np.float16:
        bound += (result + bound) * U16 + TINY16
    return result, bound


def fused_softmax(kernel: Kernel, case: Parameters, rng: np.random.Generator
                  ) -> tuple[Grid, Arguments]:
    rows, columns, gap = case["rows"], case["columns"], case.get("gap", 0)
    dtype = _DTYPES[kernel.signature["in_ptr"]]
    x = _softmax_input(case.get("values", "random"), rows, columns, dtype,
                       rng)
    result, bound = softmax_reference(x, dtype)
    source, in_stride, _ = matrix_buffer(x, gap)
    target, out_stride, _ = output_buffer(dtype, result, bound, 2 * gap)
    return (rows, 1, 1), {"in_ptr": source, "out_ptr": target,
                          "columns": columns, "in_row_stride": in_stride,
                          "out_row_stride": out_stride}


# --- matrix products --------------------------------------------------------

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


def to_bf16(numbers: np.ndarray) -> np.ndarray:
    """The bits of numbers rounded to bf16, to nearest even; no NaNs."""
    wide = numbers.astype(np.float32).view(np.uint32)
    return ((wide + 0x7FFF + (wide >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(stored: np.ndarray) -> np.ndarray:
    return (stored.astype(np.uint32) << 16).view(np.float32)


def typed_product_bound(a: np.ndarray, b: np.ndarray, type_name: str,
                        precision: str) -> np.ndarray:
    """The error allowed to a b, for operands as they are stored.

    What rounds, relative to the sum of |a||b|:
      operands: tf32 has 11 bits, so each is wrong by 2^-11; as two parts, the
      high one leaves 2^-11 of the number, the low one 2^-22 of it, and the
      product of the low parts, 2^-22, is left out: 3 * 2^-22. Where a target
      has no tf32 they are exact;
      sums in f32: as in product_reference. In f64 every step is an FMA: k
      errors of 2^-53.
    """
    magnitude = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    k = a.shape[1]
    if type_name == "*fp64":
        return SLACK * k * 2.0 ** -53 * magnitude
    operands = {"tf32": 2 * 2.0 ** -11, "tf32x3": 3 * 2.0 ** -22,
                "ieee": 0.0}[precision]
    products = 3 if precision == "tf32x3" else 1
    sums = 1.5 * 4 * ceil_div(products * k, 4) * 2 * U32
    return SLACK * (operands + sums) * magnitude


def _typed_operand(values: str, shape: tuple[int, int], type_name: str,
                   rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A matrix of the type, and the numbers that it stands for."""
    if type_name == "*i8":
        stored = rng.integers(-128, 128, shape).astype(np.int8)
        return stored, stored
    numbers = (rng.integers(-3, 4, shape) if values == "integers"
               else rng.standard_normal(shape))
    if type_name == "*bf16":
        stored = to_bf16(numbers)
        return stored, from_bf16(stored)
    stored = numbers.astype(_DTYPES[type_name])
    return stored, stored


def matmul_typed(kernel: Kernel, case: Parameters, rng: np.random.Generator
                 ) -> tuple[Grid, Arguments]:
    """C = A B in the type of the sums.

    Tolerance: see typed_product_bound; integers are exact, and so are floats
    that hold small integers.
    """
    m, n, k, gap = case["M"], case["N"], case["K"], case.get("gap", 0)
    values = case.get("values", "random")
    type_name = kernel.signature["a_ptr"]
    a, a_numbers = _typed_operand(values, (m, k), type_name, rng)
    b, b_numbers = _typed_operand(values, (k, n), type_name, rng)
    result = a_numbers.astype(np.float64) @ b_numbers.astype(np.float64)
    bound = None
    if values != "integers" and type_name != "*i8":
        bound = typed_product_bound(a_numbers, b_numbers, type_name,
                                    kernel.constexprs["PRECISION"])
    a_buffer, am, _ = matrix_buffer(a, gap)
    b_buffer, bk, _ = matrix_buffer(b, 2 * gap)
    c_buffer, cm, _ = output_buffer(_DTYPES[kernel.signature["c_ptr"]],
                                    result, bound, 3 * gap)
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


# --- cumsum_varlen ----------------------------------------------------------

def chunk_table(lengths: list[int], chunk: int, spare: int) -> np.ndarray:
    """[rows, 2]: (sequence, chunk) of each chunk, then `spare` rows that lie
    past the end of their sequence."""
    rows = [(s, c) for s, length in enumerate(lengths)
            for c in range(ceil_div(length, chunk))]
    for extra in range(spare):
        s = extra % len(lengths)
        rows.append((s, ceil_div(lengths[s], chunk) + extra))
    return np.array(rows).reshape(-1, 2)


def cumsum_reference(gate: np.ndarray, lengths: list[int], chunk: int,
                     reverse: bool) -> np.ndarray:
    """Running sums of gate [T, heads] within the chunks of each sequence."""
    step = -1 if reverse else 1
    result = np.zeros_like(gate)
    begin = 0
    for length in lengths:
        for first in range(begin, begin + length, chunk):
            last = min(first + chunk, begin + length)
            part = gate[first:last][::step]
            result[first:last] = np.cumsum(part, axis=0)[::step]
        begin += length
    return result


def cumsum_varlen(kernel: Kernel, case: Parameters, rng: np.random.Generator
                  ) -> tuple[Grid, Arguments]:
    """out = scale * (running sum of the gate).

    Tolerance: a sum of j <= CHUNK terms, added in any order or tree, makes at
    most j - 1 errors of U32 of the sum of |gate|; the product with the scale
    makes one more of itself. Integers, with a power of two as scale, are
    exact: the same bits.
    """
    lengths, heads = case["lengths"], case["heads"]
    chunk, reverse = kernel.constexprs["CHUNK"], kernel.constexprs["REVERSE"]
    shape = (sum(lengths), heads)
    exact = case.get("values") == "integers"
    scale = 0.5 if exact else float(np.float32(np.log2(np.e)))
    gate = (rng.integers(-9, 10, shape) if exact
            else rng.standard_normal(shape)).astype(np.float32)
    wide = gate.astype(np.float64)
    total = scale * cumsum_reference(wide, lengths, chunk, reverse)
    bound = None
    if not exact:
        magnitude = cumsum_reference(np.abs(wide), lengths, chunk, reverse)
        bound = (SLACK * (chunk - 1) * U32 * magnitude * scale
                 + np.abs(total) * U32)
    integer = _DTYPES[kernel.signature["cu_seqlens_ptr"]]
    table = chunk_table(lengths, chunk, case.get("spare", 0)).astype(integer)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(integer)
    grid = (len(table), ceil_div(heads,
                                 kernel.constexprs.get("BLOCK_HEADS", 1)), 1)
    return grid, {"gate_ptr": matrix_buffer(gate)[0],
                  "out_ptr": output_buffer(np.float32, total, bound)[0],
                  "scale": scale,
                  "cu_seqlens_ptr": matrix_buffer(starts[None, :])[0],
                  "chunk_indices_ptr": matrix_buffer(table)[0],
                  "heads": heads}


# --- all of them ------------------------------------------------------------

_REFERENCES: dict[str, Callable[..., tuple[Grid, Arguments]]] = {
    "vector_add": vector_add,
    "fused_softmax": fused_softmax,
    "matmul": matmul,
    "matmul_typed": matmul_typed,
    "matmul_w4a16": matmul_w4a16,
    "cumsum_varlen": cumsum_varlen,
}


def _typed(kernel: Kernel, case_name: str, name: str,
           value: Buffer | int | float) -> Buffer | Scalar:
    """Checks one argument against what the kernel was compiled for."""
    where = f"{kernel.name}, case {case_name}"
    type_name = kernel.signature[name]
    if isinstance(value, Buffer):
        if value.initial.dtype != _DTYPES[type_name]:
            raise ValueError(f"{where}: expects {type_name} as {name}, but "
                             f"got {value.initial.dtype}")
        return value
    if name in kernel.divisible_by_16 and value % 16:
        raise ValueError(f"{where}: expects a multiple of 16 as {name}, but "
                         f"got {value}")
    return Scalar(_SCALARS[type_name], value)


def build_case(kernel: Kernel, case: Parameters) -> Case:
    """The launch that a case of the manifest stands for."""
    seed = zlib.crc32(f"{kernel.name}/{case['name']}".encode())
    grid, values = _REFERENCES[kernel.reference](
        kernel, case, np.random.default_rng(seed))
    for name, value in kernel.constexprs.items():
        if values.get(name, value) != value:
            raise ValueError(f"{kernel.name}, case {case['name']}: expects "
                             f"{value} as {name}, but got {values[name]}")
    arguments = {name: _typed(kernel, case["name"], name, values[name])
                 for name in kernel.signature}
    return Case(case["name"], grid, arguments)
