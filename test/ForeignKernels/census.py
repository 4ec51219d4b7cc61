#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles dumped kernels for every target and says what fails, and why.

In: a folder that dump.py filled, and its manifest. Out: a line for each target
with how many kernels compiled, the diagnostics that stop the others by kind,
how long our passes and LLVM took, the slowest kernels; with --json all of it.
With --ptxas, CUDA's assembler must take the PTX too, and its time is told. The
exit status is 1 if the compiler crashed, ran out of time, or made PTX that the
assembler refuses: a diagnostic is a kernel that is not supported yet, and no
fault of this kind.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import manifest
import ptx_text

# (Behind: there is a manifest.py too.)
sys.path.append(str(Path(__file__).resolve().parents[1] / "Corpus"))

from targets import tested_targets  # noqa: E402

# How a compilation can end.
COMPILED, DIAGNOSTIC, CRASH, TIMEOUT, REFUSED = (
    "compiled", "diagnostic", "crash", "timeout", "refused")


@dataclass
class Row:
    """One kernel for one target."""

    kernel: str
    target: str
    status: str
    message: str = ""
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)
    # Milliseconds in CUDA's assembler, where it takes the PTX.
    assembler: float | None = None
    ptx_bytes: int = 0
    instructions: int = 0

    @property
    def llvm(self) -> float:
        """Milliseconds in LLVM."""
        return sum(value for name, value in self.stages.items()
                   if name.startswith("llvm-"))


@dataclass(frozen=True)
class Census:
    """What is compiled, with what."""

    tilewright: Path
    folder: Path
    output: Path
    ptxas: Path | None
    timeout: float
    options: list[str]


def classify(message: str) -> str:
    """The message without what differs from kernel to kernel: the place,
    numbers, shapes and the texts of types. Names of operations stay."""
    message = re.sub(r"^(.*?: )?error: ", "", message)
    message = re.sub(r"tensor<[^ ]*>|!tt\.ptr<[^ ]*>", "TYPE", message)
    return re.sub(r"(?<![\w.])\d+(x\d+)*", "N", message)


def find_message(text: str) -> str:
    """The first error, or what the process said last."""
    lines = text.strip().splitlines()
    for line in lines:
        if "error: " in line or "Assertion" in line or "LLVM ERROR" in line:
            return line.strip()
    return lines[-1].strip() if lines else ""


def read_stages(text: str, target: str) -> dict[str, float]:
    """The lines of --timing for a target."""
    return {stage: float(value) for where, stage, value in re.findall(
        r"^timing: (\S+) (\S+) (\S+)$", text, re.MULTILINE)
        if where in (target, "all")}


def assemble(census: Census, path: Path, row: Row) -> None:
    """Notes what the assembler says against the PTX, if it does and knows the
    target, or else how long it took."""
    start = time.monotonic()
    done = subprocess.run([census.ptxas, f"-arch={row.target}", path, "-o",
                           "/dev/null"], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        row.assembler = 1e3 * (time.monotonic() - start)
    elif "is not defined for option" not in done.stderr:
        row.status, row.message = REFUSED, find_message(done.stderr)


def compile_one(census: Census, kernel: manifest.Kernel, target: str) -> Row:
    output = census.output / f"{kernel.name}.{target}.ptx"
    command = [census.tilewright, "compile",
               census.folder / f"{kernel.name}.ttir", f"--target={target}",
               f"--num-warps={kernel.num_warps}", "--emit=ptx", "--timing",
               *census.options, "-o", output]
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=census.timeout, check=False)
    except subprocess.TimeoutExpired:
        return Row(kernel.name, target, TIMEOUT,
                   f"more than {census.timeout:g} s", census.timeout)
    row = Row(kernel.name, target, COMPILED,
              seconds=time.monotonic() - start,
              stages=read_stages(done.stderr, target))
    if done.returncode != 0:
        # A signal, or what a shell makes of one.
        crashed = done.returncode < 0 or done.returncode > 2
        row.status = CRASH if crashed else DIAGNOSTIC
        row.message = find_message(done.stderr)
        return row
    text = output.read_text()
    row.ptx_bytes = len(text)
    row.instructions = ptx_text.count_instructions(text)
    if census.ptxas:
        assemble(census, output, row)
    return row


# --- The report ---------------------------------------------------------------

