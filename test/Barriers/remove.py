#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Removes each barrier of the corpus' kernels: does the emulator see that?

In: the corpus, a built `tilewright`. Out: one row for each barrier of the PTX
with the check that reported its absence, in which case and under which seed;
the survivors, whose absence nothing reported; and exit status 1 if there are
any. A barrier that survives is needless, or the emulator misses a race, or no
case comes to it: the row says whether one does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Mutants"))
sys.path.insert(0, str(HERE.parent / "Corpus"))

from manifest import Kernel, load_kernels  # noqa: E402
from mutants import Instruction, Mutant, read_instructions  # noqa: E402
from subjects import (Compiler, Launch, Subject, ToolError,  # noqa: E402
                      launch_options, make_trials, require_driver,
                      run_command)

# One kernel of each family: what a quick run removes barriers from.
SAMPLE = ("causal_attention_f16_64_64x32", "chunk_gla_state_bf16_64",
          "cumsum_columns_i32_64x8", "fused_softmax_1024",
          "gated_delta_decode_bf16_64x16", "matmul_f16_64x64x32",
          "matmul_f32_32x64x16", "matmul_w4a16_16x64x64")

# "KERNEL: CHECK at SOURCE (PTX line N), CTA ...", the runner's first line.
_FAULT = re.compile(r": ([a-z-]+) at .*\(PTX line \d+\)")


@dataclass(frozen=True)
class Removal:
    """A barrier taken out. caught: the check that reported it, "" where none
    did; reached: whether a case executes the barrier."""

    subject: str
    line: int
    text: str
    caught: str = ""
    case: str = ""
    seed: int = 0
    reached: bool = True


def is_barrier(instruction: Instruction) -> bool:
    return (instruction.name in ("bar", "barrier")
            and "sync" in instruction.modifiers)


def report(command: list[str], launch: Launch, seed: int, seconds: float
           ) -> tuple[str, set[int]]:
    """The check of the first fault, if any, and the lines executed."""
    done = subprocess.run(
        [*command, *launch_options(launch), f"--seed={seed}", "--stats=json"],
        capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode == 0:
        counts = json.loads(done.stdout[done.stdout.index("{"):])
        return "", {each["ptxLine"] for each in counts["instructions"]
                    if each["warps"]}
    said = done.stderr.splitlines() or ["it printed nothing"]
    found = _FAULT.search(said[0])
    if not found:
        raise ToolError(f"exit status {done.returncode}: {said[0]}")
    return found[1], set()


def make_subject(kernel: Kernel, target: str, tilewright: str,
                 folder: Path) -> Subject:
    compiler = Compiler(tilewright, 60.0).without_maps()
    here = folder / kernel.name / target
    here.mkdir(parents=True)
    compiler.emit(kernel, target, "ptx", here / "kernel.ptx")
    return Subject(f"{kernel.name} {target}",
                   (here / "kernel.ptx").read_text(),
                   compiler.metadata(kernel, target, here).shared_bytes,
                   make_trials(kernel, kernel.cases, here))


def remove(subject: Subject, barrier: Instruction, reached: set[int],
           options: argparse.Namespace) -> Removal:
    """Runs the text without the barrier until a check reports something."""
    removal = Removal(subject.name, barrier.first + 1, barrier.text,
                      reached=barrier.first in reached)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "without.ptx"
        file.write_text(Mutant("", barrier, "").apply(subject.text))
        command = run_command(options.tilewright, file, subject)
        for seed in range(options.seeds):
            for trial in subject.trials:
                caught, _ = report(command, trial.launch_in(Path(scratch)),
                                   seed, options.timeout)
                if caught:
                    return Removal(subject.name, removal.line, removal.text,
                                   caught, trial.case.name, seed)
    return removal


def run_kernel(kernel: Kernel, target: str, options: argparse.Namespace,
               folder: Path) -> list[Removal]:
    subject = make_subject(kernel, target, options.tilewright, folder)
    barriers = [each for each in read_instructions(subject.text)
                if is_barrier(each)]
    if not barriers:
        return []
    reached: set[int] = set()
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "original.ptx"
        file.write_text(subject.text)
        command = run_command(options.tilewright, file, subject)
        for trial in subject.trials:
            caught, lines = report(command, trial.launch_in(Path(scratch)), 0,
                                   options.timeout)
            if caught:
                raise ToolError(f"{subject.name}, {trial.case.name}: the "
                                f"original fails: {caught}")
            reached |= {line - 1 for line in lines}
    return [remove(subject, barrier, reached, options) for barrier in barriers]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--targets", default="sm_80", metavar="LIST",
                        help="comma-separated (default sm_80)")
    parser.add_argument("--quick", action="store_true",
                        help="one kernel of each family")
    parser.add_argument("--kernels", default="", metavar="TEXT",
                        help="kernels whose names have it")
    parser.add_argument("--seeds", type=int, default=4, metavar="N",
                        help="orders of warps and lanes to try (default 4)")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="kernels at a time")
    parser.add_argument("--timeout", type=float, default=60.0,
                        metavar="SECONDS", help="for each run")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    require_driver(options.tilewright)
    kernels = [kernel for kernel in load_kernels()
               if options.kernels in kernel.name
               and (not options.quick or kernel.name in SAMPLE)]
    jobs = [(kernel, target) for kernel in kernels
            for target in options.targets.split(",")]
    try:
        with (tempfile.TemporaryDirectory() as scratch,
              ThreadPoolExecutor(max(1, options.parallel)) as pool):
            removals = [removal for found in pool.map(
                lambda job: run_kernel(*job, options, Path(scratch)), jobs)
                for removal in found]
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for each in removals:
        what = (f"{each.caught} in {each.case}, seed {each.seed}"
                if each.caught else
                "SURVIVES" if each.reached else "SURVIVES, not reached")
        print(f"{each.subject}, PTX line {each.line}, {each.text}: {what}")
    print("by check:", ", ".join(
        f"{check or 'none'} {count}" for check, count in
        Counter(each.caught for each in removals).most_common()))
    missed = sum(not each.caught for each in removals)
    print(f"{len(removals)} rows, {missed} failed")
    return 1 if missed or not removals else 0


if __name__ == "__main__":
    sys.exit(main())
