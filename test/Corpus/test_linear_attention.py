#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the references of attention and its relatives, and of bounded.py.

Chunks are compared with the recurrence that they stand for, token by token in
loops that share no code with them; errors with what f32 arithmetic does.

Run: python3 -m unittest discover -s test/Corpus
"""

import math
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from references import attention, bounded, chunks, recurrent  # noqa: E402
from references import rows, scans  # noqa: E402
from references.bounded import Bounded, exact  # noqa: E402


def decayed_recurrence(q: np.ndarray, k: np.ndarray, v: np.ndarray,
                       gate: np.ndarray, beta: np.ndarray | None
                       ) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and last state, element by element. gate: log2 of each token's
    decay, [T] or [T, K]."""
    tokens, keys, values = len(q), q.shape[1], v.shape[1]
    state = [[0.0] * values for _ in range(keys)]
    out = np.zeros((tokens, values))
    for t in range(tokens):
        for i in range(keys):
            factor = 2.0 ** (gate[t] if gate.ndim == 1 else gate[t, i])
            state[i] = [factor * entry for entry in state[i]]
        for j in range(values):
            added = v[t, j]
            if beta is not None:
                added = beta[t] * (v[t, j] - sum(
                    state[i][j] * k[t, i] for i in range(keys)))
            for i in range(keys):
                state[i][j] += k[t, i] * added
        for j in range(values):
            out[t, j] = sum(state[i][j] * q[t, i] for i in range(keys))
    return out, np.array(state)


class References(unittest.TestCase):

    def setUp(self) -> None:
        self.rng = np.random.default_rng(3)
        self.q, self.k = self.rng.standard_normal((2, 7, 5))
        self.v = self.rng.standard_normal((7, 4))
        self.steps = -self.rng.uniform(0.0, 0.5, 7)
        self.beta = self.rng.uniform(0.2, 1.0, 7)

    def assert_near(self, actual: np.ndarray, wanted: np.ndarray) -> None:
        np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-12)

    def test_recurrent_steps(self) -> None:
        for gate in (self.steps, -self.rng.uniform(0, 1, (7, 5))):
            for beta in (None, self.beta):
                out, last = decayed_recurrence(self.q, self.k, self.v, gate,
                                               beta)
                state = exact(np.zeros((5, 4)))
                for t in range(7):
                    state, result = recurrent.recurrent_step(
                        state, exact(self.q[t]), exact(self.k[t]),
                        exact(self.v[t]),
                        exact(np.atleast_1d(gate[t] * math.log(2))),
                        None if beta is None else exact(beta[t:t + 1]))
                    self.assert_near(result.value, out[t])
                self.assert_near(state.value, last)

    def scan(self, values) -> tuple[np.ndarray, np.ndarray]:
        """Outputs and last state by chunks of 3; `values` gives those that a
        chunk adds, of its tokens and the state at its begin."""
        state, out = exact(np.zeros((5, 4))), np.zeros((7, 4))
        for first in range(0, 7, 3):
            here = slice(first, min(first + 3, 7))
            gate = np.cumsum(self.steps[here])
            added = exact(values(here, gate, state.value))
            out[here] = chunks.causal_output(self.q[here], self.k[here], added,
                                             gate, state, "fp64").value
            state = chunks.advance(state, self.k[here], added, gate, "fp64")
        return out, state.value

    def test_chunks_are_the_recurrence(self) -> None:
        wanted = decayed_recurrence(self.q, self.k, self.v, self.steps, None)
        actual = self.scan(lambda here, gate, state: self.v[here])
        for one, other in zip(actual, wanted):
            self.assert_near(one, other)

    def test_chunks_of_the_delta_rule_are_the_recurrence(self) -> None:
        def values(here: slice, gate: np.ndarray,
                   state: np.ndarray) -> np.ndarray:
            """u - w S, the WY form solved as it is defined."""
            k, beta = self.k[here], self.beta[here, None]
            lower = np.tril(beta * (k @ k.T) * 2.0 ** (gate[:, None]
                                                       - gate), -1)
            inverse = np.linalg.inv(np.eye(len(gate)) + lower)
            w = inverse @ (beta * k * 2.0 ** gate[:, None])
            return inverse @ (beta * self.v[here]) - w @ state

        wanted = decayed_recurrence(self.q, self.k, self.v, self.steps,
                                    self.beta)
        for one, other in zip(self.scan(values), wanted):
            self.assert_near(one, other)

    def test_chunks_of_two_factors_are_the_recurrence(self) -> None:
        """S <- D S + b (a^T S) + k v^T, the low rank on the state before."""
        a, b = 0.4 * self.rng.standard_normal((2, 7, 5))
        steps = -self.rng.uniform(0.0, 0.5, (7, 5))
        state, wanted = np.zeros((5, 4)), np.zeros((7, 4))
        for t in range(7):
            low_rank = np.outer(b[t], a[t] @ state)
            state = (2.0 ** steps[t, :, None] * state + low_rank
                     + np.outer(self.k[t], self.v[t]))
            wanted[t] = self.q[t] @ state
        scanned = exact(np.zeros((5, 4)))
        for first in range(0, 7, 3):
            here = slice(first, min(first + 3, 7))
            q, k, v = self.q[here], self.k[here], self.v[here]
            gate = np.cumsum(steps[here], 0)
            before = 2.0 ** (gate - steps[here])
            lower = np.tril((a[here] * before) @ (b[here] / 2.0 ** gate).T, -1)
            of_k = np.tril((a[here] * before) @ (k / 2.0 ** gate).T, -1)
            inverse = np.linalg.inv(np.eye(len(gate)) - lower)
            added = (inverse @ (a[here] * before) @ scanned.value
                     + inverse @ of_k @ v)
            decayed = q * 2.0 ** gate
            out = chunks.output_of_both(
                decayed, scanned.value, decayed @ (k / 2.0 ** gate).T, v,
                decayed @ (b[here] / 2.0 ** gate).T, added)
            self.assert_near(out.value, wanted[here])
            rest = 2.0 ** (gate[-1] - gate)
            scanned = chunks.advance_both(scanned, k * rest, b[here] * rest, v,
                                          exact(added), gate[-1])
        self.assert_near(scanned.value, state)

    def test_attention(self) -> None:
        q, k = self.q[4:], self.k
        out, sums = attention.attention_reference(q, k, self.v, 0.7, 2, "fp64")
        for i in range(3):
            powers = [2.0 ** (0.7 * sum(q[i] * k[j])) for j in range(i + 5)]
            self.assertAlmostEqual(sums.value[i], math.log2(sum(powers)), 12)
            for column in range(4):
                wanted = sum(power * self.v[j, column]
                             for j, power in enumerate(powers)) / sum(powers)
                self.assertAlmostEqual(out.value[i, column], wanted, 12)

    def test_layer_norm(self) -> None:
        result, mean, factor = rows.layer_norm_reference(
            self.q, self.k[0], self.k[1], 0.25, 3.0)
        for row in range(7):
            average = sum(self.q[row]) / 5
            variance = sum((x - average) ** 2 for x in self.q[row]) / 5
            scale = 1 / math.sqrt(variance + 0.25)
            self.assertAlmostEqual(mean.value[row], average, 12)
            self.assertAlmostEqual(factor.value[row], scale, 12)
            for column in range(5):
                wanted = 3.0 * ((self.q[row, column] - average) * scale
                                * self.k[0, column] + self.k[1, column])
                self.assertAlmostEqual(result.value[row, column], wanted, 12)

    def test_running_sums(self) -> None:
        x = self.q
        for axis in (0, 1):
            forward = scans.running_sums(x, axis, False)
            backward = scans.running_sums(x, axis, True)
            for i, j in np.ndindex(x.shape):
                before = x[:i + 1, j] if axis == 0 else x[i, :j + 1]
                after = x[i:, j] if axis == 0 else x[i, j:]
                self.assertAlmostEqual(forward[i, j], sum(before), 12)
                self.assertAlmostEqual(backward[i, j], sum(after), 12)


