# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs, references and tolerances of linear attention in chunks.

Sequences lie one behind the other, [tokens, heads, size], a batch of equal
ones too. Each tolerance is that of the kernel's own operations, one by one
(bounded.py), rounded to 16 bits where the kernel rounds. Exact cases have
small integers, mostly 0, and no decay: all sums are integers below 2^24, and
rounding them to 16 bits has one result.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cases import Buffer, matrix_buffer, output_buffer
from formats import round_to
from manifest import Kernel
from references.bounded import Bounded, dot, exact, exp2
from references.common import (Arguments, Grid, Parameters, ceil_div, form_of,
                               reference)
from references.scans import chunk_table, cumsum_reference


@dataclass(frozen=True)
class Setting:
    """What the inputs of a case are made with and to."""

    kernel: Kernel
    rng: np.random.Generator
    lengths: list[int]
    heads: int
    is_exact: bool
    form: str

    @property
    def key(self) -> int:
        return self.kernel.constexprs["KEY"]

    @property
    def value(self) -> int:
        return self.kernel.constexprs["VALUE"]

    @property
    def chunk(self) -> int:
        return self.kernel.constexprs["CHUNK"]

    @property
    def chunks(self) -> int:
        return sum(ceil_div(length, self.chunk) for length in self.lengths)

    def random(self, *shape: int, spread: float = 1.0,
               form: str = "") -> np.ndarray:
        if self.is_exact:
            return (self.rng.integers(-2, 3, shape)
                    * (self.rng.random(shape) < 0.25)).astype(np.float64)
        return round_to(spread * self.rng.standard_normal(shape),
                        form or self.form)

    def tokens(self, size: int, spread: float = 1.0) -> np.ndarray:
        return self.random(sum(self.lengths), self.heads, size, spread=spread)

    def keys(self) -> np.ndarray:
        """Of a length near 1, so that states neither grow nor vanish."""
        return self.tokens(self.key, self.key ** -0.5)

    def decay(self, size: int) -> np.ndarray:
        """Running sums of log2 of decays, [T, heads, size], as f32."""
        shape = (sum(self.lengths), self.heads * size)
        steps = (np.zeros(shape) if self.is_exact
                 else self.rng.uniform(-0.2, 0.0, shape))
        sums = cumsum_reference(steps, self.lengths, self.chunk, False)
        return round_to(sums, "fp32").reshape(shape[0], self.heads, size)

    def walk(self, sequence: int) -> Iterator[tuple[int, slice]]:
        """Each chunk of a sequence: its number among all, and its tokens."""
        begin = sum(self.lengths[:sequence])
        first = sum(ceil_div(length, self.chunk)
                    for length in self.lengths[:sequence])
        end = begin + self.lengths[sequence]
        for number, here in enumerate(range(begin, end, self.chunk)):
            yield first + number, slice(here, min(here + self.chunk, end))

    def output(self, form: str, result: Bounded) -> Buffer:
        bound = None if self.is_exact else result.error.reshape(1, -1)
        return output_buffer(form, result.value.reshape(1, -1), bound)[0]


def _setting(kernel: Kernel, case: Parameters,
             rng: np.random.Generator) -> Setting:
    lengths = case.get("lengths") or [case["tokens"]] * case["batch"]
    return Setting(kernel, rng, lengths, case["heads"],
                   case.get("values") == "integers", form_of(kernel, "v_ptr")
                   if "v_ptr" in kernel.signature
                   else form_of(kernel, "k_ptr"))


def _zeros(*shape: int) -> Bounded:
    return exact(np.zeros(shape))


def _put(target: Bounded, place: object, part: Bounded) -> None:
    target.value[place], target.error[place] = part.value, part.error


def _given(values: np.ndarray, form: str) -> Buffer:
    return matrix_buffer(values.reshape(1, -1), form=form)[0]


# --- steps that kernels share -----------------------------------------------

