#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the barriers of many kernels by `tilegpu-verify-barriers`.

In: a built `tilewright-opt`; the corpus, or a folder of other kernels that
test/ForeignKernels/dump.py filled. Out: a line for each kernel and target with
a barrier that is missing, needless or too strong, then `N rows, N failed`, and
exit status 1 if there is one.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Corpus"))

from manifest import load_kernels  # noqa: E402
from targets import tested_targets  # noqa: E402


def load_module(name: str, path: Path) -> ModuleType:
    """A module whose own name is taken: there are two of manifest.py."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


foreign = load_module("foreign_manifest",
                      HERE.parent / "ForeignKernels" / "manifest.py")


def find_kernels(folder: Path | None) -> list[tuple[Path, int]]:
    """Files, and the number of warps of each."""
    if folder is None:
        return [(kernel.file, kernel.num_warps) for kernel in load_kernels()]
    kernels = foreign.load_kernels(foreign.FOLDER / "fla.json")
    files = [(folder / f"{kernel.name}.ttir", kernel.num_warps)
             for kernel in kernels]
    return [(file, warps) for file, warps in files if file.exists()]


def verify(program: str, file: Path, warps: int, target: str) -> str:
    """What the check says against the kernel; "" where all is well."""
    done = subprocess.run(
        [program, str(file), "--tilewright-tile",
         f"--tilewright-tile-to-tilegpu=target={target} num-warps={warps}",
         "--tilewright-tilegpu", "--tilegpu-verify-barriers",
         "-o", os.devnull], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return next((line for line in done.stderr.splitlines() if "error:" in line),
                f"exit status {done.returncode}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path,
                        help="that test/ForeignKernels/dump.py filled "
                        "(default: the corpus)")
    parser.add_argument("--tilewright-opt", default="tilewright-opt",
                        metavar="PATH", help="default: from PATH")
    parser.add_argument("--targets", metavar="LIST",
                        help="comma-separated (default: all that tests are run "
                        "for, by the driver beside tilewright-opt)")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="kernels at a time")
    options = parser.parse_args()
    program = shutil.which(options.tilewright_opt)
    if program is None:
        print(f"error: expects tilewright-opt at '{options.tilewright_opt}', "
              f"but found none", file=sys.stderr)
        return 2
    targets = (options.targets.split(",") if options.targets else
               tested_targets(Path(program).with_name("tilewright")))
    jobs = [(file, warps, target)
            for file, warps in find_kernels(options.folder)
            for target in targets]
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        said = list(pool.map(
            lambda job: verify(options.tilewright_opt, *job), jobs))
    for (file, _, target), text in zip(jobs, said):
        if text:
            print(f"{file.stem}, {target}: {text}")
    print(f"{len(jobs)} rows, {sum(map(bool, said))} failed")
    return 1 if any(said) or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
