#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels with loops as software pipelines: the same bits as without?

In: Inputs/loops.mlir and kernels of the corpus, a built `tilewright`; for sm_90a
Inputs/products.mlir too, whose products other targets' code waits for at once. Out: a line for each kernel, target, number of stages, case and
seed whose outputs are not those of one stage bit by bit, or in which the
emulator's checks found something; then `N rows, N failed`, and exit status 1 if
there is one. With --mutants it is the other way round: of each pipeline each
wait is dropped or lets one group more be on its way, each barrier is removed,
and a buffer is taken away; a line for each that no check and no result tells.
Waits behind which shared memory is not used are left out: nobody can tell.
The emulator performs copies at the latest legal moment, and with a seed at any.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Mutants"))
sys.path.insert(0, str(HERE.parent / "Corpus"))

from manifest import Kernel, load_kernels  # noqa: E402
from mutants import Instruction, Mutant, read_instructions  # noqa: E402
from subjects import (ToolError, launch_options,  # noqa: E402
                      make_trials, require_driver)

LOOPS = HERE / "Inputs" / "loops.mlir"
PRODUCTS = HERE / "Inputs" / "products.mlir"
# What a quick run takes of the corpus.
SAMPLE = ("matmul_f16_32x32x32", "matmul_descriptor_f16_64x64x32",
          "chunk_gla_output_f16_32")
TIME_LIMIT = 120.0
# For copies, and for products by warp groups.
WAITS = ("cp.async.wait_group", "wgmma.wait_group.sync.aligned")


@dataclass(frozen=True)
class Subject:
    """A kernel and its launches: options of `tilewright run` with {folder}
    where outputs go, and the outputs' names."""

    name: str
    file: Path
    function: str
    warps: int
    launches: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True)
class Text:
    """What was compiled. shared_bytes: as a launch must know."""

    ptx: str
    shared_bytes: int


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=TIME_LIMIT)


# --- subjects -----------------------------------------------------------------

def loop_subjects(stages: int) -> list[Subject]:
    """The functions of the two files, with trip counts of 0 to 2 stages + 1. All have one
    signature: (out, in, indices, count)."""
    launches = tuple(
        (f"{count} trips",
         ("--grid=2", "--arg", "{folder}/out.npy=zeros:2x32x32xf32",
          "--arg", "random:16384xf16:1", "--arg", "arange:64xi32",
          "--arg", f"i32:{count}"), ("out.npy",))
        for count in range(2 * stages + 2))
    return [Subject(name, file, name, 4, launches) for file in (LOOPS, PRODUCTS)
            for name in re.findall(r"tt\.func public @(\w+)", file.read_text())]


def corpus_subject(kernel: Kernel, folder: Path) -> Subject:
    """A kernel of the corpus with its cases, the inputs in `folder`."""
    launches = []
    for trial in make_trials(kernel, kernel.cases, folder / kernel.name):
        files = [argument["output"] for argument in trial.launch.arguments
                 if "output" in argument]
        names = tuple(Path(file).name for file in files)
        options = launch_options(trial.launch)
        for file, name in zip(files, names):
            options = [each.replace(file, "{folder}/" + name)
                       for each in options]
        launches.append((trial.case.name, tuple(options), names))
    return Subject(kernel.name, kernel.file, kernel.function,
                   kernel.num_warps, tuple(launches))


def has_loop(kernel: Kernel) -> bool:
    return "scf.for" in kernel.file.read_text()


# --- running ------------------------------------------------------------------

def compile_kernel(tilewright: str, subject: Subject, target: str, stages: int,
                   folder: Path) -> Text:
    """The PTX of the subject's kernel alone."""
    file = subject.file
    text = file.read_text()
    if file in (LOOPS, PRODUCTS):
        parts = re.split(r"^(?=tt\.func public )", text, flags=re.MULTILINE)
        text = "".join(part for part in parts
                       if not part.startswith("tt.func public ")
                       or part.startswith(f"tt.func public @{subject.function}("))
        file = folder / "kernel.mlir"
        file.write_text(text)
    command = [tilewright, "compile", str(file), f"--target={target}",
               f"--num-warps={subject.warps}", f"--num-stages={stages}",
               # What is launched has the kernel's own parameters alone.
               "--tensor-maps=false", "-o"]
    outputs = []
    for form in ("ptx", "artifact-json"):
        path = folder / f"kernel.{form}"
        done = run([*command, str(path), f"--emit={form}"])
        if done.returncode:
            raise ToolError(f"{subject.name}, {target}, {stages} stages: "
                            f"{done.stderr.strip()}")
        outputs.append(path.read_text())
    shared = re.search(r'"shared_bytes": *(\d+)', outputs[1])
    return Text(outputs[0], int(shared[1]) if shared else 0)


