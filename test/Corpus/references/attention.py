# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of attention."""

import numpy as np

from cases import matrix_buffer, output_buffer
from formats import round_to
from manifest import Kernel
from references.bounded import Bounded, dot, exact, exp2, largest, log2, total
from references.common import (Arguments, Grid, Parameters, ceil_div, form_of,
                               reference)


def _join(parts: list[Bounded]) -> Bounded:
    return Bounded(np.stack([part.value for part in parts]),
                   np.stack([part.error for part in parts]))


def _block(state: tuple[Bounded, Bounded, Bounded], scores: Bounded,
           seen: np.ndarray, v: Bounded, form: str
           ) -> tuple[Bounded, Bounded, Bounded]:
    """Takes a block of keys into (accumulator, sum, maximum) of each row."""
    accumulator, sums, best = state
    # A key that is not seen: a power of 0, and no maximum.
    hidden = Bounded(np.where(seen, scores.value, -np.inf),
                     np.where(seen, scores.error, 0.0))
    larger = largest(_join([best, largest(hidden, 1)]), 0)
    powers = exp2(scores.where(seen) - larger[:, None]).where(seen)
    is_first = np.isneginf(best.value)
    old = Bounded(np.where(is_first, larger.value, best.value),
                  np.where(is_first, larger.error, best.error))
    shrink = exp2(old - larger)
    sums = sums * shrink + total(powers, 1)
    accumulator = dot(powers.stored(form), v, accumulator * shrink[:, None])
    return accumulator, sums, larger


def attention_reference(q: np.ndarray, k: np.ndarray, v: np.ndarray,
                        scale: float, block: int, form: str
                        ) -> tuple[Bounded, Bounded]:
    """One head's outputs, not yet rounded, and log2 of the sums.

    Follows the kernel's blocks of keys, as powers are rounded to `form`
    relative to the largest score so far. A row that sees nothing of a block is
    left as it is by it: powers of 0, a factor of 2^0.
    """
    queries, keys = q.shape[0], k.shape[0]
    last = np.arange(queries)[:, None] + keys - queries
    state = (exact(np.zeros((queries, v.shape[1]))), exact(np.zeros(queries)),
             exact(np.full(queries, -np.inf)))
    for first in range(0, keys, block):
        here = np.arange(first, min(first + block, keys))
        scores = dot(exact(q), exact(k[here].T)) * exact(scale)
        state = _block(state, scores, here[None, :] <= last, exact(v[here]),
                       form)
    accumulator, sums, best = state
    return accumulator / sums[:, None], best + log2(sums)


def _selecting(k: np.ndarray, queries: int,
               rng: np.random.Generator) -> np.ndarray:
    """Queries that each pick one of the keys they see, rows of -1 and 1.

    A query is 16 of the key that it picks: its score lies 32 above all others
    for every element in which they differ, and 2^-150 is nothing in f32.
    """
    keys, dimension = k.shape
    picked = np.array([rng.integers(0, i + keys - queries + 1)
                       for i in range(queries)])
    differing = (dimension - k @ k.T) / 2 + dimension * np.eye(keys)
    assert differing.min() * 32 > 150
    return 16.0 * k[picked]


def _inputs(kernel: Kernel, case: Parameters, rng: np.random.Generator
            ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q [batch, queries, heads, D]; k, v [batch, keys, heads / GROUP, D]."""
    dimension, group = (kernel.constexprs[name]
                        for name in ("DIMENSION", "GROUP"))
    batch, heads, queries = case["batch"], case["heads"], case["queries"]
    few = (batch, case["keys"], heads // group, dimension)
    many = (batch, queries, heads, dimension)
    if case.get("values") != "integers":
        form = form_of(kernel, "q_ptr")
        return tuple(round_to(rng.standard_normal(shape), form)
                     for shape in (many, few, few))
    q, k = np.zeros(many), rng.choice([-1.0, 1.0], few)
    for b, h in np.ndindex(batch, heads):
        q[b, :, h] = _selecting(k[b, :, h // group], queries, rng)
    return q, k, rng.integers(1, 100, few) * rng.choice([-1.0, 1.0], few)


@reference("causal_attention")
def causal_attention(kernel: Kernel, case: Parameters,
                     rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """Attention of each query to the keys up to it.

    Tolerance: that of the kernel's own operations (bounded.py), with powers
    rounded to the inputs' type before the second product. Where every query
    picks one key, all other powers are zero, and what was gathered before the
    maximum is multiplied by zero: the value comes out as it went in.
    """
    batch, heads = case["batch"], case["heads"]
    queries, gap = case["queries"], case.get("gap", 0)
    sizes, form = kernel.constexprs, form_of(kernel, "q_ptr")
    is_exact = case.get("values") == "integers"
    scale = 1.0 if is_exact else float(np.float32(
        np.log2(np.e) / np.sqrt(sizes["DIMENSION"])))
    q, k, v = _inputs(kernel, case, rng)
    out, bound = np.zeros((2, *q.shape))
    sums, sums_bound = np.zeros((2, batch, heads, queries))
    for b, h in np.ndindex(batch, heads):
        source = h // sizes["GROUP"]
        result, total_power = attention_reference(
            q[b, :, h], k[b, :, source], v[b, :, source], scale,
            sizes["BLOCK_N"], form)
        result = result.stored(form)
        out[b, :, h], bound[b, :, h] = result.value, result.error
        sums[b, h], sums_bound[b, h] = total_power.value, total_power.error

    def rows(array: np.ndarray) -> np.ndarray:
        return array.reshape(array.shape[0] * array.shape[1], -1)

    q_buffer, stride_q, _ = matrix_buffer(rows(q), gap, form=form)
    k_buffer, stride_k, _ = matrix_buffer(rows(k), 2 * gap, form=form)
    v_buffer, stride_v, _ = matrix_buffer(rows(v), 3 * gap, form=form)
    out_buffer, stride_out, _ = output_buffer(
        form, rows(out), None if is_exact else rows(bound), gap)
    return (ceil_div(queries, sizes["BLOCK_M"]), batch * heads, 1), {
        "q_ptr": q_buffer, "k_ptr": k_buffer, "v_ptr": v_buffer,
        "out_ptr": out_buffer,
        "sums_ptr": output_buffer("fp32", sums.reshape(1, -1),
                                  sums_bound.reshape(1, -1))[0],
        "scale": scale, "queries": queries, "keys": case["keys"],
        "heads": heads, "stride_q": stride_q, "stride_k": stride_k,
        "stride_v": stride_v, "stride_out": stride_out}
