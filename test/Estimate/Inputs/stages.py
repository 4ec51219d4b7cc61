# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the latency exposed in the first loop never grows from file to
file, beyond the instructions that stages take, and falls from the first."""

import json
import sys

exposed = [json.load(open(name))["kernels"][0]["loops"][0]["exposed"]
           for name in sys.argv[1:]]
assert exposed[1] < 0.8 * exposed[0], exposed
assert all(b <= a * 1.02 for a, b in zip(exposed, exposed[1:])), exposed
