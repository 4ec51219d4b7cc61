#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How good the choice of the library's configurations is, on a GPU.

For each problem `tilewright kernels tune` runs the best candidates by their
predictions, the first of which a user gets. Out: for each problem the time of
the one chosen, of the best one, and the predictions; at the end the geometric
mean of chosen for best, and how many are within 1.3. With --beside also what
is chosen for another target takes on this GPU. With --json all of it.

    python3 bench/operators.py --tilewright build/release/bin/tilewright \\
        --target sm_90a --gpu h200 --best 24
"""

import argparse
import json
import subprocess
import sys
from statistics import geometric_mean

MATMULS = [(m, n, k) for n, k in ((4096, 4096), (14336, 4096), (1000, 4096),
                                  (8192, 8192))
           for m in (1, 16, 64, 256, 1024, 4096)]
ATTENTIONS = [
    "heads=32 kv_heads=32 queries=4096 keys=4096 dim=128 value_dim=128 "
    "causal=top-left",
    "heads=32 kv_heads=8 queries=2048 keys=2048 dim=64 value_dim=64 batch=4 "
    "causal=top-left",
    "heads=16 kv_heads=16 queries=1000 keys=3000 dim=96 value_dim=96",
    "heads=32 kv_heads=8 queries=1 keys=8192 dim=128 value_dim=128 batch=64",
    "heads=32 kv_heads=8 queries=1 keys=32768 dim=128 value_dim=128",
]
# Prefill of one sequence and of many, and a decoding step.
LINEAR = [f"{operator} heads=32 dim=128 value_dim=128 type=bf16 {words}"
          for operator in ("retention", "simple_gla", "gla", "delta_rule",
                           "gated_delta_rule", "kda", "dplr_delta_rule")
          for words in ("tokens=8192", "tokens=512 batch=16",
                        "tokens=1 batch=64 initial=f32 final=f32")]
QUANTIZED = [f"quantized_matmul m={m} n={n} k={k} group=128"
             for n, k in ((8192, 8192), (14336, 4096))
             for m in (1, 16, 64, 256, 4096)]
SCALED = [f"scaled_matmul m={m} n=8192 k=8192 type={kind} a_scales=f32"
          for kind in ("i8", "f8e4m3") for m in (16, 256, 4096)]
ROWS = [f"{operator} rows=4096 columns={columns}"
        for operator in ("softmax", "layer_norm", "rms_norm")
        for columns in (256, 1024, 4096, 16384)]


def problems():
    for m, n, k in MATMULS:
        yield f"matmul m={m} n={n} k={k}"
    for words in ATTENTIONS:
        yield "attention " + words
    yield from QUANTIZED
    yield from SCALED
    yield from LINEAR
    yield from ROWS


def tune(options, problem, target, best):
    """[(predicted, by code, measured, configuration)], microseconds, in the
    order of the choice."""
    command = [options.tilewright, "kernels", "tune", *problem.split(),
               f"--target={target}", f"--device={options.device}",
               f"--best={best}", f"--repeat={options.repeat}",
               f"--refine={options.refine}"]
    if options.gpu:
        command.append(f"--gpu={options.gpu}")
    done = subprocess.run(command, capture_output=True, text=True)
    rows = []
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] != "failed" and words[3][0].isdigit():
            rows.append((*map(float, words[:3]), words[3]))
    if not rows:
        sys.exit(f"error: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--beside", metavar="TARGET",
                        help="another target, what is chosen for which is timed too")
    parser.add_argument("--gpu", default="")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--best", type=int, default=16)
    parser.add_argument("--refine", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--only", default="", help="a part of the problems")
    parser.add_argument("--json", help="where to write all of it")
    options = parser.parse_args()
    results, ratios, besides = {}, [], []
    for problem in problems():
        if options.only not in problem:
            continue
        rows = tune(options, problem, options.target, options.best)
        results[problem] = rows
        chosen, best = rows[0], min(rows, key=lambda row: row[2])
        ratios.append(chosen[2] / best[2])
        beside = ""
        if options.beside:
            other = tune(options, problem, options.beside, best=1)[0]
            results[f"{problem}, {options.beside}"] = [other]
            besides.append(chosen[2] / other[2])
            beside = (f", {other[2]:.2f} for {options.beside} ({other[3]}; "
                      f"{besides[-1]:.2f} of it)")
        print(f"{chosen[2]:10.2f} us chosen ({chosen[3]}; predicted "
              f"{chosen[0]:.2f}, by code {chosen[1]:.2f}), {best[2]:.2f} best "
              f"({best[3]}){beside}  {problem}", flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(results, file, indent=1)
    print(f"{len(ratios)} problems: chosen for best {geometric_mean(ratios):.3f} "
          f"on the geometric mean, {sum(r <= 1.3 for r in ratios)} within 1.3")
    if besides:
        print(f"{options.target} for {options.beside}: "
              f"{geometric_mean(besides):.3f}, {max(besides):.3f} at most")


if __name__ == "__main__":
    main()
