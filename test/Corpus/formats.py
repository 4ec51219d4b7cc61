# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats that numpy lacks, as arrays of their bits: bf16 in uint16,
e5m2 and e4m3 (PTX: .e4m3, no infinities) in uint8; and one rounding of
float64 values to any format that a kernel stores.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def from_e5m2(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32)


def from_e4m3(bits: np.ndarray) -> np.ndarray:
    exponent, mantissa = bits >> 3 & 15, (bits & 7).astype(np.float32)
    values = np.where(exponent == 0, np.ldexp(mantissa, -9),
                      np.ldexp(8 + mantissa, exponent.astype(int) - 10))
    values = np.where((bits & 127) == 127, np.nan, values)
    return np.where(bits & 128, -values, values).astype(np.float32)


def _to_grid(values: np.ndarray, precision: int, lowest: int) -> np.ndarray:
    """Rounds to nearest, ties to even, to multiples of the spacing that
    numbers of `precision` bits have; subnormals are multiples of 2^lowest."""
    exact = np.asarray(values, np.float64)
    _, exponent = np.frexp(exact)  # |exact| < 2^exponent
    spacing = np.maximum(exponent - precision, lowest)
    # Scaling by powers of two is exact, as is rint of what results.
    return np.ldexp(np.rint(np.ldexp(exact, -spacing)), spacing)


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Rounded once to nearest, ties to even; too large ones to infinity."""
    with np.errstate(over="ignore"):
        rounded = _to_grid(values, 8, -133).astype(np.float32)
    bits = (rounded.view(np.uint32) >> 16).astype(np.uint16)
    return np.where(np.isnan(rounded), np.uint16(0x7FFF), bits)


def _to_fp8(values: np.ndarray, precision: int, lowest: int,
            finite: np.ndarray) -> np.ndarray:
    """`finite`: the values of the bits 0, 1, 2, ... up to the largest."""
    rounded = _to_grid(values, precision, lowest)
    size = np.minimum(np.abs(rounded), finite[-1])
    bits = np.searchsorted(finite, size) + 128 * np.signbit(rounded)
    return np.where(np.isnan(rounded), 0x7F, bits).astype(np.uint8)


def to_e4m3(values: np.ndarray) -> np.ndarray:
    """Rounded once to nearest, ties to even; what is larger than 448 becomes
    448, as PTX' cvt.satfinite makes it."""
    return _to_fp8(values, 4, -9, from_e4m3(np.arange(127, dtype=np.uint8)))


def to_e5m2(values: np.ndarray) -> np.ndarray:
    """Rounded once to nearest, ties to even; what is larger than 57344 becomes
    57344, as PTX' cvt.satfinite makes it."""
    return _to_fp8(values, 3, -16, from_e5m2(np.arange(124, dtype=np.uint8)))


@dataclass(frozen=True)
class Format:
    """What an element of a buffer is.

    stored  numpy's type of the bits (of the value, where numpy has the type)
    encode  float64 values -> stored, rounded once
    decode  stored -> the values, exactly
    """

    stored: type
    encode: Callable[[np.ndarray], np.ndarray]
    decode: Callable[[np.ndarray], np.ndarray]


def of_numpy(dtype: type) -> Format:
    """Elements that numpy computes with itself."""
    def encode(values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(values).astype(dtype)

    return Format(dtype, encode, lambda stored: stored)


# Formats by the names that Triton gives them.
FORMATS = {
    "fp16": of_numpy(np.float16), "fp32": of_numpy(np.float32),
    "fp64": of_numpy(np.float64), "i8": of_numpy(np.int8),
    "i32": of_numpy(np.int32), "i64": of_numpy(np.int64),
    "bf16": Format(np.uint16, to_bf16, from_bf16),
    "fp8e4nv": Format(np.uint8, to_e4m3, from_e4m3),
    "fp8e5": Format(np.uint8, to_e5m2, from_e5m2),
}


def round_to(values: np.ndarray, name: str) -> np.ndarray:
    """The values that remain, in float64, when they are stored as `name`."""
    form = FORMATS[name]
    return form.decode(form.encode(values)).astype(np.float64)
