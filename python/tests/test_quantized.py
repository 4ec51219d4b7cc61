# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights as the packages store them, on the emulator's CUDA library
(TILEWRIGHT_CUDA_DRIVER): python -m unittest discover python/tests

Each format is written and read here bit by bit, as its package documents it, by
code that shares nothing with tilewright.quantized.
"""

import dataclasses
import unittest

import numpy as np

import tilewright
from tilewright import ops, quantized

# AutoAWQ, packing_utils.py: the column of each nibble of a word.
AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)


def words_along_rows(codes, bits):
    """GPTQ: element i of word r is row r 32 / bits + i, the lowest bits first."""
    count = 32 // bits
    words = np.zeros((codes.shape[0] // count, codes.shape[1]), np.uint32)
    for row, column in np.ndindex(*codes.shape):
        words[row // count, column] |= np.uint32(
            int(codes[row, column]) << bits * (row % count))
    return words.view(np.int32)


def awq_words(codes):
    words = np.zeros((codes.shape[0], codes.shape[1] // 8), np.uint32)
    for row, word in np.ndindex(*words.shape):
        for place, column in enumerate(AWQ_ORDER):
            words[row, word] |= np.uint32(
                int(codes[row, 8 * word + column]) << 4 * place)
    return words.view(np.int32)


class QuantizedTest(unittest.TestCase):
    def setUp(self):
        # The emulator takes PTX.
        ops.machine_code = False
        self.generator = np.random.default_rng(5)

    def codes(self, k, n, bits=4):
        return self.generator.integers(0, 2 ** bits, (k, n)).astype(np.uint8)

    def small(self, *shape):
        """Powers of two: products with integers are exact."""
        return 2.0 ** self.generator.integers(-2, 3, shape)

    def check(self, weights, expected, tolerance=0.0, m=5):
        """The product with small integers, against one in float64: the same
        where weights are few bits wide, and so sums are exact."""
        k, n = expected.shape
        self.assertEqual(weights.shape, (k, n))
        self.check_numbers(weights, expected)
        a = self.generator.integers(-2, 3, (m, k)).astype(np.float16)
        given = a if weights.rows is None else a[:, weights.rows]
        wanted = a.astype(np.float64) @ expected
        on_gpu = dataclasses.replace(weights, rows=None).on(tilewright.array)
        c = ops.quantized_matmul(tilewright.array(given), on_gpu, stream=0,
                                 out_type="f32")
        bound = tolerance * (np.abs(a).astype(np.float64) @ np.abs(expected))
        error = np.abs(tilewright.to_numpy(c) - wanted)
        self.assertTrue((error <= bound).all(), error.max())

    def check_numbers(self, weights, expected):
        """The weights themselves, rounded once to f32 and once to f16."""
        w = ops.dequantize(dataclasses.replace(weights, rows=None).on(
            tilewright.array), stream=0)
        rows = slice(None) if weights.rows is None else weights.rows
        wanted = expected[rows].astype(np.float32).astype(np.float16)
        # A product that f32 rounds may lie beside the middle between two.
        np.testing.assert_array_max_ulp(tilewright.to_numpy(w), wanted, 1)

    def gptq(self, k, n, group, bits, version, g_idx):
        codes, zeros = self.codes(k, n, bits), self.codes(k // group, n, bits)
        # Version 1 stores one less, and so has no zero of 0.
        zeros = np.maximum(zeros, 1)
        scales = self.small(k // group, n).astype(np.float16)
        stored = words_along_rows((zeros - (version == 1)).T, bits).T
        expected = (codes.astype(np.float64) - zeros[g_idx]) * scales[g_idx]
        return words_along_rows(codes, bits), stored, scales, expected

    def test_gptq(self):
        for bits, version, group in ((4, 1, 32), (4, 2, 64), (8, 1, 64),
                                     (2, 2, 128)):
            with self.subTest(bits=bits, version=version):
                g_idx = np.arange(128) // group
                qweight, qzeros, scales, expected = self.gptq(
                    128, 32, group, bits, version, g_idx)
                self.check(quantized.from_gptq(qweight, qzeros, scales, g_idx,
                                               bits=bits, version=version),
                           expected)

    def test_gptq_in_the_order_of_activations(self):
        g_idx = self.generator.permutation(np.arange(128) // 32)
        qweight, qzeros, scales, expected = self.gptq(128, 16, 32, 4, 1, g_idx)
        weights = quantized.from_gptq(qweight, qzeros, scales, g_idx)
        self.assertFalse((weights.rows == np.arange(128)).all())
        self.check(weights, expected)

    def test_zeros_in_the_middle_are_left_out(self):
        """What packages store of symmetric weights."""
        scales = self.small(2, 48).astype(np.float16)
        def expected(codes, bits):
            return ((codes.astype(np.float64) - 2 ** (bits - 1)) *
                    np.repeat(scales, 32, 0))
        for bits, version in ((2, 2), (4, 1), (4, 2), (8, 1)):
            with self.subTest(bits=bits, version=version):
                codes = self.codes(64, 48, bits)
                zeros = np.full((2, 48), 2 ** (bits - 1), np.uint8)
                stored = words_along_rows((zeros - (version == 1)).T, bits).T
                weights = quantized.from_gptq(words_along_rows(codes, bits),
                                              stored, scales, bits=bits,
                                              version=version)
                self.assertEqual((weights.weights, weights.zeros),
                                 (f"int{bits}", None))
                self.check(weights, expected(codes, bits))
        codes = self.codes(64, 48)
        weights = quantized.from_awq(awq_words(codes), awq_words(
            np.full((2, 48), 8, np.uint8)), scales)
        self.assertEqual((weights.weights, weights.zeros), ("int4", None))
        self.check(weights, expected(codes, 4))

    def test_awq(self):
        codes, zeros = self.codes(64, 40), self.codes(2, 40)
        scales = self.small(2, 40).astype(np.float16)
        expected = ((codes.astype(np.float64) - np.repeat(zeros, 32, 0)) *
                    np.repeat(scales, 32, 0))
        weights = quantized.from_awq(awq_words(codes), awq_words(zeros), scales)
        np.testing.assert_array_equal(weights.codes(), codes)
        self.check(weights, expected)
        self.check(weights.repacked(), expected)

    def bitsandbytes(self, quant_type, nested, n=24, k=128, blocksize=64):
        codes = self.codes(n, k).reshape(-1)
        packed = np.array([codes[2 * i] << 4 | codes[2 * i + 1]
                           for i in range(codes.size // 2)], np.uint8)[:, None]
        blocks = -(-codes.size // blocksize)
        if nested:
            absmax = self.generator.integers(0, 256, blocks).astype(np.uint8)
            code = self.generator.standard_normal(256).astype(np.float32)
            outer, offset = np.array([0.5], np.float32), 2.0
            scales = [code[q] * outer[i // 256] + offset
                      for i, q in enumerate(absmax)]
            nested = (code, outer, offset)
        else:
            absmax = scales = self.generator.random(blocks).astype(np.float32)
            nested = None
        book = {"nf4": quantized.NF4, "fp4": quantized.FP4}[quant_type]
        flat = [book[q] * scales[i // blocksize] for i, q in enumerate(codes)]
        weights = quantized.from_bitsandbytes(
            packed, absmax, (n, k), quant_type=quant_type, blocksize=blocksize,
            nested=nested)
        return weights, np.array(flat).reshape(n, k).T

    def test_bitsandbytes(self):
        for quant_type, nested in (("nf4", False), ("nf4", True),
                                   ("fp4", False)):
            with self.subTest(quant_type=quant_type, nested=nested):
                weights, expected = self.bitsandbytes(quant_type, nested)
                # Rounded once to f16, and sums in f32.
                self.check(weights, expected, 2.0 ** -10)

    def test_bitsandbytes_blocks_across_rows(self):
        for n, k, blocksize in ((24, 96, 64), (6, 33, 64), (4, 64, 4096)):
            with self.subTest(n=n, k=k, blocksize=blocksize):
                weights, expected = self.bitsandbytes("nf4", False, n, k,
                                                      blocksize)
                self.check(weights, expected, 2.0 ** -10)

    def test_code_books(self):
        """The properties that QLoRA (section 3) and bitsandbytes' source give."""
        self.assertEqual(list(quantized.NF4), sorted(quantized.NF4))
        self.assertEqual((quantized.NF4[0], quantized.NF4[7],
                          quantized.NF4[15]), (-1.0, 0.0, 1.0))
        self.assertEqual(quantized.FP4[3], 1.0)
        self.assertEqual(quantized.FP4[3 + 8], -1.0)

    def test_hqq(self):
        n, k, group = 16, 128, 64
        for bits in (4, 2, 8):
            with self.subTest(bits=bits):
                # Rows of groups; the first part of them in the upper bits.
                codes = self.codes(n * k // group, group, bits)
                part = len(codes) * bits // 8
                packed = np.zeros((part, group), np.uint8)
                for i in range(8 // bits):
                    packed |= codes[i * part:(i + 1) * part] << 8 - bits * (i + 1)
                scale = self.small(len(codes), 1).astype(np.float16)
                zero = (self.generator.integers(0, 4 * 2 ** bits,
                                                (len(codes), 1)) / 4)
                expected = (codes - zero) * scale
                self.check(quantized.from_hqq(
                    packed, scale, zero.astype(np.float16), (n, k), bits=bits,
                    group=group), expected.reshape(n, k).T)

    def test_compressed_tensors(self):
        n, k, group = 16, 64, 32
        for bits, has_zeros in ((4, False), (4, True), (8, False)):
            with self.subTest(bits=bits, has_zeros=has_zeros):
                low = -2 ** (bits - 1)
                codes = self.generator.integers(low, -low, (n, k))
                zeros = self.generator.integers(low, -low, (n, k // group))
                zeros *= has_zeros
                scale = self.small(n, k // group).astype(np.float16)
                expected = ((codes - np.repeat(zeros, group, 1)) *
                            np.repeat(scale, group, 1).astype(np.float64))
                packed = words_along_rows((codes - low).T, bits).T
                points = words_along_rows(zeros - low, bits)
                self.check(quantized.from_compressed_tensors(
                    packed, scale, (n, k), bits=bits,
                    weight_zero_point=points if has_zeros else None),
                    expected.T)

    def test_any_number_of_rows(self):
        codes, scales = self.codes(96, 24), self.small(3, 24)
        expected = codes.astype(np.float64) * np.repeat(scales, 32, 0)
        weights = quantized.from_codes(codes, scales.astype(np.float16),
                                       group=32)
        for m in (1, 8, 9, 17, 64):
            self.check(weights, expected, m=m)

    def test_prepacked(self):
        """On the host and on the device: the same words, and of each the same
        product; k and n are no multiples of a unit."""
        k, n = 192, 40
        for weights, family, group in (("uint4", "m16n8", 64),
                                       ("int8", "m16n8", 0),
                                       ("uint2", "m16n8", 64),
                                       ("book4", "m16n8", 32),
                                       ("int4", "m8n8k4", 96)):
            with self.subTest(weights=weights, family=family):
                bits = int(weights[-1])
                codes = self.codes(k - 2, n, bits)
                groups = -(-codes.shape[0] // group) if group else 1
                book = None
                if weights == "book4":
                    book = np.arange(-8, 8).astype(np.float16)
                plain = quantized.from_codes(
                    codes, self.small(groups, n).astype(np.float16),
                    weights=weights, group=group, book=book)
                numbers = codes.astype(np.float64)
                if weights.startswith("int"):
                    numbers -= 2.0 ** bits * (codes >> bits - 1)
                if book is not None:
                    numbers = book.astype(np.float64)[codes]
                rows = np.arange(codes.shape[0]) // (group or k)
                expected = numbers * plain.scales[rows]
                packed = plain.prepacked(family)
                np.testing.assert_array_equal(packed.codes(), codes)
                self.check(packed, expected)
                on_device = ops.prepack(plain.on(tilewright.array), family,
                                        stream=0)
                np.testing.assert_array_equal(
                    tilewright.to_numpy(on_device.words), packed.words)

    def test_prepacked_formats(self):
        """What packages store, prepacked."""
        g_idx = np.arange(128) // 32
        qweight, qzeros, scales, expected = self.gptq(128, 32, 32, 4, 1, g_idx)
        self.check(quantized.from_gptq(qweight, qzeros, scales,
                                       g_idx).prepacked(), expected)
        codes, zeros = self.codes(64, 40), self.codes(2, 40)
        scales = self.small(2, 40).astype(np.float16)
        awq = quantized.from_awq(awq_words(codes), awq_words(zeros), scales)
        self.check(awq.prepacked(), (codes.astype(np.float64) -
                                     np.repeat(zeros, 32, 0)) *
                   np.repeat(scales, 32, 0))
        for made in (awq, quantized.from_bitsandbytes(
                self.codes(32, 32, 8).reshape(-1),
                self.small(32).astype(np.float32), (32, 64))):
            on_device = ops.prepack(made.on(tilewright.array), stream=0)
            np.testing.assert_array_equal(
                tilewright.to_numpy(on_device.words),
                made.prepacked(on_device.packed).words)

    def test_files_say_what_they_are(self):
        import io
        import json
        codes = self.codes(100, 20)
        for w in (quantized.from_codes(codes, np.ones((4, 20), np.float16),
                                       group=32),
                  quantized.from_codes(codes, np.ones((4, 20), np.float16),
                                       group=32).prepacked()):
            file = io.BytesIO()
            quantized.save(file, w)
            again = quantized.load(io.BytesIO(file.getvalue()), "sm_86")
            self.assertEqual((again.packed, again.order, again.shape,
                              again.weights, again.group),
                             (w.packed, w.order, w.shape, w.weights, w.group))
            np.testing.assert_array_equal(again.words, w.words)
            np.testing.assert_array_equal(again.codes(), codes)
        stored = dict(np.load(io.BytesIO(file.getvalue())))

        def refused(message, words=None, **changed):
            about = dict(json.loads(str(stored["about"])), **changed)
            other = dict(stored, about=json.dumps(about))
            if words is not None:
                other["words"] = words
            file = io.BytesIO()
            np.savez(file, **other)
            file.seek(0)
            with self.assertRaisesRegex(ValueError, message):
                quantized.load(file)

        refused("expects tilewright.quantized 1, but got tilewright.quantized 2",
                version=2)
        refused("expects tilewright.quantized 1, but got other 1",
                format="other")
        refused("in the order [0-9a-f]{12}, but got .*; pack the weights anew",
                unit=[64, 16, "0" * 64])
        refused("units of 32 rows and 16 columns .*; pack the weights anew",
                packed="m8n8k4")
        refused(r"expects words of int32 \(2, 256\), but got int32 \(2, 128\)",
                words=stored["words"][:, :128])
        file.seek(0)
        with self.assertRaisesRegex(ValueError, "expects weights prepacked for "
                                    "sm_70, but got m16n8"):
            quantized.load(file, "sm_70")
        file = io.BytesIO()
        np.savez(file, words=stored["words"])
        file.seek(0)
        with self.assertRaisesRegex(ValueError, "expects a file that "
                                    "tilewright.quantized.save wrote"):
            quantized.load(file)

    def test_what_cannot_be_prepacked(self):
        w = quantized.from_codes(self.codes(128, 16), np.ones((8, 16)), group=16)
        with self.assertRaisesRegex(ValueError, "expects groups of a multiple of "
                                    "64 rows, .* but got 16"):
            w.prepacked()
        with self.assertRaisesRegex(tilewright.Error, "expects a family of "
                                    "prepacked weights"):
            w.prepacked("m16n16")
        self.assertEqual(quantized.prepacked_for("sm_70"), "m8n8k4")
        self.assertEqual(quantized.prepacked_for("sm_90a"), "m16n8")
        with self.assertRaisesRegex(ValueError, "expects a target, but got 'x'"):
            quantized.prepacked_for("x")

    def test_repacked(self):
        """Of every width: the same codes, and the same products."""
        for weights, bits in (("uint2", 2), ("int4", 4), ("uint8", 8)):
            codes = self.codes(64, 24, bits)
            scales = self.small(2, 24)
            signed = codes.astype(np.int64)
            if weights == "int4":
                signed -= 16 * (signed > 7)
            made = quantized.from_codes(codes, scales.astype(np.float16),
                                        weights=weights, group=32).repacked()
            np.testing.assert_array_equal(made.codes(), codes)
            self.check(made, signed * np.repeat(scales, 32, 0))

    def test_one_scale_for_all(self):
        codes = self.codes(32, 16)
        weights = quantized.from_codes(codes, np.full((1, 1), 0.5, np.float16))
        self.check(weights, codes * 0.5)

    def test_epilogue(self):
        codes = self.codes(32, 16)
        weights = quantized.from_codes(codes, np.ones((1, 16), np.float16))
        a = self.generator.integers(-2, 3, (4, 32)).astype(np.float16)
        bias = self.generator.integers(-50, 50, 16).astype(np.float32)
        residual = np.ones((4, 16), np.float16)
        c = ops.quantized_matmul(
            tilewright.array(a), weights.on(tilewright.array), stream=0,
            bias=tilewright.array(bias), activation="relu",
            residual=tilewright.array(residual))
        np.testing.assert_array_equal(
            tilewright.to_numpy(c),
            np.maximum(a.astype(np.float64) @ codes + bias, 0) + 1)

    def test_what_is_refused(self):
        codes, ones = self.codes(64, 16), np.ones((1, 16), np.float16)
        weights = quantized.from_codes(codes, ones).on(tilewright.array)
        a = tilewright.array(np.ones((2, 72), np.float16))
        with self.assertRaisesRegex(tilewright.Error,
                                    "expects word_rows=9, which is k / 8"):
            ops.quantized_matmul(a, weights, stream=0)
        with self.assertRaisesRegex(tilewright.Error, "expects groups=2"):
            ops.quantized_matmul(tilewright.array(np.ones((2, 64), np.float16)),
                                 dataclasses.replace(weights, group=32),
                                 stream=0)
        with self.assertRaisesRegex(TypeError, "order of w.rows"):
            ops.quantized_matmul(a, dataclasses.replace(weights, rows=ones),
                                 stream=0)
        with self.assertRaisesRegex(TypeError, "w.words of int8 or int32"):
            ops.quantized_matmul(a, dataclasses.replace(
                weights, words=tilewright.array(ones)), stream=0)
        with self.assertRaisesRegex(TypeError, "a of 2 dimensions, but got 1"):
            ops.quantized_matmul(tilewright.array(np.ones(2, np.float16)),
                                 weights, stream=0)
        with self.assertRaisesRegex(ValueError, "weights of uint2, int2"):
            quantized.from_codes(codes, ones, weights="int3")
        with self.assertRaisesRegex(ValueError, "bits of 2, 4 or 8, but got 3"):
            quantized.from_gptq(codes, codes, ones, bits=3)
        words, none = np.zeros((8, 16), np.int32), np.ones((0, 16), np.float16)
        for message, make in (
                ("a multiple of the groups, but got 0",
                 lambda: quantized.from_gptq(words, words, none)),
                ("a multiple of the groups, but got 0",
                 lambda: quantized.from_awq(words, words, none)),
                ("a multiple of the groups, but got 0",
                 lambda: quantized.from_compressed_tensors(
                     words, none.T, (16, 64))),
                (r"qzeros of 2 dimensions, but got shape \(16,\)",
                 lambda: quantized.from_gptq(words, words[0], ones)),
                ("qweight of integers, but got float16",
                 lambda: quantized.from_awq(ones, words, ones)),
                (r"g_idx of 64 groups, but got shape \(3,\)",
                 lambda: quantized.from_gptq(words, words, ones, np.zeros(
                     3, np.int64))),
                ("groups below 1 in g_idx",
                 lambda: quantized.from_gptq(words, words, ones[:1], np.full(
                     64, 7))),
                ("blocksize above 0, but got 0",
                 lambda: quantized.from_bitsandbytes(words, ones, (8, 64),
                                                     blocksize=0)),
                ("multiple of group, but got 0",
                 lambda: quantized.from_hqq(words, ones, ones, (8, 64),
                                            group=0))):
            with self.assertRaisesRegex(ValueError, message):
                make()
        with self.assertRaisesRegex(TypeError, r"w.shape to be \(k, n\), but"):
            ops.dequantize(dataclasses.replace(weights, shape=[]), stream=0)
        with self.assertRaisesRegex(ValueError, "groups of 32 rows in g_idx"):
            quantized.from_gptq(words_along_rows(codes, 4), np.zeros((2, 2),
                                np.int32), np.ones((2, 16), np.float16),
                                np.zeros(64, np.int64))
        with self.assertRaisesRegex(ValueError, "absmax of 2 blocks, but got 3"):
            quantized.from_bitsandbytes(np.zeros((48, 1), np.uint8),
                                        np.ones(3), (1, 96))


if __name__ == "__main__":
    unittest.main()
