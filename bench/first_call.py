#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first call of an operator costs before its launch: choosing,
compiling to PTX and machine code, and loading; with an empty cache, and in a new
process with the cache of the one before. Each in processes of its own, by the
Python module, on the GPU or on the driver that TILEWRIGHT_CUDA_DRIVER names.

    python3 bench/first_call.py
    ... --limit-cold 1000 --limit-warm 20     fails above these milliseconds

Wall time, and the process's own time, which others on the machine do not change.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

PROBLEMS = [
    ("matmul", "float16", [(4096, 4096), (4096, 4096)], {}),
    ("matmul", "float16", [(16, 4096), (4096, 14336)], {"activation": "silu"}),
    ("matmul", "float32", [(300, 500), (500, 700)], {}),
    ("attention", "float16",
     [(1, 32, 4096, 128), (1, 8, 4096, 128), (1, 8, 4096, 128)],
     {"causal": "top-left"}),
    ("attention", "float16",
     [(64, 32, 1, 128), (64, 8, 8192, 128), (64, 8, 8192, 128)], {}),
    ("softmax", "float32", [(4096, 4096)], {}),
    ("rms_norm", "float16", [(4096, 4096)], {}),
]


def child(index):
    import time

    import tilewright
    from tilewright import ops
    operator, kind, shapes, keywords = PROBLEMS[index]
    tensors = [tilewright.empty(shape, kind) for shape in shapes]
    # (The emulator takes its time for memory.)
    last = shapes[-1][-1] if operator == "matmul" else shapes[0][-1]
    out = tilewright.empty(shapes[0][:-1] + (last,), kind)
    # What a process does once: the driver, the compiler's handles.
    ops.softmax(tilewright.empty((1, 8), "float32"), prepare=True)
    others = sum(os.times()[2:4])
    own, wall = time.process_time(), time.perf_counter()
    getattr(ops, operator)(*tensors, out=out, prepare=True, **keywords)
    wall, own = time.perf_counter() - wall, time.process_time() - own
    own += sum(os.times()[2:4]) - others
    print(json.dumps({"wall": wall * 1e3, "own": own * 1e3}))


def measure(index, folder):
    environment = dict(os.environ, TILEWRIGHT_CACHE_DIR=folder)
    done = subprocess.run([sys.executable, __file__, "--child", str(index)],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=3,
                        help="the least of so many counts")
    parser.add_argument("--limit-cold", type=float, default=float("inf"))
    parser.add_argument("--limit-warm", type=float, default=float("inf"))
    options = parser.parse_args()
    if options.child is not None:
        return child(options.child)
    print("milliseconds     empty cache        warm cache\n"
          "                wall      own     wall      own")
    worst = [0, 0]
    for index, (operator, kind, shapes, keywords) in enumerate(PROBLEMS):
        best = [{"wall": float("inf"), "own": float("inf")} for _ in range(2)]
        for _ in range(options.repeat):
            with tempfile.TemporaryDirectory() as folder:
                for result in best:  # the second finds the first one's cache
                    made = measure(index, folder)
                    for name in result:
                        result[name] = min(result[name], made[name])
        worst = [max(w, b["own"]) for w, b in zip(worst, best)]
        print("            " + " ".join(f"{b[n]:8.1f}" for b in best
                                        for n in ("wall", "own")) +
              f"  {operator} {kind} " + " ".join(
                  "x".join(map(str, shape)) for shape in shapes), flush=True)
    print(f"the most of its own: {worst[0]:.1f} ms with an empty cache, "
          f"{worst[1]:.1f} ms with a warm one")
    return worst[0] > options.limit_cold or worst[1] > options.limit_warm


if __name__ == "__main__":
    sys.exit(main())
