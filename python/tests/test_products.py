# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit operands, of gates and of experts against NumPy's in
float64, on the emulator's CUDA library (TILEWRIGHT_CUDA_DRIVER):
python -m unittest discover python/tests"""

import os
import unittest

import numpy as np

import tilewright
from tilewright import ops, quantized


try:
    import torch
except ImportError:
    torch = None


def gpu(values):
    return None if values is None else tilewright.array(values)


def tensor(values):
    """PyTorch's, where operators run."""
    device = "cpu" if os.environ.get("TILEWRIGHT_CUDA_DRIVER") else "cuda"
    return torch.from_numpy(values).to(device)


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
        prepacked = ops.stack_experts([weights.prepacked()
                                       for weights, _ in made])
        a = self.integers(23, 64, low=-4, high=5, type=np.float16)
        c = ops.grouped_matmul(gpu(a), prepacked.on(tilewright.array),
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

    def test_quantized_rows(self):
        x = self.generator.standard_normal((5, 300)).astype(np.float32)
        q, scales = ops.quantize(gpu(x), "i8", stream=0)
        scales, q = tilewright.to_numpy(scales), tilewright.to_numpy(q)
        np.testing.assert_allclose(scales, np.abs(x).max(axis=1) / 127,
                                   rtol=1e-6)
        np.testing.assert_allclose(q * scales[:, None], x,
                                   atol=scales.max() * 0.501)

    def test_from_numbers_to_products(self):
        """Of both operands' rows and columns, within what 8 bits lose."""
        x = self.generator.standard_normal((9, 256)).astype(np.float32)
        w = self.generator.standard_normal((32, 256)).astype(np.float32)
        q, rows = ops.quantize(gpu(x), "i8", stream=0)
        codes, columns = ops.quantize(gpu(w), "i8", stream=0)
        codes = gpu(np.ascontiguousarray(tilewright.to_numpy(codes).T))
        c = ops.scaled_matmul(q, codes, rows, columns, out_type="f32", stream=0)
        exact = x.astype(np.float64) @ w.T
        error = np.linalg.norm(tilewright.to_numpy(c) - exact)
        self.assertLess(error, 0.015 * np.linalg.norm(exact))

    def nearest(self, x, book):
        return np.abs(x[:, None] - book).argmin(axis=1)

    def test_blocks_of_4_bits(self):
        for name, book in (("nf4", quantized.NF4), ("fp4", quantized.FP4)):
            x = self.generator.standard_normal(64 * 24).astype(np.float32)
            q, scales = ops.quantize(gpu(x), name, block=64, stream=0)
            scales = tilewright.to_numpy(scales)
            np.testing.assert_array_equal(scales,
                                          np.abs(x.reshape(-1, 64)).max(axis=1))
            bytes = tilewright.to_numpy(q).view(np.uint8)
            codes = np.stack([bytes >> 4, bytes & 15], axis=1).reshape(-1)
            parts = x / np.repeat(scales, 64)
            book = np.array(book)
            np.testing.assert_allclose(book[codes],
                                       book[self.nearest(parts, book)],
                                       atol=1e-6)

    def test_nested_scales(self):
        """As bitsandbytes' double quantization, and read back as that."""
        n, k = 20, 1024
        x = self.generator.standard_normal(n * k).astype(np.float32)
        book = ops.dynamic_book()
        self.assertEqual(len(set(book)), 256)
        q, codes, outer, mean = (tilewright.to_numpy(part) for part in ops.quantize(
            gpu(x), "nf4", block=64, nested=True, book=gpu(book), stream=0))
        absmax = np.abs(x.reshape(-1, 64)).max(axis=1)
        np.testing.assert_allclose(mean, absmax.mean(), rtol=1e-5)
        rest = absmax - mean
        padded = np.zeros(-(-len(rest) // 256) * 256, np.float32)
        padded[:len(rest)] = rest
        np.testing.assert_allclose(
            outer, np.abs(padded.reshape(-1, 256)).max(axis=1), rtol=1e-5)
        parts = rest / np.repeat(outer, 256)[:len(rest)]
        np.testing.assert_allclose(book[codes.view(np.uint8)],
                                   book[self.nearest(parts, book)], atol=1e-4)
        weights = quantized.from_bitsandbytes(
            q.view(np.uint8), codes.view(np.uint8), (n, k), blocksize=64,
            nested=(book, outer, mean[0]))
        numbers = tilewright.to_numpy(ops.dequantize(
            weights.on(tilewright.array), out_type="f32", stream=0))
        error = np.linalg.norm(numbers.T - x.reshape(n, k))
        self.assertLess(error, 0.1 * np.linalg.norm(x))

    @unittest.skipIf(torch is None, "expects PyTorch")
    def test_operators_of_pytorch(self):
        import tilewright.torch as tt
        x, w = self.integers(6, 64), self.integers(64, 32)
        scales = self.small(6), self.small(32)
        a, b, rows, columns = map(tensor, (x, w, *scales))
        c = tt.scaled_matmul(a, b, rows, columns, out_type="f32")
        product = x.astype(np.int64) @ w * scales[0][:, None]
        np.testing.assert_array_equal(c.cpu().numpy(), product * scales[1])
        stacked = torch.stack([b, b.flip(0)])
        offsets = tensor(np.array([0, 2, 6], np.int32))
        c = tt.grouped_matmul(a, stacked, offsets, rows, out_type="f32")
        product = np.concatenate([x[:2].astype(np.int64) @ w,
                                  x[2:].astype(np.int64) @ w[::-1]])
        np.testing.assert_array_equal(c.cpu().numpy(),
                                      product * scales[0][:, None])
        numbers = tensor(
            self.generator.standard_normal((4, 64)).astype(np.float32))
        torch.library.opcheck(torch.ops.tilewright.quantize, (numbers, "i8"))
        torch.library.opcheck(torch.ops.tilewright.quantize,
                              (numbers, "nf4", 16))
        torch.library.opcheck(torch.ops.tilewright.scaled_matmul,
                              (a, b, rows, columns))
        torch.library.opcheck(torch.ops.tilewright.grouped_matmul,
                              (a, stacked, offsets, rows))

    def test_what_is_not_quantized(self):
        x = gpu(np.ones((2, 66), np.float32))
        with self.assertRaisesRegex(tilewright.Error, "expects an even block"):
            ops.quantize(x, "nf4", block=33, stream=0)
        with self.assertRaisesRegex(tilewright.Error, "expects rows=1"):
            ops.quantize(x, "i8", block=16, nested=True, stream=0,
                         book=gpu(ops.dynamic_book()))

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
