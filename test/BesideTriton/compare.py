#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares operations with Triton's, bit by bit, on numbers that matter.

In: operations.py, values.py, a built `tilewright`, an installed Triton (no
GPU). Each operation's kernel is compiled by both, and both PTX texts run on the
emulator on the same numbers. Out: a row for each operation whose results
differ in any bit, with how; exit status 1 where reasons.json has no reason for
it.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import numpy as np

from operations import BLOCK, OPERATIONS, Operation, make_kernel
from values import (COUNT, FLOATS, is_subnormal, operands, ordinals, storage,
                    to_float64, width)

HERE = Path(__file__).resolve().parent


@dataclass
class Difference:
    """How results differ: numbers of each kind, with the worst example; the
    most that a rounding differs by, in units in the last place. error: why one
    of the two has no results."""

    operation: Operation
    target: str
    counts: dict[str, int] = field(default_factory=dict)
    units: int = 0
    examples: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def key(self) -> str:
        return f"{self.operation.name}; {self.operation.types}; {self.target}"

    @property
    def summary(self) -> str:
        if self.error:
            return self.error
        return ", ".join(
            f"{kind} ({count}" + (f", up to {self.units} ulp)"
                                  if kind == "rounding" else ")")
            for kind, count in self.counts.items())


# --- compiling and running ----------------------------------------------------

def compile_with_triton(text: str, target: str, fuses: bool,
                        folder: Path) -> Path:
    """Triton's PTX; raises what Triton raises."""
    import triton
    from triton.backends.compiler import GPUTarget
    source = folder / "triton.ttir"
    source.write_text(text)
    kernel = triton.compile(str(source),
                            target=GPUTarget("cuda", int(target[3:].rstrip("a")), 32),
                            options={"num_warps": 4,
                                     "enable_fp_fusion": fuses})
    ptx = folder / "triton.ptx"
    ptx.write_text(kernel.asm["ptx"])
    return ptx


def silence_triton() -> TextIO:
    """What Triton and its libraries say of operations that they do not have
    goes nowhere; what this script says goes to the result."""
    output = os.fdopen(os.dup(1), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return output


def first_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if "error" in line]
    line = (lines or text.strip().splitlines() or ["no message"])[0]
    return re.sub(r"^\S*/\S+ ?", "", line)


def compile_with_tilewright(tilewright: str, text: str, target: str,
                            fuses: bool, folder: Path) -> Path:
    source, ptx = folder / "kernel.ttir", folder / "kernel.ptx"
    source.write_text(text)
    subprocess.run([tilewright, "compile", f"--target={target}", "--emit=ptx", "--tensor-maps=false",
                    f"--fp-fusion={str(fuses).lower()}", "-o", str(ptx), str(source)], check=True,
                   capture_output=True, text=True)
    return ptx


def run(tilewright: str, ptx: Path, inputs: list[Path], output: Path,
        result: str, *more: str) -> np.ndarray:
    """The results' bits."""
    parameters = ptx.read_text().split(".entry")[1].split(")")[0]
    hidden = parameters.count(".param") - len(inputs) - 1
    initial = output.with_suffix(".zeros.npy")
    np.save(initial, np.zeros(COUNT, storage(result)))
    command = [tilewright, "run", str(ptx), "--device=emulator",
               f"--grid={COUNT // BLOCK}", "--shared-bytes=49152", *more]
    for path in inputs:
        command += ["--arg", str(path)]
    command += ["--arg", f"{output}={initial}"] + ["--arg", "null"] * hidden
    subprocess.run(command, check=True, capture_output=True, text=True)
    return np.load(output)


# --- comparing ------------------------------------------------------------------

def describe(codes: list[np.ndarray], types: list[str]) -> str:
    """One number of each type, as hexadecimal digits and as a number."""
    parts = []
    for code, name in zip(codes, types):
        text = f"0x{int(code):0{max(1, width(name) // 4)}x}"
        if name in FLOATS:
            number = to_float64(np.array([code]), name)[0]
            text += f" ({number:.9g})"
        parts.append(text)
    return ", ".join(parts)


def name_kinds(operation: Operation, inputs: list[np.ndarray],
               ours: np.ndarray, theirs: np.ndarray
               ) -> tuple[np.ndarray, np.ndarray]:
    """For each number the kind of its difference, and units in the last
    place."""
    touched = np.zeros(ours.shape, bool)
    for each, name in zip(inputs, operation.operands):
        if name in FLOATS:
            touched |= is_subnormal(each, name)
    kinds = np.full(ours.shape, "integers", dtype=object)
    units = np.zeros(ours.shape, np.int64)
    if operation.result in FLOATS:
        results = (ours, theirs)
        a, b = (to_float64(each, operation.result) for each in results)
        for each in results:
            touched |= is_subnormal(each, operation.result)
        kinds[:] = "rounding"
        kinds[(a == 0) & (b == 0)] = "sign of zero"
        kinds[np.isinf(a) ^ np.isinf(b)] = "infinity"
        kinds[np.isnan(a) ^ np.isnan(b)] = "NaN"
        finite = np.isfinite(a) & np.isfinite(b)
        units[finite] = np.abs(ordinals(ours, operation.result)
                               - ordinals(theirs, operation.result))[finite]
    kinds[touched] = "subnormal"
    if operation.result in FLOATS:
        kinds[np.isnan(a) & np.isnan(b)] = "bits of NaN"
    return kinds, units


