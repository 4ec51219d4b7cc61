#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of our PTX beside those of Triton's.

In: the folder that `dump.py --ptx` filled, and one with our PTX for the same
GPU (`census.py --keep`). Out: the geometric mean of how many instructions we
have for one of Triton's, over all kernels, and the kernels at both ends. A
count of instructions is no time: it does not tell how often each runs, and a
loop that Triton unrolls into stages is longer and faster. It does tell where
to look. With --ptxas also the registers and the bytes spilled (stores and loads)
that CUDA's assembler reports for both, and the kernels in which ours spill more.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import manifest
import ptx_text


@dataclass(frozen=True)
class Pair:
    """The opcodes of one kernel, ours and Triton's."""

    kernel: str
    ours: Counter[str]
    triton: Counter[str]

    @property
    def ratio(self) -> float:
        return self.ours.total() / self.triton.total()


def read_pairs(theirs: Path, ours: Path, target: str,
               kernels: list[manifest.Kernel]) -> list[Pair]:
    """Those kernels that both have compiled."""
    pairs = []
    for kernel in kernels:
        first = ours / f"{kernel.name}.{target}.ptx"
        second = theirs / f"{kernel.name}.ptx"
        if first.exists() and second.exists():
            pairs.append(Pair(kernel.name, ptx_text.opcodes(first.read_text()),
                              ptx_text.opcodes(second.read_text())))
    return pairs


@dataclass(frozen=True)
class Registers:
    """What the assembler makes of one kernel: registers of a thread, and the
    bytes that it stores to and loads from its stack for want of more."""

    held: int
    spilled: int


def assemble(ptxas: str, target: str, file: Path) -> Registers:
    process = subprocess.run(
        [ptxas, "-v", f"-arch={target}", file, "-o", os.devnull],
        capture_output=True, text=True, check=False)
    held = re.search(r"Used (\d+) registers", process.stderr)
    spills = re.findall(r"(\d+) bytes spill", process.stderr)
    if process.returncode or not held or not spills:
        sys.exit(f"error: {ptxas} on {file}: {process.stderr.strip()}")
    return Registers(int(held[1]), sum(map(int, spills)))


def print_spills(pairs: list[Pair], options: argparse.Namespace) -> None:
    def count(file: Path) -> Registers:
        return assemble(options.ptxas, options.target, file)

    with ThreadPoolExecutor(options.parallel) as pool:
        ours = list(pool.map(count, [
            options.ours / f"{pair.kernel}.{options.target}.ptx"
            for pair in pairs]))
        triton = list(pool.map(count, [
            options.triton / f"{pair.kernel}.ptx" for pair in pairs]))
    print(f"\nbytes spilled: {sum(each.spilled for each in ours)}, Triton's "
          f"{sum(each.spilled for each in triton)}; registers of a thread: "
          f"{sum(each.held for each in ours) / len(ours):.0f} on average, "
          f"Triton's {sum(each.held for each in triton) / len(triton):.0f}")
    worse = [row for row in zip(pairs, ours, triton)
             if row[1].spilled > row[2].spilled]
    alone = sum(row[2].spilled == 0 for row in worse)
    print(f"{len(worse)} kernels spill more than Triton's, {alone} of them "
          f"where Triton's do not")
    for pair, own, other in worse:
        print(f"{own.spilled:8}{other.spilled:8}  {pair.kernel}")


def print_opcodes(pairs: list[Pair], count: int) -> None:
    """Where the difference lies, summed over all kernels."""
    ours: Counter[str] = Counter()
    triton: Counter[str] = Counter()
    for pair in pairs:
        ours.update(pair.ours)
        triton.update(pair.triton)
    print(f"\n{'opcode':12}{'ours':>10}{'Triton':>10}{'difference':>12}")
    for opcode in sorted({*ours, *triton}, key=lambda opcode: -abs(
            ours[opcode] - triton[opcode]))[:count]:
        print(f"{opcode:12}{ours[opcode]:10}{triton[opcode]:10}"
              f"{ours[opcode] - triton[opcode]:+12}")


def print_kernels(pairs: list[Pair], count: int) -> None:
    pairs = sorted(pairs, key=lambda pair: pair.ratio)
    for title, members in (("fewest for one of Triton's", pairs[:count]),
                           ("most", pairs[-count:][::-1])):
        print(f"\n{title}\n{'ours':>8}{'Triton':>8}{'ratio':>8}")
        for pair in members:
            print(f"{pair.ours.total():8}{pair.triton.total():8}"
                  f"{pair.ratio:8.2f}  {pair.kernel}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("triton", type=Path, help="where dump.py wrote")
    parser.add_argument("ours", type=Path, help="where census.py --keep wrote")
    parser.add_argument("--manifest", type=Path,
                        default=manifest.FOLDER / "fla.json")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--count", type=int, default=10, metavar="N",
                        help="how many kernels and opcodes to print")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write both counts of every kernel there")
    parser.add_argument("--ptxas", metavar="FILE",
                        help="CUDA's assembler: count spills too")
    parser.add_argument("--parallel", type=int, default=os.cpu_count(),
                        metavar="N", help="assemblers at a time")
    options = parser.parse_args()
    pairs = read_pairs(options.triton, options.ours, options.target,
                       manifest.load_kernels(options.manifest))
    if not pairs:
        print(f"error: expects NAME.ptx in {options.triton} and "
              f"NAME.{options.target}.ptx in {options.ours}, but got no "
              f"kernel with both", file=sys.stderr)
        return 2
    mean = geometric_mean([pair.ratio for pair in pairs])
    print(f"{len(pairs)} kernels: {mean:.2f} of our instructions for one of "
          f"Triton's (geometric mean)")
    print_kernels(pairs, options.count)
    print_opcodes(pairs, options.count)
    if options.ptxas:
        print_spills(pairs, options)
    if options.json:
        options.json.write_text(json.dumps(
            {pair.kernel: [pair.ours.total(), pair.triton.total()]
             for pair in pairs}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
