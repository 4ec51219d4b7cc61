#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what torch.compile (PyTorch Inductor) makes of common programs, compiled by
Triton and through the door (tilewright.triton): two processes, which take turns on the
GPU, each program as a graph of ten calls, medians of seven. Prints ours / Triton's.

    bench/inductor.py [--only NAME,NAME] [--budget SECONDS]

Needs a GPU, PyTorch, and the wheel among the interpreter's packages."""

import argparse
import fcntl
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

CALLS, REPEATED = 10, 7


def list_programs():
    """By name: a function, and a function that makes its arguments."""
    import torch
    import torch.nn.functional as F
    half, bf16, f32 = torch.float16, torch.bfloat16, torch.float32

    def numbers(*shape, dtype=f32):
        return torch.randn(*shape, device="cuda", dtype=f32).to(dtype)

    def integers(most, *shape):
        return torch.randint(0, most, shape, device="cuda")
    programs = {}
    for n in (768, 1024, 4096, 8192, 16384, 50257):
        m = max(64, (32 << 20) // n)
        programs |= {
            f"layer_norm_{n}": (lambda x, w, c: F.layer_norm(x, x.shape[-1:], w, c),
                                [(m, n, bf16), (n, bf16), (n, bf16)]),
            f"rms_norm_{n}": (lambda x, w: (x.float() * torch.rsqrt(
                x.float().square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w,
                              [(m, n, bf16), (n, bf16)]),
            f"softmax_{n}": (lambda x: F.softmax(x, -1), [(m, n, half)]),
            f"log_softmax_{n}": (lambda x: F.log_softmax(x, -1), [(m // 2, n, f32)]),
            f"sum_{n}": (lambda x: x.sum(-1), [(m, n, f32)]),
            f"argmax_{n}": (lambda x: x.argmax(-1), [(m, n, f32)]),
            f"sum_of_columns_{n}": (lambda x: x.sum(0), [(m, n, f32)]),
            f"variance_{n}": (lambda x: torch.var_mean(x, -1), [(m, n, f32)])}
    programs |= {
        "argmax_of_columns": (lambda x: x.argmax(0), [(8192, 4096, f32)]),
        "argmax_inside": (lambda x: x.argmax(1), [(64, 1024, 512, f32)]),
        "sum_inside": (lambda x: x.sum(1), [(64, 1024, 512, f32)]),
        "sum_of_all": (lambda x: x.sum(), [(1 << 26, f32)]),
        "norm_of_all": (lambda x: x.norm(), [(1 << 26, half)]),
        "gelu_bias": (lambda x, c: F.gelu(x + c), [(8192, 4096, bf16), (4096, bf16)]),
        "silu_times": (lambda x, y: F.silu(x) * y, [(8192, 4096, bf16)] * 2),
        "dropout_plus": (lambda x, y: F.dropout(x, 0.1) + y, [(8192, 4096, bf16)] * 2),
        "transpose_plus": (lambda x, y: x.t() + y, [(4096, 4096, f32)] * 2),
        "transpose": (lambda x: x.t().contiguous() * 2, [(8192, 8192, half)]),
        "permute": (lambda x: x.permute(0, 2, 1, 3).contiguous() + 1, [(16, 1024, 16, 128, half)]),
        "channels_last": (lambda x: (x + 1).contiguous(memory_format=torch.channels_last),
                          [(32, 128, 56, 56, f32)]),
        "concatenate": (lambda x, y: torch.cat([x, y], 1) * 2, [(8192, 2048, half)] * 2),
        "cumsum": (lambda x: x.cumsum(-1), [(8192, 4096, f32)]),
        "batch_norm": (lambda x, w, c: F.batch_norm(x, None, None, w, c, True),
                       [(64, 256, 28, 28, f32), (256, f32), (256, f32)]),
        "group_norm": (lambda x, w, c: F.group_norm(x, 32, w, c),
                       [(16, 256, 64, 64, half), (256, half), (256, half)]),
        "max_pool": (lambda x: F.max_pool2d(x, 3, 2, 1), [(32, 64, 112, 112, half)]),
        "average": (lambda x: F.adaptive_avg_pool2d(x, 1), [(64, 512, 28, 28, half)]),
        "upsample": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
                     [(16, 64, 128, 128, f32)]),
        "sort": (lambda x: x.sort(-1)[0], [(4096, 512, f32)]),
        "rotary": (lambda q, c, s: q * c + torch.cat([-q[..., 64:], q[..., :64]], -1) * s,
                   [(4, 32, 2048, 128, bf16), (2048, 128, bf16), (2048, 128, bf16)]),
        "quantize": (lambda x: (x / (x.abs().amax(-1, keepdim=True) / 127)).round()
                     .clamp(-127, 127).to(torch.int8), [(8192, 4096, half)]),
        "adam": (lambda p, g, m, v: p - 1e-3 * (m * 0.9 + g * 0.1) / (
            (v * v * 0.99 + g * g * 0.01).sqrt() + 1e-8), [(1 << 24, f32)] * 4),
        "sine_cosine": (lambda x: x.sin() + x.cos(), [(1 << 25, f32)]),
        "gelu_by_tanh": (lambda x: 0.5 * x * (1 + torch.tanh(
            0.79788 * (x + 0.044715 * x ** 3))), [(1 << 25, half)]),
        "log1p_exp": (lambda x: torch.log1p(torch.exp(x)), [(1 << 25, f32)]),
        "erf_f64": (lambda x: torch.erf(x), [(1 << 22, torch.float64)])}
    made = {name: (function, lambda shapes=shapes: [
        numbers(*shape, dtype=dtype) for *shape, dtype in shapes])
            for name, (function, shapes) in programs.items()}
    made |= {
        "embedding": (lambda w, i: F.embedding(i, w) * 2, lambda: [
            numbers(50000, 1024, dtype=half), integers(50000, 16384)]),
        "index_add": (lambda x, i, y: x.index_add(0, i, y), lambda: [
            numbers(10000, 1024), integers(10000, 16384), numbers(16384, 1024)]),
        "cross_entropy": (lambda x, t: F.cross_entropy(x, t), lambda: [
            numbers(4096, 32000), integers(32000, 4096)]),
        "cross_entropy_bf16": (lambda x, t: F.cross_entropy(x.float(), t), lambda: [
            numbers(4096, 50257, dtype=bf16), integers(50257, 4096)]),
        "integers": (lambda x: torch.where(x > 500, x // 3, x % 7), lambda: [
            integers(1000, 1 << 24)])}
    return made


def time_program(function, arguments, lock):
    """Microseconds of a call."""
    import torch
    torch._dynamo.reset()
    compiled = torch.compile(function, dynamic=False)
    with torch.no_grad():
        for _ in range(2):
            compiled(*arguments)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(CALLS):
                compiled(*arguments)
    times = []
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for _ in range(2 + REPEATED):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / CALLS)
    return statistics.median(times[2:])


def run_one_side(options):
    import torch._inductor.config
    torch._inductor.config.compile_threads = 1
    torch._inductor.config.fx_graph_cache = False
    torch.set_float32_matmul_precision("high")
    end = time.time() + options.budget
    for name, (function, make) in list_programs().items():
        if options.only and name not in options.only.split(","):
            continue
        if time.time() > end:
            break
        try:
            row = {"name": name, "us": time_program(function, make(), options.side)}
        except Exception as error:  # reported below
            row = {"name": name, "failed": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of programs")
    parser.add_argument("--budget", type=float, default=400, help="seconds for everything")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        return run_one_side(options)
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        for side in ("0", "1"):
            environment = {**os.environ, "TILEWRIGHT_TRITON": side,
                           "TRITON_CACHE_DIR": f"{folder}/triton{side}",
                           "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor{side}"}
            processes.append(subprocess.Popen(
                [sys.executable, __file__, "--side", f"{folder}/lock",
                 "--budget", str(options.budget)] +
                (["--only", options.only] if options.only else []),
                env=environment, stdout=subprocess.PIPE, text=True))
        theirs, ours = ({row["name"]: row for row in map(json.loads, process.communicate()[0]
                                                         .splitlines())}
                        for process in processes)
    ratios = []
    for name, row in sorted(ours.items()):
        other = theirs.get(name, {})
        if "us" in row and "us" in other:
            ratios.append((row["us"] / other["us"], row["us"], other["us"], name))
        else:
            print(f"not timed: {name}: {row.get('failed') or other.get('failed')}")
    if not ratios:
        sys.exit("error: expects at least one program that both compile, but got none")
    mean = math.exp(sum(math.log(row[0]) for row in ratios) / len(ratios))
    print(f"microseconds, ours / Triton's, of {len(ratios)} programs: geometric mean {mean:.3f}")
    for row in sorted(ratios, reverse=True):
        print("%8.2f %10.1f %10.1f  %s" % row)


if __name__ == "__main__":
    main()
