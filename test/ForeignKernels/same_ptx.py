#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells whether two builds of the compiler make the same PTX, byte for byte.

In: a folder that dump.py filled, and a compiler; --record FILE writes what it
made of each kernel for each target, as digests and counts of instructions (or
the diagnostic, where there is no PTX); --compare FILE reads that of another
build, lists what differs, and exits with 1 if anything does. The kernels of the
corpus are compiled too, for four warps each. The last line is
"N the same, N differ".
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean

import census
import manifest
import ptx_text

CORPUS = manifest.FOLDER.parent / "Corpus"
sys.path.append(str(CORPUS))

from targets import tested_targets  # noqa: E402

# A file, its number of warps and a target.
Job = tuple[Path, int, str]


def list_jobs(options: argparse.Namespace) -> Iterator[Job]:
    files = [(options.folder / f"{kernel.name}.ttir", kernel.num_warps)
             for kernel in manifest.select(options)]
    if not options.only:
        files += [(file, 4) for file in sorted(CORPUS.glob("*.ttir"))]
    targets = (options.targets.split(",") if options.targets
               else tested_targets(options.tilewright))
    for file, warps in files:
        for target in targets:
            yield file, warps, target


def compile_one(tilewright: Path, job: Job) -> tuple[str, dict[str, object]]:
    """The job's name, and what became of it."""
    file, warps, target = job
    done = subprocess.run(
        [tilewright, "compile", file, f"--target={target}",
         f"--num-warps={warps}", "--emit=ptx", "-o", "-"],
        capture_output=True, text=True, check=False)
    name = f"{file.stem} {target}"
    if done.returncode != 0:
        return name, {"error": census.find_message(done.stderr)}
    return name, {"digest": hashlib.sha256(done.stdout.encode()).hexdigest(),
                  "instructions": ptx_text.count_instructions(done.stdout)}


def compare(before: dict[str, dict[str, object]],
            after: dict[str, dict[str, object]]) -> int:
    """Prints what differs; how many do."""
    common = before.keys() & after.keys()
    different = sorted(name for name in common if before[name] != after[name])
    for name in different:
        print(f"{name}: {before[name]} -> {after[name]}")
    ratios = [after[name]["instructions"] / before[name]["instructions"]
              for name in different if "digest" in before[name]
              and "digest" in after[name]]
    if ratios:
        print(f"instructions where they differ: {geometric_mean(ratios):.4f} "
              "for one of before")
    print(f"{len(common) - len(different)} the same, {len(different)} differ")
    return len(different)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tilewright", type=Path, required=True)
    manifest.add_selection(parser)
    parser.add_argument("--targets", metavar="LIST", help="comma-separated; "
                        "all that are tested if there is none")
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    parser.add_argument("--record", type=Path)
    parser.add_argument("--compare", type=Path)
    options = parser.parse_args()
    with ThreadPoolExecutor(options.parallel) as pool:
        made = dict(pool.map(
            lambda job: compile_one(options.tilewright, job),
            list_jobs(options)))
    if options.record:
        options.record.write_text(json.dumps(made, indent=0, sort_keys=True))
    if not options.compare:
        return 0
    return 1 if compare(json.loads(options.compare.read_text()), made) else 0


if __name__ == "__main__":
    sys.exit(main())
