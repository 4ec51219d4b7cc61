# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the sectors of each kernel of an estimate (standard input): NAME=COUNT
for each. A load of one word is one for each of four warps."""

import json
import sys

found = {kernel["kernel"]: kernel["counts"]["sectors"]
         for kernel in json.load(sys.stdin)["kernels"]}
for text in sys.argv[1:]:
    name, count = text.split("=")
    assert found[name] == float(count), (name, found[name], count)
