#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts barriers and shared-memory wavefronts of the corpus, ours and Triton's.

In: the corpus, a built `tilewright`, and, with --triton, the Triton of
test/Corpus/requirements.txt, which compiles the same files for the same GPU.
Out: for each kernel the barriers of all warps that its cases execute on the
emulator (once for each warp), the barriers of single warps, the wavefronts of
shared memory, and its bytes; then the sums, and the geometric means of our
barriers and wavefronts for one of Triton's over the kernels in which both have
some.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Corpus"))

from backends import (Compiler, ToolError, argument_text,  # noqa: E402
                      require_driver, write_launch)
from manifest import Kernel, load_kernels  # noqa: E402
from references import build_case  # noqa: E402


@dataclass(frozen=True)
class Code:
    """PTX, the bytes of shared memory that it is launched with, and how many
    parameters it has: Triton adds pointers to scratch memory."""

    file: Path
    shared_bytes: int
    parameters: int = 0


@dataclass(frozen=True)
class Counts:
    cta: int
    warp: int
    wavefronts: int
    shared_bytes: int


def compile_ours(kernel: Kernel, target: str, tilewright: str,
                 folder: Path) -> Code:
    compiler = Compiler(tilewright, 60.0).without_maps()
    compiler.emit(kernel, target, "ptx", folder / "ours.ptx")
    return Code(folder / "ours.ptx",
                compiler.metadata(kernel, target, folder).shared_bytes)


def compile_triton(kernel: Kernel, target: str, stages: int,
                   folder: Path) -> Code:
    """Raises what Triton raises."""
    # Not at the top: without --triton nobody needs it.
    import triton
    from triton.backends.compiler import GPUTarget
    compiled = triton.compile(
        str(kernel.file),
        target=GPUTarget("cuda", int(re.sub(r"\D", "", target)), 32),
        options={"num_warps": kernel.num_warps, "num_stages": stages})
    file = folder / "triton.ptx"
    file.write_text(compiled.asm["ptx"])
    entry = compiled.asm["ptx"].split(".entry")[1].split("{")[0]
    return Code(file, compiled.metadata.shared, entry.count(".param"))


def run(kernel: Kernel, code: Code, tilewright: str, folder: Path) -> Counts:
    """Runs all cases."""
    cta = warp = wavefronts = 0
    for index, parameters in enumerate(kernel.cases):
        launch = write_launch(build_case(kernel, parameters),
                              folder / f"in{index}", folder / f"out{index}")
        command = [tilewright, "run", str(code.file), "--device=emulator",
                   f"--grid={','.join(map(str, launch.grid))}",
                   f"--shared-bytes={code.shared_bytes}", "--stats=json"]
        for argument in launch.arguments:
            command += ["--arg", argument_text(argument)]
        for _ in range(code.parameters - len(launch.arguments)):
            command += ["--arg", "null"]
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise ToolError(done.stderr.strip())
        counts = json.loads(done.stdout[done.stdout.index("{"):])
        for each in counts["instructions"]:
            wavefronts += each["wavefronts"]
            if re.match(r"bar(rier)?(\.cta)?\.sync", each["name"]):
                cta += each["warps"]
            elif each["name"].startswith("bar.warp.sync"):
                warp += each["warps"]
    return Counts(cta, warp, wavefronts, code.shared_bytes)


def measure(kernel: Kernel, options: argparse.Namespace
            ) -> tuple[Counts | None, Counts | None]:
    """Ours, and Triton's; none where it is not asked for or fails."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ours = run(kernel, compile_ours(kernel, options.target,
                                        options.tilewright, folder),
                   options.tilewright, folder)
        if not options.triton:
            return ours, None
        try:
            code = compile_triton(kernel, options.target, options.stages,
                                  folder)
            return ours, run(kernel, code, options.tilewright, folder)
        except (ToolError, RuntimeError) as error:
            print(f"{kernel.name}: Triton: {str(error).splitlines()[0]}",
                  file=sys.stderr)
            return ours, None


def print_table(rows: list[tuple[str, Counts, Counts | None]]) -> None:
    columns = f"{'barriers':>8} {'warp':>6} {'waves':>8} {'bytes':>7}"
    print(f"{'kernel':34} {columns}   {columns}")
    for name, ours, theirs in rows:
        print(f"{name:34} " + "   ".join(
            f"{each.cta:8} {each.warp:6} {each.wavefronts:8} "
            f"{each.shared_bytes:7}" for each in (ours, theirs) if each))
    for title, counts in (("ours", [row[1] for row in rows]),
                          ("Triton", [row[2] for row in rows if row[2]])):
        if counts:
            print(f"{title}: {sum(each.cta for each in counts)} barriers, "
                  f"{sum(each.warp for each in counts)} of warps, "
                  f"{sum(each.wavefronts for each in counts)} wavefronts, "
                  f"{sum(each.shared_bytes for each in counts)} bytes, "
                  f"{len(counts)} kernels")
    for what in ("cta", "wavefronts"):
        ratios = [getattr(ours, what) / getattr(theirs, what)
                  for _, ours, theirs in rows
                  if theirs and getattr(ours, what) and getattr(theirs, what)]
        if ratios:
            mean = geometric_mean(ratios)
            print(f"{'barriers' if what == 'cta' else what}: {mean:.3f} of ours "
                  f"for one of Triton's, geometric mean over {len(ratios)} "
                  f"kernels")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH",
                        help="the driver (default: from PATH)")
    parser.add_argument("--target", default="sm_80",
                        help="default sm_80")
    parser.add_argument("--triton", action="store_true",
                        help="compile with Triton too")
    parser.add_argument("--stages", type=int, default=3, metavar="N",
                        help="of Triton's pipelines (default 3, its own)")
    parser.add_argument("--kernels", default="", metavar="TEXT",
                        help="kernels whose names have it")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="kernels at a time")
    options = parser.parse_args()
    require_driver(options.tilewright)
    kernels = [kernel for kernel in load_kernels()
               if options.kernels in kernel.name]
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        counts = list(pool.map(lambda kernel: measure(kernel, options),
                               kernels))
    print_table([(kernel.name, *pair)
                 for kernel, pair in zip(kernels, counts)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