def launch(tilewright: str, text: Text, options: tuple[str, ...],
           outputs: tuple[str, ...], seed: int, folder: Path
           ) -> tuple[str, list[bytes]]:
    """What the emulator reported, and the outputs' bytes."""
    file = folder / "kernel.ptx"
    file.write_text(text.ptx)
    try:
        done = run([tilewright, "run", str(file), "--device=emulator",
                    f"--shared-bytes={text.shared_bytes}", f"--seed={seed}",
                    *[each.replace("{folder}", str(folder))
                      for each in options]])
    except subprocess.TimeoutExpired:
        return "time limit", []
    if done.returncode:
        return (done.stderr.splitlines() or ["it printed nothing"])[0], []
    return "", [np.load(folder / name).tobytes() for name in outputs]


def compare(tilewright: str, subject: Subject, target: str,
            stages: list[int], seeds: int) -> tuple[int, list[str]]:
    """How many launches were compared, and what was wrong."""
    rows, failed = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        expected: list[list[bytes]] = []
        plain = compile_kernel(tilewright, subject, target, 1, folder)
        for name, options, outputs in subject.launches:
            said, found = launch(tilewright, plain, options, outputs, 0, folder)
            if said:
                raise ToolError(f"{subject.name}, {target}, {name}: {said}")
            expected.append(found)
        known = {re.sub(r"//.*", "", plain.ptx)}
        for count in stages:
            text = compile_kernel(tilewright, subject, target, count, folder)
            body = re.sub(r"//.*", "", text.ptx)
            if body in known:
                continue
            known.add(body)
            for (name, options, outputs), bits in zip(subject.launches,
                                                      expected):
                for seed in range(seeds):
                    rows += 1
                    said, found = launch(tilewright, text, options, outputs,
                                         seed, folder)
                    if said or found != bits:
                        failed.append(
                            f"{subject.name}, {target}, {count} stages, {name}"
                            f", seed {seed}: {said or 'other bits'}")
    return rows, failed


# --- mutants ------------------------------------------------------------------

def loop_lines(text: str) -> set[int]:
    """Lines between a label and a later branch back to it."""
    lines = text.split("\n")
    places = {line.strip()[:-1]: number for number, line in enumerate(lines)
              if re.fullmatch(r"\s*\$\w+:.*", line.split("//")[0].rstrip())}
    found: set[int] = set()
    for number, line in enumerate(lines):
        match = re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line)
        if match and places.get(match[1], number) < number:
            found |= set(range(places[match[1]], number + 1))
    return found


def make_mutants(text: str) -> list[Mutant]:
    """Waits dropped and weakened; barriers of loops removed; copies of a loop
    that go to the first buffer, whatever the iteration."""
    mutants: list[Mutant] = []
    inside = loop_lines(text)
    instructions = read_instructions(text)
    last = max((each.first for each in instructions if "shared" in each.opcode
                or each.name == "ldmatrix"), default=0)
    for each in instructions:
        if each.first not in inside and each.first > last:
            continue
        if each.opcode in WAITS:
            mutants.append(Mutant("wait dropped", each, ""))
            more = Instruction(each.first, each.last, each.guard, each.opcode,
                               (str(int(each.operands[0]) + 1),))
            mutants.append(Mutant("wait weakened", each, more.text))
        elif each.name in ("bar", "barrier") and each.first in inside:
            mutants.append(Mutant("barrier removed", each, ""))
    return mutants


