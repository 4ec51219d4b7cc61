# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, float64 references and derived tolerances of the corpus' kernels.

In: a kernel and one of its cases (manifest.py). Out: the launch's arguments
with what the outputs must hold (cases.py). Same case, same bits: all random
numbers come from a generator seeded by the names of the kernel and the case.
A module for each family; each enters its references in common.REFERENCES.
"""

import zlib

import numpy as np

from cases import Buffer, Case, Scalar
from formats import FORMATS
from manifest import Kernel
from references import (attention, chunks, elementwise, products, recurrent,
                        rows, scans, typed_products)
from references.common import REFERENCES, Parameters, form_of

__all__ = ["attention", "build_case", "chunks", "elementwise", "products",
           "recurrent", "rows", "scans", "typed_products"]

_SCALARS = {"i32": "i32", "i64": "i64", "fp32": "f32"}


def _typed(kernel: Kernel, case_name: str, name: str,
           value: Buffer | int | float) -> Buffer | Scalar:
    """Checks one argument against what the kernel was compiled for."""
    where = f"{kernel.name}, case {case_name}"
    if isinstance(value, Buffer):
        stored = FORMATS[form_of(kernel, name)].stored
        if (value.form or form_of(kernel, name),
                value.initial.dtype) != (form_of(kernel, name), stored):
            raise ValueError(f"{where}: expects {kernel.signature[name]} as "
                             f"{name}, but got {value.form} in "
                             f"{value.initial.dtype}")
        return value
    if name in kernel.divisible_by_16 and value % 16:
        raise ValueError(f"{where}: expects a multiple of 16 as {name}, but "
                         f"got {value}")
    return Scalar(_SCALARS[kernel.signature[name]], value)


def build_case(kernel: Kernel, case: Parameters) -> Case:
    """The launch that a case of the manifest stands for."""
    seed = zlib.crc32(f"{kernel.name}/{case['name']}".encode())
    grid, values = REFERENCES[kernel.reference](
        kernel, case, np.random.default_rng(seed))
    for name, value in kernel.constexprs.items():
        if values.get(name, value) != value:
            raise ValueError(f"{kernel.name}, case {case['name']}: expects "
                             f"{value} as {name}, but got {values[name]}")
    arguments = {name: _typed(kernel, case["name"], name, values[name])
                 for name in kernel.signature}
    return Case(case["name"], grid, arguments)