class Errors(unittest.TestCase):
    """What f32 makes of an expression lies within its error, and the error is
    no wilder than a few units."""

    def setUp(self) -> None:
        rng = np.random.default_rng(4)
        self.a, self.b = rng.standard_normal((2, 40, 40)).astype(np.float32)

    def check(self, result: Bounded, computed: np.ndarray,
              units: float) -> None:
        distance = np.abs(computed.astype(np.float64) - result.value)
        self.assertTrue(np.all(distance <= result.error))
        self.assertGreater(np.max(distance), 0.0)
        self.assertLess(np.max(result.error / np.abs(result.value)),
                        units * 2.0 ** -24)

    def test_elementwise(self) -> None:
        a, b = exact(self.a), exact(np.abs(self.b) + 1.0)
        b32 = (np.abs(self.b) + np.float32(1)).astype(np.float32)
        b = Bounded(b.value, np.abs(b32 - b.value))
        self.check(a * b, self.a * b32, 4)
        self.check(a / b, self.a / b32, 8)
        self.check(bounded.exp2(b), np.exp2(b32), 16)
        self.check(bounded.rsqrt(b), 1 / np.sqrt(b32), 16)
        self.check(a * a + b, self.a * self.a + b32, 4)

    def test_sums_and_products(self) -> None:
        a, b = exact(self.a), exact(np.abs(self.b))
        self.check(bounded.total(b, 0), np.abs(self.b).sum(0), 50)
        self.check(bounded.dot(exact(np.abs(self.a)), b),
                   np.abs(self.a) @ np.abs(self.b), 150)
        self.check(bounded.exp(a), np.exp(self.a), 30)

    def test_stored_values_end_between_those_of_the_ends(self) -> None:
        # 1 + 2^-11 is a tie of f16: a value near it may become either.
        near = Bounded(np.array([1.0 + 2.0 ** -11, 1.0, 1.0 + 2.0 ** -12]),
                       np.array([1e-9, 1e-9, 1e-9]))
        stored = near.stored("fp16")
        np.testing.assert_array_equal(stored.value, [1.0, 1.0, 1.0])
        np.testing.assert_array_equal(stored.error, [2.0 ** -10, 0.0, 0.0])


if __name__ == "__main__":
    unittest.main()
