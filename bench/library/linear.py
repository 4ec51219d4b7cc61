# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention beside flash-linear-attention, where that is installed."""

import importlib
from functools import partial

import torch
import torch.nn.functional as F
from case import Case, count_bytes, normal, rms
from timing import count_copies

import tilewright.linear
from tilewright import ops

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


def recurrence(given, state=None, heads=2):
    """out and the last state of the first heads of the last batch, in float64."""
    take = lambda name: (given[name][-1:, :, :heads].double()
                         if name in given else None)
    q, k, v = take("r" if "r" in given else "q"), take("k"), take("v")
    g = next((take(name) for name in ("g", "gk", "w") if name in given), None)
    beta, a, b = take("beta"), take("a"), take("b")
    if "retained" in given:
        g = given["retained"][:heads].double().expand(1, q.shape[1], heads)
    s = torch.zeros(1, heads, q.shape[3], v.shape[3], dtype=torch.float64,
                    device="cuda") if state is None else (
                        state[-1:, :heads].double())
    scale = given.get("scale", q.shape[3] ** -0.5)
    updates = k.shape[1] // q.shape[1]
    out = []
    for t in range(q.shape[1]):
        before = s
        low = 0 if a is None else b[:, t, :, :, None] * (
            s * a[:, t, :, :, None]).sum(2, keepdim=True)
        if g is not None:
            decay = g[:, t].exp()
            s = s * (decay[..., None] if decay.dim() == 3
                     else decay[..., None, None])
        s = s + low
        for i in range(updates * t, updates * (t + 1)):
            key, add = k[:, i, :, :, None], v[:, i]
            if beta is not None:
                add = beta[:, i, :, None] * (add - (s * key).sum(2))
            s = s + key * add[:, :, None]
        if "u" in given:  # The token's own key has a weight of its own.
            bonus = given["u"][:heads, :, None].double() * k[:, t, :, :, None]
            read = before + bonus * v[:, t, :, None]
        else:
            read = s
        out.append((read * q[:, t, :, :, None]).sum(2) * scale)
    return torch.stack(out, 1)


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
