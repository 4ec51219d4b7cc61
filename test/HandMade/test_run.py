# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The judge of inputs: python -m unittest discover test/HandMade"""

import tempfile
import unittest
from pathlib import Path

from inputs import COMPILES, EITHER, REFUSED, WHOLE, Input, make_inputs
from mutate import make_damaged, make_mutants
from run import Outcome, find_problem

PLACED = "a.mlir:1:2: error: expects a, but got b"


class FindProblemTest(unittest.TestCase):
    def expect(self, outcome: Outcome, problem: str, expected: str = EITHER,
               has_place: bool = True) -> None:
        given = Input("x", "", expected, has_place=has_place)
        found = find_problem(given, outcome)
        self.assertTrue(problem in found if problem else found == "", found)

    def test_what_is_wrong(self) -> None:
        self.expect(Outcome(0, ""), "")
        self.expect(Outcome(1, PLACED), "")
        self.expect(Outcome(None, ""), "does not end")
        self.expect(Outcome(-6, PLACED), "status -6")
        self.expect(Outcome(139, PLACED), "status 139")
        self.expect(Outcome(1, PLACED + "\nLLVM ERROR: x"), "LLVM ERROR")
        self.expect(Outcome(1, "tilewright: error: x"), "no place")
        self.expect(Outcome(1, "a.mlir:0:0: error: x"), "no place")
        self.expect(Outcome(1, ""), "without an error")
        self.expect(Outcome(1, "tilewright: error: x"), "", has_place=False)
        self.expect(Outcome(1, ""), "without an error", has_place=False)
        self.expect(Outcome(1, PLACED), "is right", COMPILES)
        self.expect(Outcome(0, ""), "is wrong", REFUSED)

    def test_a_seed_gives_the_same_mutants(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "k.ttir"
            file.write_text(WHOLE)
            few = list(make_mutants([file], 20, 1))
            self.assertEqual(few, list(make_mutants([file], 40, 1))[:20])
            self.assertNotEqual(few, list(make_mutants([file], 20, 2)))
            changed = sum(each.text != WHOLE for each in few)
            self.assertGreater(changed, 15)

    def test_damage_changes_bytes(self) -> None:
        data = bytes(range(200))
        few = list(make_damaged([("k", data)], 40, 1))
        self.assertEqual(few[30:], list(make_damaged([("k", data)], 10, 1, 30)))
        self.assertGreater(sum(each.text != data for each in few), 30)
        self.assertGreater(len({len(each.text) for each in few}), 5)

    def test_there_are_enough(self) -> None:
        self.assertGreaterEqual(len(make_inputs()), 800)


if __name__ == "__main__":
    unittest.main()
