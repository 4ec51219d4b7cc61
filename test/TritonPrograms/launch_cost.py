#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch costs the host, on Triton and on Tilewright through its door: the
median over rounds of launches of a kernel with few arguments, of one with many, and
of a product whose tiles come by bulk copies, where the GPU has them: its launches
pass tensor maps. Needs a GPU, PyTorch and Triton. compare.py's folder has the other
comparisons."""

import os
import statistics
import subprocess
import sys
import time

ROUNDS, LAUNCHES = 30, 2000


def measure():
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def few(x, n, BLOCK: tl.constexpr):
        place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + place, tl.load(x + place, mask=place < n) + 1, mask=place < n)

    @triton.jit
    def many(a, b, c, d, e, f, g, h, i, j, k, l, n, BLOCK: tl.constexpr):
        place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(a + place, tl.load(b + place, mask=place < n) + i + j + k + l, mask=place < n)

    @triton.jit
    def product(a, b, c, k, stride_a, stride_b, stride_c, BLOCK: tl.constexpr):
        row, inner = tl.arange(0, BLOCK), tl.arange(0, 64)
        sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
        for first in range(0, k, 64):
            place = first + inner
            sums += tl.dot(tl.load(a + row[:, None] * stride_a + place[None, :]),
                           tl.load(b + place[:, None] * stride_b + row[None, :]))
        tl.store(c + row[:, None] * stride_c + row[None, :], sums)

    x = torch.zeros(128, device="cuda")
    tiles = [torch.zeros(128, 128, dtype=torch.float16, device="cuda") for _ in range(3)]
    arguments = {"few": (few, (x, 128)), "many": (many, (x,) * 8 + (1.0, 2.0, 3, 5, 128)),
                 "product": (product, (*tiles, 64, 128, 128, 128))}
    for name, (kernel, given) in arguments.items():
        compiled = kernel[(1,)](*given, BLOCK=128)
        torch.cuda.synchronize()
        maps = getattr(compiled.metadata, "tilewright_maps", ())
        seconds = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            for _ in range(LAUNCHES):
                kernel[(1,)](*given, BLOCK=128)
            seconds.append((time.perf_counter() - begin) / LAUNCHES)
            torch.cuda.synchronize()
        print(f"{name}: {statistics.median(seconds) * 1e6:.2f} us a launch "
              f"(least {min(seconds) * 1e6:.2f})"
              + (f", {len(maps)} tensor maps" if maps else ""), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure()
    else:
        for mode in ("0", "1", "0", "1"):
            print("Tilewright" if mode == "1" else "Triton", flush=True)
            subprocess.run([sys.executable, __file__, "measure"], check=True,
                           env={**os.environ, "TILEWRIGHT_TRITON": mode})
