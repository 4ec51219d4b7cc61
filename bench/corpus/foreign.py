# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of flash-linear-attention from test/ForeignKernels' manifest and the
.ttir files that dump.py makes of it, at sizes that fill a GPU.

The manifest notes launches on small tensors. Here sequences are TOKENS times as
long and batches BATCH times as large: buffers grow by both; the axis of the grid
that counts blocks of tokens by one, the last axis, on which batches are, by the
other. What an axis counts is told by the constants: programs per BT, or another
block, of the scalar T. It is a guess; a kernel for which it is wrong reads and
writes within its buffers' neighbours, so that its time still stands for a launch
of that shape. Launches on packed sequences stay as they were noted.
"""

import sys
from pathlib import Path

from problems import ROOT, Buffer, Problem, Scalar, ceil_div

FOLDER = ROOT / "test/ForeignKernels"
sys.path.append(str(FOLDER))

import manifest  # noqa: E402

TOKENS, BATCH = 8, 8


def grow_grid(kernel: manifest.Kernel) -> tuple[tuple[int, int, int], int, int]:
    """The grid, and by how much sequences and batches grew."""
    grid = list(kernel.launch["grid"])
    arguments = kernel.launch["arguments"]
    if any(isinstance(value, dict) and "values" in value
           for value in arguments.values()):
        return tuple(grid), 1, 1
    tokens, grown = arguments.get("T"), 1
    blocks = [1] + [kernel.constants[name] for name in ("BT", "BC", "BS")
                    if isinstance(kernel.constants.get(name), int)]
    if isinstance(tokens, int) and tokens < 4096:
        for block in blocks:
            count = ceil_div(tokens, block)
            axis = next((axis for axis in range(3)
                         if count > 1 and grid[axis] % count == 0
                         and (block > 1 or grid[axis] == count)), None)
            if axis is not None:
                grid[axis] = grid[axis] // count * ceil_div(tokens * TOKENS,
                                                            block)
                grown = TOKENS
                break
    last = max(axis for axis in range(3) if axis == 0 or grid[axis] > 1)
    grid[last] *= BATCH
    return tuple(grid), grown, BATCH


def make_problem(kernel: manifest.Kernel, folder: Path) -> Problem:
    grid, tokens, batch = grow_grid(kernel)
    arguments: dict[str, Buffer | Scalar] = {}
    for name, form in kernel.signature.items():
        value = kernel.launch["arguments"].get(name)
        if form.startswith("*"):
            value = value or {"elements": 1}
            arguments[name] = Buffer(
                value["elements"] * tokens * batch
                if "values" not in value else value["elements"],
                form[1:], "small", tuple(value.get("values", ())))
        elif name == "T" and tokens > 1:
            arguments[name] = Scalar(value * tokens, form)
        else:
            arguments[name] = Scalar(value, form)
    return Problem(kernel.name, "fla", folder / f"{kernel.name}.ttir",
                   kernel.num_warps, kernel.num_stages, grid, arguments)


def list_problems(folder: Path) -> list[Problem]:
    """Those of which `folder` has the text."""
    return [make_problem(kernel, folder)
            for kernel in manifest.load_kernels(FOLDER / "fla.json")
            if (folder / f"{kernel.name}.ttir").exists()]
