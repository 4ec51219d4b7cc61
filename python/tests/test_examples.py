# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples and benchmarks in Python, where what they need is there."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ExamplesTest(unittest.TestCase):
    def run_script(self, path, *arguments):
        done = subprocess.run([sys.executable, str(ROOT / path), *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if done.stdout.startswith("skipped: "):
            self.skipTest(done.stdout.removeprefix("skipped: ").strip())
        return done.stdout

    def test_pytorch(self):
        last = ("compiled" if os.environ.get("TILEWRIGHT_CUDA_DRIVER")
                else "captured")
        self.assertRegex(self.run_script("examples/pytorch.py"),
                         f"eager, .*{last}$")

    def test_launch_beside_triton(self):
        self.assertIn("us a launch",
                      self.run_script("bench/launch_vs_triton.py"))


if __name__ == "__main__":
    unittest.main()
