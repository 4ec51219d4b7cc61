# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of matrix products that are stored in the
type of their sums, for every type of operands."""

import numpy as np

from cases import matrix_buffer, output_buffer
from formats import round_to
from manifest import Kernel
from references.common import (SLACK, U32, Arguments, Grid, Parameters,
                               ceil_div, form_of, reference)

U64 = 2.0 ** -53
UTF32 = 2.0 ** -11


def product_bound(a: np.ndarray, b: np.ndarray, form: str,
                  precision: str) -> np.ndarray:
    """The error allowed to a b, for the values of operands stored as `form`.

    What rounds, relative to the sum of |a||b| over k products:
      operands  tf32 has 11 bits, so each is wrong by UTF32. As two parts, the
                high one leaves UTF32 of the number, the low one UTF32^2, and
                the product of the low parts, UTF32^2, is left out:
                3 * UTF32^2. Where a target has no tf32 they are exact;
      sums      in f32 by matrix instructions: 6/4 errors of 2 * U32 for each
                product, blocks filled up to a multiple of 4 (product_reference
                in products.py). Each of the three products of parts fills up
                blocks of its own. FMA stays below that.
                f32 with `ieee` has no matrix instruction, and those of f64
                round as FMA does: k errors of U32, of U64. The reference
                itself is computed in f64, and makes as many of U64.
    """
    magnitude = np.abs(a) @ np.abs(b)
    depth = a.shape[1]
    if form == "fp64":
        return SLACK * 2 * depth * U64 * magnitude
    if form == "fp32" and precision == "ieee":
        return SLACK * depth * U32 * magnitude
    operands = {"tf32": 2 * UTF32, "tf32x3": 3 * UTF32 ** 2,
                "ieee": 0.0}[precision]
    products = 3 if precision == "tf32x3" else 1
    sums = 1.5 * products * 4 * ceil_div(depth, 4) * 2 * U32
    return SLACK * (operands + sums) * magnitude


def _operand(values: str, shape: tuple[int, int], form: str,
             rng: np.random.Generator) -> np.ndarray:
    """float64: numbers that the format holds; of i8, of its whole range."""
    if form == "i8":
        return rng.integers(-128, 128, shape).astype(np.float64)
    if values == "integers":
        return rng.integers(-3, 4, shape).astype(np.float64)
    return round_to(rng.standard_normal(shape), form)


@reference("matmul_typed")
def matmul_typed(kernel: Kernel, case: Parameters, rng: np.random.Generator
                 ) -> tuple[Grid, Arguments]:
    """C = A B in the type of the sums.

    Tolerance: that of product_bound. Products of i8 are exact, as sums stay
    below 2^31, and so are those of small integers in any type.
    """
    m, n, k, gap = case["M"], case["N"], case["K"], case.get("gap", 0)
    values = case.get("values", "random")
    form = form_of(kernel, "a_ptr")
    a, b = _operand(values, (m, k), form, rng), _operand(values, (k, n), form,
                                                         rng)
    bound = None
    if values != "integers" and form != "i8":
        bound = product_bound(a, b, form, kernel.constexprs["PRECISION"])
    a_buffer, am, _ = matrix_buffer(a, gap, form=form)
    b_buffer, bk, _ = matrix_buffer(b, 2 * gap, form=form)
    c_buffer, cm, _ = output_buffer(form_of(kernel, "c_ptr"), a @ b, bound,
                                    3 * gap)
    grid = (ceil_div(m, kernel.constexprs["BLOCK_M"]),
            ceil_div(n, kernel.constexprs["BLOCK_N"]), 1)
    return grid, {"a_ptr": a_buffer, "b_ptr": b_buffer, "c_ptr": c_buffer,
                  "M": m, "N": n, "K": k, "stride_am": am, "stride_bk": bk,
                  "stride_cm": cm}
