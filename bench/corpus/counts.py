# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where there is no GPU: what the emulator counts in the first programs of a
launch, beside what the estimate of that launch is made of."""

import importlib.util
import json
import math
import struct
import subprocess
from pathlib import Path
from typing import Any

from compilers import Tools, make_text
from problems import Buffer, Problem, Scalar
from report import geometric_mean, rank_correlation

FORMS = {"fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16",
         "i64": "i64", "i32": "i32", "u32": "i32", "i16": "i16", "i8": "i8",
         "u8": "i8", "i1": "i8", "fp8e4nv": "i8", "fp8e5": "i8"}
# The emulator's name, the estimate's.
KINDS = {"warps": "instructions", "wavefronts": "wavefronts",
         "sectors": "sectors", "mma": "matrices"}


def has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None


def is_made(problem: Problem, tools: Tools) -> bool:
    """Whether the problem's tile IR is kept from another run."""
    try:
        make_text(problem, tools)
    except ImportError:
        return False
    return True


def write_npy(path: Path, values: tuple[int, ...], form: str) -> None:
    code, letter = ("<i8", "q") if form == "i64" else ("<i4", "i")
    header = (f"{{'descr': '{code}', 'fortran_order': False, "
              f"'shape': ({len(values)},), }}")
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
                     + header.encode()
                     + struct.pack(f"<{len(values)}{letter}", *values))


def argument_text(problem: Problem, name: str, folder: Path) -> str:
    argument = problem.arguments[name]
    if isinstance(argument, Scalar):
        return f"{FORMS[argument.form]}:{argument.value}"
    assert isinstance(argument, Buffer)
    if argument.values:
        path = folder / f"{abs(hash((problem.name, name)))}.npy"
        write_npy(path, argument.values, argument.form)
        return str(path)
    return f"zeros:{argument.elements}x{FORMS[argument.form]}"


def emulate(problem: Problem, text: Path, tools: Tools,
            grid: tuple[int, int, int]) -> dict[str, Any]:
    command = [tools.tilewright, "run", str(text), f"--target={tools.target}",
               f"--num-warps={problem.warps}",
               f"--num-stages={problem.stages}", "--device=emulator",
               "--check=none", "--stats=json",
               f"--grid={','.join(map(str, grid))}"]
    for name in problem.arguments:
        command += ["--arg", argument_text(problem, name, tools.work)]
    done = subprocess.run(command, capture_output=True, text=True,
                          check=False, timeout=300)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    return json.loads(done.stdout[done.stdout.index("{"):])["total"]


def estimate(problem: Problem, text: Path, tools: Tools,
             grid: tuple[int, int, int]) -> dict[str, Any]:
    done = subprocess.run(
        [tools.tilewright, "compile", str(text), f"--target={tools.target}",
         f"--num-warps={problem.warps}", f"--num-stages={problem.stages}",
         f"--launch={problem.launch_option(grid)}", "--emit=estimate-json",
         "-o", "-"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    [kernel] = json.loads(done.stdout)["kernels"]
    return kernel


def count(job: tuple[Problem, Tools, int]) -> dict[str, Any]:
    """A row. Of the grid the first programs along x run."""
    problem, tools, programs = job
    row: dict[str, Any] = {"problem": problem.name, "group": problem.group}
    grid = (min(problem.grid[0], programs), 1, 1)
    try:
        text = make_text(problem, tools)
        row["counted"] = emulate(problem, text, tools, grid)
        found = estimate(problem, text, tools, grid)
        # The emulator counts neither of asynchronous copies.
        row["estimated"] = {
            kind: (found["counts"][kind]
                   - found["counts"].get(f"copied {kind}", 0)) * grid[0]
            for kind in KINDS.values()}
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        row["error"] = str(error)
    return row


HEADINGS = (f"{'counted / estimated for one counted':50}"
            + "".join(f"{kind:>22}" for kind in KINDS.values()))


def format_row(row: dict[str, Any]) -> str:
    if "error" in row:
        return f"{row['problem'][:50]:50} {row['error'].splitlines()[-1]}"
    text = f"{row['problem'][:50]:50}"
    for ours, theirs in KINDS.items():
        counted = row["counted"][ours]
        ratio = row["estimated"][theirs] / counted if counted else math.nan
        text += f"{counted:14} {ratio:7.2f}"
    return text


def summarize(rows: list[dict[str, Any]]) -> str:
    lines = []
    for ours, theirs in KINDS.items():
        pairs = [(row["estimated"][theirs], row["counted"][ours])
                 for row in rows if "counted" in row
                 and row["counted"][ours] and row["estimated"][theirs]]
        ratio = geometric_mean([a / b for a, b in pairs])
        lines.append(f"{theirs}: estimated for one counted {ratio:.2f} "
                     f"(geometric mean of {len(pairs)}), rank correlation "
                     f"{rank_correlation(pairs):.3f}")
    return "\n".join(lines)
