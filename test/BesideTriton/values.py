# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers on which implementations of an operation part ways, as bits.

A type is named as in IR; a number is an unsigned integer of the type's width.
"""

import itertools
from dataclasses import dataclass

import numpy as np

#: Numbers that a kernel is run on.
COUNT = 4096


@dataclass(frozen=True)
class FloatFormat:
    """A sign, `exponent` bits, `mantissa` bits more."""

    exponent: int
    mantissa: int
    has_infinity: bool = True

    @property
    def width(self) -> int:
        return 1 + self.exponent + self.mantissa

    @property
    def infinity(self) -> int:
        """Of formats without one, the code one below NaN's is the largest."""
        return ((1 << self.exponent) - 1) << self.mantissa


FLOATS = {"f16": FloatFormat(5, 10), "bf16": FloatFormat(8, 7),
          "f32": FloatFormat(8, 23), "f64": FloatFormat(11, 52),
          "f8E5M2": FloatFormat(5, 2),
          "f8E4M3FN": FloatFormat(4, 3, has_infinity=False)}


def width(type_name: str) -> int:
    return (FLOATS[type_name].width if type_name in FLOATS
            else int(type_name[1:]))


def storage(type_name: str) -> np.dtype:
    """What holds the bits; i1 lies in bytes."""
    return np.dtype(f"uint{max(8, width(type_name))}")


def hard_floats(type_name: str) -> list[int]:
    """Both signs of what special cases are made of: zero, the smallest and the
    largest subnormal and normal numbers, one and its neighbours, halves, the
    ends of the integer types, infinity, NaNs quiet and signalling."""
    format = FLOATS[type_name]
    bias = (1 << (format.exponent - 1)) - 1
    unit = 1 << format.mantissa
    codes = {0, 1, 2, 3, unit // 2, unit - 1, unit, unit + 1, format.infinity}
    if format.has_infinity:
        codes |= {format.infinity - 1, format.infinity - 2,
                  format.infinity + 1, format.infinity + unit // 2,
                  format.infinity + unit - 1}
    else:
        codes |= {format.infinity + unit - 2, format.infinity + unit - 1}
    # 2^e, its neighbours, and 1.5 * 2^e.
    for power in (-149, -127, -126, -25, -24, -16, -15, -14, -11, -8, -1, 0, 1,
                  2, 3, 7, 8, 9, 11, 15, 16, 23, 24, 30, 31, 32, 52, 53, 62, 63,
                  64, 126, 127):
        if 0 < power + bias < (1 << format.exponent) - 1:
            code = (power + bias) << format.mantissa
            codes |= {code - 1, code, code + 1, code + unit // 2}
    sign = 1 << (format.width - 1)
    codes = {code for code in codes if code < sign}
    return sorted(codes) + sorted(code | sign for code in codes)


def hard_integers(type_name: str) -> list[int]:
    """Around zero, the ends, and the numbers that floats round."""
    bits = width(type_name)
    mask = (1 << bits) - 1
    codes = {0, 1, 2, 3, 7, mask, mask - 1, 1 << (bits - 1),
             (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1}
    for power in range(2, bits):
        for offset in (-3, -1, 0, 1, 3):
            codes |= {((1 << power) + offset) & mask,
                      -((1 << power) + offset) & mask}
        # Halfway for f32, f16, bf16, and just beside.
        for precision in (8, 11, 24, 53):
            if power > precision:
                half = (1 << power) + (1 << (power - precision))
                codes |= {half & mask, (half + 1) & mask, (half - 1) & mask,
                          (half + (2 << (power - precision))) & mask}
    return sorted(codes)


def hard(type_name: str) -> list[int]:
    return (hard_floats if type_name in FLOATS else hard_integers)(type_name)


def near_one(type_name: str, count: int,
             random: np.random.Generator) -> np.ndarray:
    """Floats of moderate size, where sums round and cancel."""
    format = FLOATS[type_name]
    bias = (1 << (format.exponent - 1)) - 1
    spread = min(6, bias - 2)
    exponents = random.integers(bias - spread, bias + spread, count,
                                dtype=np.uint64)
    mantissas = random.integers(0, 1 << format.mantissa, count,
                                dtype=np.uint64)
    signs = random.integers(0, 2, count, dtype=np.uint64)
    return (signs << np.uint64(format.width - 1)
            | exponents << np.uint64(format.mantissa) | mantissas)


def operands(types: list[str], seed: int = 1) -> list[np.ndarray]:
    """COUNT tuples of numbers: hard ones with hard ones, then any bits, then
    floats of moderate size. All of a type of 8 bits."""
    random = np.random.default_rng(seed)
    sets = [np.array(hard(name), dtype=np.uint64) for name in types]
    total = int(np.prod([float(len(each)) for each in sets]))
    if total <= COUNT // 2:
        tuples = np.array(list(itertools.product(*sets)), dtype=np.uint64).T
    else:
        tuples = np.array([random.choice(each, COUNT // 2) for each in sets])
    columns = []
    for name, column in zip(types, tuples):
        rest = COUNT - len(column)
        bits = random.integers(0, (1 << width(name)) - 1, rest,
                               dtype=np.uint64, endpoint=True)
        if width(name) <= 8:
            bits = np.arange(rest, dtype=np.uint64) % (1 << width(name))
        elif name in FLOATS:
            bits[rest // 2:] = near_one(name, rest - rest // 2, random)
        columns.append(np.concatenate([column, bits]).astype(storage(name)))
    return columns


def to_float64(codes: np.ndarray, type_name: str) -> np.ndarray:
    """What codes stand for."""
    format = FLOATS[type_name]
    if type_name == "f64":
        return codes.view(np.float64)
    codes = codes.astype(np.int64)
    bias = (1 << (format.exponent - 1)) - 1
    exponent = (codes >> format.mantissa) & ((1 << format.exponent) - 1)
    mantissa = codes & ((1 << format.mantissa) - 1)
    sign = np.where(codes >> (format.width - 1), -1.0, 1.0)
    scaled = np.where(exponent > 0, mantissa + (1 << format.mantissa), mantissa)
    number = np.ldexp(sign * scaled, np.maximum(exponent, 1) - bias
                      - format.mantissa)
    magnitude = codes & ((1 << (format.width - 1)) - 1)
    if not format.has_infinity:
        return np.where(magnitude == (1 << (format.width - 1)) - 1, np.nan,
                        number)
    number = np.where(magnitude == format.infinity, sign * np.inf, number)
    return np.where(magnitude > format.infinity, np.nan, number)


def ordinals(codes: np.ndarray, type_name: str) -> np.ndarray:
    """Floats as integers that count units in the last place; both zeros are
    0."""
    sign = 1 << (width(type_name) - 1)
    magnitude = (codes & np.array(sign - 1, codes.dtype)).astype(np.int64)
    return np.where(codes & np.array(sign, codes.dtype), -magnitude, magnitude)


def is_subnormal(codes: np.ndarray, type_name: str) -> np.ndarray:
    """Of the types whose instructions can flush subnormal numbers."""
    if type_name not in ("f32", "bf16", "f64"):
        return np.zeros(codes.shape, bool)
    number = np.abs(to_float64(codes, type_name))
    smallest = 2.0 ** -1022 if type_name == "f64" else 2.0 ** -126
    return (number > 0) & (number < smallest)
