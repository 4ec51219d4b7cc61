# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel is launched with, and how its results are judged.

In: buffers with their expected content, made by references/. Out: verdicts.
It knows nothing of any particular kernel, and launches nothing.
"""

from dataclasses import dataclass, replace

import numpy as np

from formats import FORMATS, Format, of_numpy

# Elements beyond the end of every buffer: a kernel must neither use nor
# change them.
GUARD = 64

# Content of what a kernel must not read: guards, and gaps between rows. For
# floating types these are NaNs, of a payload that no operation makes where the
# format has several.
_POISON_BITS = {
    "fp16": np.uint16(0x7EDA),
    "bf16": np.uint16(0x7FDA),
    "fp32": np.uint32(0x7FC0DEAD),
    "fp64": np.uint64(0x7FF8DEADDEADDEAD),
    "i8": np.uint8(0x5A),
    "i32": np.uint32(0x5ADE5ADE),
    "i64": np.uint64(0x5ADE5ADE5ADE5ADE),
}

# Content of outputs before the launch. It differs from the poison of inputs,
# so that poison copied from an input to where no store belongs is seen.
_UNWRITTEN_BITS = {
    "fp16": np.uint16(0xFE5B),
    "bf16": np.uint16(0xFFC5),
    "fp8e4nv": np.uint8(0xFF),
    "fp32": np.uint32(0xFFC1BEEF),
    "fp64": np.uint64(0xFFF9BEEFBEEFBEEF),
    "i32": np.uint32(0xA5C3A5C3),
    "i64": np.uint64(0xA5C3A5C3A5C3A5C3),
}


def bits(array: np.ndarray) -> np.ndarray:
    """The array's elements as unsigned integers of the same width."""
    return array.view(f"uint{8 * array.dtype.itemsize}")


def _filled(count: int, form: str,
            patterns: dict[str, np.unsignedinteger]) -> np.ndarray:
    """A buffer of `count` elements that all hold the format's pattern."""
    array = np.empty(count, FORMATS[form].stored)
    bits(array)[:] = patterns[form]
    return array


def _form_of(dtype: np.dtype | type) -> str:
    """The name of the format that is numpy's own type."""
    dtype = np.dtype(dtype)
    return f"{'fp' if dtype.kind == 'f' else 'i'}{8 * dtype.itemsize}"


@dataclass(frozen=True)
class Buffer:
    """Device memory that a kernel reads, or writes, or both.

    initial   what it holds before the launch, 1-D
    expected  what `written` elements must hold afterwards, float64, 1-D;
              None for an input
    bound     greatest |actual - expected| allowed, float64, 1-D; None asks
              for the same bits (any NaN matches any NaN)
    written   bool, 1-D: the elements that the kernel must write; the others
              must keep their bits
    form      a name of formats.FORMATS; "" where the elements are numpy's own
    is_read   the kernel reads it too, so that a store may leave an element as
              it was
    """

    initial: np.ndarray
    expected: np.ndarray | None = None
    bound: np.ndarray | None = None
    written: np.ndarray | None = None
    form: str = ""
    is_read: bool = False

    @property
    def format(self) -> Format:
        """How the elements are stored."""
        return (FORMATS[self.form] if self.form
                else of_numpy(self.initial.dtype.type))


@dataclass(frozen=True)
class Scalar:
    """A scalar argument; type is i32, i64 or f32."""

    type: str
    value: int | float


@dataclass(frozen=True)
class Case:
    """One launch: the arguments in the kernel's order."""

    name: str
    grid: tuple[int, int, int]
    arguments: dict[str, Buffer | Scalar]


@dataclass(frozen=True)
class Verdict:
    """max_error and bound belong to the element where error/bound is worst."""

    passed: bool
    max_error: float = 0.0
    bound: float = 0.0
    message: str = ""


def matrix_buffer(matrix: np.ndarray, gap: int = 0, transposed: bool = False,
                  form: str = "") -> tuple[Buffer, int, int]:
    """An input matrix with poison in its gaps; its row and column strides.

    `form` is the format to store the values in, rounded; without it numpy's
    type tells.
    """
    place, size, row_stride, column_stride = matrix_places(
        matrix.shape, gap, transposed)
    form = form or _form_of(matrix.dtype)
    initial = _filled(size, form, _POISON_BITS)
    initial[place] = FORMATS[form].encode(matrix)
    return Buffer(initial, form=form), row_stride, column_stride


def matrix_places(shape: tuple[int, int], gap: int, transposed: bool
                  ) -> tuple[np.ndarray, int, int, int]:
    """Where each element of a matrix lies in its buffer.

    Returns the places (of the matrix' shape), the buffer's size with its
    guard, and the row and column strides. `gap` unused elements follow each
    row, or each column where the matrix is stored transposed.
    """
    rows, columns = shape
    row_stride, column_stride = columns + gap, 1
    size = rows * row_stride
    if transposed:
        row_stride, column_stride = 1, rows + gap
        size = columns * column_stride
    place = (np.arange(rows)[:, None] * row_stride
             + np.arange(columns)[None, :] * column_stride)
    return place, size + GUARD, row_stride, column_stride


