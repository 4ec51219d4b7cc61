# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of programs/, which know nothing of Tilewright, with
TILEWRIGHT_TRITON=1 on the emulator's CUDA driver, for GPUs that Triton serves and
for some that it has left. standin/ has a stand-in for PyTorch. run.py runs it."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
DEVICES = ("sm_70", "sm_75", "sm_80", "sm_90")


@unittest.skipUnless(importlib.util.find_spec("triton"), "Triton is not installed")
class ProgramsTest(unittest.TestCase):
    def run_program(self, path, device, **environment):
        path_of_python = [str(HERE / "standin"), os.environ.get("PYTHONPATH", "")]
        return subprocess.run(
            [sys.executable, path], text=True, timeout=300, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path_of_python),
                 "TILEWRIGHT_EMULATOR_DEVICE": device, "TILEWRIGHT_TRITON": "1",
                 # The emulator runs PTX.
                 "TILEWRIGHT_TRITON_IMAGE": "ptx", **environment})

    def check(self, name, device):
        run = self.run_program(HERE / "programs" / f"{name}.py", device)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_without_the_variable_it_is_triton(self):
        # Triton's own machine code, which the emulator cannot load.
        run = self.run_program(HERE / "programs" / "vector_add.py", "sm_80",
                               TILEWRIGHT_TRITON="0")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("Triton Error [CUDA]", run.stdout)

    def test_a_kernel_in_memory_belongs_to_its_setting(self):
        run = self.run_program(HERE / "switching.py", "sm_80", TILEWRIGHT_TRITON="0")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_tensor_maps(self):
        run = self.run_program(HERE / "tensor_maps.py", "sm_90")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_descriptors(self):
        for device in ("sm_75", "sm_80", "sm_90"):
            run = self.run_program(HERE / "descriptors.py", device)
            self.assertEqual(run.returncode, 0, run.stdout)

    def test_interfaces(self):
        run = self.run_program(HERE / "interfaces.py", "sm_80")
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_wrong_result_is_noticed(self):
        program = HERE / "programs" / "vector_add.py"
        wrong = pathlib.Path(os.environ["TRITON_CACHE_DIR"]) / "wrong.py"
        wrong.parent.mkdir(parents=True, exist_ok=True)
        wrong.write_text(program.read_text().replace("mask=inside) + tl", "mask=inside) - tl"))
        run = self.run_program(wrong, "sm_80")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("Mismatched elements", run.stdout)


def add_tests():
    for path in sorted((HERE / "programs").glob("*.py")):
        for device in DEVICES:
            def test(self, name=path.stem, device=device):
                self.check(name, device)
            setattr(ProgramsTest, f"test_{path.stem}_{device}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
