#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention written plainly in Triton (test/Corpus/kernels/causal_attention.py),
compiled by Triton and through Tilewright's door (tilewright.triton), on a GPU.

One process, f16, 32 heads; a graph of launches for each compiler and number of
stages, replayed in turns; results beside PyTorch's in f32 first. Out: for each
problem microseconds (medians) of Triton's best number of stages and of ours, which
is what num_stages=3 gives, their ratio, and how far ours is from PyTorch's result;
at the end the geometric mean. With --json all of it.

    python3 bench/door_attention.py [--only 8192] [--json FILE]
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

import torch
import triton

import tilewright.triton

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "test/Corpus/kernels"))

from causal_attention import causal_attention_kernel  # noqa: E402

HEADS = 32
STAGES = (1, 2, 3, 4)
# Tokens, dimension of a head, tile of queries, tile of keys, warps.
PROBLEMS = [(8192, 128, 128, 128, 8), (8192, 128, 128, 64, 8), (8192, 128, 64, 64, 4),
            (4096, 128, 128, 128, 8), (4096, 128, 128, 64, 8), (4096, 128, 64, 64, 4),
            (4096, 64, 128, 64, 4), (2048, 128, 128, 128, 8), (2048, 128, 64, 64, 4)]
LAUNCHES = 5


def describe(tokens, dim, tile_m, tile_n, warps):
    return f"{tokens} tokens, D = {dim}, {tile_m} x {tile_n}, {warps} warps"


class Problem:
    """The tensors of a problem, and launches of the kernel on them."""

    def __init__(self, tokens, dim, tile_m, tile_n, warps):
        self.name = describe(tokens, dim, tile_m, tile_n, warps)
        self.tokens, self.dim, self.warps = tokens, dim, warps
        self.tiles = {"BLOCK_M": tile_m, "BLOCK_N": tile_n}
        torch.manual_seed(1)
        self.q, self.k, self.v = (torch.randn(1, tokens, HEADS, dim, device="cuda").half()
                                  for _ in range(3))
        self.out = torch.empty_like(self.q)
        self.sums = torch.empty(1, HEADS, tokens, device="cuda")
        turned = [tensor.transpose(1, 2).float() for tensor in (self.q, self.k, self.v)]
        self.expected = torch.nn.functional.scaled_dot_product_attention(
            *turned, is_causal=True).transpose(1, 2)

    def launch(self, stages):
        stride = HEADS * self.dim
        causal_attention_kernel[(triton.cdiv(self.tokens, self.tiles["BLOCK_M"]), HEADS)](
            self.q, self.k, self.v, self.out, self.sums,
            1 / math.sqrt(self.dim) * math.log2(math.e), self.tokens, self.tokens, HEADS,
            stride, stride, stride, stride, GROUP=1, DIMENSION=self.dim, **self.tiles,
            num_warps=self.warps, num_stages=stages)

    def difference(self):
        """Root of the mean square, for that of PyTorch's result."""
        return ((self.out.float() - self.expected).square().mean()
                / self.expected.square().mean()).sqrt().item()

    def capture(self, stages, ours):
        """A function that replays a graph of launches; none where the tile does not
        fit."""
        switch = tilewright.triton.enable if ours else tilewright.triton.disable
        with switch():
            self.out.fill_(float("nan"))
            try:
                self.launch(stages)
            except triton.runtime.errors.OutOfResources:
                return None
            torch.cuda.synchronize()
            if not self.difference() < 1e-2:
                sys.exit(f"{self.name}: {'ours' if ours else 'Triton'} differs")
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(LAUNCHES):
                    self.launch(stages)
        return graph.replay


def time_replay(replay):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / LAUNCHES


def measure(problem, repeat):
    replays = {("triton", stages): problem.capture(stages, ours=False) for stages in STAGES}
    replays["ours"] = problem.capture(3, ours=True)
    difference = problem.difference()
    times = {key: [] for key, replay in replays.items() if replay}
    for _ in range(repeat):
        for key in times:
            times[key].append(time_replay(replays[key]))
    medians = {key: statistics.median(each) for key, each in times.items()}
    ours = medians.pop("ours")
    return {"problem": problem.name, "ours": ours, "triton": min(medians.values()),
            "difference": difference}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="problems whose names hold this")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    chosen = [sizes for sizes in PROBLEMS if options.only in describe(*sizes)]
    if not chosen:
        parser.error(f"expects --only to be a part of a problem's name ("
                     f"'{describe(*PROBLEMS[0])}'), but got '{options.only}'")
    rows = []
    for sizes in chosen:
        row = measure(Problem(*sizes), options.repeat)
        rows.append(row)
        print(f"{row['problem']:44} Triton {row['triton']:8.1f} us, ours "
              f"{row['ours']:8.1f} us, {row['ours'] / row['triton']:.2f}, differs by "
              f"{row['difference']:.1e}", flush=True)
    mean = statistics.geometric_mean(row["ours"] / row["triton"] for row in rows)
    print(f"{mean:.3f} of Triton's time, geometric mean of {len(rows)}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
