# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's operators with NumPy on the emulator's CUDA library
(TILEWRIGHT_CUDA_DRIVER): python -m unittest discover python/tests"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tilewright
from tilewright import ops


def on_gpu(values):
    return tilewright.array(values)


# What is measured stays in the cache, so that this has one of its own.
MEASURED = """
import numpy as np
import tilewright
from tilewright import ops
ops.machine_code = False
a = tilewright.array(np.ones((16, 48), np.float16))
b = tilewright.array(np.ones((48, 16), np.float16))
print(ops.matmul(a, b, explain=True).count("; measured"))
ops.tune = 2
print(ops.matmul(a, b, explain=True).count("; measured"))
"""


class Malformed:
    """A tensor whose DLTensor has another number of `size` bytes at `offset`
    (dlpack.h): what a framework may get wrong."""

    def __init__(self, array, offset, size, number, device=(2, 0)):
        self.array, self.device = array, device
        self.change = offset, number.to_bytes(size, "little", signed=True)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        capsule = self.array.__dlpack__(stream=stream)
        find = ctypes.pythonapi.PyCapsule_GetPointer
        find.restype = ctypes.c_void_p
        find.argtypes = [ctypes.py_object, ctypes.c_char_p]
        offset, data = self.change
        ctypes.memmove(find(capsule, b"dltensor") + offset, data, len(data))
        return capsule


