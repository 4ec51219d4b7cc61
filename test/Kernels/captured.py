#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the library's operators on a GPU: eager, again, and captured into a
CUDA graph that is replayed, also with other inputs; all bit for bit the same.
Needs a GPU, PyTorch and the Python module; the last line is "N passed, N
failed". (On the emulator's driver tilewright_kernels_tests does the same.)

    python3 test/Kernels/captured.py
"""

import argparse
import sys

import torch

from tilewright import ops


def tensor(*shape, dtype=torch.float16):
    if dtype == torch.int8:
        return torch.randint(-128, 128, shape, dtype=dtype, device="cuda")
    return torch.randn(*shape, device="cuda").to(dtype)


def cases():
    """(name, operator, tensors, keywords); of the tensors those of floats and
    int8 get other contents between replays."""
    bf16, f32, i8 = torch.bfloat16, torch.float32, torch.int8
    for m, n, k in ((1, 4096, 4096), (16, 1000, 4096), (100, 300, 77),
                    (512, 512, 512)):
        for dtype in (torch.float16, bf16, f32, i8):
            yield (f"matmul {m}x{n}x{k} {dtype}", "matmul",
                   [tensor(m, k, dtype=dtype), tensor(k, n, dtype=dtype)], {})
    yield ("matmul in parts", "matmul", [tensor(16, 8192), tensor(8192, 64)],
           {"config": "16x16x64w1s3k8"})
    yield ("matmul and epilogue", "matmul",
           [tensor(3, 65, 128), tensor(128, 96)],
           {"bias": tensor(96), "residual": tensor(3, 65, 96),
            "activation": "gelu", "scale": 0.5})
    for rows, columns in ((1, 7), (130, 1000), (4096, 4096)):
        x, r = (tensor(rows, columns, dtype=bf16) for _ in "xr")
        w, b = (tensor(columns, dtype=bf16) for _ in "wb")
        yield f"softmax {rows}x{columns}", "softmax", [x], {}
        yield f"layer_norm {rows}x{columns}", "layer_norm", [x, w, b], {}
        yield (f"rms_norm {rows}x{columns}", "rms_norm", [x, w],
               {"residual": r})
        yield (f"rms_norm {rows}x{columns} to i8", "rms_norm", [x, w],
               {"out_type": "i8"})
    for queries, keys, keywords in (
            (333, 333, {"causal": "top-left", "lse": True}),
            (64, 1000, {"window": 100, "causal": "bottom-right"}),
            (1, 8192, {}), (1, 777, {"soft_cap": 30.0})):
        yield (f"attention {queries} {keys} {keywords}", "attention",
               [tensor(2, 8, queries, 128), tensor(2, 2, keys, 128),
                tensor(2, 2, keys, 128)], keywords)
    lengths = torch.tensor([37, 20], dtype=torch.int32, device="cuda")
    pages = torch.tensor([[3, 0, 4], [1, 2, 0]], dtype=torch.int32,
                         device="cuda")
    yield ("attention over pages", "attention",
           [tensor(2, 8, 1, 64), tensor(5, 2, 16, 64), tensor(5, 2, 16, 64)],
           {"pages": pages, "lengths": lengths})
    bounds = torch.tensor([0, 7, 7, 300], dtype=torch.int64, device="cuda")
    yield ("attention of packed sequences", "attention",
           [tensor(4, 300, 64) for _ in "qkv"],
           {"query_offsets": bounds, "key_offsets": bounds,
            "causal": "top-left"})


def difference(name, operator, tensors, keywords):
    """What is not the same, or ""."""
    def call():
        results = getattr(ops, operator)(
            *tensors, stream=torch.cuda.current_stream(), **keywords)
        return results if isinstance(results, tuple) else (results,)

    def same(actual, expected):
        return all(torch.equal(a.view(torch.uint8), e.view(torch.uint8))
                   for a, e in zip(actual, expected))
    eager = [r.clone() for r in call()]
    for _ in range(3):
        if not same(call(), eager):
            return "two runs differ"
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        captured = call()
    for content in range(3):
        if content:
            for given in tensors:
                given.copy_(tensor(*given.shape, dtype=given.dtype))
            eager = [r.clone() for r in call()]
        for _ in range(3):
            for result in captured:
                result.view(torch.uint8).fill_(0xff)
            graph.replay()
            torch.cuda.synchronize()
            if not same(captured, eager):
                return f"a replay differs, inputs {content}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="a part of the names")
    options = parser.parse_args()
    torch.manual_seed(1)
    passed = failed = 0
    for name, *case in cases():
        if options.only not in name:
            continue
        problem = difference(name, *case)
        passed += not problem
        failed += bool(problem)
        if problem:
            print(f"failed: {name}: {problem}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
