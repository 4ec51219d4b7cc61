#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PTX that Triton's own compiler made on Tilewright's emulator.

In: ptx/ (compile.py made it), a built `tilewright`. Out: a table on stdout,
the count of rows that failed, and exit status 1 if there is one. Every check
of the emulator is on: a report on a correct kernel fails its row.
"""

import argparse
import json
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Corpus"))

import function_references  # noqa: E402,F401  (registers its references)
import product_references  # noqa: E402,F401  (registers its references)
import tile_references  # noqa: E402,F401
from backends import (Launch, ToolError, argument_text,  # noqa: E402
                      run_tool, write_launch)
from buffers import build_case  # noqa: E402
from cases import Buffer, Case, Verdict, judge  # noqa: E402
from variants import VARIANTS, Variant  # noqa: E402


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    target: str
    verdict: Verdict


def command_line(options: argparse.Namespace, variant: Variant, target: str,
                 launch: Launch) -> list[str]:
    facts = json.loads(variant.facts(target).read_text())
    command = [options.tilewright, "run", str(variant.ptx(target)),
               f"--device={options.device}",
               f"--grid={','.join(map(str, launch.grid))}",
               f"--shared-bytes={facts['sharedBytes']}"]
    if options.seed:
        command.append(f"--seed={options.seed}")
    for argument in launch.arguments:
        command += ["--arg", argument_text(argument)]
    # Scratch memory of Triton's, which none of these kernels asks for.
    for _ in range(facts["hiddenPointers"]):
        command += ["--arg", "null"]
    return command


def judge_outputs(case: Case, launch: Launch) -> Verdict:
    """The worst verdict over the outputs."""
    worst = Verdict(True)
    for (name, argument), files in zip(case.arguments.items(),
                                       launch.arguments):
        if not isinstance(argument, Buffer) or argument.expected is None:
            continue
        verdict = judge(argument, np.load(files["output"]))
        if not verdict.passed:
            return Verdict(False, verdict.max_error, verdict.bound,
                           f"{name}: {verdict.message}")
        if verdict.max_error >= worst.max_error:
            worst = verdict
    return worst


def run_one(options: argparse.Namespace, variant: Variant, target: str,
            folder: Path) -> Row:
    case = build_case(variant)
    place = folder / f"{variant.name}.{target}"
    launch = write_launch(case, place / "in", place / "out")
    try:
        run_tool(command_line(options, variant, target, launch),
                 options.timeout)
        verdict = judge_outputs(case, launch)
    except ToolError as error:
        verdict = Verdict(False, message=str(error))
    return Row(variant.name, target, verdict)


def print_table(rows: list[Row]) -> None:
    width = max(len(row.name) for row in rows)
    for row in rows:
        verdict = row.verdict
        print(f"{row.name:{width}}  {row.target}  "
              f"{'pass' if verdict.passed else 'FAIL'}  "
              f"error {verdict.max_error:.2e} of {verdict.bound:.2e}")
        if verdict.message:
            print("    " + verdict.message.replace("\n", "\n    "))
    failed = sum(not row.verdict.passed for row in rows)
    print(f"{len(rows)} rows, {failed} failed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--device", default="emulator",
                        help="as of `tilewright run` (default: emulator)")
    parser.add_argument("--seed", type=int, default=0, metavar="N",
                        help="order of the emulator's warps (default: 0)")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="variants whose names match")
    parser.add_argument("--targets", default="sm_80,sm_89", metavar="LIST",
                        help="comma-separated (default: both)")
    parser.add_argument("--parallel", type=int, default=1, metavar="N",
                        help="launches at a time")
    parser.add_argument("--timeout", type=float, default=120.0,
                        metavar="SECONDS", help="for each launch")
    options = parser.parse_args()
    pairs = [(variant, target) for variant in VARIANTS
             if re.search(options.only, variant.name)
             for target in variant.targets
             if target in options.targets.split(",")]
    if not pairs:
        parser.error(f"expects variants that match '{options.only}', but "
                     f"there are none")
    with (tempfile.TemporaryDirectory() as scratch,
          ThreadPoolExecutor(options.parallel) as pool):
        rows = list(pool.map(
            lambda pair: run_one(options, *pair, Path(scratch)), pairs))
    print_table(rows)
    return 0 if all(row.verdict.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