class OpsTest(unittest.TestCase):
    def setUp(self):
        # The emulator takes PTX.
        ops.machine_code = False
        self.generator = np.random.default_rng(3)

    def random(self, *shape, type=np.float16):
        return self.generator.standard_normal(shape).astype(type)

    def check(self, result, expected, tolerance=2e-3):
        np.testing.assert_allclose(tilewright.to_numpy(result), expected,
                                   rtol=tolerance, atol=tolerance)

    def test_matmul(self):
        a, b = self.random(33, 50), self.random(50, 65)
        c = ops.matmul(on_gpu(a), on_gpu(b), stream=0)
        self.assertEqual(c.shape, [33, 65])
        self.check(c, a.astype(np.float64) @ b.astype(np.float64), 1e-2)

    def test_epilogue_and_batches(self):
        a = self.random(3, 5, 24, type=np.float32)
        b = self.random(24, 16, type=np.float32)
        bias = self.random(16, type=np.float32)
        residual = self.random(3, 5, 16, type=np.float32)
        c = ops.matmul(on_gpu(a), on_gpu(b), bias=on_gpu(bias),
                       residual=on_gpu(residual), activation="relu", scale=0.5,
                       stream=0)
        self.check(c, np.maximum(0.5 * (a @ b) + bias, 0) + residual)

    def test_split_needs_a_workspace(self):
        a, b = self.random(16, 1024), self.random(1024, 16)
        c = ops.matmul(on_gpu(a), on_gpu(b), config="16x16x64w1s2k4",
                       out_type="f32", stream=0)
        self.check(c, a.astype(np.float64) @ b.astype(np.float64))

    def test_integers(self):
        a = self.generator.integers(-128, 128, (20, 40)).astype(np.int8)
        b = self.generator.integers(-128, 128, (40, 8)).astype(np.int8)
        c = ops.matmul(on_gpu(a), on_gpu(b), stream=0)
        np.testing.assert_array_equal(tilewright.to_numpy(c),
                                      a.astype(np.int32) @ b.astype(np.int32))

    def test_empty_sums(self):
        c = ops.matmul(on_gpu(self.random(4, 0)), on_gpu(self.random(0, 8)),
                       stream=0)
        self.check(c, np.zeros((4, 8)))

    def test_dynamic_sizes_share_code(self):
        b = self.random(32, 16)
        for m in (1, 3, 4, 20):
            a = self.random(m, 32)
            c = ops.matmul(on_gpu(a), on_gpu(b), dynamic="m", stream=0)
            self.check(c, a.astype(np.float64) @ b.astype(np.float64), 1e-2)

    def test_rows(self):
        x = self.random(7, 133, type=np.float32)
        weight, bias = self.random(2, 133, type=np.float32)
        exponentials = np.exp(x - x.max(axis=1, keepdims=True))
        self.check(ops.softmax(on_gpu(x), stream=0),
                   exponentials / exponentials.sum(axis=1, keepdims=True))
        norm = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(
            x.var(axis=1, keepdims=True) + 1e-5)
        self.check(ops.layer_norm(on_gpu(x), on_gpu(weight), on_gpu(bias),
                                  stream=0), norm * weight + bias)
        root = np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)
        self.check(ops.rms_norm(on_gpu(x), on_gpu(weight), stream=0),
                   x / root * weight)

    def test_gated_rows(self):
        x, gate = self.random(2, 5, 70)
        weight, bias = self.random(2, 70, type=np.float32)
        a, z = x.astype(np.float64), gate.astype(np.float64)
        root = np.sqrt((a * a).mean(axis=1, keepdims=True) + 1e-5)
        self.check(ops.rms_norm(on_gpu(x), on_gpu(weight), bias=on_gpu(bias),
                                gate=on_gpu(gate), stream=0),
                   (a / root * weight + bias) * z / (1 + np.exp(-z)), 2e-3)
        norm = (a - a.mean(axis=1, keepdims=True)) / np.sqrt(
            a.var(axis=1, keepdims=True) + 1e-5)
        self.check(ops.layer_norm(on_gpu(x), gate=on_gpu(gate), stream=0,
                                  activation="sigmoid"),
                   norm / (1 + np.exp(-z)), 2e-3)

    def test_residual_and_quantized_rows(self):
        x, residual = self.random(2, 5, 64, type=np.float32)
        y, total, scales = ops.rms_norm(on_gpu(x), residual=on_gpu(residual),
                                        out_type="i8", stream=0)
        self.check(total, x + residual)
        together = x + residual
        expected = together / np.sqrt(
            (together ** 2).mean(axis=1, keepdims=True) + 1e-5)
        scales = tilewright.to_numpy(scales)
        np.testing.assert_allclose(scales, np.abs(expected).max(axis=1) / 127,
                                   rtol=1e-4)
        np.testing.assert_allclose(
            tilewright.to_numpy(y) * scales[:, None], expected,
            atol=scales.max() * 0.51)

    def test_malformed_tensors(self):
        a = on_gpu(self.random(8, 8))
        rank, lanes, shape = (16, 4), (22, 2), (24, 8)
        for change, message in (
                ((*rank, -1), "tensor 'b': expects a tensor of 0 to 64 "
                              "dimensions, but got -1"),
                ((*rank, 1 << 30), "0 to 64 dimensions, but got 1073741824"),
                ((*shape, 0), "expects a tensor with sizes, but got none"),
                ((*lanes, 4), "one type, but got f16 and")):
            with self.assertRaisesRegex(TypeError, message):
                ops.matmul(a, Malformed(a, *change), stream=0)
        with self.assertRaisesRegex(TypeError, "__dlpack_device__, but got no"):
            ops.matmul(a, Malformed(a, *rank, 2, device="gpu"), stream=0)

    def test_words_and_ranks(self):
        a = on_gpu(self.random(8, 8))
        with self.assertRaises(UnicodeEncodeError):
            ops.matmul(a, a, activation="\ud800", stream=0)
        heads = on_gpu(self.random(2, 8, 8))
        with self.assertRaisesRegex(TypeError, "v of 3 or 4 dimensions, but got "
                                               "1"):
            ops.attention(heads, heads, on_gpu(self.random(8)), stream=0)
        with self.assertRaisesRegex(TypeError, "of type 'NoneType'"):
            tilewright.to_numpy(None)

    def attend(self, q, k, v, mask=None):
        """By its definition; mask: which keys each query sees."""
        q, k, v = (x.astype(np.float64) for x in (q, k, v))
        group = q.shape[-3] // k.shape[-3]
        k, v = (np.repeat(x, group, axis=-3) for x in (k, v))
        x = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        if mask is not None:
            x = np.where(mask, x, -np.inf)
        weights = np.exp(x)
        sums = weights.sum(axis=-1, keepdims=True)
        return weights / sums @ v, np.log(sums[..., 0])

    def test_attention(self):
        q, k, v = (self.random(2, 4, 20, 32), self.random(2, 2, 33, 32),
                   self.random(2, 2, 33, 16))
        mask = np.arange(33) <= np.arange(20)[:, None] + 13
        out, lse = ops.attention(on_gpu(q), on_gpu(k), on_gpu(v), lse=True,
                                 causal="bottom-right", stream=0)
        expected, logarithms = self.attend(q, k, v, mask)
        self.check(out, expected)
        self.check(lse, logarithms)

    def test_packed_attention(self):
        q, k, v = (self.random(2, 30, 16), self.random(2, 30, 16),
                   self.random(2, 30, 16))
        bounds = on_gpu(np.array([0, 7, 7, 30], np.int64))
        out = ops.attention(on_gpu(q), on_gpu(k), on_gpu(v),
                            query_offsets=bounds, key_offsets=bounds, stream=0)
        parts = [self.attend(*(x[:, begin:end] for x in (q, k, v)))[0]
                 for begin, end in ((0, 7), (7, 30))]
        self.check(out, np.concatenate(parts, axis=1))

    def test_paged_decoding(self):
        q = self.random(2, 4, 1, 32)
        k, v = self.random(5, 1, 16, 32), self.random(5, 1, 16, 32)
        pages = np.array([[3, 0, 4], [1, 2, 0]], np.int32)
        lengths = np.array([37, 20], np.int32)
        out = tilewright.to_numpy(ops.attention(
            on_gpu(q), on_gpu(k), on_gpu(v), pages=on_gpu(pages),
            lengths=on_gpu(lengths), stream=0))
        for b in range(2):
            keys, values = (x[pages[b]].swapaxes(0, 1).reshape(1, 48, 32)
                            [:, :lengths[b]] for x in (k, v))
            expected, _ = self.attend(q[b], keys, values)
            np.testing.assert_allclose(out[b], expected, atol=2e-3)

    def test_prepare_and_explain(self):
        a, b = on_gpu(self.random(16, 16)), on_gpu(self.random(16, 16))
        self.assertIn("predicted times", ops.matmul(a, b, explain=True))
        out = tilewright.empty((16, 16), np.float16)
        ops.matmul(a, b, out=out, prepare=True)
        np.testing.assert_array_equal(tilewright.to_numpy(out), 0)

    def test_measured_choices(self):
        with tempfile.TemporaryDirectory() as folder:
            for expected in ("0\n2\n", "2\n2\n"):
                done = subprocess.run(
                    [sys.executable, "-c", MEASURED], check=True, text=True,
                    env={**os.environ, "TILEWRIGHT_CACHE_DIR": folder},
                    stdout=subprocess.PIPE)
                self.assertEqual(done.stdout, expected)

    def test_too_many_to_measure(self):
        a, b = on_gpu(self.random(16, 48)), on_gpu(self.random(48, 16))
        self.addCleanup(setattr, ops, "tune", 0)
        ops.tune = 5000
        with self.assertRaisesRegex(tilewright.Error,
                                    "tune to be at most 1024 candidates"):
            ops.matmul(a, b, stream=0)

    def test_what_is_refused(self):
        a, b = on_gpu(self.random(4, 5)), on_gpu(self.random(6, 4))
        with self.assertRaisesRegex(tilewright.Error,
                                    "expects dimension 1 of 'b', k, to be 5, "
                                    "but got 6"):
            ops.matmul(a, b, stream=0)
        with self.assertRaisesRegex(TypeError, "expects stream="):
            ops.matmul(a, on_gpu(self.random(5, 4)))
        with self.assertRaisesRegex(TypeError, "one type, but got f16 and f32"):
            ops.matmul(a, on_gpu(self.random(5, 4, type=np.float32)), stream=0)
        with self.assertRaisesRegex(TypeError, "tensor 'a': expects a tensor"):
            ops.matmul(1, b, stream=0)
        with self.assertRaisesRegex(tilewright.Error,
                                    "activation=one of none, relu"):
            ops.matmul(a, on_gpu(self.random(5, 4)), activation="tan", stream=0)
        with self.assertRaisesRegex(TypeError, "keywords stream, config"):
            ops.softmax(a, streams=0)
        with self.assertRaisesRegex(ValueError, "expects dropout_p=0"):
            ops.scaled_dot_product_attention(a, a, a, dropout_p=0.5)
        with self.assertRaisesRegex(tilewright.Error,
                                    "one of this problem's configurations"):
            ops.matmul(a, on_gpu(self.random(5, 4)), stream=0,
                       config="48x48x48w4s3k1")


if __name__ == "__main__":
    unittest.main()
