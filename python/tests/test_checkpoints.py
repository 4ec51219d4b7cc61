# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers as the packages' modules and files have them, on the emulator's CUDA
library (TILEWRIGHT_CUDA_DRIVER), without the packages: checkpoints.npz has what
they packed, and products with the weights that they take it for
(test/Checkpoints/against_packages.py --record)."""

import dataclasses
import json
import os
import tempfile
import unittest

import numpy as np

import tilewright
from tilewright import checkpoints, ops

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "checkpoints.npz")


class Float8:
    """What a tensor of a type that NumPy lacks is taken for without PyTorch."""

    def __init__(self, bits, kind):
        self._bits, self.dtype, self.shape = bits, "float8." + kind, bits.shape

    def __array__(self, dtype=None, copy=None):
        return self._bits


class RecordedTest(unittest.TestCase):
    def setUp(self):
        # The emulator takes PTX.
        ops.machine_code = False

    def cases(self):
        """(what it is, tensors by name, hints, activations, products)"""
        with np.load(RECORDED) as file:
            for number, entry in enumerate(json.loads(bytes(file["index"]))):
                tensors = {}
                for name, kind in entry["types"].items():
                    values = file[f"{number}/{name}"]
                    tensors[name] = Float8(values, kind) \
                        if kind.startswith("float8") else values
                yield entry, tensors, file[str(number)]

    def activations(self, k):
        steps = np.arange(3 * k).reshape(3, k)
        return (steps * steps // 7 % 5 - 2).astype(np.float16)

    def test_recorded(self):
        """Products of the operator, within what rounding weights to f16 takes."""
        formats = set()
        for entry, tensors, wanted in self.cases():
            with self.subTest(package=entry["package"], name=entry["name"]):
                kind, weights = checkpoints.weights_of(tensors, **entry["hints"])
                formats.add(kind)
                a = self.activations(weights.shape[0])
                w = dataclasses.replace(weights, rows=None).on(tilewright.array)
                given = a if weights.rows is None else a[:, weights.rows]
                c = tilewright.to_numpy(ops.quantized_matmul(
                    tilewright.array(given), w, stream=0, out_type="f32"))
                numbers = tilewright.to_numpy(ops.dequantize(w, stream=0))
                bound = 2.0 ** -10 * (np.abs(given).astype(float) @
                                      np.abs(numbers).astype(float)) + 2.0 ** -20
                self.assertEqual(wanted.shape, c.shape)
                error = np.abs(c - wanted)
                self.assertTrue((error <= bound).all(), (error / bound).max())
        self.assertEqual(formats, {name for name, _, _ in checkpoints._FORMATS})

    def test_dense_codes(self):
        """Any width, with codes that lie in two words, either axis."""
        generator = np.random.default_rng(3)
        for bits in range(1, 9):
            for count in (5, 32, 50):
                codes = generator.integers(0, 2 ** bits, (count, 3))
                words = np.zeros((-(-count * bits // 32), 3), np.uint32)
                for (row, column), code in np.ndenumerate(codes):
                    for bit in range(bits):
                        at = row * bits + bit
                        words[at // 32, column] |= np.uint32(
                            (int(code) >> bit & 1) << at % 32)
                words = words.view(np.int32)
                np.testing.assert_array_equal(
                    checkpoints._unpack_dense(words, bits, 0, count), codes)
                np.testing.assert_array_equal(
                    checkpoints._unpack_dense(np.ascontiguousarray(words.T), bits,
                                              1, count), codes.T)

    def test_blocks(self):
        """Scales for blocks of rows and columns, of which the last are parts."""
        generator = np.random.default_rng(4)
        n, k, block = 48, 96, (32, 64)
        codes = generator.integers(-9, 10, (n, k)).astype(np.int8)
        scales = 2.0 ** generator.integers(-2, 3, (2, 2))
        expected = codes * np.kron(scales, np.ones(block))[:n, :k]
        _, weights = checkpoints.weights_of(
            {"weight": codes, "weight_scale_inv": scales.astype(np.float32)},
            block=block)
        w = ops.dequantize(weights.on(tilewright.array), stream=0)
        np.testing.assert_array_equal(tilewright.to_numpy(w), expected.T)

    def test_hints(self):
        self.assertEqual(checkpoints.hints_of(
            {"quant_method": "gptq", "checkpoint_format": "gptq_v2",
             "group_size": 64}), {"gptq_version": 2, "group": 64})
        self.assertEqual(checkpoints.hints_of(
            {"config_groups": {"group_0": {"weights": {
                "block_structure": [128, 64]}}}}), {"block": (128, 64)})
        self.assertEqual(checkpoints.hints_of({"group_size": -1}), {})

    def test_what_is_refused(self):
        def refused(message, tensors, **hints):
            with self.assertRaisesRegex(ValueError, message):
                checkpoints.weights_of(tensors, **hints)
        ones = np.ones((32, 64), np.int8)
        scale = np.ones((32, 1), np.float32)
        refused("expects the tensors of a quantized layer .*, but got bias, "
                "weight", {"weight": scale, "bias": scale})
        refused("values for 1 or 32 rows, but got 3",
                {"weight": ones, "weight_scale": scale[:3]})
        refused("k = 64 to be a multiple of the groups, but got 3",
                {"weight": ones, "weight_scale": np.ones((32, 3), np.float32)})
        refused("blocks of", {"weight": ones, "weight_scale_inv": scale})
        words = np.zeros((32, 9), np.int32)
        refused("words of 64 codes", {"weight_packed": words, "weight_shape":
                                      np.array([32, 64]), "weight_scale": scale})
        refused("codes of 1 to 8 bits, but got 16", {
            "weight_packed": np.zeros((32, 32), np.int32), "weight_scale": scale,
            "weight_shape": np.array([32, 64])})
        refused("groups of 32 rows in g_idx", {
            "weight_packed": words[:, :8], "weight_shape": np.array([32, 64]),
            "weight_scale": np.ones((32, 2), np.float32),
            "weight_g_idx": np.zeros(64, np.int32)})
        refused("g_idx of 64 rows", {
            "weight_packed": words[:, :8], "weight_shape": np.array([32, 64]),
            "weight_scale": np.ones((32, 2), np.float32),
            "weight_g_idx": np.zeros(60, np.int32)})
        refused("weight_format 0", {"weight": ones, "SCB": scale,
                                    "weight_format": np.array(2)})
        vector = {"qweight": words[:, :8], "qzeros": words[:, :1],
                  "scales": np.ones((32, 8), np.float16)}
        refused("the group size", vector)
        hqq = {"W_q": ones.view(np.uint8), "scale": scale, "zero": scale,
               "shape": np.array([32, 64]), "nbits": 5, "axis": 1}
        refused("codes of 1, 2, 3, 4 or 8 bits, but got 5", hqq)
        refused("axis=1", dict(hqq, axis=0))
        refused("weights alone", {
            "W_q": ones, "scales": scale, "zeros": scale, "orig_shape":
            np.array([32, 64]), "metadata": np.full(12, 3)})
        refused("codes of 2 to 8 bits", {
            "qweight": np.zeros((64, 32), np.int32), "qzeros": words,
            "scales": np.ones((2, 32), np.float16),
            "g_idx": np.zeros(128, np.int32)})


class FilesTest(unittest.TestCase):
    def test_without_files(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ValueError, "a folder with .safetensors"):
                checkpoints.Checkpoint(folder)

    def test_files(self):
        try:
            from safetensors.numpy import save_file
        except ImportError:
            self.skipTest("expects safetensors")
        with tempfile.TemporaryDirectory() as folder:
            zeros = {"m.a.qweight": np.zeros((8, 32), np.int32),
                     "m.a.qzeros": np.full((2, 4), 0x07070707, np.int32),
                     "m.a.scales": np.ones((2, 32), np.float16)}
            save_file(zeros, os.path.join(folder, "model-1.safetensors"))
            save_file({"m.norm.weight": np.ones(3, np.float32)},
                      os.path.join(folder, "model-2.safetensors"))
            with open(os.path.join(folder, "config.json"), "w") as file:
                json.dump({"quantization_config": {
                    "quant_method": "gptq", "checkpoint_format": "gptq_v2"}}, file)
            with checkpoints.Checkpoint(folder) as checkpoint:
                self.assertEqual(checkpoint.layers(), ["m.a"])
                self.assertEqual(len(checkpoint.names()), 4)
                kind, weights = checkpoint.weights("m.a")
                with self.assertRaisesRegex(KeyError, "name of a tensor"):
                    checkpoint.tensor("m.b")
        self.assertEqual((kind, weights.shape, weights.group),
                         ("GPTQ", (64, 32), 32))
        # Version 2: as they are.
        self.assertEqual(sorted(set(weights.zeros.reshape(-1))), [0, 7])


if __name__ == "__main__":
    unittest.main()
