# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of kernels that normalize rows."""

import numpy as np

from cases import matrix_buffer, output_buffer
from formats import round_to
from manifest import Kernel
from references.bounded import Bounded, exact, rsqrt, total
from references.common import (SLACK, TINY16, U16, U32, Arguments, Grid,
                               Parameters, dtype_of, form_of, reference)


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


# --- layer_norm -------------------------------------------------------------

def layer_norm_reference(x: np.ndarray, weight: np.ndarray, bias: np.ndarray,
                         epsilon: float, inverse_scale: float
                         ) -> tuple[Bounded, Bounded, Bounded]:
    """The result, before it is rounded, the mean and the factor of each row,
    by the kernel's own operations. Keeping a value within a range moves it
    towards every value within that range, and adds no error."""
    columns = exact(float(x.shape[1]))
    mean = total(exact(x), 1) / columns
    distance = exact(x) - mean[:, None]
    variance = total(distance * distance, 1) / columns
    factor = rsqrt(variance + exact(epsilon))
    result = ((distance * factor[:, None] * exact(weight) + exact(bias))
              * exact(inverse_scale))
    return (Bounded(np.clip(result.value, -448.0, 448.0), result.error), mean,
            factor)


def _layer_norm_inputs(kernel: Kernel, case: Parameters,
                       rng: np.random.Generator
                       ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, weight, bias. Exact cases have rows of -a and a: a mean of 0 and a
    deviation of a; even weights and odd biases then give odd results, which
    e4m3 holds, and which are no tie and not near zero."""
    rows, columns = case["rows"], case["columns"]
    values = case.get("values", "random")
    x_form, form = (form_of(kernel, name) for name in ("x_ptr", "weight_ptr"))
    if values == "integers":
        signs = rng.permuted(np.tile([-1.0, 1.0], (rows, columns // 2)),
                             axis=1)
        return (signs * rng.integers(1, 9, (rows, 1)),
                2.0 * rng.integers(-2, 3, columns),
                2.0 * rng.integers(-2, 3, columns) + 1.0)
    spread = 400.0 if values == "large" else 1.0
    return (round_to(0.5 + rng.standard_normal((rows, columns)), x_form),
            round_to(spread * rng.standard_normal(columns), form),
            round_to(rng.standard_normal(columns), form))


@reference("layer_norm")
def layer_norm(kernel: Kernel, case: Parameters, rng: np.random.Generator
               ) -> tuple[Grid, Arguments]:
    """Tolerance: that of the kernel's own operations (bounded.py). The result
    is rounded to e4m3, whose steps are so wide that most are exact."""
    x, weight, bias = _layer_norm_inputs(kernel, case, rng)
    gap, is_exact = case.get("gap", 0), case.get("values") == "integers"
    epsilon = 0.0 if is_exact else float(np.float32(1e-5))
    scale = 1.0 if is_exact else float(np.float32(1.7))
    result, mean, factor = layer_norm_reference(x, weight, bias, epsilon,
                                                scale)
    out = result.stored(form_of(kernel, "out_ptr"))
    x_buffer, stride_x, _ = matrix_buffer(x, gap,
                                          form=form_of(kernel, "x_ptr"))
    out_buffer, stride_out, _ = output_buffer(
        form_of(kernel, "out_ptr"), out.value, None if is_exact else out.error,
        2 * gap)
    form = form_of(kernel, "weight_ptr")
    return (len(x), 1, 1), {
        "x_ptr": x_buffer, "out_ptr": out_buffer,
        "weight_ptr": matrix_buffer(weight[None, :], form=form)[0],
        "bias_ptr": matrix_buffer(bias[None, :], form=form)[0],
        **{name: output_buffer("fp32", row.value[None, :],
                               row.error[None, :])[0]
           for name, row in (("mean_ptr", mean), ("deviation_ptr", factor))},
        "columns": x.shape[1], "stride_x": stride_x, "stride_out": stride_out,
        "epsilon": epsilon, "inverse_scale": scale}
