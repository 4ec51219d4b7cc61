#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the corpus for every target, runs it, and judges the results.

In: manifest.json, the .ttir files, a built `tilewright`. Out: a table on
stdout (of every case, or with --summary of every kernel and target), a JSON
file if asked for, and exit status 1 if anything failed. It makes no .ttir
file: that is dump.py's work.
"""

import argparse
import hashlib
import json
import re
import shlex
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from backends import (AssembleOnly, Backend, Compiler, Figures, Launch,
                      PythonCuda, TilewrightRun, ToolError, instructions,
                      require_driver, write_launch)
from cases import Buffer, Case, Verdict, judge
from manifest import CORPUS, Kernel, load_kernels
from references import build_case
from targets import tested_targets

DEVICES = ("auto", "cuda", "emulator", "none", "python-cuda")


@dataclass(frozen=True)
class Row:
    """One line of the table.

    skipped: cases that were not run; on rows of the case "compile" alone, as
    are figures, which --summary asks for. digest: of the outputs' bytes, where
    the case must be exact.
    """

    kernel: str
    target: str
    case: str
    passed: bool
    max_error: float = 0.0
    bound: float = 0.0
    instructions: str = ""
    message: str = ""
    skipped: int = 0
    figures: Figures | None = None
    digest: str = ""


@dataclass(frozen=True)
class Work:
    """One kernel with the cases to run it on."""

    kernel: Kernel
    cases: list[Case]


def judge_case(case: Case, launch: Launch) -> Verdict:
    """The worst verdict over the outputs of a launch."""
    worst = Verdict(True)
    for argument, files in zip(case.arguments.values(), launch.arguments):
        if not isinstance(argument, Buffer) or argument.expected is None:
            continue
        try:
            verdict = judge(argument, np.load(files["output"]))
        except (OSError, ValueError) as error:
            return Verdict(False, message=f"no output to read: {error}")
        if not verdict.passed:
            return verdict
        if verdict.max_error > worst.max_error:
            worst = verdict
    return worst


def digest_outputs(case: Case, launch: Launch) -> str:
    """SHA-256 over the outputs' bytes; "" where one of them may be inexact."""
    digest = hashlib.sha256()
    for argument, files in zip(case.arguments.values(), launch.arguments):
        if not isinstance(argument, Buffer) or argument.expected is None:
            continue
        if argument.bound is not None:
            return ""
        digest.update(np.load(files["output"]).tobytes())
    return digest.hexdigest()


def check_digest(row: Row, checksums: dict[str, str]) -> Row:
    """Fails a row whose outputs have other bits than those recorded."""
    recorded = checksums.get(f"{row.kernel}, {row.case}")
    if not row.passed or not recorded or recorded == row.digest:
        return row
    return replace(row, passed=False,
                   message=f"expects outputs with SHA-256 {recorded}, as "
                   f"recorded, but got {row.digest}")


def file_name(text: str) -> str:
    """A case's name, fit for a folder."""
    return re.sub(r"[^A-Za-z0-9+-]", "_", text)


def run_pair(work: Work, target: str, backend: Backend, compiler: Compiler,
             folder: Path, with_figures: bool) -> list[Row]:
    """Compiles one kernel for one target and runs all of its cases."""
    name = work.kernel.name
    here = folder / name / target
    here.mkdir(parents=True, exist_ok=True)
    try:
        compiler.emit(work.kernel, target, "ptx", here / "listing.ptx")
        listing = (here / "listing.ptx").read_text()
        prepared = backend.prepare(work.kernel, target, here)
        figures = compiler.figures(
            work.kernel, target, here, listing) if with_figures else None
    except (ToolError, OSError, ValueError, KeyError) as error:
        return [Row(name, target, "compile", False, message=str(error),
                    skipped=len(work.cases))]
    compiled = Row(name, target, "compile", True,
                   instructions=instructions(listing), figures=figures)
    if isinstance(backend, AssembleOnly):
        return [replace(compiled, skipped=len(work.cases))]
    rows = [compiled]
    launches = [write_launch(case, here / file_name(case.name) / "in",
                             here / file_name(case.name) / "out")
                for case in work.cases]
    errors = backend.launch(prepared, launches, here)
    for case, launch, fault in zip(work.cases, launches, errors):
        verdict = (Verdict(False, message=fault) if fault
                   else judge_case(case, launch))
        rows.append(Row(name, target, case.name, verdict.passed,
                        verdict.max_error, verdict.bound, "",
                        verdict.message,
                        digest=digest_outputs(case, launch)
                        if verdict.passed else ""))
        shutil.rmtree(here / file_name(case.name), ignore_errors=True)
    return rows


