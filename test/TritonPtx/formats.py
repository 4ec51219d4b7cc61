# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Number formats that numpy lacks, as arrays of their bits: bf16 in uint16,
e5m2 and e4m3 (PTX: .e4m3, no infinities) in uint8."""

import numpy as np


def from_bf16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Finite f32 values, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_e5m2(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32)


def from_e4m3(bits: np.ndarray) -> np.ndarray:
    exponent, mantissa = bits >> 3 & 15, (bits & 7).astype(np.float32)
    values = np.where(exponent == 0, np.ldexp(mantissa, -9),
                      np.ldexp(8 + mantissa, exponent.astype(int) - 10))
    values = np.where((bits & 127) == 127, np.nan, values)
    return np.where(bits & 128, -values, values).astype(np.float32)


def _nearest(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Index of the nearest of an ascending table, of the even one on ties."""
    above = np.clip(np.searchsorted(table, values), 1, table.size - 1)
    below = above - 1
    left, right = values - table[below], table[above] - values
    takes_above = (right < left) | ((right == left) & (above % 2 == 0))
    return np.where(takes_above, above, below)


def _to_fp8(values: np.ndarray, table: np.ndarray) -> np.ndarray:
    exact = values.astype(np.float64)
    index = _nearest(np.abs(exact), table.astype(np.float64))
    return (index + 128 * np.signbit(exact)).astype(np.uint8)


def to_e4m3(values: np.ndarray) -> np.ndarray:
    """Values of a size of at most 448, rounded to nearest, ties to even."""
    return _to_fp8(values, from_e4m3(np.arange(127, dtype=np.uint8)))


def to_e5m2(values: np.ndarray) -> np.ndarray:
    """Values of a size of at most 57344, rounded to nearest, ties to even."""
    return _to_fp8(values, from_e5m2(np.arange(124, dtype=np.uint8)))
