# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit operands, of gates and of experts against NumPy's in
float64, on the emulator's CUDA library (TILEWRIGHT_CUDA_DRIVER):
python -m unittest discover python/tests"""

import unittest

import numpy as np

import tilewright
from tilewright import ops, quantized


def gpu(values):
    return None if values is None else tilewright.array(values)


class ProductsTest(unittest.TestCase):
    def setUp(self):
        # The emulator takes PTX.
        ops.machine_code = False
        self.generator = np.random.default_rng(11)

    def integers(self, *shape, low=-128, high=128, type=np.int8):
        return self.generator.integers(low, high, shape).astype(type)

    def small(self, *shape):
        """Powers of two, by which integers are scaled exactly."""
        return (2.0 ** self.generator.integers(-2, 3, shape)).astype(np.float32)

    def same(self, result, expected):
        np.testing.assert_array_equal(tilewright.to_numpy(result), expected)

    def near(self, result, expected, tolerance=2e-3):
        np.testing.assert_allclose(tilewright.to_numpy(result), expected,
                                   rtol=tolerance, atol=tolerance)

    def test_scales_of_rows_and_columns(self):
        a, w = self.integers(37, 96), self.integers(96, 50)
        rows, columns = self.small(37), self.small(50)
        bias = self.integers(50, type=np.float32)
        residual = self.integers(37, 50, type=np.float32)
        c = ops.scaled_matmul(gpu(a), gpu(w), gpu(rows), gpu(columns),
                              bias=gpu(bias), residual=gpu(residual),
                              activation="relu", out_type="f32", stream=0)
        product = a.astype(np.int64) @ w
        self.same(c, np.maximum(product * rows[:, None] * columns + bias, 0) +
                  residual)

    def test_one_scale_for_all(self):
        a, w = self.integers(5, 40), self.integers(40, 24)
        half = np.array([0.5], np.float32)
        c = ops.scaled_matmul(gpu(a), gpu(w), gpu(half), gpu(half),
                              out_type="f32", stream=0)
        self.same(c, (a.astype(np.int64) @ w) * 0.25)

    def test_zeros_of_rows(self):
        a, w = self.integers(9, 64), self.integers(64, 33)
        zeros = self.integers(9, type=np.int32)
        sums = w.sum(axis=0, dtype=np.int32)
        c = ops.scaled_matmul(gpu(a), gpu(w), a_zeros=gpu(zeros),
                              w_sums=gpu(sums), out_type="f32", stream=0)
        self.same(c, (a.astype(np.int64) - zeros[:, None]) @ w)

    def test_scales_of_blocks(self):
        """As DeepSeek-V3 has them, of 128 and of 128 x 128, here of 32."""
        a, w = self.integers(7, 96, low=-9, high=9), self.integers(96, 80, low=-9,
                                                                  high=9)
        rows, blocks = self.small(7, 3), self.small(3, 3)
        c = ops.scaled_matmul(gpu(a), gpu(w), gpu(rows), gpu(blocks), a_group=32,
                              group=32, block=32, out_type="f32", stream=0)
        scaled = w * np.repeat(np.repeat(blocks, 32, 0), 32, 1)[:, :80]
        self.same(c, (a * np.repeat(rows, 32, 1)).astype(np.float64) @ scaled)

    def coded(self, k, n, group, zeros=True):
        codes = self.generator.integers(0, 16, (k, n)).astype(np.uint8)
        points = self.integers(k // group, n, low=0, high=16) if zeros else None
        scales = self.small(k // group, n)
        weights = quantized.from_codes(codes, scales, zeros=points, group=group)
        numbers = codes.astype(np.float64)
        if zeros:
            numbers -= np.repeat(points, group, 0)
        return weights, numbers * np.repeat(scales, group, 0)

    def test_codes_of_4_bits(self):
        for zeros in (False, True):
            weights, numbers = self.coded(128, 48, 32, zeros)
            for m in (1, 40):
                a, rows = self.integers(m, 128), self.small(m)
                c = ops.scaled_matmul(
                    gpu(a), weights.on(tilewright.array), gpu(rows),
                    out_type="f32", stream=0)
                self.same(c, (a * rows[:, None]).astype(np.float64) @ numbers)

    def silu(self, x):
        return x / (1 + np.exp(-x))

    def test_gate(self):
        a = self.generator.standard_normal((12, 256)).astype(np.float16)
        w = self.generator.standard_normal((256, 80)).astype(np.float16)
        c = ops.scaled_matmul(gpu(a), gpu(w), gate=True, activation="silu",
                              out_type="f32", stream=0)
        both = a.astype(np.float64) @ w
        self.near(c, self.silu(both[:, :40]) * both[:, 40:])
        split = ops.scaled_matmul(gpu(a), gpu(w), gate=True, activation="silu",
                                  out_type="f32", config="16x16x32w1s2k2",
                                  stream=0)
        self.near(split, self.silu(both[:, :40]) * both[:, 40:])

    def offsets(self, *counts, type=np.int32):
        return np.concatenate([[0], np.cumsum(counts)]).astype(type)

    def by_expert(self, rows, w, offsets):
        """rows and w: in float64; w: experts x k x n."""
        return np.concatenate([rows[offsets[e]:offsets[e + 1]] @ w[e]
                               for e in range(len(w))])

    def test_experts(self):
        for kind in (np.int32, np.int64):
            offsets = self.offsets(0, 19, 0, 1, 44, 0, type=kind)
            a = self.integers(64, 48, low=-4, high=5, type=np.float16)
            w = self.integers(6, 48, 40, low=-4, high=5, type=np.float16)
            bias = self.integers(6, 40, type=np.float32)
            c = ops.grouped_matmul(gpu(a), gpu(w), gpu(offsets), bias=gpu(bias),
                                   out_type="f32", stream=0)
            expected = self.by_expert(a.astype(np.float64), w, offsets)
            self.same(c, expected + np.repeat(bias, np.diff(offsets), 0))

    def test_experts_of_gathered_rows(self):
        """The experts of each of ten tokens are two of five: SwiGLU, W8A8."""
        tokens = self.integers(10, 32, low=-4, high=5)
        scales = self.small(10)
        chosen = np.stack([self.generator.permutation(5)[:2] for _ in range(10)])
        order = np.argsort(chosen.reshape(-1), kind="stable")
        offsets = self.offsets(*np.bincount(chosen.reshape(-1), minlength=5))
        rows = (order // 2).astype(np.int32)
        w = self.integers(5, 32, 32, low=-4, high=5)
        columns = self.small(5, 32) / 64
        c = ops.grouped_matmul(gpu(tokens), gpu(w), gpu(offsets), gpu(scales),
                               gpu(columns), rows=gpu(rows), gate=True,
                               activation="silu", out_type="f32", stream=0)
        numbers = (tokens * scales[:, None]).astype(np.float64)[rows]
        both = self.by_expert(numbers, w * columns[:, None, :], offsets)
        self.near(c, self.silu(both[:, :16]) * both[:, 16:], 1e-5)

    def test_experts_of_codes(self):
        made = [self.coded(64, 32, 32) for _ in range(3)]
        stacked = ops.stack_experts([weights for weights, _ in made])
        numbers = np.stack([numbers for _, numbers in made])
        offsets = self.offsets(3, 0, 20)
        for kind in (np.float16, np.int8):
            a = self.integers(23, 64, low=-4, high=5, type=kind)
            c = ops.grouped_matmul(gpu(a), stacked.on(tilewright.array),
                                   gpu(offsets), out_type="f32", stream=0)
            self.same(c, self.by_expert(a.astype(np.float64), numbers, offsets))

    def test_calls_share_code(self):
        w = self.integers(2, 32, 16, low=-4, high=5, type=np.float16)
        for m in (1, 5, 30):
            a = self.integers(m, 32, low=-4, high=5, type=np.float16)
            offsets = self.offsets(m // 2, m - m // 2)
            c = ops.grouped_matmul(gpu(a), gpu(w), gpu(offsets), dynamic="m",
                                   out_type="f32", stream=0)
            self.same(c, self.by_expert(a.astype(np.float64), w, offsets))

    def test_what_is_refused(self):
        a, w = gpu(self.integers(4, 32)), gpu(self.integers(32, 16))
        offsets = gpu(self.offsets(4))
        with self.assertRaisesRegex(TypeError, "w_sums together"):
            ops.scaled_matmul(a, w, a_zeros=a, stream=0)
        with self.assertRaisesRegex(TypeError, "a of 2 dimensions, but got 1"):
            ops.scaled_matmul(offsets, w, stream=0)
        with self.assertRaisesRegex(ValueError, "even number of columns"):
            ops.scaled_matmul(a, gpu(self.integers(32, 15)), gate=True, stream=0)
        with self.assertRaisesRegex(tilewright.Error, "expects a_group=0"):
            ops.scaled_matmul(a, w, a_group=32, stream=0)
        with self.assertRaisesRegex(TypeError, "rows of offsets' type, i32"):
            ops.grouped_matmul(a, w, offsets, rows=gpu(np.zeros(3, np.int64)),
                               stream=0)
        weights = self.coded(32, 16, 32)[0]
        with self.assertRaisesRegex(TypeError, "of numbers alone"):
            ops.scaled_matmul(a, weights, group=32, stream=0)
        with self.assertRaisesRegex(ValueError, "experts of one group, 32"):
            ops.stack_experts([weights, self.coded(32, 16, 16)[0]])


if __name__ == "__main__":
    unittest.main()
