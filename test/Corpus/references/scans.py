# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of running sums."""

import numpy as np

from cases import matrix_buffer, output_buffer
from manifest import Kernel
from references.common import (SLACK, U32, Arguments, Grid, Parameters,
                               ceil_div, dtype_of, reference)


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
