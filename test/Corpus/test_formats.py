#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of formats.py over every bit pattern of every format.

Run: python3 -m unittest discover -s test/Corpus
"""

import sys
import unittest
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from formats import FORMATS, round_to  # noqa: E402

# name: width, bits of the mantissa, bias, the largest finite pattern
_SHAPES = {"bf16": (16, 7, 127, 0x7F7F), "fp8e4nv": (8, 3, 7, 0x7E),
           "fp8e5": (8, 2, 15, 0x7B)}


def meaning(pattern: int, mantissa_bits: int, bias: int) -> Fraction:
    """The value of a finite pattern without sign, from the definition."""
    exponent = pattern >> mantissa_bits
    mantissa = Fraction(pattern & ((1 << mantissa_bits) - 1),
                        1 << mantissa_bits)
    if exponent == 0:
        return mantissa * Fraction(2) ** (1 - bias)
    return (1 + mantissa) * Fraction(2) ** (exponent - bias)


class Formats(unittest.TestCase):

    def each(self):
        for name, (width, mantissa, bias, largest) in _SHAPES.items():
            with self.subTest(format=name):
                magnitudes = np.arange(largest + 1)
                stored = magnitudes.astype(FORMATS[name].stored)
                yield name, stored, 1 << (width - 1), mantissa, bias

    def test_every_finite_pattern_means_what_the_format_says(self) -> None:
        for name, stored, sign, mantissa, bias in self.each():
            values = FORMATS[name].decode(stored)
            negated = FORMATS[name].decode((stored | sign).astype(
                stored.dtype))
            for pattern, value, opposite in zip(stored, values, negated):
                wanted = meaning(int(pattern), mantissa, bias)
                self.assertEqual(Fraction(float(value)), wanted)
                self.assertEqual(Fraction(float(opposite)), -wanted)
                self.assertTrue(np.signbit(opposite))

    def test_every_pattern_comes_back(self) -> None:
        for name, stored, sign, _, _ in self.each():
            for patterns in (stored, (stored | sign).astype(stored.dtype)):
                values = FORMATS[name].decode(patterns).astype(np.float64)
                again = FORMATS[name].encode(values)
                self.assertEqual(again.dtype, patterns.dtype)
                np.testing.assert_array_equal(again, patterns)

    def test_between_neighbours_the_nearest_or_the_even_one(self) -> None:
        for name, stored, sign, _, _ in self.each():
            values = FORMATS[name].decode(stored).astype(np.float64)
            below, above = stored[:-1], stored[1:]
            # Exact: neighbours of few bits, in float64.
            middle = (values[:-1] + values[1:]) / 2
            even = np.where(below % 2 == 0, below, above)
            for factor in (1, -1):
                bit = 0 if factor == 1 else sign
                for tried, wanted in (
                        (np.nextafter(middle, 0), below), (middle, even),
                        (np.nextafter(middle, np.inf), above)):
                    np.testing.assert_array_equal(
                        FORMATS[name].encode(factor * tried), wanted | bit)

    def test_beyond_the_largest(self) -> None:
        huge = np.array([1e300, -1e300, np.inf, -np.inf])
        for name, largest in (("fp8e4nv", 448.0), ("fp8e5", 57344.0),
                              ("bf16", np.inf)):
            np.testing.assert_array_equal(round_to(huge, name),
                                          [largest, -largest] * 2)
        # Half way from bf16's largest value to the power of two above it.
        edge = 2.0 ** 128 - 2.0 ** 119
        self.assertEqual(round_to(np.array([edge]), "bf16")[0], np.inf)
        self.assertEqual(round_to(np.array([np.nextafter(edge, 0)]),
                                  "bf16")[0], 2.0 ** 128 - 2.0 ** 120)

    def test_nan_stays_nan(self) -> None:
        for name in ("bf16", "fp8e4nv", "fp8e5", "fp16", "fp32"):
            self.assertTrue(np.isnan(round_to(np.array([np.nan]), name)[0]))

    def test_rounding_happens_once(self) -> None:
        # By way of f32 this would first become a tie, then the even 1.0.
        value = np.array([1.0 + 2.0 ** -8 + 2.0 ** -40])
        self.assertEqual(round_to(value, "bf16")[0], 1.0 + 2.0 ** -7)


if __name__ == "__main__":
    unittest.main()
