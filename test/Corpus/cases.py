# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel is launched with, and how its results are judged.

In: buffers with their expected content, made by references.py. Out: verdicts.
It knows nothing of any particular kernel, and launches nothing.
"""

from dataclasses import dataclass

import numpy as np

# Elements beyond the end of every buffer: a kernel must neither use nor
# change them.
GUARD = 64

# Content of what a kernel must not read: guards, and gaps between rows. For
# floating types these are NaNs of a payload that no operation makes.
_POISON_BITS = {
    "uint16": np.uint16(0x7FDA),  # bf16, which numpy does not have
    "float16": np.uint16(0x7EDA),
    "float32": np.uint32(0x7FC0DEAD),
    "float64": np.uint64(0x7FF8DEADDEADDEAD),
    "int8": np.uint8(0x5A),
    "int32": np.uint32(0x5ADE5ADE),
    "int64": np.uint64(0x5ADE5ADE5ADE5ADE),
}

# Content of outputs before the launch. It differs from the poison of inputs,
# so that poison copied from an input to where no store belongs is seen.
_UNWRITTEN_BITS = {
    "float16": np.uint16(0xFE5B),
    "float32": np.uint32(0xFFC1BEEF),
    "float64": np.uint64(0xFFF9BEEFBEEFBEEF),
    "int32": np.uint32(0xBEEFBEEF),
}


def bits(array: np.ndarray) -> np.ndarray:
    """The array's elements as unsigned integers of the same width."""
    return array.view(f"uint{8 * array.dtype.itemsize}")


def _filled(count: int, dtype: np.dtype | type,
            patterns: dict[str, np.unsignedinteger]) -> np.ndarray:
    """A buffer of `count` elements that all hold the type's pattern."""
    array = np.empty(count, dtype)
    bits(array)[:] = patterns[array.dtype.name]
    return array


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
    """

    initial: np.ndarray
    expected: np.ndarray | None = None
    bound: np.ndarray | None = None
    written: np.ndarray | None = None


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


def matrix_buffer(matrix: np.ndarray, gap: int = 0,
                  transposed: bool = False) -> tuple[Buffer, int, int]:
    """An input matrix with poison in its gaps; its row and column strides."""
    place, size, row_stride, column_stride = matrix_places(
        matrix.shape, gap, transposed)
    initial = _filled(size, matrix.dtype, _POISON_BITS)
    initial[place] = matrix
    return Buffer(initial), row_stride, column_stride


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


def output_buffer(dtype: np.dtype | type, expected: np.ndarray,
                  bound: np.ndarray | None, gap: int = 0,
                  transposed: bool = False) -> tuple[Buffer, int, int]:
    """An unwritten output for a matrix; its row and column strides."""
    place, size, row_stride, column_stride = matrix_places(
        expected.shape, gap, transposed)
    wanted = np.zeros(size)
    wanted[place] = expected
    written = np.zeros(size, bool)
    written[place] = True
    allowed = None
    if bound is not None:
        allowed = np.zeros(size)
        allowed[place] = bound
    initial = _filled(size, dtype, _UNWRITTEN_BITS)
    return (Buffer(initial, wanted, allowed, written), row_stride,
            column_stride)


def _shown(value: np.generic) -> str:
    """Enough digits to tell neighbours apart; the bits of a NaN."""
    if np.isnan(value):
        return f"nan (0x{int(value.view(f'u{value.itemsize}')):x})"
    return np.format_float_scientific(value, unique=True)


def _failure(place: int, message: str) -> Verdict:
    return Verdict(False, np.inf, 0.0, f"element {place}: {message}")


def _judge_exact(buffer: Buffer, actual: np.ndarray) -> Verdict:
    with np.errstate(over="ignore"):
        wanted = buffer.expected.astype(actual.dtype)
    same = bits(actual) == bits(wanted)
    same |= np.isnan(actual) & np.isnan(wanted)
    wrong = np.flatnonzero(buffer.written & ~same)
    if wrong.size:
        place = wrong[0]
        return _failure(place, f"expects exactly {_shown(wanted[place])}, "
                        f"but got {_shown(actual[place])} "
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
    got = actual.astype(np.float64)
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
                        f"{_shown(actual[strays[0]])} ({strays.size} such)")
    missed = np.flatnonzero(~changed & buffer.written)
    if missed.size:
        return _failure(missed[0], f"expects a store, but got none "
                        f"({missed.size} such)")
    if buffer.bound is None:
        return _judge_exact(buffer, actual)
    return _judge_bounded(buffer, actual)
