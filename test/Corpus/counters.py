#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the emulator's counts with the counters of a GPU, by ncu.

In: the corpus, a built `tilewright`, a GPU and Nsight Compute. Out: a line for
each kernel, target and counter, and exit status 1 where one differs. Local
memory (spills) is no part of the counters; kernels of the corpus use no
cp.async.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from backends import (Compiler, Launch, PythonCuda, ToolError, argument_text,
                      write_launch)
from manifest import CORPUS, Kernel, load_kernels
from references import build_case

# The emulator's instructions and count, and ncu's metric.
COUNTERS = {
    "shared load wavefronts": (
        r"(ld\.shared|ldmatrix)", "wavefronts",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    "shared store wavefronts": (
        r"(st\.shared|stmatrix)", "wavefronts",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    "global load sectors": (
        r"ld\.global", "sectors",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    "global store sectors": (
        r"st\.global", "sectors",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
}


def emulated(tilewright: str, artifact: Path, name: str,
             launch: Launch) -> dict[str, int]:
    command = [tilewright, "run", str(artifact), f"--kernel={name}",
               f"--grid={','.join(map(str, launch.grid))}",
               "--device=emulator", "--stats=json"]
    for argument in launch.arguments:
        command += ["--arg", argument_text(argument)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ToolError(done.stderr.strip())
    found = json.loads(done.stdout[done.stdout.index("{"):])["instructions"]
    return {counter: sum(one[field] for one in found
                         if re.match(pattern, one["name"]))
            for counter, (pattern, field, _) in COUNTERS.items()}


def measured(prepared: dict, launch: Launch, folder: Path) -> dict[str, int]:
    job = folder / "counters.json"
    job.write_text(json.dumps({
        **prepared, "first": 0,
        "launches": [{"grid": launch.grid, "arguments": launch.arguments}]}))
    metrics = ",".join(metric for _, _, metric in COUNTERS.values())
    done = subprocess.run(
        ["ncu", "--csv", "--page", "raw", "--print-units", "base",
         "--metrics", metrics, sys.executable,
         str(CORPUS / "cuda_launch.py"), str(job)],
        capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines()
             if line.startswith('"')]
    if done.returncode or len(lines) < 3:
        raise ToolError(f"ncu: {done.stderr.strip()} {done.stdout.strip()}")
    # A line of names, one of units, one of values.
    names, _, values = list(csv.reader(lines))[:3]
    row = dict(zip(names, values))
    return {counter: int(float(row[metric].replace(",", "")))
            for counter, (_, _, metric) in COUNTERS.items()}


def compare(kernel: Kernel, target: str, case: dict, compiler: Compiler,
            folder: Path) -> int:
    """Prints a line for each counter; the number that differ."""
    here = folder / kernel.name / target
    here.mkdir(parents=True, exist_ok=True)
    prepared = PythonCuda(compiler, "ptx", 300).prepare(kernel, target, here)
    compiler.emit(kernel, target, "artifact", here / "kernel.artifact")
    launch = write_launch(build_case(kernel, case), here / "in", here / "out")
    expected = measured(prepared, launch, here)
    actual = emulated(compiler.tilewright, here / "kernel.artifact",
                      kernel.function, launch)
    for counter, count in expected.items():
        same = "ok" if actual[counter] == count else "DIFFERS"
        print(f"{kernel.name:34} {target:7} {case['name']:16} {counter:24} "
              f"ncu {count:8}  emulator {actual[counter]:8}  {same}",
              flush=True)
    return sum(actual[counter] != count for counter, count in expected.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH")
    parser.add_argument("--targets", default="sm_80,sm_90a")
    parser.add_argument("--kernels", default="", metavar="REGEX")
    parser.add_argument("--cases", default=r"strided|prime|uneven|tile\+1",
                        metavar="REGEX", help="the first that matches is run")
    options = parser.parse_args()
    compiler = Compiler(options.tilewright, 300).without_maps()
    pairs = differ = 0
    with tempfile.TemporaryDirectory() as scratch:
        for kernel in load_kernels():
            cases = [case for case in kernel.cases
                     if re.search(options.cases, case["name"])]
            if not re.search(options.kernels, kernel.name):
                continue
            for target in options.targets.split(","):
                pairs += 1
                differ += bool(compare(kernel, target,
                                       (cases or kernel.cases[-1:])[0],
                                       compiler, Path(scratch)))
    print(f"{pairs} kernels, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
