# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What references are made of: types, units of rounding, their registry.

Tolerances follow from the types and the sizes. Throughout,
  U16 = 2^-11, U32 = 2^-24: the largest relative error of one rounding to
  nearest in f16 and in f32; TINY16 = 2^-25: half the spacing of f16's
  subnormals, the largest absolute error of a rounding there;
  SLACK covers the products of errors that the first-order sums leave out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cases import Buffer
from formats import FORMATS
from manifest import Kernel

U16 = 2.0 ** -11
U32 = 2.0 ** -24
TINY16 = 2.0 ** -25
SLACK = 1.0 + 2.0 ** -8

Arguments = dict[str, Buffer | int | float]
Parameters = dict[str, Any]
Grid = tuple[int, int, int]
Reference = Callable[[Kernel, Parameters, np.random.Generator],
                     tuple[Grid, Arguments]]

# The references by the names that the manifest gives them.
REFERENCES: dict[str, Reference] = {}


def reference(name: str) -> Callable[[Reference], Reference]:
    """Registers a function that makes the grid and the arguments of a case."""
    def register(function: Reference) -> Reference:
        REFERENCES[name] = function
        return function
    return register


def form_of(kernel: Kernel, argument: str) -> str:
    """The format (formats.py) of what a pointer argument points to."""
    return kernel.signature[argument].removeprefix("*")


def dtype_of(kernel: Kernel, argument: str) -> type:
    """numpy's type of what a pointer argument points to."""
    return FORMATS[form_of(kernel, argument)].stored


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)
