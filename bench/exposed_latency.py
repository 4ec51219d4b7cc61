#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much of the latency of loads in loops nothing hides, by the PTX.

    python bench/exposed_latency.py --tilewright build/dev/bin/tilewright

In: the corpus' kernels with loops, a built `tilewright`. Each is compiled with
one stage, and with --stages. In each innermost loop every load from global
memory is followed to the first instruction that needs its value, round the loop
if need be; what is issued in between hides its latency. Out: for each kernel
the cycles of a latency that one warp of each scheduler is left to wait for in
an iteration, for the load that waits longest, without and with overlap, summed
over its loops; then the totals. Moves of a register count as the register: the
assembler joins them. Loops with loops in them (those of products by
multiply-adds) are left out. Where there is a GPU, time kernels instead.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Mutants"))
sys.path.insert(0, str(ROOT / "test" / "Corpus"))

from manifest import load_kernels  # noqa: E402
from mutants import (Instruction, read_instructions, read_labels,  # noqa: E402
                     registers)

# Cycles that a scheduler of Volta or Turing issues an instruction for: 16 lanes
# of 32 a cycle; matrix instructions do 128 multiply-adds of halves, 256 of bytes.
CYCLES = 2
MATRIX = {"m8n8k4": 8, "m16n8k8": 8, "m16n8k16": 16, "m8n8k16": 4}


def cost(instruction: Instruction) -> int:
    if instruction.name == "mma":
        shape = next(each for each in instruction.modifiers
                     if re.fullmatch(r"m\d+n\d+k\d+", each))
        return MATRIX.get(shape, 8)
    return CYCLES


def innermost_loops(text: str) -> list[list[Instruction]]:
    """The instructions of each innermost loop, from its label to its branch."""
    labels, instructions = read_labels(text), read_instructions(text)
    spans = [(labels[target], each.first) for each in instructions
             if each.name == "bra"
             for target in [each.operands[-1]]
             if labels.get(target, each.first) < each.first]
    return [[each for each in instructions if begin <= each.first <= end]
            for begin, end in spans
            if not any((begin, end) != other and begin <= other[0]
                       and other[1] <= end for other in spans)]


def is_load(each: Instruction) -> bool:
    return each.name == "ld" and "global" in each.modifiers


def hidden_cycles(loop: list[Instruction], place: int) -> int | None:
    """Issued between the load at `place` and the first use of its value; none
    where the loop does not use it."""
    held, cycles = set(registers(loop[place].operands[0])), 0
    for step in range(1, 4 * len(loop)):
        each = loop[(place + step) % len(loop)]
        if not each.operands:
            cycles += cost(each)
            continue
        # Stores and branches only read.
        writes = each.name not in ("st", "bra", "bar", "red", "cp", "prefetch")
        given = set(registers(each.operands[0])) if writes else set()
        used = {name for operand in each.operands[1 if writes else 0:]
                for name in registers(operand)}
        if each.name == "mov" and "{" not in "".join(each.operands):
            held = held | given if used & held else held - given
            continue
        if used & held or each.guard.strip("!") in held:
            return cycles
        held -= given
        if not held:
            return None
        cycles += cost(each)
    return None


def exposed(text: str, latency: int) -> int:
    total = 0
    for loop in innermost_loops(text):
        hidden = [cycles for place, each in enumerate(loop) if is_load(each)
                  for cycles in [hidden_cycles(loop, place)]
                  if cycles is not None]
        if hidden:
            total += max(0, latency - min(hidden))
    return total


def compile_kernel(tilewright: str, file: Path, warps: int, target: str,
                   stages: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        subprocess.run([tilewright, "compile", str(file), f"--target={target}",
                        f"--num-warps={warps}", f"--num-stages={stages}",
                        "--emit=ptx", "-o", str(path)], check=True)
        return path.read_text()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", default="tilewright", metavar="PATH")
    parser.add_argument("--targets", default="sm_70,sm_75", metavar="LIST")
    parser.add_argument("--stages", type=int, default=3)
    parser.add_argument("--latency", type=int, default=500, metavar="CYCLES")
    options = parser.parse_args()
    for target in options.targets.split(","):
        sums = [0, 0]
        for kernel in load_kernels():
            if "scf.for" not in kernel.file.read_text():
                continue
            left = [exposed(compile_kernel(options.tilewright, kernel.file,
                                           kernel.num_warps, target, stages),
                            options.latency)
                    for stages in (1, options.stages)]
            sums = [sum(pair) for pair in zip(sums, left)]
            print(f"{target} {kernel.name:40} {left[0]:6} {left[1]:6}")
        print(f"{target} {'all':40} {sums[0]:6} {sums[1]:6}")


if __name__ == "__main__":
    main()
