# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention beside flash-linear-attention, where that is installed."""

import importlib
from functools import partial

import torch
import torch.nn.functional as F
from case import Case, count_bytes, normal, rms
from timing import count_copies

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
}
# Batch, tokens, heads, dim.
PREFILL = [(1, 8192, 32, 128), (8, 2048, 32, 128)]
DECODE = [(64, 1, 32, 128)]


def make_tensors(letters, batch, tokens, heads, dim):
    bf16 = torch.bfloat16
    channels, rows = (batch, tokens, heads, dim), (batch, tokens, heads)
    unit = lambda: F.normalize(normal(*channels, type=torch.float32), dim=-1)
    given = {"q": unit().to(bf16), "k": unit().to(bf16),
             "v": normal(*channels, type=bf16)}
    decay = lambda: (-0.6065 * normal(*channels).sigmoid()).to(bf16)
    makers = {
        "g": ("g", lambda: F.logsigmoid(normal(*rows, type=torch.float32) + 2)),
        "G": ("g", lambda: F.logsigmoid(
            normal(*channels, type=torch.float32)) / 16),
        "b": ("beta", lambda: normal(*rows).sigmoid().to(bf16)),
        "d": ("gk", decay), "w": ("w", decay)}
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
    out = []
    for t in range(q.shape[1]):
        low = 0 if a is None else b[:, t, :, :, None] * (
            s * a[:, t, :, :, None]).sum(2, keepdim=True)
        if g is not None:
            decay = g[:, t].exp()
            s = s * (decay[..., None] if decay.dim() == 3
                     else decay[..., None, None])
        add = v[:, t]
        if beta is not None:
            add = beta[:, t, :, None] * (add - (s * k[:, t, :, :, None]).sum(2))
        s = s + low + k[:, t, :, :, None] * add[:, :, None]
        out.append((s * q[:, t, :, :, None]).sum(2) * scale)
    return torch.stack(out, 1)


def linear():
    return [(f"{name} {' x '.join(map(str, shape))}", partial(make, name, *shape))
            for name in OPERATORS for shape in PREFILL + DECODE]


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
    function = ("fused_recurrent_" if isStep else "chunk_") + function
    first = make_tensors(letters, batch, tokens, heads, dim)
    state = 0.1 * normal(batch, heads, dim, dim, type=torch.float32)
    moved = count_bytes(*first.values(), first["v"])
    moved += 2 * count_bytes(state) if isStep else 0
    sets = [first] + [make_tensors(letters, batch, tokens, heads, dim)
                      for _ in range(min(8, count_copies(moved)) - 1)]
    states = [state.clone() for _ in sets]
    for given, own in zip(sets, states):
        if isOfLayer:
            given["scale"] = 1.0
        if isStep:
            given.update(initial_state=own, output_final_state=True)
            if function == "fused_recurrent_gla":
                given["gk"] = given.pop("g")
    ours = getattr(ops, function)
    theirs = find_theirs(module, function)
    checked = dict(first)
    if name == "retention":
        checked["retained"] = torch.log1p(-torch.exp2(
            -5.0 - torch.arange(heads, device="cuda")))
    expected = recurrence(checked, state if isStep else None)
    return Case(
        [lambda x=x: ours(**x) for x in sets],
        {} if theirs is None else {"FLA": [lambda x=x: theirs(**x)
                                           for x in sets]},
        lambda: rms(ours(**first)[0][-1:, :, :2], expected), 1e-2, moved)