def print_table(rows: list[Row]) -> None:
    """One line a row; where it failed, the whole message below it."""
    wide = [max(len(text) for text in column) for column in zip(
        ("kernel", "target", "case"),
        *[(row.kernel, row.target, row.case) for row in rows])]
    print(f"{'kernel':{wide[0]}}  {'target':{wide[1]}}  {'case':{wide[2]}}  "
          f"{'max error':>9} / {'bound':<9}  result  instructions")
    for row in rows:
        figures = f"{'':9}   {'':9}"
        if row.max_error:
            figures = f"{row.max_error:9.3g} / {row.bound:<9.3g}"
        elif row.passed and row.case != "compile":
            figures = f"{'exact':>9}   {'':9}"
        print(f"{row.kernel:{wide[0]}}  {row.target:{wide[1]}}  "
              f"{row.case:{wide[2]}}  {figures}  "
              f"{'ok    ' if row.passed else 'FAILED'}  "
              f"{row.instructions}".rstrip())
        for line in row.message.splitlines():
            print(f"    {line}")
    failed = sum(not row.passed for row in rows)
    print(f"{len(rows)} rows, {failed} failed")


def describe_runs(compiled: Row, cases: list[Row]) -> str:
    """How exact a kernel's cases were, in a few words."""
    if not compiled.passed:
        return "DOES NOT COMPILE"
    if not cases:
        return "not run"
    failed = sum(not row.passed for row in cases)
    if failed:
        return f"{failed} of {len(cases)} cases FAILED"
    worst = max(cases, key=lambda row: row.max_error / row.bound
                if row.bound else 0.0)
    if not worst.max_error:
        return f"{len(cases)} cases, exact"
    return (f"{len(cases)} cases, error {worst.max_error:.2g}, "
            f"bound {worst.bound:.2g}")


def print_summary(rows: list[Row]) -> None:
    """One line a kernel and target: what was made, how exact its runs were."""
    lines = [("kernel", "target", "PTX lines", "registers", "spills B",
              "shared B", "cubin B", "runs")]
    for row in rows:
        if row.case != "compile":
            continue
        made = row.figures
        counts = ((made.ptx_lines, made.registers, made.spill_bytes,
                   made.shared_bytes, made.cubin_bytes)
                  if made else (None,) * 5)
        cases = [other for other in rows if other.case != "compile"
                 and (other.kernel, other.target) == (row.kernel, row.target)]
        lines.append((row.kernel, row.target,
                      *("-" if count is None else str(count)
                        for count in counts), describe_runs(row, cases)))
    wide = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(
            text.rjust(width) if 2 <= index <= 6 else text.ljust(width)
            for index, (text, width) in enumerate(zip(line, wide))).rstrip())
    for row in rows:
        if not row.passed:
            print(f"FAILED: {row.kernel}, {row.target}, {row.case}: "
                  f"{row.message}")
    failed = sum(not row.passed for row in rows)
    print(f"{len(rows)} rows, {failed} failed, "
          f"{sum(row.skipped for row in rows)} cases not run")


def select(options: argparse.Namespace) -> list[Work]:
    """The kernels and cases whose names the options match."""
    work = []
    for kernel in load_kernels():
        if not re.search(options.kernels, kernel.name):
            continue
        cases = [build_case(kernel, case) for case in kernel.cases
                 if re.search(options.cases, case["name"])]
        work.append(Work(kernel, cases))
    return work


def make_backend(options: argparse.Namespace, compiler: Compiler) -> Backend:
    if options.device == "none":
        return AssembleOnly(compiler, options.image or "cubin")
    if options.device == "python-cuda":
        return PythonCuda(compiler, options.image or "ptx", options.timeout)
    return TilewrightRun(compiler, options.device, options.timeout,
                         options.seed, options.wrapper)


def regular_expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}")
    return text