def causal_output(q: np.ndarray, k: np.ndarray, v: Bounded, gate: np.ndarray,
                  state: Bounded, form: str) -> Bounded:
    """A chunk's outputs before they are scaled: q [C, K], k [C, K], v [C, V],
    gate [C], and the state at its begin, rounded to `form`."""
    seen = np.tril(np.ones((len(gate), len(gate)), bool))
    distance = (exact(gate[:, None]) - exact(gate[None, :])).where(seen)
    scores = (dot(exact(q), exact(k.T)) * exp2(distance)).where(seen)
    out = dot(exact(q), state) * exp2(exact(gate))[:, None]
    return dot(scores.stored(form), v, out)


def advance(state: Bounded, k: np.ndarray, v: Bounded, gate: np.ndarray,
            form: str) -> Bounded:
    """The state after a chunk whose values v are not decayed yet."""
    decayed = v * exp2(exact(gate[-1]) - exact(gate))[:, None]
    return dot(exact(k.T), decayed.stored(form), state * exp2(exact(gate[-1])))


# --- simple gated linear attention ------------------------------------------

@reference("chunk_gla_state")
def chunk_gla_state(kernel: Kernel, case: Parameters,
                    rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """The state at the begin of each chunk, and the last: `advance`."""
    given = _setting(kernel, case, rng)
    sequences, heads = len(given.lengths), given.heads
    k, v, gate = given.keys(), given.tokens(given.value), given.decay(1)
    states = _zeros(given.chunks, heads, given.key, given.value)
    final = _zeros(sequences, heads, given.key, given.value)
    for sequence, head in np.ndindex(sequences, heads):
        state = _zeros(given.key, given.value)
        for chunk, here in given.walk(sequence):
            _put(states, (chunk, head), state.stored(given.form))
            state = advance(state, k[here, head], exact(v[here, head]),
                            gate[here, head, 0], given.form)
        _put(final, (sequence, head), state)
    grid = (given.key // kernel.constexprs["BLOCK_K"],
            ceil_div(given.value, kernel.constexprs["BLOCK_V"]),
            sequences * heads)
    return grid, {
        "k_ptr": _given(k, given.form), "v_ptr": _given(v, given.form),
        "gate_ptr": _given(gate, "fp32"),
        "states_ptr": given.output(given.form, states),
        "final_ptr": given.output("fp32", final),
        "tokens": case["tokens"], "heads": heads}


@reference("chunk_gla_output")
def chunk_gla_output(kernel: Kernel, case: Parameters,
                     rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """Outputs from states that are given: `causal_output`, scaled."""
    given = _setting(kernel, case, rng)
    sequences, heads, form = len(given.lengths), given.heads, given.form
    q, k, v = given.tokens(given.key), given.keys(), given.tokens(given.value)
    gate = given.decay(1)
    states = given.random(given.chunks, heads, given.key, given.value)
    scale = 0.5 if given.is_exact else float(np.float32(given.key ** -0.5))
    out = _zeros(*v.shape)
    for sequence, head in np.ndindex(sequences, heads):
        for chunk, here in given.walk(sequence):
            result = causal_output(
                q[here, head], k[here, head], exact(v[here, head]),
                gate[here, head, 0], exact(states[chunk, head]), form)
            _put(out, (here, head), (result * exact(scale)).stored(form))
    grid = (ceil_div(given.value, kernel.constexprs["BLOCK_V"]),
            ceil_div(case["tokens"], given.chunk), sequences * heads)
    return grid, {
        "q_ptr": _given(q, form), "k_ptr": _given(k, form),
        "v_ptr": _given(v, form), "gate_ptr": _given(gate, "fp32"),
        "states_ptr": _given(states, form), "out_ptr": given.output(form, out),
        "scale": scale, "tokens": case["tokens"], "heads": heads}


# --- gated delta rule -------------------------------------------------------

@reference("chunk_gated_delta_state")
def chunk_gated_delta_state(kernel: Kernel, case: Parameters,
                            rng: np.random.Generator
                            ) -> tuple[Grid, Arguments]:
    """The state at the begin of each chunk, the values that it adds, and the
    last state: new = u - w S, then `advance`."""
    given = _setting(kernel, case, rng)
    sequences, heads, form = len(given.lengths), given.heads, given.form
    k, w, u = given.keys(), given.keys(), given.tokens(given.value)
    gate = given.decay(1)
    initial = given.random(sequences, heads, given.key, given.value,
                           form="fp32")
    states = _zeros(given.chunks, heads, given.key, given.value)
    new, final = _zeros(*u.shape), _zeros(*initial.shape)
    for sequence, head in np.ndindex(sequences, heads):
        state = exact(initial[sequence, head])
        for chunk, here in given.walk(sequence):
            _put(states, (chunk, head), state.stored(form))
            added = exact(u[here, head]) - dot(exact(w[here, head]),
                                               state.stored(form))
            _put(new, (here, head), added.stored(form))
            state = advance(state, k[here, head], added, gate[here, head, 0],
                            form)
        _put(final, (sequence, head), state)
    grid = (ceil_div(given.value, kernel.constexprs["BLOCK_V"]),
            sequences * heads, 1)
    return grid, {
        "k_ptr": _given(k, form), "w_ptr": _given(w, form),
        "u_ptr": _given(u, form), "gate_ptr": _given(gate, "fp32"),
        "initial_ptr": _given(initial, "fp32"),
        "states_ptr": given.output(form, states),
        "new_ptr": given.output(form, new),
        "final_ptr": given.output("fp32", final),
        "tokens": case["tokens"], "heads": heads}


@reference("chunk_gated_delta_fused")
def chunk_gated_delta_fused(kernel: Kernel, case: Parameters,
                            rng: np.random.Generator
                            ) -> tuple[Grid, Arguments]:
    """Outputs, and the last state: as above, then `causal_output`."""
    given = _setting(kernel, case, rng)
    sequences, heads, form = len(given.lengths), given.heads, given.form
    q, k, w = given.tokens(given.key), given.keys(), given.keys()
    u, gate = given.tokens(given.value), given.decay(1)
    scale = 0.5 if given.is_exact else float(np.float32(given.key ** -0.5))
    out = _zeros(*u.shape)
    final = _zeros(sequences, heads, given.key, given.value)
    for sequence, head in np.ndindex(sequences, heads):
        state = _zeros(given.key, given.value)
        for _, here in given.walk(sequence):
            rounded = state.stored(form)
            added = exact(u[here, head]) - dot(exact(w[here, head]), rounded)
            result = causal_output(q[here, head], k[here, head],
                                   added.stored(form), gate[here, head, 0],
                                   rounded, form)
            _put(out, (here, head), (result * exact(scale)).stored(form))
            state = advance(state, k[here, head], added, gate[here, head, 0],
                            form)
        _put(final, (sequence, head), state)
    grid = (ceil_div(given.value, kernel.constexprs["BLOCK_V"]),
            sequences * heads, 1)
    return grid, {
        "q_ptr": _given(q, form), "k_ptr": _given(k, form),
        "w_ptr": _given(w, form), "u_ptr": _given(u, form),
        "gate_ptr": _given(gate, "fp32"), "out_ptr": given.output(form, out),
        "final_ptr": given.output("fp32", final), "scale": scale,
        "tokens": case["tokens"], "heads": heads}


# --- diagonal plus low rank -------------------------------------------------

def advance_both(state: Bounded, k: np.ndarray, b: np.ndarray, v: np.ndarray,
                 added: Bounded, last: np.ndarray) -> Bounded:
    """The state after a chunk: k [C, K] brings v [C, V], b brings `added`;
    last [K] is log2 of the whole chunk's decay."""
    state = state * exp2(exact(last))[:, None]
    state = dot(exact(k.T), exact(v), state)
    return dot(exact(b.T), added, state)


def output_of_both(q: np.ndarray, state: np.ndarray, scores_v: np.ndarray,
                   v: np.ndarray, scores_b: np.ndarray,
                   added: np.ndarray) -> Bounded:
    """A chunk's outputs; what lies above the scores' diagonals counts not."""
    result = dot(exact(q), exact(state))
    for scores, values in ((scores_v, v), (scores_b, added)):
        seen = np.tril(np.ones(scores.shape, bool))
        result = dot(exact(np.where(seen, scores, 0.0)), exact(values), result)
    return result


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)])