def output_buffer(form: str | type, expected: np.ndarray,
                  bound: np.ndarray | None, gap: int = 0,
                  transposed: bool = False,
                  written: np.ndarray | None = None
                  ) -> tuple[Buffer, int, int]:
    """An unwritten output for a matrix; its row and column strides.

    `form`: a name of formats.FORMATS, or numpy's type. `written`: the elements
    of the matrix that the kernel writes; all, unless given.
    """
    place, size, row_stride, column_stride = matrix_places(
        expected.shape, gap, transposed)
    wanted = np.zeros(size)
    wanted[place] = expected
    stores = np.zeros(size, bool)
    stores[place] = True if written is None else written
    allowed = None
    if bound is not None:
        allowed = np.zeros(size)
        allowed[place] = bound
    form = form if isinstance(form, str) else _form_of(form)
    initial = _filled(size, form, _UNWRITTEN_BITS)
    return (Buffer(initial, wanted, allowed, stores, form), row_stride,
            column_stride)


def updated_matrix(form: str, before: np.ndarray, expected: np.ndarray,
                   bound: np.ndarray | None, gap: int = 0,
                   written: np.ndarray | None = None
                   ) -> tuple[Buffer, int, int]:
    """A matrix that the kernel reads and writes; its row and column strides.
    `written`: the elements that it writes; all, unless given."""
    given, row_stride, column_stride = matrix_buffer(before, gap, form=form)
    made, _, _ = output_buffer(form, expected, bound, gap, written=written)
    return (replace(made, initial=given.initial, is_read=True), row_stride,
            column_stride)


def _shown(stored: np.generic, form: Format) -> str:
    """Enough digits to tell neighbours apart; the bits of a NaN."""
    value = form.decode(np.array([stored]))[0]
    if np.issubdtype(value.dtype, np.integer):
        return str(value)
    if np.isnan(value):
        return f"nan (0x{int(stored.view(f'u{stored.itemsize}')):x})"
    return np.format_float_scientific(value, unique=True)


def _failure(place: int, message: str) -> Verdict:
    return Verdict(False, np.inf, 0.0, f"element {place}: {message}")


def _judge_exact(buffer: Buffer, actual: np.ndarray) -> Verdict:
    form = buffer.format
    wanted = form.encode(buffer.expected)
    same = bits(actual) == bits(wanted)
    same |= np.isnan(form.decode(actual)) & np.isnan(buffer.expected)
    wrong = np.flatnonzero(buffer.written & ~same)
    if wrong.size:
        place = wrong[0]
        return _failure(place, f"expects exactly "
                        f"{_shown(wanted[place], form)}, but got "
                        f"{_shown(actual[place], form)} "
                        f"({wrong.size} such)")
    return Verdict(True)


def _worst_ratio(buffer: Buffer, got: np.ndarray
                 ) -> tuple[np.ndarray, np.ndarray]:
    """|got - expected| and its ratio to the bound, over all elements.

    A NaN or an infinity is right only where just that is expected.
    """
    wanted = buffer.expected
    same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    same |= ~buffer.written
    with np.errstate(invalid="ignore"):
        error = np.abs(got - wanted)
    error[~np.isfinite(error)] = np.inf
    error[same] = 0.0
    allowed = np.nan_to_num(buffer.bound, nan=0.0, posinf=0.0)
    smallest = np.finfo(np.float64).tiny
    return error, error / np.maximum(allowed, smallest)


def _judge_bounded(buffer: Buffer, actual: np.ndarray) -> Verdict:
    got = buffer.format.decode(actual).astype(np.float64)
    error, ratio = _worst_ratio(buffer, got)
    worst = int(np.argmax(ratio))
    wrong = int(np.count_nonzero(ratio > 1.0))
    error_there = float(error[worst])
    bound_there = float(buffer.bound[worst]) if error_there else 0.0
    if wrong:
        return Verdict(False, error_there, bound_there,
                       f"element {worst}: expects "
                       f"{buffer.expected[worst]:.9g} +- {bound_there:.3g}, "
                       f"but got {got[worst]:.9g} ({wrong} such)")
    return Verdict(True, error_there, bound_there)


def judge(buffer: Buffer, actual: np.ndarray) -> Verdict:
    """Compares an output's content after the launch with what is expected."""
    if actual.dtype != buffer.initial.dtype or (actual.shape
                                                != buffer.initial.shape):
        return Verdict(False, np.inf, 0.0,
                       f"expects {buffer.initial.dtype} "
                       f"{buffer.initial.shape}, but got {actual.dtype} "
                       f"{actual.shape}")
    changed = bits(actual) != bits(buffer.initial)
    strays = np.flatnonzero(changed & ~buffer.written)
    if strays.size:
        return _failure(strays[0], f"expects no store, but got "
                        f"{_shown(actual[strays[0]], buffer.format)} "
                        f"({strays.size} such)")
    missed = np.flatnonzero(~changed & buffer.written)
    if missed.size and not buffer.is_read:
        return _failure(missed[0], f"expects a store, but got none "
                        f"({missed.size} such)")
    if buffer.bound is None:
        return _judge_exact(buffer, actual)
    return _judge_bounded(buffer, actual)
