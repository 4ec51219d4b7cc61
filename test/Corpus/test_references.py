#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the references themselves; they need neither GPU nor compiler.

Loops      the references against element-by-element loops on tiny sizes
Judge      right results pass, and each kind of wrong one fails
Interpret  every kernel on every case in Triton's interpreter (skipped where
           the pinned Triton is not installed)

Run: python3 -m unittest discover -s test/Corpus
"""

import math
import sys
import unittest
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from cases import Buffer, judge, output_buffer  # noqa: E402
from interpreter import interpret, missing_for_interpreter  # noqa: E402
from manifest import load_kernels  # noqa: E402
from references import products, rows, scans, typed_products  # noqa: E402


class Loops(unittest.TestCase):
    """References against loops that share no code with them."""

    def setUp(self) -> None:
        self.rng = np.random.default_rng(1)

    def test_softmax(self) -> None:
        x = self.rng.standard_normal((3, 5)).astype(np.float32)
        result, bound = rows.softmax_reference(x, np.float32)
        for row in range(3):
            total = sum(math.exp(float(v)) for v in x[row])
            for column in range(5):
                wanted = math.exp(float(x[row, column])) / total
                self.assertAlmostEqual(result[row, column], wanted, 14)
                self.assertLess(bound[row, column], 4e-6 * wanted)

    def test_product(self) -> None:
        a = self.rng.standard_normal((3, 7)).astype(np.float16)
        b = self.rng.standard_normal((7, 2)).astype(np.float16)
        result, _ = products.product_reference(a, b, False)
        for i in range(3):
            for j in range(2):
                wanted = math.fsum(float(a[i, k]) * float(b[k, j])
                                   for k in range(7))
                self.assertAlmostEqual(result[i, j], wanted, 13)

    def test_bounds_of_f32_products(self) -> None:
        # tf32 rounds 1 + low to 1, by nearly as much as it can.
        low = 2.0 ** -11 - 2.0 ** -22
        a, b = np.full((2, 3), 1.0 + low), np.full((3, 2), 1.0 + low)
        tf32, parts, ieee = (
            typed_products.product_bound(a, b, "fp32", precision)
            for precision in ("tf32", "tf32x3", "ieee"))
        rounded = 3 * ((1.0 + low) ** 2 - 1.0)
        self.assertTrue(np.all(rounded <= tf32))
        self.assertTrue(np.all(rounded > 0.99 * tf32))
        self.assertTrue(np.all(rounded > parts))
        without_low_parts = 3 * low ** 2
        self.assertTrue(np.all(without_low_parts <= parts))
        self.assertTrue(np.all(without_low_parts > ieee))

    def test_bound_of_f64_products(self) -> None:
        a, b = self.rng.standard_normal((2, 9, 9))
        bound = typed_products.product_bound(a, b, "fp64", "ieee")
        computed, beyond = a @ b, 0
        for i, j in np.ndindex(9, 9):
            wanted = sum(Fraction(x) * Fraction(y)
                         for x, y in zip(a[i], b[:, j]))
            self.assertLessEqual(abs(Fraction(computed[i, j]) - wanted),
                                 Fraction(bound[i, j]))
            in_f32 = float(np.float32(computed[i, j]))
            beyond += abs(Fraction(in_f32) - wanted) > bound[i, j]
        self.assertGreater(beyond, 75)

    def test_packing(self) -> None:
        nibbles = self.rng.integers(0, 16, (16, 24))
        rows = products.pack_rows(nibbles)
        columns = products.pack_columns(nibbles)
        for k in range(16):
            for n in range(24):
                word = int(rows[k // 8, n]) & 0xFFFFFFFF
                self.assertEqual(word >> 4 * (k % 8) & 15, nibbles[k, n])
                word = int(columns[k, n // 8]) & 0xFFFFFFFF
                self.assertEqual(word >> 4 * (n % 8) & 15, nibbles[k, n])

    def test_dequantize(self) -> None:
        nibbles = self.rng.integers(0, 16, (16, 3))
        zeros = self.rng.integers(0, 16, (2, 3)).astype(np.float16)
        scales = self.rng.uniform(0.01, 0.1, (2, 3)).astype(np.float16)
        w = products.dequantize(nibbles, zeros, scales, 8)
        for k in range(16):
            for n in range(3):
                exact = ((int(nibbles[k, n]) - int(zeros[k // 8, n]))
                         * float(scales[k // 8, n]))
                self.assertEqual(w[k, n], np.float16(exact))

    def test_cumsum(self) -> None:
        lengths, chunk = [3, 0, 7], 4
        gate = self.rng.standard_normal((10, 2))
        # First token of each token's chunk, and one past its last.
        first = [0, 0, 0, 3, 3, 3, 3, 7, 7, 7]
        last = [3, 3, 3, 7, 7, 7, 7, 10, 10, 10]
        forward = scans.cumsum_reference(gate, lengths, chunk, False)
        backward = scans.cumsum_reference(gate, lengths, chunk, True)
        for t in range(10):
            for h in range(2):
                self.assertAlmostEqual(forward[t, h],
                                       sum(gate[first[t]:t + 1, h]))
                self.assertAlmostEqual(backward[t, h],
                                       sum(gate[t:last[t], h]))

    def test_chunk_table(self) -> None:
        table = scans.chunk_table([5, 0, 4], 4, 3)
        self.assertEqual(table.tolist(), [[0, 0], [0, 1], [2, 0], [0, 2],
                                          [1, 1], [2, 3]])


class Judge(unittest.TestCase):
    """Wrong results must be seen as such."""

    def buffer(self, bound: float | None) -> Buffer:
        wanted = np.array([[1.0, 2.0, np.nan], [0.0, np.inf, -4.0]])
        limit = None if bound is None else np.full(wanted.shape, bound)
        return output_buffer(np.float32, wanted, limit, gap=2)[0]

    def right(self, buffer: Buffer) -> np.ndarray:
        filled = np.where(buffer.written, buffer.expected, 0.0)
        return np.where(buffer.written, filled.astype(np.float32),
                        buffer.initial)

    def expect(self, buffer: Buffer, actual: np.ndarray, wanted: bool,
               text: str = "") -> None:
        verdict = judge(buffer, actual)
        self.assertEqual(verdict.passed, wanted, verdict.message)
        self.assertIn(text, verdict.message)

    def change(self, buffer: Buffer, place: int, value: float) -> np.ndarray:
        actual = self.right(buffer)
        actual[place] = value
        return actual

    def test_right_result_passes(self) -> None:
        for bound in (None, 1e-3):
            buffer = self.buffer(bound)
            self.expect(buffer, self.right(buffer), True)

    def test_error_within_bound_passes(self) -> None:
        buffer = self.buffer(1e-3)
        self.expect(buffer, self.change(buffer, 1, 2.0009), True)

    def test_error_beyond_bound_fails(self) -> None:
        buffer = self.buffer(1e-3)
        self.expect(buffer, self.change(buffer, 1, 2.0011), False, "2 +-")

    def test_one_bit_fails_where_exact(self) -> None:
        buffer = self.buffer(None)
        wrong = self.change(buffer, 1, np.nextafter(np.float32(2),
                                                  np.float32(3)))
        self.expect(buffer, wrong, False, "exactly")
        self.expect(buffer, self.change(buffer, 5, -0.0), False, "exactly")

    def test_nan_and_infinity_are_told_apart(self) -> None:
        for bound in (None, 1e-3):
            buffer = self.buffer(bound)
            for place, value in ((0, np.nan), (0, np.inf), (2, 5.0),
                                 (2, np.inf), (6, -np.inf), (6, 3e38)):
                self.expect(buffer, self.change(buffer, place, value), False,
                            "expects")

    def test_store_outside_fails(self) -> None:
        buffer = self.buffer(1e-3)
        for place in (3, 4, 11):  # two in the gap, one in the guard
            self.expect(buffer, self.change(buffer, place, 0.0), False,
                        "no store")

    def test_missing_store_fails(self) -> None:
        buffer = self.buffer(1e-3)
        actual = self.right(buffer)
        actual[2] = buffer.initial[2]
        self.expect(buffer, actual, False, "expects a store")

    def test_wrong_type_fails(self) -> None:
        buffer = self.buffer(1e-3)
        self.expect(buffer, self.right(buffer).astype(np.float64), False,
                    "float64")


@unittest.skipIf(missing_for_interpreter(), missing_for_interpreter())
class Interpret(unittest.TestCase):
    """The kernels, as written, give what the references say."""

    def test_every_case(self) -> None:
        for kernel in load_kernels():
            for case in kernel.cases:
                with self.subTest(kernel=kernel.name, case=case["name"]):
                    self.assertEqual(interpret(kernel, case), [])


if __name__ == "__main__":
    unittest.main()
