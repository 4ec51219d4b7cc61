# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and numpy references of kernels with functions that are not inlined.

In: a variant. Out: a grid and arguments. Same variant, same bits.
"""

import numpy as np

from buffers import Arguments, given, i32, made, reference
from variants import Variant


@reference("functions.rows")
def rows(variant: Variant, rng: np.random.Generator
         ) -> tuple[tuple[int, int, int], Arguments]:
    programs, count, each = 3, 100, variant.constexprs["ROWS"]
    x = rng.integers(-99, 100, (programs * each, count)).astype(np.int32)
    program = np.repeat(np.arange(programs), each)[:, None]
    wanted = x * (program + 2) ** (program + 1) + x.sum(1, keepdims=True)
    return (programs, 1, 1), {"x": given(x), "out": made(wanted, np.int32),
                              "count": i32(count)}
