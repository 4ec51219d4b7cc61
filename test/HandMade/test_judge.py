# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The judge of mutants that verify: python -m unittest discover test/HandMade"""

import argparse
import json
import tempfile
import unittest
from pathlib import Path

import judge
from judge import Runner, bound_shifts, find_problem

SHIFTED = ("    %q = arith.shrsi %w, %k#1 : tensor<8x4xi32> loc(#loc7)\n"
           "    %r = arith.shli %a, %b overflow<nsw> : i64\n")
BOUNDED = """\
%bound.0.last = arith.constant dense<31> : tensor<8x4xi32>
%bound.0 = arith.andi %k#1, %bound.0.last : tensor<8x4xi32>
    %q = arith.shrsi %w, %bound.0 : tensor<8x4xi32> loc(#loc7)
%bound.1.last = arith.constant 63 : i64
%bound.1 = arith.andi %b, %bound.1.last : i64
    %r = arith.shli %a, %bound.1 overflow<nsw> : i64
"""
UNINITIALIZED = "k: uninitialized-register at k.py:1:2: st.global: ..."


def report(status: str, message: str = "") -> str:
    return json.dumps({"status": "judged",
                       "images": [{"status": status, "message": message}]})


class OfAnswers:
    """In the place of a ForkServer: says what it was given to say."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers

    def run(self, command, said, errors, seconds, memory) -> int:
        case = json.loads(Path(command[0]).read_text())
        said.write_text(self.answers[Path(case["kernel"]).read_text()])
        errors.write_text("")
        return 0


class JudgeTest(unittest.TestCase):
    def judge(self, text: str, answers: dict[str, str]) -> tuple[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner.__new__(Runner)
            runner.options = argparse.Namespace(seconds=1)
            runner.folder = Path(folder)
            runner.server = OfAnswers(answers)
            return runner.judge(text, {"grid": [1]})

    def test_shifts_are_bounded(self) -> None:
        self.assertEqual(bound_shifts(SHIFTED), BOUNDED)
        self.assertEqual(bound_shifts("%q = arith.addi %a, %b : i32"),
                         "%q = arith.addi %a, %b : i32")

    def test_what_a_shift_explains(self) -> None:
        """Only where the register has a value once no shift is too far."""
        poisoned = report("faulted", UNINITIALIZED)
        agrees = report("agrees")
        self.assertEqual(self.judge(SHIFTED, {SHIFTED: poisoned,
                                              BOUNDED: agrees}),
                         ("shifts too far", ""))
        for other in (poisoned, report("differs", "element 0")):
            word, problem = self.judge(SHIFTED, {SHIFTED: poisoned,
                                                 BOUNDED: other})
            self.assertEqual(word, "faulted")
            self.assertIn("uninitialized-register", problem)
        self.assertEqual(self.judge("no shift", {"no shift": poisoned}),
                         ("faulted", UNINITIALIZED))

    def test_other_faults_have_no_excuse(self) -> None:
        message = "k: out-of-bounds at k.py:1:2: ld.global: ..."
        self.assertEqual(
            self.judge(SHIFTED, {SHIFTED: report("faulted", message)}),
            ("faulted", message))
        self.assertEqual(find_problem("", -6, "", "x"),
                         ("ended", "status -6: x"))

    def test_a_case_is_kept_under_its_number(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = judge.write("text", {"seed": 7}, Path(folder) / "2.5209")
            self.assertEqual(file.name, "2.5209.json")
            case = json.loads(file.read_text())
            self.assertEqual(Path(case["kernel"]).name, "2.5209.ttir")
            self.assertEqual(case["seed"], 7)


if __name__ == "__main__":
    unittest.main()