def narrow(text: Text, buffers: int) -> str | None:
    """The text with one buffer less in use, if it counts up to `buffers`:
    counts wrap round one earlier, and begin below that."""
    wrap = re.compile(rf"(setp\.eq\.[bsu]32\s+(%p\d+), (%r\d+), ){buffers};")
    found = [each for each in wrap.findall(text.ptx)
             if re.search(rf"selp\.b32\s+%r\d+, 0, {each[2]}, {each[1]};",
                          text.ptx)]
    if not found:
        return None
    narrowed = wrap.sub(rf"\g<1>{buffers - 1};", text.ptx)
    for _, is_end, count in found:
        select = re.search(rf"selp\.b32\s+(%r\d+), 0, {count}, {is_end};",
                           narrowed)
        if select:
            narrowed = re.sub(rf"(mov\.b32\s+{select[1]}, ){buffers - 1};",
                              r"\g<1>0;", narrowed)
    return narrowed


def find_killer(tilewright: str, text: Text, subject: Subject, seeds: int,
                expected: list[list[bytes]], folder: Path) -> str:
    """What tells the mutant, "" where nothing does: the longest loops first."""
    for (name, options, outputs), bits in reversed(
            list(zip(subject.launches, expected))):
        for seed in range(seeds):
            said, found = launch(tilewright, text, options, outputs, seed,
                                 folder)
            if said or found != bits:
                return said or "other bits"
    return ""


def judge_mutants(tilewright: str, subject: Subject, target: str,
                  stages: list[int], seeds: int) -> tuple[int, list[str]]:
    rows, missed = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        plain = compile_kernel(tilewright, subject, target, 1, folder)
        expected = [launch(tilewright, plain, options, outputs, 0, folder)[1]
                    for _, options, outputs in subject.launches]
        for count in stages:
            text = compile_kernel(tilewright, subject, target, count, folder)
            mutants = [(f"PTX line {each.line}, {each.kind}",
                        each.apply(text.ptx))
                       for each in make_mutants(text.ptx)]
            # What is loaded into registers goes through two buffers.
            for buffers in sorted({2, count}):
                if (fewer := narrow(text, buffers)) is not None:
                    mutants.append((f"of {buffers} buffers one too few", fewer))
            for what, mutated in mutants:
                rows += 1
                if not find_killer(tilewright, Text(mutated, text.shared_bytes),
                                   subject, seeds, expected, folder):
                    missed.append(f"{subject.name}, {target}, {count} stages, "
                                  f"{what}: missed")
    return rows, missed


# --- the command line ---------------------------------------------------------

def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--targets", default="sm_80", metavar="LIST",
                        help="comma-separated (default sm_80)")
    parser.add_argument("--stages", default="2,3,4,5", metavar="LIST",
                        help="numbers of stages (default 2,3,4,5)")
    parser.add_argument("--seeds", type=int, default=2, metavar="N",
                        help="0 to N - 1 (default 2)")
    parser.add_argument("--kernels", default="", metavar="EXPRESSION",
                        help="regular expression on names")
    parser.add_argument("--quick", action="store_true",
                        help="a few kernels of the corpus")
    parser.add_argument("--mutants", action="store_true",
                        help="of the small loops: is each told?")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="kernels at a time")
    return parser.parse_args()


def select(options: argparse.Namespace, stages: list[int],
           folder: Path) -> list[Subject]:
    subjects = [each for each in loop_subjects(max(stages))
                if re.search(options.kernels, each.name)]
    if options.mutants:
        # What the inner loop waits for, the outer one need not.
        return [each for each in subjects if each.name != "nested"]
    return subjects + [
        corpus_subject(kernel, folder) for kernel in load_kernels()
        if re.search(options.kernels, kernel.name) and has_loop(kernel)
        and (not options.quick or kernel.name in SAMPLE)]


def main() -> int:
    options = parse_options()
    require_driver(options.tilewright)
    stages = [int(count) for count in options.stages.split(",")]
    judge = judge_mutants if options.mutants else compare
    try:
        with (tempfile.TemporaryDirectory() as scratch,
              ThreadPoolExecutor(max(1, options.parallel)) as pool):
            found = list(pool.map(
                lambda job: judge(options.tilewright, *job, stages,
                                  options.seeds),
                [(subject, target)
                 for subject in select(options, stages, Path(scratch))
                 for target in options.targets.split(",")
                 if subject.file != PRODUCTS or target == "sm_90a"]))
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = sum(count for count, _ in found)
    failed = [line for _, lines in found for line in lines]
    print("\n".join([*failed, f"{rows} rows, {len(failed)} failed"]))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
