# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of kernels that go element by element."""

import numpy as np

from cases import matrix_buffer, output_buffer
from manifest import Kernel
from references.common import (Arguments, Grid, Parameters, ceil_div, dtype_of,
                               reference)


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


@reference("vector_add")
def vector_add(kernel: Kernel, case: Parameters,
               rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """out = x + y.

    Tolerance: none. One addition is rounded once, to nearest, whether it is
    done in the elements' type or in f32: an f16 sum in f32 has so many bits
    to spare (24 >= 2 * 11 + 2) that rounding it twice changes nothing.
    """
    count, block = case["count"], kernel.constexprs["BLOCK"]
    dtype = dtype_of(kernel, "x_ptr")
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