def command_words(text: str) -> tuple[str, ...]:
    """The words of a command whose program is there."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}': {error}")
    if not words or shutil.which(words[0]) is None:
        raise argparse.ArgumentTypeError(
            f"expects a command whose program is there, but got '{text}'")
    return words


def target_list(text: str) -> list[str]:
    targets = text.split(",")
    if not all(targets):
        raise argparse.ArgumentTypeError(
            f"expects names such as sm_80,sm_90a, but got '{text}'")
    return targets


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--targets", type=target_list, metavar="LIST",
                        help="comma-separated (default: all that tests are "
                        "run for)")
    parser.add_argument("--launch-targets", type=target_list, metavar="LIST",
                        help="comma-separated: run for these alone, which "
                        "the device can, and only compile for the others")
    parser.add_argument("--device", choices=DEVICES, default="auto",
                        help="none: only compile and assemble; python-cuda: "
                        "launch through libcuda from Python")
    parser.add_argument("--seed", type=int, default=0, metavar="N",
                        help="order of the emulator's warps, lanes and copies "
                             "(default 0: in turn)")
    parser.add_argument("--kernels", type=regular_expression, default="",
                        help="regular expression on kernel names")
    parser.add_argument("--cases", type=regular_expression, default="",
                        help="regular expression on case names")
    parser.add_argument("--image", choices=("ptx", "cubin"),
                        help="what python-cuda loads (default: ptx), or how "
                        "far none goes (default: cubin)")
    parser.add_argument("--parallel", type=int, default=1, metavar="N",
                        help="pairs of kernel and target at a time")
    parser.add_argument("--timeout", type=float, default=300.0,
                        metavar="SECONDS", help="for each process")
    parser.add_argument("--wrapper", type=command_words, default=(),
                        metavar="COMMAND",
                        help="launch through this command, such as "
                        "'compute-sanitizer --error-exitcode 9'; a launch "
                        "fails where its exit status is not 0")
    parser.add_argument("--summary", action="store_true",
                        help="print a line a kernel and target, with the "
                        "size and the resources of the code")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write the rows there too")
    parser.add_argument("--checksums", type=Path, metavar="FILE",
                        help="exact cases must have the outputs recorded "
                        "there")
    parser.add_argument("--record-checksums", type=Path, metavar="FILE",
                        help="write the digests of exact cases there, from a "
                        "run on a GPU")
    parser.add_argument("--work", type=Path, metavar="FOLDER",
                        help="keep compiled files there")
    options = parser.parse_args()
    if options.wrapper and options.device in ("none", "python-cuda"):
        parser.error(f"--wrapper is for launches by 'tilewright run', but "
                     f"--device={options.device} makes none")
    return options


def run_all(options: argparse.Namespace, folder: Path) -> list[Row]:
    compiler = Compiler(options.tilewright, options.timeout)
    backend = make_backend(options, compiler)
    assemble = AssembleOnly(compiler, options.image or "cubin")
    launched = options.launch_targets or options.targets
    pairs = [(work, target) for work in select(options)
             for target in options.targets]
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        results = pool.map(
            lambda pair: run_pair(
                pair[0], pair[1], backend if pair[1] in launched else assemble,
                compiler, folder, options.summary), pairs)
        return [row for rows in results for row in rows]


def record_checksums(rows: list[Row], file: Path) -> None:
    """Writes the digest of each exact case, one for all targets."""
    checksums: dict[str, str] = {}
    for row in rows:
        name = f"{row.kernel}, {row.case}"
        if row.digest and checksums.setdefault(name, row.digest) != row.digest:
            raise SystemExit(f"error: expects the same outputs for every "
                             f"target, but {name} differs on {row.target}")
    file.write_text(json.dumps(checksums, indent=1, sort_keys=True) + "\n")


def main() -> int:
    options = parse_options()
    require_driver(options.tilewright)
    options.targets = options.targets or tested_targets(options.tilewright)
    with tempfile.TemporaryDirectory() as scratch:
        rows = run_all(options, options.work or Path(scratch))
    if options.checksums:
        recorded = json.loads(options.checksums.read_text())
        rows = [check_digest(row, recorded) for row in rows]
    if not rows:
        print(f"error: expects kernels that match '{options.kernels}', but "
              f"{CORPUS / 'manifest.json'} has none", file=sys.stderr)
        return 2
    (print_summary if options.summary else print_table)(rows)
    if options.json:
        options.json.write_text(
            json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    if options.record_checksums:
        record_checksums(rows, options.record_checksums)
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
