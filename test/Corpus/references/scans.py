# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of running sums."""

import numpy as np

from cases import matrix_buffer, output_buffer
from formats import round_to
from manifest import Kernel
from references.common import (SLACK, U32, Arguments, Grid, Parameters,
                               ceil_div, dtype_of, form_of, reference)


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


@reference("cumsum_varlen")
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
    integer = dtype_of(kernel, "cu_seqlens_ptr")
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


def _summands(form: str, values: str, shape: tuple[int, int],
              rng: np.random.Generator) -> np.ndarray:
    """float64: integers of 41 bits where i64 is to be more than i32; of i32
    those of all sizes, so that sums wrap around."""
    if form == "i64":
        return rng.integers(-2 ** 40, 2 ** 40, shape).astype(np.float64)
    if form == "i32":
        return rng.integers(-2 ** 31, 2 ** 31, shape).astype(np.float64)
    if values == "integers":
        return rng.integers(-9, 10, shape).astype(np.float64)
    return round_to(rng.standard_normal(shape), form)


def running_sums(x: np.ndarray, axis: int, reverse: bool) -> np.ndarray:
    """Sums of x from its begin, or from its end, to each element."""
    if reverse:
        return np.flip(np.cumsum(np.flip(x, axis), axis), axis)
    return np.cumsum(x, axis)


@reference("cumsum")
def cumsum(kernel: Kernel, case: Parameters, rng: np.random.Generator
           ) -> tuple[Grid, Arguments]:
    """Running sums along the rows or, where ROWS is no constant, the columns.

    Tolerance: the j-th sum, with its carry, is a tree of j additions of terms
    and one more for each tile behind it: at most j + tiles errors of U32 of
    the sum of |x|. Sums of integers are exact, modulo 2^32 in i32; those here
    stay below 2^53, so that float64 holds them.
    """
    rows, columns, gap = case["rows"], case["columns"], case.get("gap", 0)
    axis = 1 if "ROWS" in kernel.constexprs else 0
    reverse = kernel.constexprs["REVERSE"]
    source, target = (form_of(kernel, name) for name in ("x_ptr", "out_ptr"))
    values = case.get("values", "random")
    x = _summands(source, values, (rows, columns), rng)
    sums, bound = running_sums(x, axis, reverse), None
    if target == "i32":
        sums = (sums + 2.0 ** 31) % 2.0 ** 32 - 2.0 ** 31
    elif target == "fp32" and values != "integers":
        tiles = ceil_div(x.shape[axis], kernel.constexprs["BLOCK"])
        bound = (SLACK * (x.shape[axis] + tiles) * U32
                 * running_sums(np.abs(x), axis, reverse))
    x_buffer, stride_x, _ = matrix_buffer(x, gap, form=source)
    out_buffer, stride_out, _ = output_buffer(target, sums, bound, 2 * gap)
    programs = (ceil_div(rows, kernel.constexprs["ROWS"]) if axis
                else ceil_div(columns, kernel.constexprs["COLUMNS"]))
    return (max(1, programs), 1, 1), {
        "x_ptr": x_buffer, "out_ptr": out_buffer, "rows": rows,
        "columns": columns, "stride_x": stride_x, "stride_out": stride_out}
