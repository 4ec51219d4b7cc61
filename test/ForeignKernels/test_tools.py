#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of this folder's tools, without Triton or a compiler:
python3 -m unittest discover -s test/ForeignKernels
"""

import contextlib
import io
import stat
import tempfile
import unittest
from pathlib import Path

import census
import execute
import manifest
import ptx_text


class PtxText(unittest.TestCase):
    def test_counts_instructions_alone(self) -> None:
        text = """
        .version 7.0
        .visible .entry kernel(.param .u64 p) {
          .reg .b32 %r<9>;
          // add.s32 %r1, %r1, %r1;
          ld.param.b64 %rd1, [p];
          @%p1 bra $L__BB0_2;
        $L__BB0_1:
          { .reg .pred q; setp.eq.s32 q, %r1, 0; @q mov.b32 %r1, 0; }
          @!%p2 st.global.b32 [%rd1], %r1;
          ret;
        $L__BB0_2:
          bar.sync 0;
        }"""
        self.assertEqual(ptx_text.opcodes(text), {
            "ld": 1, "bra": 1, "setp": 1, "mov": 1, "st": 1, "ret": 1,
            "bar": 1})

    def test_counts_in_braces(self) -> None:
        self.assertEqual(ptx_text.count_instructions(
            "{ add.s32 a, b, c; }\n\tfence;\n"), 2)


class Classes(unittest.TestCase):
    def test_leaves_out_place_numbers_and_types(self) -> None:
        self.assertEqual(census.classify(
            "a/b.py:12:3: error: 'tt.dot' op expects 16x8 of "
            "tensor<16x8xf32>, but got 4"),
            "'tt.dot' op expects N of TYPE, but got N")

    def test_keeps_names_with_digits(self) -> None:
        self.assertEqual(census.classify("error: sm_70 has no bf16"),
                         "sm_70 has no bf16")


class Manifest(unittest.TestCase):
    def test_elements_go_in_and_out(self) -> None:
        for value in ({"dtype": "T"}, {"dtype": "fp32"}, 3, None):
            self.assertEqual(manifest.without_element(
                manifest.with_element(value, "bf16"), "bf16"), value)

    def test_every_kernel_has_a_name_of_its_own(self) -> None:
        names = [kernel.name for kernel in manifest.load_kernels(
            manifest.FOLDER / "fla.json")]
        self.assertGreater(len(names), 200)
        self.assertEqual(len(names), len(set(names)))


class Census(unittest.TestCase):
    """census.compile_one with compilers that are shell scripts."""

    def row(self, script: str, timeout: float = 20) -> census.Row:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            compiler = folder / "compiler"
            compiler.write_text(f"#!/bin/sh\n{script}\n")
            compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
            kernel = manifest.Kernel("k", "m", "f", {}, {}, (), 4, 1, {})
            return census.compile_one(
                census.Census(compiler, folder, folder, None, timeout, []),
                kernel, "sm_80")

    def test_compiled(self) -> None:
        row = self.row('for last; do :; done\n'
                       'echo "timing: sm_80 llvm-emit 1.50" >&2\n'
                       'echo "timing: sm_75 llvm-emit 9.00" >&2\n'
                       'echo "ret;" > "$last"')
        self.assertEqual((row.status, row.instructions, row.llvm),
                         (census.COMPILED, 1, 1.5))

    def test_diagnostic(self) -> None:
        row = self.row('echo "k:1:2: error: no such thing" >&2; exit 1')
        self.assertEqual((row.status, row.message),
                         (census.DIAGNOSTIC, "k:1:2: error: no such thing"))

    def test_crash(self) -> None:
        row = self.row("echo \"x.cpp:3: f: Assertion 'a' failed.\" >&2\n"
                       "kill -ABRT $$")
        self.assertEqual(row.status, census.CRASH)
        self.assertIn("Assertion", row.message)

    def test_timeout(self) -> None:
        self.assertEqual(self.row("exec sleep 20", timeout=0.2).status,
                         census.TIMEOUT)

    def test_report_counts_kernels_by_class(self) -> None:
        rows = [census.Row(name, "sm_80", census.DIAGNOSTIC,
                           f"f:{number}: error: expects 4, but got {number}")
                for number, name in enumerate("abc")]
        rows.append(census.Row("d", "sm_80", census.COMPILED))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            census.print_report(rows, 1)
        self.assertIn("      3  all\n         diagnostic: expects N, but got "
                      "N\n         a\n", output.getvalue())


class Execute(unittest.TestCase):
    """execute.py with judges that are shell scripts."""

    def judge(self, script: str, timeout: float = 20) -> dict:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            judge = folder / "judge"
            judge.write_text(f"#!/bin/sh\n{script}\n")
            judge.chmod(judge.stat().st_mode | stat.S_IXUSR)
            setup = execute.Setup(judge, folder, ["sm_80"], 0, True, 4, 0,
                                  timeout)
            kernel = manifest.Kernel(
                "k", "m", "f", {}, {}, (), 4, 1,
                {"grid": [6, 2, 1], "arguments": {"n": 3}})
            return execute.judge(setup, kernel)

    def test_grids_are_cut_at_their_longest(self) -> None:
        self.assertEqual(execute.cut_grid([24, 1, 1], 8), [6, 1, 1])
        self.assertEqual(execute.cut_grid([3, 5, 2], 8), [2, 2, 2])
        self.assertEqual(execute.cut_grid([2, 1, 4], 8), [2, 1, 4])

    def test_gives_the_judge_the_case(self) -> None:
        row = self.judge('printf \'{"status": "judged", "images": [], '
                         '"case": %s}\' "$(cat "$1")"')
        self.assertEqual(row["status"], "judged")
        self.assertEqual(row["case"]["grid"], [2, 2, 1])
        self.assertEqual(row["case"]["arguments"], [3])
        self.assertFalse(execute.is_bad(row))

    def test_crash_and_timeout(self) -> None:
        row = self.judge("echo why >&2; kill -SEGV $$")
        self.assertEqual((row["status"], row["message"]), ("crash", "why\n"))
        self.assertTrue(execute.is_bad(row))
        self.assertEqual(self.judge("exec sleep 20", 0.2)["status"],
                         "timeout")

    def test_an_image_of_ours_that_differs_is_bad(self) -> None:
        def make_row(image: str) -> dict:
            return {"status": "judged", "images": [
                {"image": image, "status": "differs"}]}
        self.assertTrue(execute.is_bad(make_row("sm_80")))
        self.assertFalse(execute.is_bad(make_row(execute.TRITON)))
        self.assertFalse(execute.is_bad({**make_row("sm_80"),
                                         "status": "vague"}))


if __name__ == "__main__":
    unittest.main()
