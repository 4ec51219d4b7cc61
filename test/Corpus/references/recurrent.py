# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of recurrences, token by token."""

import numpy as np

from cases import matrix_buffer, output_buffer, updated_matrix
from formats import round_to
from manifest import Kernel
from references.bounded import Bounded, exact, exp, total
from references.common import (Arguments, Grid, Parameters, ceil_div, form_of,
                               reference)


def recurrent_step(state: Bounded, q: Bounded, k: Bounded, v: Bounded,
                   gate: Bounded, beta: Bounded | None
                   ) -> tuple[Bounded, Bounded]:
    """The state after a token, and S^T q. state [K, V]; q, k [K]; v [V]; gate
    [K] or [1]; beta [1] for the delta rule."""
    state = state * exp(gate)[:, None]
    if beta is not None:
        v = (v - total(state * k[:, None], 0)) * beta
    state = state + k[:, None] * v[None, :]
    return state, total(state * q[:, None], 0)


def _inputs(kernel: Kernel, case: Parameters, rng: np.random.Generator
            ) -> dict[str, np.ndarray]:
    """Values as the kernel's arguments hold them, [batch, steps, heads, ...].

    Keys have a length near 1, so that the delta rule forgets. Exact cases have
    few elements of a key that are not 0, so that its powers stay small."""
    sizes = (case["batch"], case["steps"], case["heads"])
    key, value = (*sizes, case["key_size"]), (*sizes, case["value_size"])
    gate = key if kernel.constexprs["VECTOR_GATE"] else sizes
    form = form_of(kernel, "q_ptr")
    if case.get("values") == "integers":
        return {"q": rng.integers(-2, 3, key),
                "k": rng.integers(-1, 2, key) * (rng.random(key) < 0.15),
                "v": rng.integers(-3, 4, value), "gate": np.zeros(gate),
                "beta": rng.choice([0.0, 0.5, 1.0], sizes)}
    return {"q": round_to(rng.standard_normal(key), form),
            "k": round_to(rng.standard_normal(key)
                          / np.sqrt(case["key_size"]), form),
            "v": round_to(rng.standard_normal(value), form),
            "gate": round_to(np.log(rng.uniform(0.6, 1.0, gate)), "fp32"),
            "beta": round_to(rng.uniform(0.0, 1.0, sizes), form)}


def flat(array: np.ndarray) -> np.ndarray:
    """As a matrix of one row."""
    return array.reshape(1, -1)


def _slots(batch: int, idle: int, rng: np.random.Generator) -> np.ndarray:
    """A slot for each sequence, of batch + 2; none for the first `idle`."""
    slots = rng.permutation(batch + 2)[:batch]
    slots[:idle] = -1
    return slots.astype(np.int32)


@reference("linear_attention_decode")
def linear_attention_decode(kernel: Kernel, case: Parameters,
                            rng: np.random.Generator
                            ) -> tuple[Grid, Arguments]:
    """Outputs of each step, and the states of the slots in use.

    Tolerance: that of recurrent_step's operations, one by one, each in f32 as
    the kernel does it (bounded.py); outputs are then rounded to their type.
    Integers with a gate of 0, a decay of 1, are exact: states are multiples of
    2^-steps below 2^20.
    """
    inputs = _inputs(kernel, case, rng)
    is_exact = case.get("values") == "integers"
    batch, steps, heads = case["batch"], case["steps"], case["heads"]
    shape = (batch + 2, heads, case["key_size"], case["value_size"])
    scale = 0.5 if is_exact else float(np.float32(case["key_size"] ** -0.5))
    before = (rng.integers(-4, 5, shape).astype(np.float64) if is_exact
              else round_to(rng.standard_normal(shape), "fp32"))
    slots = _slots(batch, case.get("idle", 0), rng)
    form = form_of(kernel, "out_ptr")
    out = np.zeros(inputs["v"].shape), np.zeros(inputs["v"].shape)
    after, after_error = before.copy(), np.zeros(shape)
    for sequence, head in np.ndindex(batch, heads):
        if slots[sequence] < 0:
            continue
        state = exact(before[slots[sequence], head])
        for step in range(steps):
            here = sequence, step, head
            state, result = recurrent_step(
                state, exact(inputs["q"][here]) * exact(scale),
                exact(inputs["k"][here]), exact(inputs["v"][here]),
                exact(np.atleast_1d(inputs["gate"][here])),
                exact(np.atleast_1d(inputs["beta"][here]))
                if kernel.constexprs["DELTA_RULE"] else None)
            result = result.stored(form)
            out[0][here], out[1][here] = result.value, result.error
        place = slots[sequence], head
        after[place], after_error[place] = state.value, state.error

    used = np.zeros(shape, bool)
    used[slots[slots >= 0]] = True
    busy = np.broadcast_to((slots >= 0)[:, None, None, None], out[0].shape)
    arguments: Arguments = {
        f"{name}_ptr": matrix_buffer(
            flat(values), form=form_of(kernel, f"{name}_ptr"))[0]
        for name, values in inputs.items()
        if f"{name}_ptr" in kernel.signature}
    return (ceil_div(case["value_size"], kernel.constexprs["BLOCK_V"]),
            batch * heads, 1), {
        **arguments,
        "state_ptr": updated_matrix(
            "fp32", flat(before), flat(after),
            None if is_exact else flat(after_error), written=flat(used))[0],
        "slots_ptr": matrix_buffer(slots[None, :])[0],
        "out_ptr": output_buffer(form, flat(out[0]),
                                 None if is_exact else flat(out[1]),
                                 written=flat(busy))[0],
        "scale": scale, "steps": steps, "heads": heads,
        "key_size": case["key_size"], "value_size": case["value_size"]}
