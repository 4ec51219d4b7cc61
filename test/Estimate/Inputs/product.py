# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the counts of a product of 4096^3 by tiles of 128 x 128 x 64."""

import json
import sys

[kernel] = json.load(open(sys.argv[1]))["kernels"]
counts, steps = kernel["counts"], 64
# Of a program: mma.sync of m16n8k16.
assert counts["matrices"] == 128 * 128 * 4096 / (16 * 8 * 16), counts
# Tiles of both operands in each step, one more in the prologue, and C.
loaded = 2 * 128 * 64 * 2 * steps
assert abs(kernel["l2_bytes"] / 1024 - loaded - 128 * 128 * 2) < 0.04 * loaded
# The matrices, each once, as far as a sample of the programs tells.
compulsory = 3 * 4096 * 4096 * 2
assert 0.7 * compulsory < kernel["memory_bytes"] < 2 * compulsory, kernel
