# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel (TILEWRIGHT_WHEEL) in an empty environment, where there is no compiler:
it installs, compiles a kernel, and costs Python's start nothing. run.py runs it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ADD = pathlib.Path(__file__).resolve().parents[2] / "examples" / "add.mlir"


@unittest.skipUnless(os.environ.get("TILEWRIGHT_WHEEL"), "TILEWRIGHT_WHEEL names no wheel")
class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([sys.executable, "-m", "venv", cls.folder.name], check=True)
        cls.run_python("-m", "pip", "install", "-q", "--no-index", "--no-deps",
                       "--disable-pip-version-check", os.environ["TILEWRIGHT_WHEEL"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_python(cls, *arguments, **environment):
        """What a program prints that finds no other program."""
        return subprocess.run(
            [f"{cls.folder.name}/bin/python", *arguments], check=True, text=True,
            stdout=subprocess.PIPE, cwd=cls.folder.name,
            env={"PATH": "/nonexistent", **environment}).stdout

    def test_compiles(self):
        text = self.run_python("-c", (
            "import sys, tilewright\n"
            "text = open(sys.argv[1]).read()\n"
            "print(tilewright.emit(text, ['ptx'], 'sm_75')['ptx'])"), str(ADD))
        self.assertIn(".target sm_75", text)

    def test_nothing_is_imported_at_the_start(self):
        names = "import sys; print([name for name in sys.modules if 'tilewright' in name])"
        for value in ("", "0"):
            self.assertEqual(self.run_python("-c", names, TILEWRIGHT_TRITON=value).strip(), "[]")
        self.assertEqual(self.run_python("-c", names, TILEWRIGHT_TRITON="1").strip(),
                         "['tilewright_triton_startup']")

    def test_asks_for_no_later_libc_than_its_name_says(self):
        named = re.search(r"manylinux_2_(\d+)_", os.environ["TILEWRIGHT_WHEEL"])
        self.assertTrue(named)
        with zipfile.ZipFile(os.environ["TILEWRIGHT_WHEEL"]) as wheel:
            libraries = [name for name in wheel.namelist() if ".so" in name]
            self.assertEqual(len(libraries), 2)
            for name in libraries:
                asked = re.findall(rb"GLIBC_2\.(\d+)", wheel.read(name))
                self.assertLessEqual(max(map(int, asked)), int(named[1]), name)

    def test_says_that_there_is_no_triton(self):
        said = self.run_python("-c", (
            "import tilewright.triton\n"
            "try:\n"
            "    tilewright.triton.enable()\n"
            "except ImportError as error:\n"
            "    print(error)"))
        self.assertIn("No module named 'triton'", said)


if __name__ == "__main__":
    unittest.main()
