# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of kernels that normalize rows."""

import numpy as np

from cases import matrix_buffer, output_buffer
from manifest import Kernel
from references.common import (SLACK, TINY16, U16, U32, Arguments, Grid,
                               Parameters, dtype_of, reference)


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


@reference("fused_softmax")
def fused_softmax(kernel: Kernel, case: Parameters, rng: np.random.Generator
                  ) -> tuple[Grid, Arguments]:
    rows, columns, gap = case["rows"], case["columns"], case.get("gap", 0)
    dtype = dtype_of(kernel, "in_ptr")
    x = _softmax_input(case.get("values", "random"), rows, columns, dtype,
                       rng)
    result, bound = softmax_reference(x, dtype)
    source, in_stride, _ = matrix_buffer(x, gap)
    target, out_stride, _ = output_buffer(dtype, result, bound, 2 * gap)
    return (rows, 1, 1), {"in_ptr": source, "out_ptr": target,
                          "columns": columns, "in_row_stride": in_stride,
                          "out_row_stride": out_stride}
