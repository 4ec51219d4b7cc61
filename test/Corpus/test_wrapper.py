# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches through a wrapper, with programs of a few lines in the driver's
and the wrapper's places: what is run, and what counts as a failure."""

import argparse
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from backends import Compiler, Launch, TilewrightRun
from run import command_words

# Records that it ran, runs what follows its own three words, and reports.
WRAPPER = """\
import pathlib, subprocess, sys
pathlib.Path(sys.argv[1]).write_text(" ".join(sys.argv[3:]))
inner = subprocess.run(sys.argv[3:]).returncode
print("1 hazard")
sys.exit(int(sys.argv[2]) or inner)
"""


class Wrapper(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.seen = self.folder / "seen"

    def launch(self, status: int, driver: str) -> str | None:
        """The error of a launch whose wrapper ends with `status`."""
        script = self.folder / "wrapper.py"
        script.write_text(WRAPPER)
        wrapper = (sys.executable, str(script), str(self.seen), str(status))
        backend = TilewrightRun(Compiler(driver, 60.0), "emulator", 60.0, 0,
                                wrapper)
        return backend.launch((self.folder / "kernel.artifact", "kernel"),
                              [Launch((1, 2, 3), [])], self.folder)[0]

    def test_the_launch_goes_through_it(self):
        self.assertIsNone(self.launch(0, "true"))
        words = self.seen.read_text().split()
        self.assertEqual(words[:2], ["true", "run"])
        self.assertIn("--grid=1,2,3", words)

    def test_its_exit_status_fails_a_launch(self):
        self.assertEqual(self.launch(9, "true"), "exit status 9: 1 hazard")

    def test_a_failed_driver_is_told_with_the_report(self):
        driver = self.folder / "driver"
        driver.write_text("#!/bin/sh\necho it faulted >&2\nexit 3\n")
        driver.chmod(0o755)
        self.assertEqual(self.launch(0, str(driver)),
                         "exit status 3: it faulted\n1 hazard")

    def test_words_of_a_command(self):
        self.assertEqual(command_words("true --flag 'two words'"),
                         ("true", "--flag", "two words"))
        for text in ("", "no-such-program --flag", "true 'open"):
            with self.assertRaises(argparse.ArgumentTypeError):
                command_words(text)


if __name__ == "__main__":
    unittest.main()
