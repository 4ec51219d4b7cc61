# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention by FLA's names with NumPy, on the emulator's CUDA library
(TILEWRIGHT_CUDA_DRIVER), beside its recurrence: python -m unittest discover
python/tests"""

import unittest

import numpy as np

import tilewright
from tilewright import ops


def on_gpu(values):
    return tilewright.array(values)


def recurrence(q, k, v, g=None, beta=None, a=None, b=None, state=None,
               scale=None):
    """One sequence in float64: tokens x heads x dim. The result and the state."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    tokens, heads, dim = v.shape[0], v.shape[1], q.shape[2]
    q, k = (np.repeat(x, heads // x.shape[1], axis=1) for x in (q, k))
    s = np.zeros((heads, dim, v.shape[2]))
    if state is not None:
        s += state
    out = np.zeros(v.shape)
    for t in range(tokens):
        low = 0
        if a is not None:
            read = np.einsum("hkv,hk->hv", s, a[t].astype(np.float64))
            low = b[t].astype(np.float64)[:, :, None] * read[:, None]
        if g is not None:
            decay = np.exp(g[t].astype(np.float64))
            s = s * (decay[:, None, None] if decay.ndim == 1
                     else decay[:, :, None])
        added = v[t]
        if beta is not None:
            added = beta[t][:, None] * (
                added - np.einsum("hkv,hk->hv", s, k[t]))
        s = s + low + k[t][:, :, None] * added[:, None]
        out[t] = np.einsum("hkv,hk->hv", s, q[t])
    return out * (scale or dim ** -0.5), s


class LinearAttentionTest(unittest.TestCase):
    def setUp(self):
        # The emulator takes PTX.
        ops.machine_code = False
        self.generator = np.random.default_rng(5)

    def random(self, *shape, type=np.float16):
        return self.generator.standard_normal(shape).astype(type)

    def keys(self, *shape):
        k = self.generator.standard_normal(shape)
        return (k / np.linalg.norm(k, axis=-1, keepdims=True)).astype(
            np.float16)

    def gates(self, *shape):
        return -self.generator.gamma(0.5, 0.3, shape).astype(np.float32)

    def inputs(self, tokens, heads=2, dim=32, values=16, batch=1):
        return (self.random(batch, tokens, heads, dim),
                self.keys(batch, tokens, heads, dim),
                self.random(batch, tokens, heads, values))

    def check(self, result, expected, tolerance=4e-3):
        actual = tilewright.to_numpy(result)
        np.testing.assert_allclose(actual, expected, rtol=tolerance,
                                   atol=tolerance * np.abs(expected).max())

    def test_every_rule(self):
        q, k, v = self.inputs(70)
        rows, channels = (1, 70, 2), (1, 70, 2, 32)
        beta = self.generator.random(rows).astype(np.float32)
        a = self.keys(*channels)
        b = (-a * self.generator.random(channels)).astype(np.float16)
        for function, gates in (
                (ops.chunk_linear_attn, {}),
                (ops.chunk_simple_gla, {"g": self.gates(*rows)}),
                (ops.chunk_gla, {"g": self.gates(*channels)}),
                (ops.chunk_delta_rule, {"beta": beta}),
                (ops.chunk_gated_delta_rule, {"g": self.gates(*rows),
                                              "beta": beta}),
                (ops.chunk_kda, {"g": self.gates(*channels), "beta": beta}),
                (ops.chunk_dplr_delta_rule, {"gk": self.gates(*channels),
                                             "a": a, "b": b})):
            with self.subTest(function.__name__):
                out, state = function(
                    on_gpu(q), on_gpu(k), on_gpu(v),
                    **{name: on_gpu(x) for name, x in gates.items()},
                    output_final_state=True, stream=0)
                given = {name.replace("gk", "g"): x[0]
                         for name, x in gates.items()}
                expected, last = recurrence(q[0], k[0], v[0], **given)
                self.check(out, expected[None])
                self.check(state, last[None])

    def test_decays_of_heads(self):
        q, k, v = self.inputs(40, heads=4)
        gamma = np.log1p(-2.0 ** (-5 - np.arange(4)))
        expected, _ = recurrence(q[0], k[0], v[0], np.tile(gamma, (40, 1)))
        out, state = ops.chunk_retention(on_gpu(q), on_gpu(k), on_gpu(v),
                                         stream=0)
        self.check(out, expected[None])
        self.assertIsNone(state)
        slopes = -8 / 4 * (1 - 1 / 3) * np.arange(4)
        expected, _ = recurrence(q[0], k[0], v[0], np.tile(slopes, (40, 1)))
        out, _ = ops.chunk_lightning_attn(on_gpu(q), on_gpu(k), on_gpu(v), 1, 3,
                                          stream=0)
        self.check(out, expected[None])

    def test_packed_sequences_of_any_length(self):
        bounds = [0, 1, 1, 50, 130]
        q, k, v = self.inputs(130)
        g, beta = self.gates(1, 130, 2), self.generator.random(
            (1, 130, 2)).astype(np.float32)
        initial = self.random(4, 2, 32, 16, type=np.float32)
        for index in (np.int32, np.int64):
            out, state = ops.chunk_gated_delta_rule(
                on_gpu(q), on_gpu(k), on_gpu(v), on_gpu(g), on_gpu(beta),
                initial_state=on_gpu(initial), output_final_state=True,
                cu_seqlens=on_gpu(np.array(bounds, index)), stream=0)
            for n, (begin, end) in enumerate(zip(bounds, bounds[1:])):
                part = slice(begin, end)
                expected, last = recurrence(
                    q[0, part], k[0, part], v[0, part], g[0, part],
                    beta[0, part], state=initial[n])
                if end > begin:
                    self.check(tilewright.array(
                        tilewright.to_numpy(out)[0, part]), expected)
                self.check(tilewright.array(tilewright.to_numpy(state)[n]),
                           last)

    def test_the_call_that_crashed_elsewhere(self):
        # RWKV-7 with cu_seqlens of one sequence, a state before and after.
        r, k, v = self.inputs(96, values=32)
        w = -0.6 * self.generator.random(r.shape).astype(np.float32)
        a = self.keys(*r.shape)
        b = (-a * self.generator.random(r.shape)).astype(np.float16)
        initial = self.random(1, 2, 32, 32, type=np.float32)
        out, state = ops.chunk_rwkv7(
            *(on_gpu(x) for x in (r, w, k, v, a, b)),
            initial_state=on_gpu(initial),
            cu_seqlens=on_gpu(np.array([0, 96], np.int64)), stream=0)
        expected, last = recurrence(r[0], k[0], v[0], w[0], a=a[0], b=b[0],
                                    state=initial[0], scale=1.0)
        self.check(out, expected[None])
        self.check(state, last[None])

    def test_decoding_in_place(self):
        # Three sequences of a server's seven states, two tokens each.
        q, k, v = self.inputs(2, heads=2, batch=3)
        g, beta = self.gates(3, 2, 2), self.generator.random(
            (3, 2, 2)).astype(np.float32)
        states = self.random(7, 2, 32, 16, type=np.float32)
        slots = np.array([5, 0, 3], np.int32)
        on_device = on_gpu(states)
        out, state = ops.fused_recurrent_gated_delta_rule(
            *(on_gpu(x) for x in (q, k, v, g, beta)), initial_state=on_device,
            final_state=on_device, slots=on_gpu(slots), stream=0)
        self.assertIs(state, on_device)
        after, results = tilewright.to_numpy(state), tilewright.to_numpy(out)
        for n, slot in enumerate(slots):
            expected, last = recurrence(q[n], k[n], v[n], g[n], beta[n],
                                        state=states[slot])
            np.testing.assert_allclose(results[n], expected, atol=4e-3,
                                       rtol=4e-3)
            np.testing.assert_allclose(after[slot], last, atol=1e-5)
        others = [1, 2, 4, 6]
        np.testing.assert_array_equal(after[others], states[others])

    def test_grouped_heads_and_normalized_keys(self):
        q, k = self.random(1, 33, 1, 32), self.random(1, 33, 1, 32)
        v = self.random(1, 33, 4, 16)
        beta = self.generator.random((1, 33, 4)).astype(np.float32)
        out, _ = ops.chunk_delta_rule(on_gpu(q), on_gpu(k), on_gpu(v),
                                      on_gpu(beta), scale=0.5,
                                      use_qk_l2norm_in_kernel=True, stream=0)
        q, k = (x / np.linalg.norm(x.astype(np.float64), axis=-1, keepdims=True)
                for x in (q, k))
        expected, _ = recurrence(q[0], k[0], v[0], beta=beta[0], scale=0.5)
        self.check(out, expected[None])

    def test_no_tokens(self):
        q, k, v = self.inputs(0)
        initial = self.random(1, 2, 32, 16, type=np.float32)
        out, state = ops.chunk_linear_attn(on_gpu(q), on_gpu(k), on_gpu(v),
                                           initial_state=on_gpu(initial),
                                           output_final_state=True, stream=0)
        self.assertEqual(out.shape, [1, 0, 2, 16])
        np.testing.assert_array_equal(tilewright.to_numpy(state), initial)

    def test_explain(self):
        q, k, v = (on_gpu(x) for x in self.inputs(64))
        self.assertIn("predicted times",
                      ops.chunk_linear_attn(q, k, v, explain=True))

    def test_what_is_refused(self):
        q, k, v = (on_gpu(x) for x in self.inputs(4))
        beta = on_gpu(self.random(1, 4, 2, type=np.float32))
        with self.assertRaisesRegex(TypeError, "q of 4 dimensions, but got 3"):
            ops.chunk_linear_attn(on_gpu(self.random(4, 2, 32)), k, v, stream=0)
        with self.assertRaisesRegex(ValueError, "g or g_gamma, but got both"):
            ops.chunk_simple_gla(q, k, v, beta, beta, stream=0)
        with self.assertRaisesRegex(ValueError, "expects normalize=False"):
            ops.chunk_linear_attn(q, k, v, normalize=True, stream=0)
        with self.assertRaisesRegex(TypeError, "slots of 1 sequences"):
            ops.chunk_delta_rule(q, k, v, beta, stream=0,
                                 slots=on_gpu(np.zeros(2, np.int32)))
        with self.assertRaisesRegex(TypeError, "keywords stream, config"):
            ops.chunk_delta_rule(q, k, v, beta, stream=0, head_first=True)
        with self.assertRaisesRegex(
                tilewright.Error, "dimension 1 of 'beta', tokens, to be 4, but "
                "got 3"):
            ops.chunk_delta_rule(
                q, k, v, on_gpu(self.random(1, 3, 2, type=np.float32)),
                stream=0)


if __name__ == "__main__":
    unittest.main()
