#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's operators beside those of PyTorch and of other packages.

All of a problem's calls are made in one process, in turns, by graph replay, on
operands that rotate beyond the L2; first the result is compared with a
computation in float64. A line for each: microseconds, the share of a copy's
bandwidth that the bytes reach which any kernel has to move, TFLOP/s, the first
call's milliseconds with choosing, compiling and loading, and each peer's time
for one of ours. At the end, for each group, the peers' geometric means.

    python3 bench/library [--groups dense,attention] [--only 8192] [--json FILE]

Needs a GPU, PyTorch and the Python module. Other packages are timed where they
are installed: flash-linear-attention, Triton, GemLite, bitsandbytes, and Marlin
where TILEWRIGHT_MARLIN names its library (peers.py).
"""

import argparse
import json
import math
import sys
import time
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import attention  # noqa: E402
import linear  # noqa: E402
import peers  # noqa: E402
import products  # noqa: E402
import timing  # noqa: E402
import torch  # noqa: E402

GROUPS = {"dense": products.dense, "attention": attention.attention,
          "quantized": products.quantized_products,
          "symmetric": products.symmetric_products,
          "prepacked": products.prepacked_products,
          "eight-bits": products.eight_bits, "linear": linear.linear,
          "peers": peers.peers, "nf4": peers.nf4,
          "dequantize": peers.dequantize}


def measure(name, case, bandwidth):
    """The row of a case; a peer that cannot run has no time."""
    ours = timing.Timed(case.ours)
    times, why = {}, {}
    for peer, calls in case.peers.items():
        try:
            times[peer] = timing.Timed(calls() if callable(calls) else calls)
            if not times[peer].isCaptured:
                why[peer] = "timed without a graph"
        except Exception as problem:  # Of others' code, whatever it is.
            torch.cuda.synchronize()
            why[peer] = (str(problem).splitlines() or ["?"])[0]
    timing.take_turns([ours, *times.values()])
    error = case.error()
    us = ours.median()
    return {"case": name, "us": us, "error": error,
            "wrong": not error <= case.bound,
            "bandwidth": case.bytes / us * 1e6 / bandwidth,
            "tflops": case.flops / us / 1e6, "first_ms": ours.first_ms,
            "peers": {peer: timed.median() for peer, timed in times.items()},
            "refused": why}


def write(row):
    peers = ", ".join(f"{name} {us:.1f} ({us / row['us']:.2f})"
                      for name, us in row["peers"].items())
    refused = "".join(f"; {name}: {why[:60]}"
                      for name, why in row["refused"].items())
    speed = f"{row['tflops']:6.1f} TFLOP/s " if row["tflops"] else ""
    print(f"{row['case']:44} {row['us']:9.1f} us {row['bandwidth']:5.0%} of a "
          f"copy {speed} first {row['first_ms']:6.0f} ms, error "
          f"{row['error']:.1e}{' WRONG' * row['wrong']}  {peers}{refused}",
          flush=True)


def summarize(group, rows):
    for peer in sorted({name for row in rows for name in row["peers"]}):
        ratios = [row["peers"][peer] / row["us"] for row in rows
                  if peer in row["peers"]]
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{group}: {peer} takes {mean:.2f} of our time, geometric mean of "
              f"{len(ratios)}; from {min(ratios):.2f} to {max(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--only", default="", help="a part of cases' names")
    parser.add_argument("--seconds", type=float, default=math.inf,
                        help="begin no case after so long")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # PyTorch on backends that it passes over.
    begin, results, failed = time.monotonic(), {}, 0
    bandwidth = timing.copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}; a copy "
          f"moves {bandwidth / 1e12:.2f} TB/s")
    torch.manual_seed(0)
    for group in options.groups.split(","):
        rows = results[group] = []
        for name, make in GROUPS[group]():
            if options.only not in name:
                continue
            if time.monotonic() - begin > options.seconds:
                break
            try:
                with torch.no_grad():
                    rows.append(measure(name, make(), bandwidth))
                write(rows[-1])
                failed += rows[-1]["wrong"]
            except Exception:  # One that fails keeps no other from running.
                failed += 1
                print(f"{name} failed:")
                traceback.print_exc(limit=-3)
            torch.cuda.empty_cache()
        summarize(group, rows)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
