#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what torch.compile (PyTorch Inductor) makes of common programs, compiled by
Triton and through the door (tilewright.triton): processes of both, which take turns on
the GPU, each program as a graph of ten calls, the least of nine. Prints ours / Triton's.
Templates (products, convolutions, flex attention) are tuned by each side for itself.

    bench/inductor.py [--only PATTERN,PATTERN] [--jobs N] [--budget SECONDS] [--keep FOLDER]

Needs a GPU, PyTorch, and the wheel among the interpreter's packages."""

import argparse
import concurrent.futures
import contextlib
import fcntl
import fnmatch
import json
import math
import os
import subprocess
import sys
import tempfile
import time

CALLS, REPEATED = 10, 9


def list_pointwise_programs():
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


def train(function):
    """The function, and the gradients of its arguments."""
    def run(*given):
        import torch
        with torch.enable_grad():
            leaves = [each.detach().requires_grad_() for each in given]
            out = function(*leaves)
            return torch.autograd.grad(out, leaves, given[0].expand_as(out))
    return run


def list_attention_programs():
    """Flex attention: scores and masks of users, forward, with gradients, and of few
    queries (decoding)."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    masks = {"causal": lambda b, h, q, k: q >= k,
             "window": lambda b, h, q, k: (q >= k) & (q - k < 1024),
             "prefix": lambda b, h, q, k: (q >= k) | (k < 512)}
    scores = {"alibi": lambda s, b, h, q, k: s + (k - q) * 0.05 * (h + 1),
              "cap": lambda s, b, h, q, k: 20 * torch.tanh(s / 20)}

    def attend(kind, shape):
        batch, heads, key_heads, queries, keys, dim = shape
        blocks = None

        def make():
            nonlocal blocks
            if kind in masks:
                blocks = create_block_mask(masks[kind], None, None, queries, keys, device="cuda")
            return [torch.randn(batch, many, rows, dim, device="cuda", dtype=torch.bfloat16)
                    for many, rows in ((heads, queries), (key_heads, keys), (key_heads, keys))]

        def call(q, k, v):
            return flex_attention(q, k, v, score_mod=scores.get(kind), block_mask=blocks,
                                  enable_gqa=heads != key_heads)
        return call, make

    made = {}
    for shape in ((2, 16, 16, 4096, 4096, 64), (2, 16, 16, 4096, 4096, 128),
                  (2, 32, 8, 2048, 2048, 128), (1, 8, 8, 4096, 4096, 256),
                  (4, 12, 12, 1000, 1000, 64)):
        for kind in ("plain", *masks, *scores):
            name = f"flex_{kind}_{'x'.join(map(str, shape))}"
            call, arguments = attend(kind, shape)
            made[name] = call, arguments
            if shape[2] == shape[1]:
                made[f"{name}_train"] = train(call), arguments
    for shape in ((8, 32, 8, 1, 8192, 128), (64, 16, 16, 1, 2048, 64), (4, 32, 4, 4, 4096, 128)):
        for kind in ("plain", "alibi"):
            made[f"flex_decode_{kind}_{'x'.join(map(str, shape))}"] = attend(kind, shape)
    return made


def list_product_programs():
    """Products and convolutions by templates."""
    import torch
    import torch.nn.functional as F
    half, bf16, f32 = torch.float16, torch.bfloat16, torch.float32

    def numbers(dtype, *shapes):
        return lambda: [torch.randn(*shape, device="cuda", dtype=f32).to(dtype)
                        for shape in shapes]
    made = {}
    for m, k, n in ((4096, 4096, 4096), (16, 4096, 4096), (2048, 1024, 11008),
                    (1000, 3000, 2000), (1, 4096, 4096)):
        for name, dtype in (("bf16", bf16), ("tf32", f32)):
            made[f"mm_{name}_{m}x{k}x{n}"] = (lambda x, y, c: F.gelu(x @ y + c),
                                              numbers(dtype, (m, k), (k, n), (n,)))
        made[f"linear_{m}x{k}x{n}"] = (lambda x, y: F.silu(x @ y.t()),
                                       numbers(half, (m, k), (n, k)))
    for b, m, k, n in ((32, 1024, 128, 1024), (64, 200, 64, 300), (16, 2048, 2048, 128)):
        made[f"bmm_{b}x{m}x{k}x{n}"] = (lambda x, y: torch.bmm(x, y) * 0.5,
                                        numbers(bf16, (b, m, k), (b, k, n)))
    for b, c, w, o, k, s in ((16, 64, 56, 64, 3, 1), (8, 128, 28, 256, 3, 2),
                             (8, 256, 14, 256, 1, 1)):
        make = numbers(half, (b, c, w, w), (o, c, k, k))
        for last in (False, True):
            made[f"conv_{b}x{c}x{w}x{o}x{k}{'_last' if last else ''}"] = (
                lambda x, y, s=s, k=k: F.relu(F.conv2d(x, y, stride=s, padding=k // 2)),
                lambda make=make, last=last: [each.to(
                    memory_format=torch.channels_last if last else torch.contiguous_format)
                                              for each in make()])
    return made


def list_programs():
    return list_pointwise_programs() | list_attention_programs() | list_product_programs()


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
        for _ in range(REPEATED):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / CALLS)
    return min(times)


def run_one_side(options):
    import torch._inductor.config
    torch._inductor.config.compile_threads = 1
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.max_autotune_gemm = True
    torch._inductor.config.max_autotune_gemm_backends = "TRITON"
    torch._inductor.config.max_autotune_conv_backends = "TRITON"
    torch._inductor.config.autotune_in_subproc = False
    torch.set_float32_matmul_precision("high")
    end = time.time() + options.budget
    programs = {name: program for name, program in list_programs().items()
                if not options.only or any(fnmatch.fnmatch(name, pattern)
                                           for pattern in options.only.split(","))}
    for name, (function, make) in list(programs.items())[options.first::options.jobs]:
        if time.time() > end:
            break
        try:
            row = {"name": name, "us": time_program(function, make(), options.lock)}
        except Exception as error:  # reported below
            row = {"name": name, "failed": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(row), flush=True)


def start(options, folder, side, first):
    """A process that times every `jobs`-th program, compiled by Triton (side 0) or ours."""
    environment = {**os.environ, "TILEWRIGHT_TRITON": str(side),
                   "TRITON_CACHE_DIR": f"{folder}/triton{side}.{first}",
                   "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor{side}.{first}"}
    return subprocess.Popen(
        [sys.executable, __file__, "--lock", f"{folder}/lock", "--first", str(first),
         "--jobs", str(options.jobs), "--budget", str(options.budget)] +
        (["--only", options.only] if options.only else []),
        env=environment, stdout=subprocess.PIPE, text=True)


def time_both(options, folder):
    """For Triton and for ours: what was timed, by name."""
    processes = [[start(options, folder, side, first) for first in range(options.jobs)]
                 for side in (0, 1)]
    with concurrent.futures.ThreadPoolExecutor(2 * options.jobs) as pool:
        read = [[pool.submit(process.communicate) for process in side] for side in processes]
        return [{row["name"]: row for future in side
                 for row in map(json.loads, future.result()[0].splitlines())} for side in read]


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="names of programs, or patterns of names")
    parser.add_argument("--jobs", type=int, default=1, help="processes of each side")
    parser.add_argument("--budget", type=float, default=400, help="seconds for everything")
    parser.add_argument("--keep", help="a folder for what both compile, its tile IR with it")
    parser.add_argument("--lock", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    if options.lock:
        return run_one_side(options)
    with contextlib.ExitStack() as stack:
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        os.makedirs(folder, exist_ok=True)
        theirs, ours = time_both(options, folder)
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