def compare(operation: Operation, target: str, inputs: list[np.ndarray],
            ours: np.ndarray, theirs: np.ndarray) -> Difference:
    difference = Difference(operation, target)
    places = np.flatnonzero(ours != theirs)
    if not places.size:
        return difference
    inputs = [each[places] for each in inputs]
    ours, theirs = ours[places], theirs[places]
    kinds, units = name_kinds(operation, inputs, ours, theirs)
    difference.units = int(units[kinds == "rounding"].max(initial=0))
    for kind in sorted(set(kinds)):
        chosen = np.flatnonzero(kinds == kind)
        difference.counts[str(kind)] = len(chosen)
        worst = chosen[np.argmax(units[chosen])]
        difference.examples[str(kind)] = (
            describe([each[worst] for each in inputs],
                     list(operation.operands))
            + ": " + describe([ours[worst]], [operation.result])
            + ", Triton " + describe([theirs[worst]], [operation.result]))
    return difference


def compare_one(tilewright: str, operation: Operation, target: str,
                fuses: bool, folder: Path) -> Difference:
    folder.mkdir(parents=True)
    text = make_kernel(operation)
    inputs = operands(list(operation.operands))
    paths = []
    for index, each in enumerate(inputs):
        paths.append(folder / f"{index}.npy")
        np.save(paths[-1], each)
    try:
        ours = run(tilewright, compile_with_tilewright(
            tilewright, text, target, fuses, folder), paths,
            folder / "ours.npy", operation.result)
    except subprocess.CalledProcessError as error:
        return Difference(operation, target,
                          error="ours: " + first_line(error.stderr))
    try:
        ptx = compile_with_triton(text, target, fuses, folder)
    except Exception:  # Triton raises what it likes.
        return Difference(operation, target, counts={"Triton has none": COUNT})
    try:
        # What its code does with what it does not use is not the question.
        theirs = run(tilewright, ptx, paths, folder / "theirs.npy",
                     operation.result, "--check=none")
    except subprocess.CalledProcessError as error:
        return Difference(operation, target, error="Triton's PTX: "
                          + first_line(error.stderr))
    return compare(operation, target, inputs, ours, theirs)


# --- judging --------------------------------------------------------------------

@dataclass(frozen=True)
class Reason:
    """Why operations may differ so: a row of reasons.json.

    operations, targets: regular expressions that match the whole of what they
    are for. units: differences of rounding up to this are meant.
    """

    operations: str
    kinds: tuple[str, ...]
    why: str
    targets: str = ".*"
    units: int = 0

    def covers(self, row: Difference, kind: str) -> bool:
        operation = f"{row.operation.name}; {row.operation.types}"
        return (kind in self.kinds
                and re.fullmatch(self.operations, operation) is not None
                and re.fullmatch(self.targets, row.target) is not None
                and (kind != "rounding" or row.units <= self.units))


def load_reasons() -> list[Reason]:
    return [Reason(**{**row, "kinds": tuple(row["kinds"])})
            for row in json.loads((HERE / "reasons.json").read_text())]


def unexplained(row: Difference, reasons: list[Reason],
                used: set[Reason]) -> list[str]:
    """The kinds of differences that no reason covers."""
    left = []
    for kind in row.counts:
        covering = [each for each in reasons if each.covers(row, kind)]
        used.update(covering[:1])
        if not covering:
            left.append(kind)
    return left


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--targets", default="sm_75,sm_80,sm_90a", metavar="LIST",
                        help="comma-separated (default: sm_75,sm_80,sm_90a)")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="operations whose name and types match")
    parser.add_argument("--parallel", type=int, default=1, metavar="N",
                        help="operations at a time")
    parser.add_argument("--all", action="store_true",
                        help="print differences that have a reason too")
    parser.add_argument("--no-fusion", action="store_true",
                        help="forbid both to fuse products and sums")
    parser.add_argument("--work", type=Path, metavar="FOLDER",
                        help="keep kernels, PTX and numbers there")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="beside-triton")
    os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
    output = silence_triton()
    work = options.work or Path(os.environ["TRITON_CACHE_DIR"])
    chosen = [(operation, target) for operation in OPERATIONS
              for target in options.targets.split(",")
              if re.search(options.only,
                           f"{operation.name}; {operation.types}")]
    with ThreadPoolExecutor(options.parallel) as pool:
        rows = list(pool.map(
            lambda item: compare_one(options.tilewright, *item[1],
                                     not options.no_fusion,
                                     work / "kernels" / str(item[0])),
            enumerate(chosen)))
    reasons, used = load_reasons(), set()
    failed = 0
    for row in rows:
        left = unexplained(row, reasons, used)
        bad = bool(left or row.error)
        failed += bad
        if row.summary and (bad or options.all):
            print(f"{row.key}: {row.summary}", file=output)
            for kind in left or row.counts:
                print(f"    {kind}: {row.examples.get(kind, '')}", file=output)
    if not options.only and not failed:
        for reason in set(reasons) - used:
            print(f"a reason that nothing needs: {reason}", file=output)
            failed += 1
    same = sum(not row.summary for row in rows)
    print(f"{len(rows)} operations, {same} with the same bits, "
          f"{len(rows) - same - failed} that differ for a reason, {failed} "
          f"without one", file=output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
