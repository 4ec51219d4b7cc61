#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs dumped kernels on the emulator and judges them by the reference.

In: a folder that dump.py filled, and its manifest, which says how the package
launches each kernel; `tilewright-judge`. Out: how many kernels could be judged,
how many of them agree for each target, each that does not and why; and, where
the folder has Triton's PTX (dump.py --ptx), whether that agrees too, and the
emulator's counts of ours beside its: instructions, shared-memory wavefronts,
bank conflicts, barriers, as geometric means and the kernels at the end. With
--json all of it. The exit status is 1 if an image of ours does not agree.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import manifest

TRITON = "triton"
# Triton's PTX does not say how much dynamic shared memory it needs: what a CTA
# of the GPU that it is made for can have.
TRITON_SHARED_BYTES = 166912
COUNTS = ("instructions", "wavefronts", "conflicts", "barriers", "sectors")


@dataclass(frozen=True)
class Setup:
    """What is run, with what."""

    judge: Path
    folder: Path
    targets: list[str]
    stages: int
    triton: bool
    programs: int
    seed: int
    timeout: float


def cut_grid(grid: list[int], programs: int) -> list[int]:
    """The first programs of a grid: of each axis, so that `programs` or fewer
    are left."""
    sizes = list(grid)
    while math.prod(sizes) > programs:
        axis = sizes.index(max(sizes))
        sizes[axis] = -(-sizes[axis] // 2)
    return sizes


def spell(argument: Any) -> Any:
    """An argument of a launch; JSON has no number for what is not finite."""
    if isinstance(argument, float) and not math.isfinite(argument):
        return str(argument)
    return argument


def make_case(setup: Setup, kernel: manifest.Kernel) -> dict[str, Any]:
    """The launch as tilewright-judge reads it."""
    ptx = setup.folder / f"{kernel.name}.ptx"
    images = [{"name": TRITON, "file": str(ptx),
               "sharedBytes": TRITON_SHARED_BYTES}]
    return {"kernel": str(setup.folder / f"{kernel.name}.ttir"),
            "numWarps": kernel.num_warps, "numStages": setup.stages,
            "seed": setup.seed,
            "grid": cut_grid(kernel.launch["grid"], setup.programs),
            "arguments": [spell(each) for each
                          in kernel.launch["arguments"].values()],
            "targets": setup.targets,
            "ptx": images if setup.triton and ptx.exists() else []}


def judge(setup: Setup, kernel: manifest.Kernel) -> dict[str, Any]:
    """What tilewright-judge says of one kernel."""
    row: dict[str, Any] = {"kernel": kernel.name, "images": []}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(make_case(setup, kernel), file)
        file.flush()
        try:
            done = subprocess.run([setup.judge, file.name], text=True,
                                  capture_output=True, check=False,
                                  timeout=setup.timeout)
        except subprocess.TimeoutExpired:
            return {**row, "status": "timeout",
                    "message": f"more than {setup.timeout:g} s"}
    if done.returncode:
        return {**row, "status": "crash", "message": done.stderr[-2000:]}
    return {**row, **json.loads(done.stdout)}


def find_image(row: dict[str, Any], name: str) -> dict[str, Any] | None:
    return next((image for image in row["images"] if image["image"] == name),
                None)


def is_bad(row: dict[str, Any]) -> bool:
    """Whether something of ours went wrong. Where rounding decides most of what
    a kernel computes, what differs is no mistake."""
    good = ("agrees",) if row["status"] == "judged" else ("agrees", "differs")
    return row["status"] in ("crash", "unreadable") or any(
        image["status"] not in good for image in row["images"]
        if image["image"] != TRITON)


def print_problem(status: str, what: str, message: str) -> None:
    print(f"{status}: {what}", *message.strip().splitlines()[:4],
          sep="\n    ", flush=True)


def print_problems(row: dict[str, Any]) -> None:
    """What hinders judging a kernel, and each image that is not as it says."""
    if row["status"] not in ("judged", "vague"):
        print_problem(row["status"], row["kernel"], row.get("message", ""))
    for image in row["images"]:
        if image["status"] != "agrees" and (row["status"] == "judged"
                                            or image["status"] != "differs"):
            print_problem(image["status"], f"{row['kernel']} for "
                          f"{image['image']}", image["message"])


def print_verdicts(rows: list[dict[str, Any]], images: list[str]) -> None:
    """How many kernels were judged, and how many images of them agree."""
    statuses = Counter(row["status"] for row in rows)
    print(f"{len(rows)} kernels: " + ", ".join(
        f"{count} {status}" for status, count in statuses.most_common()))
    judged = [row for row in rows if row["status"] == "judged"]
    if judged:
        tolerances = sorted(row["tolerance"] for row in judged
                            if row["tolerance"] is not None)
        if tolerances:
            print(f"tolerance of a judged element, relative: median "
                  f"{tolerances[len(tolerances) // 2]:.1e}, largest "
                  f"{tolerances[-1]:.1e} (medians of kernels)")
    for name in images:
        found = [image for row in judged
                 if (image := find_image(row, name)) is not None]
        if found:
            agree = sum(image["status"] == "agrees" for image in found)
            worst = max((image["worst"] or 0.0 for image in found
                         if image["status"] == "agrees"), default=0.0)
            print(f"{name}: {agree} of {len(found)} judged kernels agree, "
                  f"largest error {worst:.2f} of the tolerance")


def compare_counts(rows: list[dict[str, Any]], target: str, count: int
                   ) -> None:
    """Our counts beside Triton's, for the target of its PTX."""
    pairs = []
    for row in rows:
        ours, theirs = find_image(row, target), find_image(row, TRITON)
        if ours and theirs and "counts" in ours and "counts" in theirs:
            pairs.append((row["kernel"], ours["counts"], theirs["counts"]))
    if not pairs:
        return
    print(f"\n{target} beside Triton's, {len(pairs)} kernels\n{'':14}"
          f"{'ours':>12}{'Triton':>12}{'mean ratio':>12}  (geometric, over "
          f"kernels where neither is 0; then how many have it alone)")
    for name in COUNTS:
        both = [ours[name] / theirs[name] for _, ours, theirs in pairs
                if ours[name] and theirs[name]]
        mean = geometric_mean(both) if both else math.nan
        alone = [sum(bool(pair[side][name]) and not pair[3 - side][name]
                     for pair in pairs) for side in (1, 2)]
        print(f"{name:14}{sum(ours[name] for _, ours, _ in pairs):12}"
              f"{sum(theirs[name] for _, _, theirs in pairs):12}{mean:12.3f}"
              f"  {len(both)} kernels; {alone[0]} ours, {alone[1]} Triton's")
    for name in ("wavefronts", "barriers"):
        pairs.sort(key=lambda pair: -(pair[1][name] + 1) / (pair[2][name] + 1))
        print(f"\nmost {name} for one of Triton's")
        for kernel, ours, theirs in pairs[:count]:
            print(f"{ours[name]:10}{theirs[name]:10}  {kernel}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where dump.py wrote")
    parser.add_argument("--judge", type=Path, required=True, metavar="PATH",
                        help="tilewright-judge")
    parser.add_argument("--targets", default="sm_75,sm_80", metavar="LIST")
    manifest.add_selection(parser)
    parser.add_argument("--no-triton", action="store_true",
                        help="leave Triton's PTX out")
    parser.add_argument("--programs", type=int, default=8, metavar="N",
                        help="programs of each launch, at most (default 8)")
    parser.add_argument("--stages", type=int, default=0, metavar="N",
                        help="of software pipelines in our code (default: the "
                        "compiler's)")
    parser.add_argument("--seed", type=int, default=0, metavar="N",
                        help="order of the emulator's warps (default 0)")
    parser.add_argument("--timeout", type=float, default=300.0,
                        metavar="SECONDS", help="for each kernel")
    parser.add_argument("--parallel", type=int, default=1, metavar="N",
                        help="kernels at a time")
    parser.add_argument("--at-least", type=int, default=1, metavar="N",
                        help="fail if fewer kernels are judged")
    parser.add_argument("--count", type=int, default=10, metavar="N",
                        help="kernels to print at the end")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write all of it there")
    return parser.parse_args()


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
    targets = options.targets.split(",")
    setup = Setup(options.judge.resolve(), options.folder, targets,
                  options.stages, not options.no_triton, options.programs, options.seed,
                  options.timeout)
    rows = []
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        for row in pool.map(lambda kernel: judge(setup, kernel), kernels):
            print_problems(row)
            rows.append(row)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print_verdicts(rows, [*targets, TRITON])
    if "sm_80" in targets:
        compare_counts(rows, "sm_80", options.count)
    judged = sum(row["status"] == "judged" for row in rows)
    if judged < options.at_least:
        print(f"error: expects at least {options.at_least} kernels that can "
              f"be judged, but got {judged}", file=sys.stderr)
        return 1
    return 1 if any(map(is_bad, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
