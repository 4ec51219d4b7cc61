#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that one more weight takes of the operator `dequantize`: what PTX of a
thread with 64 weights has more than that of one with 32, for each of them. Words of 32
bits along k, groups of 128 rows. Accesses to memory, addresses and moves are not
counted.

    count_dequantization.py TILEWRIGHT TARGETS TYPES [FORMATS]

All are lists with commas; a format may have the order of its codes behind it,
`uint4/even_first`. A line for each: the sum, and of it the bits' (logic, permutations,
shifts, selections, shuffles), conversions, and arithmetic, of one or two numbers each.
"""

import collections
import concurrent.futures
import itertools
import re
import subprocess
import sys

FORMATS = ("uint2,uint4,uint4/even_first,uint8,int2,int4,int4/even_first,int8,book2,"
           "book4,e2m1,e4m3,e5m2")
SIZES = {32: "64x16w1s1k1", 64: "64x32w1s1k1"}
KINDS = {
    "bits": re.compile(r"(lop3|prmt|shf|shr|shl|and\.b|or\.b|xor\.b|not\.b|bfe|bfi|"
                       r"selp|shfl|setp|slct|szext)"),
    "conversions": re.compile(r"cvt\.(?!u64|s64|u32\.u64)"),
    "arithmetic": re.compile(r"(fma|mul|add|sub|neg|min|max|ex2)\S*\.(f16|bf16|f32)"),
}


def count(tilewright, target, format, type, config):
    """Instructions of the PTX, by kind."""
    format, _, order = format.partition("/")
    text = subprocess.run(
        [tilewright, "kernels", "emit", "dequantize", "n=4096", "k=4096",
         "weights=" + format, "type=" + type, "scales=" + type, "book=" + type,
         "group=128", "order=" + (order or "low_first"), "--config=" + config,
         "--target=" + target], capture_output=True, text=True, check=True).stdout
    ptx = subprocess.run(
        [tilewright, "compile", "-", "--target=" + target, "--emit=ptx", "-o", "-",
         "--num-warps=1"], input=text, capture_output=True, text=True, check=True).stdout
    counts = collections.Counter()
    for line in ptx.splitlines():
        # Some come in inline assembly, several in a line.
        for part in line.split("//")[0].split(";"):
            op = re.sub(r"^[\s{]*(@!?%\w+\s+)?", "", part)
            for kind, pattern in KINDS.items():
                if pattern.match(op):
                    counts[kind] += 1
                    break
    return counts


def count_more(tilewright, target, format, type):
    few, many = (count(tilewright, target, format, type, SIZES[size])
                 for size in (32, 64))
    return {kind: (many[kind] - few[kind]) / 32 for kind in KINDS}


def main():
    tilewright, *lists = sys.argv[1:] + [FORMATS] * (len(sys.argv) == 4)
    targets, types, formats = (given.split(",") for given in lists)
    problems = list(itertools.product(targets, formats, types))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda problem: count_more(tilewright, *problem), problems)
    for (target, format, type), more in zip(problems, found):
        parts = ", ".join(f"{kind} {more[kind]:.2f}" for kind in KINDS)
        print(f"{target} {format} {type}: {sum(more.values()):.2f} ({parts})")


if __name__ == "__main__":
    main()
