#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels through Tilewright and through Triton, side by side, and beside what
Tilewright estimates.

Both compile the same tile IR with the same warps for the same target; both PTX
texts are loaded by the driver and replayed as graphs in one process, in turns.

  python3 bench/corpus --tilewright build/release/bin/tilewright --seconds 540 \\
      --fla build/fla --json corpus.json --plot corpus.svg

Kernels: plain ones at users' sizes, every .ttir of test/Corpus, and with --fla
FOLDER those that test/ForeignKernels/dump.py has made there. A line for each:
microseconds with the best number of stages of either, registers, spills, shared
memory, the estimate, and the share of the memory's bandwidth or of the matrix
units that is reached (of a copy's speed, where a copy is the bound); then means and
the estimate's rank correlation.

Needs a GPU, PyTorch and Triton. --device=emulator needs none of them: the
counts of the first programs of each launch on the emulator, beside those that
the estimate is made of.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import compilers  # noqa: E402
import counts  # noqa: E402
import foreign  # noqa: E402
import own  # noqa: E402
import plain  # noqa: E402
import report  # noqa: E402
from problems import JitText, Problem  # noqa: E402
from worker import Worker  # noqa: E402


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--stages", default=(1, 2, 3, 4),
                        type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("--device", default="cuda",
                        choices=("cuda", "emulator"))
    parser.add_argument("--fla", type=Path, metavar="FOLDER")
    parser.add_argument("--groups", default="plain,corpus,fla")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="each N-th kernel of each group")
    parser.add_argument("--first", type=int, default=0, metavar="K",
                        help="of those from the K-th on, counted from 0")
    parser.add_argument("--seconds", type=float, default=0,
                        help="begin no kernel after so long")
    parser.add_argument("--parallel", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--estimate-for", default="",
                        help="the device of estimates; that which is there")
    parser.add_argument("--text", type=Path,
                        help="keep plain kernels' tile IR here")
    parser.add_argument("--programs", type=int, default=2,
                        help="of each launch on the emulator")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    return parser.parse_args()


def list_problems(options: argparse.Namespace,
                  capability: int) -> list[Problem]:
    groups = {"plain": plain.list_problems,
              "corpus": lambda: own.list_problems(capability),
              "fla": lambda: (foreign.list_problems(options.fla)
                              if options.fla else [])}
    chosen = []
    for name in options.groups.split(","):
        chosen += [problem for problem in groups[name]()
                   if re.search(options.only, problem.name)
                   ][options.first::options.every]
    return chosen


def find_device(options: argparse.Namespace, found: str) -> str:
    """The name that --device of the compiler knows for a GPU's own."""
    if options.estimate_for:
        return options.estimate_for
    for word in re.findall(r"[A-Za-z]+\d+\w*|Orin", found):
        if re.fullmatch(r"V100|T4|A100|A10|Orin|L4|H200|H100", word):
            return word
    return ""


def measure_all(options: argparse.Namespace) -> list[dict[str, Any]]:
    begin = time.monotonic()
    # The pool first: processes that are forked must not have opened the GPU.
    with ProcessPoolExecutor(
            options.parallel,
            mp_context=multiprocessing.get_context("fork")) as pool:
        worker = Worker()
        tools = compilers.Tools(
            options.tilewright, options.target, options.stages,
            find_device(options, worker.device),
            options.text or compilers.new_work_folder())
        problems = list_problems(options, tools.capability)
        print(f"{worker.device}, code for {options.target}, "
              f"{len(problems)} kernels\n{report.HEADINGS}")
        made = pool.map(compilers.compile_all,
                        [(problem, tools) for problem in problems])
        rows = []
        for problem, codes in zip(problems, made):
            if options.seconds and time.monotonic() - begin > options.seconds:
                print(f"{len(problems) - len(rows)} kernels left out after "
                      f"{options.seconds:g} s")
                break
            row = {"problem": problem.name, "group": problem.group,
                   "grid": problem.grid, "warps": problem.warps,
                   "estimates": {code.name: code.estimate for code in codes
                                 if code.estimate},
                   **worker.run(problem, codes)}
            rows.append(row)
            print(report.format_row(row), flush=True)
            save(options, rows)
        pool.shutdown(wait=False, cancel_futures=True)
        worker.stop()
    print(report.summarize(rows))
    return rows


def count_all(options: argparse.Namespace) -> list[dict[str, Any]]:
    tools = compilers.Tools(options.tilewright, options.target,
                            options.stages, options.estimate_for,
                            options.text or compilers.new_work_folder(),
                            with_triton=False)
    problems = list_problems(options, tools.capability)
    if not counts.has_triton():
        problems = [problem for problem in problems
                    if not isinstance(problem.text, JitText)
                    or counts.is_made(problem, tools)]
    print(f"emulator, code for {options.target}, {len(problems)} kernels\n"
          f"{counts.HEADINGS}")
    rows = []
    with ProcessPoolExecutor(options.parallel) as pool:
        for row in pool.map(counts.count, [
                (problem, tools, options.programs) for problem in problems]):
            rows.append(row)
            print(counts.format_row(row), flush=True)
            save(options, rows)
    print(counts.summarize(rows))
    return rows


def save(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.plot and options.device == "cuda":
        options.plot.write_text(report.draw(rows))


def main() -> int:
    options = parse_options()
    if options.text:
        options.text.mkdir(parents=True, exist_ok=True)
    rows = (measure_all if options.device == "cuda" else count_all)(options)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