def print_targets(rows: list[Row]) -> None:
    statuses = (COMPILED, DIAGNOSTIC, CRASH, TIMEOUT, REFUSED)
    print("target  " + "".join(status.rjust(12) for status in statuses))
    for target in sorted({row.target for row in rows}):
        here = [row for row in rows if row.target == target]
        counts = [sum(row.status == status for row in here)
                  for status in statuses]
        print(target.ljust(8) + "".join(str(count).rjust(12)
                                        for count in counts))


def print_times(rows: list[Row]) -> None:
    """The median and the longest, of all that took such a time."""
    def show(times: list[float]) -> str:
        return (f"{statistics.median(times):12.0f}{max(times):8.0f}" if times
                else "-".rjust(12) + "-".rjust(8))

    print("\nms: median and longest of   passes                LLVM"
          "           assembler")
    for target in sorted({row.target for row in rows}):
        here = [row for row in rows if row.target == target and row.stages]
        print(target.ljust(16)
              + show([row.stages.get("passes", 0.0) for row in here])
              + show([row.llvm for row in here])
              + show([row.assembler for row in here
                      if row.assembler is not None]))


def print_classes(rows: list[Row]) -> None:
    """What stops how many kernels, the most first."""
    classes: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.status != COMPILED:
            classes[row.status, classify(row.message)].append(row)
    if classes:
        print("\nkernels  on targets  what stops them (and one of them)")
    for (status, message), members in sorted(
            classes.items(), key=lambda item: (-len(item[1]), item[0])):
        kernels = {row.kernel for row in members}
        targets = {row.target for row in members}
        where = "all" if len(targets) == len({row.target for row in rows}
                                             ) else ",".join(sorted(targets))
        print(f"{len(kernels):7}  {where}\n         {status}: {message}\n"
              f"         {min(kernels)}")


def print_slowest(rows: list[Row], count: int) -> None:
    print(f"\nthe {count} slowest: seconds, of which passes and LLVM")
    for row in sorted(rows, key=lambda row: -row.seconds)[:count]:
        print(f"{row.seconds:8.2f} {row.stages.get('passes', 0) / 1e3:8.2f} "
              f"{row.llvm / 1e3:8.2f}  {row.target:7} {row.kernel}")


def print_report(rows: list[Row], slowest: int) -> None:
    print_targets(rows)
    print_times(rows)
    print_classes(rows)
    print_slowest(rows, slowest)


# --- The command line ---------------------------------------------------------

def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where dump.py wrote")
    parser.add_argument("--tilewright", type=Path, required=True,
                        help="the driver")
    parser.add_argument("--targets", metavar="LIST", help="comma-separated "
                        "(default: all that tests are run for)")
    manifest.add_selection(parser)
    parser.add_argument("--parallel", type=int, default=1, metavar="N")
    parser.add_argument("--stages", type=int, metavar="N",
                        help="of software pipelines (default: the compiler's)")
    parser.add_argument("--timeout", type=float, default=120.0,
                        metavar="SECONDS", help="for each compilation")
    parser.add_argument("--slowest", type=int, default=10, metavar="N")
    parser.add_argument("--ptxas", type=Path, metavar="PATH",
                        help="the assembler that must take the PTX")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="keep the PTX there, as NAME.TARGET.ptx")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write the rows there too")
    return parser.parse_args()


def take(census: Census, kernels: list[manifest.Kernel], targets: list[str],
         parallel: int) -> list[Row]:
    """A row for each kernel and target, in order."""
    pairs = [(kernel, target) for kernel in kernels for target in targets]
    with ThreadPoolExecutor(max(1, parallel)) as pool:
        return list(pool.map(lambda pair: compile_one(census, *pair), pairs))


def main() -> int:
    options = parse_options()
    kernels = manifest.select(options)
    missing = [kernel.name for kernel in kernels
               if not (options.folder / f"{kernel.name}.ttir").exists()]
    if missing or not kernels:
        what = f"{missing[0]}.ttir" if missing else "kernels of the manifest"
        print(f"error: expects {what} in {options.folder}, but got none; make "
              f"them with dump.py", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        output = options.keep or Path(scratch)
        output.mkdir(parents=True, exist_ok=True)
        census = Census(options.tilewright.resolve(), options.folder, output,
                        options.ptxas, options.timeout,
                        [f"--num-stages={options.stages}"] if options.stages
                        else [])
        targets = (options.targets.split(",") if options.targets
                   else tested_targets(options.tilewright.resolve()))
        rows = take(census, kernels, targets, options.parallel)
    print_report(rows, options.slowest)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows],
                                           indent=1) + "\n")
    return 1 if any(row.status in (CRASH, TIMEOUT, REFUSED)
                    for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
