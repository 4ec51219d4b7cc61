#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a manifest's kernels take to compile: by Triton, and by Tilewright
through its door (tilewright.triton), in turns in one process, without caches.

From Python's text to machine code for an A100, and from TTIR to it (the front
end and TTIR are Triton's for both). With --ir from files of TTIR, whose names
end in .wNsM.ttir for N warps and M stages, in place of the manifest's kernels. Out: geometric means of ours by Triton's, and
the kernels that are slowest for what Triton takes; with --json all of it. Needs
requirements.txt and the wheel of Tilewright, but neither a GPU nor PyTorch; CUDA's
assembler is Triton's for both, or for us, as beside PyTorch, the library of the
package nvidia-nvjitlink where it is installed.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from types import SimpleNamespace
from typing import Any

import dump
import gpu_stand_in
import manifest

LIMIT = 1.5


@dataclass
class Times:
    """Seconds of a compilation, by stage; `total` counts the front end too."""

    total: float
    stages: dict[str, float]

    @property
    def behind_ttir(self) -> float:
        return sum(time for name, time in self.stages.items() if name != "ttir")


@dataclass
class Row:
    kernel: str
    triton: Times
    ours: Times

    @property
    def ratio(self) -> float:
        return self.ours.total / self.triton.total


@dataclass
class IrFile:
    """TTIR, and what its name says of the options."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def num_warps(self) -> int:
        return int(self._numbers()[1])

    @property
    def num_stages(self) -> int:
        return int(self._numbers()[2])

    def _numbers(self) -> re.Match[str]:
        found = re.search(r"\.w(\d+)s(\d+)\.ttir$", self.name)
        if not found:
            sys.exit(f"error: expects a name that ends in .wNsM.ttir, but got '{self.path}'")
        return found


Kernel = manifest.Kernel | IrFile


def compile_once(kernel: Kernel, ours: bool) -> Times:
    """Compiles a kernel by one of both; the door is open for ours alone."""
    import tilewright.triton
    import triton
    times = []
    triton.knobs.compilation.listener = lambda **said: times.append(said["times"])
    switch = tilewright.triton.enable if ours else tilewright.triton.disable
    with switch():
        compiled = triton.compile(
            str(kernel.path) if isinstance(kernel, IrFile) else dump.make_source(kernel),
            target=gpu_stand_in.Driver().get_current_target(),
            options={"num_warps": kernel.num_warps, "num_stages": kernel.num_stages})
    if ours != hasattr(compiled.metadata, "tilewright_maps"):
        sys.exit(f"error: expects {'Tilewright' if ours else 'Triton'} to compile "
                 f"{kernel.name}, but the other did")
    return Times(times[-1].total / 1e6,
                 {name: time / 1e6 for name, time in times[-1].lowering_stages})


def report(rows: list[Row]) -> None:
    above = sorted((row for row in rows if row.ratio > LIMIT),
                   key=lambda row: -row.ratio)
    for row in above:
        print(f"  {row.ratio:5.2f}  {row.kernel}: {row.ours.total:.3f} s, Triton "
              f"{row.triton.total:.3f} s; " + " ".join(
                  f"{name} {time:.3f} ({row.triton.stages.get(name, 0):.3f})"
                  for name, time in row.ours.stages.items()))
    behind = geometric_mean([row.ours.behind_ttir / row.triton.behind_ttir for row in rows])
    print(f"{len(rows)} kernels: {geometric_mean([row.ratio for row in rows]):.3f} of Triton's "
          f"time, from TTIR to machine code {behind:.3f} (geometric means); "
          f"{len(above)} above {LIMIT}, the worst "
          f"{max(row.ratio for row in rows):.2f}")


def install_stand_ins() -> None:
    """Those of dump.py, with the newest CUDA, and no caches."""
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="tilewright-times-")
    dump.install_stand_ins()
    import torch
    torch.version = SimpleNamespace(cuda="13.0")


def measure(kernels: list[Kernel]) -> list[Row]:
    # What a process does once is no kernel's.
    for ours in (False, True):
        compile_once(kernels[0], ours)
    rows = []
    for number, kernel in enumerate(kernels):
        # Neither is always the first, whose front end imports what it names.
        order = (False, True) if number % 2 else (True, False)
        times: dict[bool, Any] = {ours: compile_once(kernel, ours) for ours in order}
        rows.append(Row(kernel.name, times[False], times[True]))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    manifest.add_selection(parser)
    parser.add_argument("--ir", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--capability", type=int, default=80,
                        help="of the GPU that is compiled for (default %(default)s)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    gpu_stand_in.CAPABILITY = divmod(options.capability, 10)
    if not options.ir:
        dump.require_version(options.manifest)
    install_stand_ins()
    rows = measure([IrFile(path) for path in options.ir] if options.ir
                   else manifest.select(options))
    report(rows)
    if options.json:
        options.json.write_text(
            json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
