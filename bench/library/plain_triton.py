# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A W4A16 product as one would write it in Triton, for comparison.

Weights as GPTQ stores them: a word has the codes of eight rows, the lowest bits
first. Sums are not split, and weights are not put into another order.
"""

import triton
import triton.language as tl

# Rows, columns, depth of a tile, warps, stages: for few rows, then for many.
TILES = [(16, 32, 128, 4, 4), (16, 64, 128, 4, 4), (16, 128, 64, 4, 4),
         (32, 64, 128, 4, 4), (64, 64, 64, 4, 4), (64, 128, 64, 4, 3),
         (128, 128, 64, 8, 3), (128, 256, 64, 8, 3)]


def prune(configs, tensors, **_):
    """Six to eight, of tiles as high as the rows need, or half of that."""
    rows = min(128, max(16, triton.next_power_of_2(tensors["m"])))
    return [c for c in configs if rows // 2 <= c.kwargs["ROWS"] <= rows]


@triton.autotune(
    [triton.Config({"ROWS": rows, "COLUMNS": columns, "DEPTH": depth,
                    "READ_ONCE": once}, num_warps=warps, num_stages=stages)
     for rows, columns, depth, warps, stages in TILES
     for once in (False, True)],
    key=["m", "n", "k"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def multiply_words(a, words, scales, zeros, c, m, n, k, GROUP: tl.constexpr,
                   ROWS: tl.constexpr, COLUMNS: tl.constexpr,
                   DEPTH: tl.constexpr, READ_ONCE: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    sums = tl.zeros((ROWS, COLUMNS), tl.float32)
    for begin in range(0, k, DEPTH):
        left = tl.load(a + row * k + (begin + depth), row < m, other=0)
        if READ_ONCE:
            at = begin // 8 + tl.arange(0, DEPTH // 8)
            word = tl.load(words + at[:, None] * n + column)
            spread = word[:, None, :] >> (tl.arange(0, 8) * 4)[None, :, None]
            codes = tl.reshape(spread & 15, (DEPTH, COLUMNS))
        else:  # By each of its eight rows, which then move nothing.
            at = (begin + depth) // 8
            word = tl.load(words + at[:, None] * n + column)
            codes = (word >> (depth % 8 * 4)[:, None]) & 15
        scale = tl.load(scales + begin // GROUP * n + column)
        zero = tl.load(zeros + begin // GROUP * n + column).to(tl.int32)
        weights = (codes - zero).to(tl.float16) * scale
        sums = tl.dot(left, weights, sums)
    tl.store(c + row * n + column, sums.to(tl.float16), row < m)


def multiply(a, w, out):
    """a of f16 by QuantizedWeights of uint4, n a multiple of all tiles'."""
    (m, k), n = a.shape, w.shape[1]
    assert n % 256 == 0 and w.group % 128 == 0
    grid = lambda tile: (triton.cdiv(m, tile["ROWS"]), n // tile["COLUMNS"])
    multiply_words[grid](a, w.words, w.scales, w.zeros, out, m, n, k,
                         GROUP=w.group)
    return out
