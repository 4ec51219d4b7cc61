#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flash-linear-attention's forward operators, unchanged, on Triton and through
Tilewright's door (tilewright.triton), on a GPU.

Every operator runs in a process of its own for each of both compilers, all its
shapes in it: first all of them at once, which compiles their kernels into
Triton's caches, and then one after the other, in turns, tuned anew (a
configuration for a few milliseconds, lest the tuning take minutes) and timed by
graph replay, or, where an operator cannot be captured, by launches in a row.
Out: for each case microseconds of both, their ratio, and by how much the
results differ (root of the mean square, for that of Triton's); at the end the
geometric mean. With --json all of it. With --kernels the time of each kernel on
both compilers, too, by PyTorch's profiler.

    python3 bench/fla_forward.py [--only gla,kda] [--json FILE] [--kernels]
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SHAPES = {"1x8192": (1, 8192, 32, 128), "8x2048": (8, 2048, 32, 128)}
# Operator: module, function, and the tensors that it takes by name.
OPERATORS = {
    "retention": ("retention", "chunk_retention", "qkv"),
    "simple_gla": ("simple_gla", "chunk_simple_gla", "qkvg"),
    "gla": ("gla", "chunk_gla", "qkvG"),
    "delta_rule": ("delta_rule", "chunk_delta_rule", "qkvb"),
    "gated_delta_rule": ("gated_delta_rule", "chunk_gated_delta_rule", "qkvgb"),
    "kda": ("kda", "chunk_kda", "qkvGb"),
    "dplr": ("generalized_delta_rule", "chunk_dplr_delta_rule", "qkvdAB"),
    "rwkv7": ("rwkv7", "chunk_rwkv7", "rkvwAB"),
}


def make_call(name, shape):
    """A function of no arguments that calls the operator."""
    import importlib

    import torch
    import torch.nn.functional as F
    batch, tokens, heads, dim = shape
    torch.manual_seed(1)
    normal = lambda *more: torch.randn(batch, tokens, heads, *more, device="cuda")
    key = lambda: F.normalize(normal(dim), dim=-1).bfloat16()
    unit = F.normalize(normal(dim), dim=-1)
    # By letter: the argument's name, and what it is.
    tensors = {
        "q": ("q", key), "r": ("r", key), "k": ("k", key),
        "v": ("v", lambda: normal(dim).bfloat16()),
        "g": ("g", lambda: F.logsigmoid(normal() + 2)),
        "G": ("g", lambda: F.logsigmoid(normal(dim)) / 16),
        "b": ("beta", lambda: normal().sigmoid().bfloat16()),
        "d": ("gk", lambda: (-0.6065 * normal(dim).sigmoid()).bfloat16()),
        "w": ("w", lambda: (-0.6065 * normal(dim).sigmoid()).bfloat16()),
        "A": ("a", lambda: (-unit).bfloat16()),
        "B": ("b", lambda: (unit * normal(dim).sigmoid()).bfloat16()),
    }
    module, function, letters = OPERATORS[name]
    given = dict((tensors[letter][0], tensors[letter][1]()) for letter in letters)
    call = getattr(importlib.import_module(f"fla.ops.{module}"), function)
    return lambda: call(**given)[0]


def tune_briefly():
    """Lets Triton's autotuner time a configuration for 8 ms in place of 100."""
    import triton.testing
    measure = triton.testing.do_bench
    triton.testing.do_bench = lambda call, **keywords: measure(
        call, **{**keywords, "warmup": 2, "rep": 8})


def capture(call, stream):
    """A function that replays a graph of the call; the call where none can be."""
    import torch
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            call()
    except RuntimeError:
        torch.cuda.synchronize()
        return call
    return graph.replay


def time_kernels(call, repeat):
    """Microseconds that a call spends in each kernel, by name."""
    import torch
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
        for _ in range(repeat):
            call()
        torch.cuda.synchronize()
    return {event.key: event.self_device_time_total / repeat
            for event in p.key_averages() if event.self_device_time_total}


def run_one(name, shape, repeat, save, kernels):
    """Microseconds of a call, in this process; its result goes to `save`."""
    import torch
    call = make_call(name, SHAPES[shape])
    with torch.no_grad():
        result = call()
        if not repeat:
            return 0.0
        torch.save(result.cpu(), save)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            call()
            stream.synchronize()
            replay = capture(call, stream)
            times = []
            for _ in range(repeat):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record(stream)
                replay()
                end.record(stream)
                end.synchronize()
                times.append(begin.elapsed_time(end) * 1e3)
            if kernels:
                for kernel, time in time_kernels(call, 5).items():
                    print("kernel", shape, time, kernel)
    return sorted(times)[len(times) // 2]


def run_operator(name, shapes, repeat, folder, mode, kernels):
    """Says the time of each shape as soon as it is known."""
    tune_briefly()
    for shape in shapes.split(","):
        time = run_one(name, shape, repeat, f"{folder}/{name}-{shape}-{mode}.pt",
                       kernels)
        print("time", shape, time, flush=True)


def start(name, shapes, ours, repeat, folder, kernels):
    """Runs an operator in a process: microseconds by shape, and by shape and
    kernel; what it said."""
    environment = {**os.environ, "TILEWRIGHT_TRITON": str(int(ours)),
                   "TRITON_CACHE_DIR": f"{folder}/cache-{int(ours)}",
                   "FLA_CACHE_RESULTS": "0"}
    done = subprocess.run(
        [sys.executable, __file__, "--case",
         f"{name}:{shapes}:{repeat}:{folder}:{int(ours)}:{int(kernels)}"],
        env=environment, capture_output=True, text=True)
    times = [line.split() for line in done.stdout.splitlines()
             if line.startswith("time ")]
    parts = [line.split(maxsplit=3) for line in done.stdout.splitlines()
             if line.startswith("kernel ")]
    return ({shape: float(time) for _, shape, time in times},
            {(shape, kernel): float(time) for _, shape, time, kernel in parts},
            (done.stdout + done.stderr).strip()[-2000:])


def compare(folder, name, shape):
    """How far our result is from Triton's, for its root of the mean square."""
    import torch
    theirs, ours = (torch.load(f"{folder}/{name}-{shape}-{mode}.pt").double()
                    for mode in (0, 1))
    return ((ours - theirs).square().mean() / theirs.square().mean()).sqrt().item()


def measure(name, options, folder):
    """The rows of an operator's shapes, printed too."""
    (theirs, their_parts, said), (ours, our_parts, said_by_us) = (
        start(name, options.shapes, mode, options.repeat, folder, options.kernels)
        for mode in (0, 1))
    rows = []
    for shape in options.shapes.split(","):
        if shape not in theirs or shape not in ours:
            who, words = ("us", said_by_us) if shape in theirs else ("Triton", said)
            print(f"{name} {shape}: failed on {who}: {words}", flush=True)
            continue
        row = {"operator": name, "shape": shape, "triton": theirs[shape],
               "ours": ours[shape], "difference": compare(folder, name, shape)}
        rows.append(row)
        print(f"{name:18} {shape:8} Triton {row['triton']:8.1f} us, ours "
              f"{row['ours']:8.1f} us, {row['ours'] / row['triton']:5.2f}, differs by "
              f"{row['difference']:.1e}", flush=True)
        for at in sorted(their_parts | our_parts, key=lambda at: -their_parts.get(at, 0)):
            if at[0] == shape:
                print(f"  {at[1][:70]:70} Triton {their_parts.get(at, 0):8.1f} us, "
                      f"ours {our_parts.get(at, 0):8.1f} us", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(OPERATORS))
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--json", default="")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--case", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        name, shapes, repeat, folder, mode, kernels = options.case.split(":")
        run_operator(name, shapes, int(repeat), folder, mode, int(kernels))
        return 0
    names = options.only.split(",")
    folder = tempfile.mkdtemp(prefix="tilewright-fla-")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name in names:
            for ours in (0, 1):
                pool.submit(start, name, options.shapes, ours, 0, folder, False)
    rows = []
    for name in names:
        rows += measure(name, options, folder)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if rows:
        mean = math.exp(sum(math.log(row["ours"] / row["triton"]) for row in rows) / len(rows))
        print(f"{len(rows)} of {len(names) * len(options.shapes.split(','))} cases: "
              f"{mean:.3f} of Triton's time, geometric mean")
    return int(len(rows) < len(names) * len(options.shapes.split(",")))


if __name__ == "__main__":
    sys.exit(main())
