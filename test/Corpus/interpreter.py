# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the corpus' kernels, as written, in Triton's interpreter.

In: a kernel and a case. Out: what is wrong with the results. Needs the pinned
Triton (requirements.txt). To be imported before any kernel's source.
"""

import importlib.util
import os
from dataclasses import replace
from typing import Any

import numpy as np

os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is decorated

import references  # noqa: E402
from cases import Buffer, judge  # noqa: E402
from formats import FORMATS  # noqa: E402
from manifest import Kernel  # noqa: E402


def missing_for_interpreter() -> str:
    """Why Triton's interpreter cannot run here; empty if it can."""
    if importlib.util.find_spec("triton") is None:
        return "triton is not installed"
    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4):
        return f"expects numpy < 2.4, but got {np.__version__}"
    return ""


def _format_name(element_type: Any) -> str:
    """A type of Triton's as formats.FORMATS names it."""
    name = element_type.scalar.name
    return f"fp{name[2:]}" if name.startswith("fp") else name


def _convert(data: np.ndarray, source: Any, target: Any,
             _rounding: Any) -> np.ndarray:
    """In place of the interpreter's own, which cuts to bf16, and whose
    roundings to fp8 lose carries: rounded once, to nearest even."""
    origin, result = (FORMATS[_format_name(kind)] for kind in (source, target))
    values = origin.decode(np.ascontiguousarray(data).view(origin.stored))
    stored = result.encode(values.astype(np.float64))
    return stored.view(f"uint{8 * stored.itemsize}")


def _make_dot(original: Any) -> Any:
    """The interpreter multiplies the bits of bf16 as if they were integers."""
    def create_dot(self: Any, a: Any, b: Any, d: Any, *options: Any) -> Any:
        a, b = (type(side)(_convert(side.data, side.dtype, d.dtype,
                                    None).view(np.float32), d.dtype.scalar)
                if side.dtype.scalar.is_bf16() else side for side in (a, b))
        return original(self, a, b, d, *options)

    return create_dot


def mend_interpreter() -> None:
    """Puts right what the interpreter does with types that numpy lacks."""
    from triton.runtime import interpreter
    if interpreter._convert_float is not _convert:
        interpreter._convert_float = _convert
        builder = interpreter.InterpreterBuilder
        builder.create_dot = _make_dot(builder.create_dot)


class HostTensor:
    """As much of a tensor as Triton's interpreter asks of one."""

    def __init__(self, array: np.ndarray, type_name: str) -> None:
        self.array = array
        self.dtype = type_name

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def untyped_storage(self) -> "HostTensor":
        return self

    def cpu(self) -> "HostTensor":
        return self

    def new_empty(self, _size: int, device: str) -> "HostTensor":
        return HostTensor(self.array, self.dtype)

    def set_(self, *_storage: Any) -> None:
        """The copy shares this tensor's array already."""

    def storage_offset(self) -> int:
        return 0

    def size(self) -> tuple[int, ...]:
        return self.array.shape

    def stride(self) -> tuple[int, ...]:
        return (1,)

    def copy_(self, _other: "HostTensor") -> None:
        """Results are in the shared array already."""


def interpret(kernel: Kernel, case_parameters: dict[str, Any]) -> list[str]:
    """Runs one case in Triton's interpreter; returns what is wrong."""
    from dump import load_function
    mend_interpreter()
    case = references.build_case(kernel, case_parameters)
    values: dict[str, Any] = {}
    for name, argument in case.arguments.items():
        if isinstance(argument, Buffer):
            # A copy of the interpreter's own: it changes outputs in place.
            values[name] = HostTensor(argument.initial.copy(),
                                      kernel.signature[name][1:])
        else:
            values[name] = argument.value
    with np.errstate(all="ignore"):
        load_function(kernel)[case.grid](**values, **kernel.constexprs)
    problems = []
    for name, argument in case.arguments.items():
        if not isinstance(argument, Buffer):
            continue
        judged = argument
        if argument.expected is None:
            nothing = np.zeros(argument.initial.shape)
            judged = replace(argument, expected=nothing,
                             written=nothing.astype(bool))
        verdict = judge(judged, values[name].array)
        if not verdict.passed:
            problems.append(f"{kernel.name}, case {case.name}, {name}: "
                            f"{verdict.message}")
    return problems