@reference("chunk_dplr_state")
def chunk_dplr_state(kernel: Kernel, case: Parameters,
                     rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """The state at the begin of each chunk, the values that its second factor
    adds (new = w S + u, rounded), and the last state."""
    given = _setting(kernel, case, rng)
    sequences, heads, form = len(given.lengths), given.heads, given.form
    k, b, w = given.keys(), given.keys(), given.keys()
    u, v = given.tokens(given.value), given.tokens(given.value)
    decay = given.decay(given.key)
    states = _zeros(given.chunks, heads, given.key, given.value)
    new = _zeros(*u.shape)
    final = _zeros(sequences, heads, given.key, given.value)
    for sequence, head in np.ndindex(sequences, heads):
        state = _zeros(given.key, given.value)
        for chunk, here in given.walk(sequence):
            _put(states, (chunk, head), state.stored(form))
            added = (dot(exact(w[here, head]), state.stored(form))
                     + exact(u[here, head])).stored(form)
            _put(new, (here, head), added)
            state = advance_both(state, k[here, head], b[here, head],
                                 v[here, head], added,
                                 decay[here, head][-1])
        _put(final, (sequence, head), state)
    starts, integer = _starts(given.lengths), form_of(kernel, "cu_seqlens_ptr")
    offsets = _starts([ceil_div(length, given.chunk)
                       for length in given.lengths])
    grid = (ceil_div(given.value, kernel.constexprs["BLOCK_V"]),
            sequences * heads, 1)
    return grid, {
        "k_ptr": _given(k, form), "b_ptr": _given(b, form),
        "w_ptr": _given(w, form), "u_ptr": _given(u, form),
        "v_ptr": _given(v, form), "decay_ptr": _given(decay, "fp32"),
        "states_ptr": given.output(form, states),
        "new_ptr": given.output(form, new),
        "final_ptr": given.output("fp32", final),
        "cu_seqlens_ptr": _given(starts, integer),
        "chunk_offsets_ptr": _given(offsets, integer), "heads": heads}


@reference("chunk_dplr_output")
def chunk_dplr_output(kernel: Kernel, case: Parameters,
                      rng: np.random.Generator) -> tuple[Grid, Arguments]:
    """Three products in one accumulator; scores above the diagonal are NaN, as
    nobody has to write them."""
    given = _setting(kernel, case, rng)
    sequences, heads, form = len(given.lengths), given.heads, given.form
    q, v, new = (given.tokens(size)
                 for size in (given.key, given.value, given.value))
    scores_v, scores_b = given.tokens(given.chunk), given.tokens(given.chunk)
    states = given.random(given.chunks, heads, given.key, given.value)
    out = _zeros(*v.shape)
    for sequence, head in np.ndindex(sequences, heads):
        for chunk, here in given.walk(sequence):
            size = here.stop - here.start
            above = np.arange(given.chunk) > np.arange(size)[:, None]
            for scores in (scores_v, scores_b):
                scores[here, head] = np.where(above, np.nan,
                                              scores[here, head])
            result = output_of_both(
                q[here, head], states[chunk, head],
                scores_v[here, head, :size], v[here, head],
                scores_b[here, head, :size], new[here, head])
            _put(out, (here, head), result.stored(form))
    integer = form_of(kernel, "cu_seqlens_ptr")
    table = chunk_table(given.lengths, given.chunk, case.get("spare", 0))
    grid = (ceil_div(given.value, kernel.constexprs["BLOCK_V"]), len(table),
            heads)
    return grid, {
        "q_ptr": _given(q, form), "v_ptr": _given(v, form),
        "new_ptr": _given(new, form), "scores_v_ptr": _given(scores_v, form),
        "scores_b_ptr": _given(scores_b, form),
        "states_ptr": _given(states, form), "out_ptr": given.output(form, out),
        "cu_seqlens_ptr": _given(_starts(given.lengths), integer),
        "chunk_indices_ptr": _given(table, integer), "heads": heads}
