# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors and streams of the frameworks that are there, on a GPU."""

import os
import pathlib
import unittest

import tilewright

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNT = 1000
GRID = (COUNT + 63) // 64


def require(name):
    """The framework, on a GPU; skips the test without either."""
    if os.environ.get("TILEWRIGHT_CUDA_DRIVER"):
        raise unittest.SkipTest("a framework's tensors need the GPU's driver")
    try:
        return __import__(name)
    except ImportError as error:
        raise unittest.SkipTest(str(error)) from error


class FrameworksTest(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "examples" / "add.mlir").read_text()
        self.add = tilewright.compile(text, machine_code=False)["add"]

    def test_cupy(self):
        cupy = require("cupy")
        if not cupy.is_available():
            self.skipTest("no GPU found")
        x = cupy.random.random(COUNT, dtype=cupy.float32)
        y = cupy.random.random(COUNT, dtype=cupy.float32)
        cupy.cuda.Device().synchronize()
        for stream in (cupy.cuda.Stream(non_blocking=True),
                       cupy.cuda.Stream.null):
            with stream:
                out = cupy.full(COUNT, cupy.nan, dtype=cupy.float32)
                self.add[GRID](x, y, out, COUNT, stream=stream)
                result = out.get()
            self.assertTrue((result == (x + y).get()).all())

    def test_pytorch(self):
        torch = require("torch")
        if not torch.cuda.is_available():
            self.skipTest("no GPU found")
        x, y = torch.rand(2, COUNT, device="cuda")
        torch.cuda.synchronize()
        for stream in (torch.cuda.Stream(), torch.cuda.default_stream()):
            with torch.cuda.stream(stream):
                out = torch.full_like(x, torch.nan)
                self.add[GRID](x, y, out, COUNT, stream=stream)
                result = out.cpu()
            self.assertTrue(torch.equal(result, (x + y).cpu()))


if __name__ == "__main__":
    unittest.main()
