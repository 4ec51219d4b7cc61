# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention beside flash-linear-attention, where that is installed."""

import importlib
import sys
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from case import Case, count_bytes, normal, rms
from timing import count_copies

import tilewright.linear
from tilewright import ops

sys.path.append(str(Path(__file__).resolve().parents[2] / "test" /
                    "LinearAttention"))
from recurrence import recur  # noqa: E402

# Name: FLA's module, the functions for prefill and for a step (of the same name
# here), and the tensors that they take besides q, k and v.
OPERATORS = {
    "simple GLA": ("simple_gla", "simple_gla", "g"),
    "retention": ("retention", "retention", ""),
    "GLA": ("gla", "gla", "G"),
    "DeltaNet": ("delta_rule", "delta_rule", "b"),
    "Gated DeltaNet": ("gated_delta_rule", "gated_delta_rule", "gb"),
    "KDA": ("kda", "kda", "Gb"),
    "DPLR": ("generalized_delta_rule", "dplr_delta_rule", "dAB"),
    "RWKV-7": ("rwkv7", "rwkv7", "wAB"),
    "lightning": ("lightning_attn", "lightning_attn", ""),
    "RWKV-6": ("rwkv6", "rwkv6", "wu"),
    "delta product": ("gated_delta_product", "gated_delta_product", "gb"),
}
# Of a token's state in the delta product.
REFLECTIONS = 2
LAYER = {"layer_idx": 3, "num_layers": 12}
# Batch, tokens, heads, dim.
PREFILL = [(1, 8192, 32, 128), (8, 2048, 32, 128)]
DECODE = [(64, 1, 32, 128)]


def make_tensors(letters, batch, tokens, heads, dim, updates=1):
    """updates: of the state by keys and values, of each token."""
    bf16 = torch.bfloat16
    channels, rows = (batch, tokens, heads, dim), (batch, tokens, heads)
    updated = (batch, updates * tokens, heads)
    unit = lambda *shape: F.normalize(
        normal(*(shape or channels), type=torch.float32), dim=-1)
    given = {"q": unit().to(bf16), "k": unit(*updated, dim).to(bf16),
             "v": normal(*updated, dim, type=bf16)}
    decay = lambda: (-0.6065 * normal(*channels).sigmoid()).to(bf16)
    makers = {
        "g": ("g", lambda: F.logsigmoid(normal(*rows, type=torch.float32) + 2)),
        "G": ("g", lambda: F.logsigmoid(
            normal(*channels, type=torch.float32)) / 16),
        "b": ("beta", lambda: normal(*updated).sigmoid().to(bf16)),
        "d": ("gk", decay), "w": ("w", decay),
        "u": ("u", lambda: normal(heads, dim, type=bf16))}
    key = unit()
    makers["A"] = ("a", lambda: (-key).to(bf16))
    makers["B"] = ("b", lambda: (key * normal(*channels).sigmoid()).to(bf16))
    for letter in letters:
        name, make = makers[letter]
        given[name] = make()
    if "w" in given:
        given["r"] = given.pop("q")
    return given


def spread(x, updates, place):
    """Rows of x among as many as there are updates, the others 0."""
    rows = x.new_zeros(len(x), updates, *x.shape[1:])
    rows[:, place] = x
    return rows.flatten(0, 1)


def recurrence(given, state=None, heads=2):
    """out of the first heads of the last sequence, in float64."""
    take = lambda name: (given[name][-1, :, :heads].double()
                         if name in given else None)
    q, k, v = take("r" if "r" in given else "q"), take("k"), take("v")
    g = next((take(name) for name in ("g", "gk", "w") if name in given), None)
    if "retained" in given:
        g = given["retained"][:heads].double().expand(len(q), heads)
    scale = given.get("scale", q.shape[2] ** -0.5)
    updates = len(k) // len(q)
    if updates > 1:  # A token decays before the first, and reads after the last.
        q, g = spread(q, updates, updates - 1), spread(g, updates, 0)
    out, _ = recur([len(k)], q, k, v, scale=scale, g=g, beta=take("beta"),
                   a=take("a"), b=take("b"),
                   bonus=given["u"][:heads].double() if "u" in given else None,
                   state=None if state is None else state[-1:, :heads])
    return out[None, updates - 1::updates]


def linear():
    return [(f"{name} {' x '.join(map(str, shape))}", partial(make, name, *shape))
            for name in OPERATORS
            # The product has no function for a step.
            for shape in PREFILL + DECODE * (name != "delta product")]


def retained(name, heads):
    """Logarithms of what heads retain, where the operator says it."""
    head = torch.arange(heads, device="cuda")
    if name == "retention":
        return torch.log1p(-torch.exp2(-5.0 - head))
    if name == "lightning":
        return -8 / heads * (1 - LAYER["layer_idx"] / LAYER["num_layers"]) * head
    return None


def find_theirs(module, function):
    try:
        return getattr(importlib.import_module("fla.ops." + module), function)
    except ImportError:
        return None


def make(name, batch, tokens, heads, dim):
    module, function, letters = OPERATORS[name]
    isStep = tokens == 1
    isOfLayer = name == "RWKV-7"
    if isOfLayer:
        heads, dim = 2 * heads, dim // 2
    isProduct = name == "delta product"
    function = ("fused_recurrent_" if isStep else "chunk_") + function
    updates = REFLECTIONS if isProduct else 1
    first = make_tensors(letters, batch, tokens, heads, dim, updates)
    state = 0.1 * normal(batch, heads, dim, dim, type=torch.float32)
    moved = count_bytes(*first.values(), first["v"]) - (
        (updates - 1) * count_bytes(first["v"]) // updates)
    moved += 2 * count_bytes(state) if isStep else 0
    sets = [first] + [make_tensors(letters, batch, tokens, heads, dim, updates)
                      for _ in range(min(8, count_copies(moved)) - 1)]
    states = [state.clone() for _ in sets]
    for given, own in zip(sets, states):
        if isOfLayer:
            given["scale"] = 1.0
        if isProduct:
            given["num_householder"] = REFLECTIONS
        if name == "lightning":
            given.update(LAYER)
        if isStep:
            given.update(initial_state=own, output_final_state=True)
            if function == "fused_recurrent_gla":
                given["gk"] = given.pop("g")
    ours = getattr(ops, function, None) or getattr(
        tilewright.linear, function)
    theirs = find_theirs(module, function)
    checked = dict(first)
    if (logarithms := retained(name, heads)) is not None:
        checked["retained"] = logarithms
    expected = recurrence(checked, state if isStep else None)
    return Case(
        [lambda x=x: ours(**x) for x in sets],
        {} if theirs is None else {"FLA": [lambda x=x: theirs(**x)
                                           for x in sets]},
        lambda: rms(ours(**first)[0][-1:, :, :2], expected), 1e-2, moved)
