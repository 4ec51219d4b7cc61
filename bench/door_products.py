#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices written plainly in Triton, with pointers and with tensor
descriptors, compiled by Triton and through Tilewright's door (tilewright.triton),
beside cuBLAS, on a GPU.

One process, f16 and bf16, graphs of launches replayed in turns; results beside a
product in f32 first. Out: for each problem microseconds (medians) of cuBLAS, of
Triton's best tile and number of stages, and of our best tile, whose number of stages
we choose (num_stages=4); at the end, for each kernel, the geometric mean of our time
for Triton's, and the least of cuBLAS's time for ours. With --json all of it.

    python3 bench/door_products.py [--only "4096 x 4096 x 4096"] [--json FILE]
"""

import argparse
import json
import pathlib
import statistics
import sys
from functools import partial

import torch
import triton
import triton.language as tl

import tilewright.triton

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "library"))

import timing  # noqa: E402

SHAPES = [(m, 4096, 4096) for m in (256, 512, 1024, 2048, 4096, 8192)] + [(8192, 8192, 8192)]
TYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
# Rows, columns and depth of a tile, and warps.
TILES = [(128, 256, 64, 8), (256, 128, 64, 8), (128, 128, 64, 4), (128, 128, 64, 8),
         (64, 256, 64, 4), (64, 128, 64, 4)]
STAGES = (3, 4)


@triton.jit
def find_tile(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """GROUP_M tiles down a column before the next one, which share B in the L2."""
    tiles_n = tl.cdiv(N, BLOCK_N)
    program = tl.program_id(0)
    first = program // (GROUP_M * tiles_n) * GROUP_M
    rows = tl.minimum(tl.cdiv(M, BLOCK_M) - first, GROUP_M)
    place = program % (GROUP_M * tiles_n)
    return (first + place % rows) * BLOCK_M, place // rows * BLOCK_N


@triton.jit
def pointer_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    row, column = find_tile(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    m, n = row + tl.arange(0, BLOCK_M), column + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_tile = a_ptr + m[:, None] * K + k[None, :]
    b_tile = b_ptr + k[:, None] * N + n[None, :]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for done in range(0, K, BLOCK_K):
        inside = k < K - done
        a = tl.load(a_tile, mask=(m[:, None] < M) & inside[None, :], other=0.0)
        b = tl.load(b_tile, mask=inside[:, None] & (n[None, :] < N), other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], accumulator.to(c_ptr.dtype.element_ty),
             mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
                      BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                      GROUP_M: tl.constexpr):
    row, column = find_tile(M, N, BLOCK_M, BLOCK_N, GROUP_M)
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b = tl.make_tensor_descriptor(b_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        accumulator = tl.dot(a.load([row, k]), b.load([k, column]), accumulator)
    c.store([row, column], accumulator.to(c_ptr.dtype.element_ty))


KERNELS = {"pointers": pointer_kernel, "descriptors": descriptor_kernel}


class Problem:
    """Operands of a product, and what its result is."""

    def __init__(self, name, shape, kind):
        m, n, k = self.shape = shape
        self.name = name
        torch.manual_seed(1)
        self.a = torch.randn(m, k, device="cuda").to(kind)
        self.b = torch.randn(k, n, device="cuda").to(kind)
        self.c = torch.empty(m, n, device="cuda", dtype=kind)
        self.expected = self.a.float() @ self.b.float()

    def check(self, who):
        error = (self.c.float() - self.expected).norm() / self.expected.norm()
        if not error < 1e-2:
            sys.exit(f"{self.name}: {who} differs by {error:.1e}")

    def timed(self, who, call):
        """Of what has written c; none where a tile does not fit."""
        self.c.fill_(float("nan"))
        try:
            timed = timing.Timed([call])
        except triton.runtime.errors.OutOfResources:
            return None
        self.check(who)
        return timed

    def launch(self, kernel, tile, stages):
        m, n, k = self.shape
        tile_m, tile_n, tile_k, warps = tile
        kernel[(triton.cdiv(m, tile_m) * triton.cdiv(n, tile_n),)](
            self.a, self.b, self.c, m, n, k, BLOCK_M=tile_m, BLOCK_N=tile_n,
            BLOCK_K=tile_k, GROUP_M=8, num_warps=warps, num_stages=stages)

    def timed_kernels(self, kernel):
        """By compiler, tile and stages."""
        calls = {}
        for tile in TILES:
            for who, switch, numbers in (("Triton", tilewright.triton.disable, STAGES),
                                         ("ours", tilewright.triton.enable, STAGES[-1:])):
                for stages in numbers:
                    with switch():
                        calls[who, tile, stages] = self.timed(
                            who, partial(self.launch, kernel, tile, stages))
        return {key: timed for key, timed in calls.items() if timed}


def measure(problem):
    cublas = problem.timed("cuBLAS",
                           lambda: torch.matmul(problem.a, problem.b, out=problem.c))
    kernels = {name: problem.timed_kernels(kernel) for name, kernel in KERNELS.items()}
    timing.take_turns([cublas, *(timed for each in kernels.values()
                                 for timed in each.values())])
    row = {"problem": problem.name, "cuBLAS": cublas.median()}
    for name, each in kernels.items():
        for who in ("Triton", "ours"):
            row[name, who] = min((timed.median(), key[1:]) for key, timed in each.items()
                                 if key[0] == who)
    return row


def write(row):
    text = f"{row['problem']:26} cuBLAS {row['cuBLAS']:8.1f} us"
    for name in KERNELS:
        (triton_us, _), (ours, (tile, _)) = row[name, "Triton"], row[name, "ours"]
        text += (f"; {name} Triton {triton_us:8.1f}, ours {ours:8.1f} "
                 f"({' x '.join(map(str, tile[:3]))}, {tile[3]} warps; "
                 f"{ours / triton_us:.2f} of Triton, cuBLAS {row['cuBLAS'] / ours:.2f})")
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="problems whose names hold this")
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    named = {f"{' x '.join(map(str, shape))} {name}": (shape, kind)
             for shape in SHAPES for name, kind in TYPES.items()}
    chosen = {name: of for name, of in named.items() if options.only in name}
    if not chosen:
        parser.error(f"expects --only to be a part of a problem's name "
                     f"('{next(iter(named))}'), but got '{options.only}'")
    torch.backends.cuda.matmul.allow_tf32 = False
    triton.set_allocator(lambda size, alignment, stream: torch.empty(
        size, device="cuda", dtype=torch.int8))
    rows = []
    for name, (shape, kind) in chosen.items():
        rows.append(measure(Problem(name, shape, kind)))
        write(rows[-1])
    for name in KERNELS:
        of_triton = [row[name, "ours"][0] / row[name, "Triton"][0] for row in rows]
        of_cublas = [row["cuBLAS"] / row[name, "ours"][0] for row in rows]
        print(f"{name}: {statistics.geometric_mean(of_triton):.3f} of Triton's time, "
              f"geometric mean of {len(rows)}; cuBLAS takes {min(of_cublas):.2f} of ours "
              "at least")
    if options.json:
        plain = [{" ".join(key) if isinstance(key, tuple) else key: value
                  for key, value in row.items()} for row in rows]
        pathlib.Path(options.json).write_text(json.dumps(plain, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
