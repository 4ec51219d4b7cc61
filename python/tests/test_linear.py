# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention by FLA's names with NumPy, on the emulator's CUDA library
(TILEWRIGHT_CUDA_DRIVER), beside its recurrence: python -m unittest discover
python/tests"""

import ast
import contextlib
import importlib.util
import inspect
import os
import pathlib
import sys
import types
import unittest
import warnings
from unittest import mock

import numpy as np

try:
    import torch
except ImportError:
    torch = None

import tilewright
from tilewright import linear, ops
from tilewright.linear import Unsupported


def on_gpu(values):
    return tilewright.array(values)


def softplus(x):
    return np.logaddexp(0, x.astype(np.float64))


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def recurrence(q, k, v, g=None, beta=None, a=None, b=None, state=None,
               scale=None, u=None):
    """One sequence in float64: tokens x heads x dim. The result and the state."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    tokens, heads, dim = v.shape[0], v.shape[1], q.shape[2]
    q, k = (np.repeat(x, heads // x.shape[1], axis=1) for x in (q, k))
    s = np.zeros((heads, dim, v.shape[2]))
    if state is not None:
        s += state
    out = np.zeros(v.shape)
    for t in range(tokens):
        low, before = 0, s
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
        read = s if u is None else (
            before + (u * k[t])[:, :, None] * v[t][:, None])
        out[t] = np.einsum("hkv,hk->hv", read, q[t])
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
        actual = (result if isinstance(result, np.ndarray)
                  else tilewright.to_numpy(result))
        np.testing.assert_allclose(actual, expected, rtol=tolerance,
                                   atol=tolerance * np.abs(expected).max())

    def test_every_rule(self):
        q, k, v = self.inputs(70)
        rows, channels = (1, 70, 2), (1, 70, 2, 32)
        beta = self.generator.random(rows).astype(np.float32)
        a = self.keys(*channels)
        b = (-a * self.generator.random(channels)).astype(np.float16)
        for function, gates in (
                (ops.fused_recurrent_linear_attn, {}),
                (ops.chunk_simple_gla, {"g": self.gates(*rows)}),
                (ops.fused_chunk_simple_gla, {"g": self.gates(*rows)}),
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

    def test_every_parameter(self):
        """Batches, states and low ranks: launches of more than 64 parameters."""
        q, k, v = self.inputs(40, batch=2)
        shape = (2, 40, 2, 32)
        g, a = self.gates(*shape), self.keys(*shape)
        b = (-a * self.generator.random(shape)).astype(np.float16)
        initial = self.random(2, 2, 32, 16, type=np.float32)
        out, state = ops.chunk_dplr_delta_rule(
            *map(on_gpu, (q, k, v, a, b, g)), initial_state=on_gpu(initial),
            output_final_state=True, stream=0)
        for n in range(2):
            expected, last = recurrence(q[n], k[n], v[n], g[n], None, a[n],
                                        b[n], initial[n])
            self.check(tilewright.to_numpy(out)[n], expected)
            self.check(tilewright.to_numpy(state)[n], last)

    def test_decays_of_heads(self):
        q, k, v = self.inputs(40, heads=4)
        gamma = np.log1p(-2.0 ** (-5 - np.arange(4)))
        expected, _ = recurrence(q[0], k[0], v[0], np.tile(gamma, (40, 1)))
        for function in (ops.chunk_retention, ops.fused_chunk_retention):
            out, state = function(on_gpu(q), on_gpu(k), on_gpu(v), stream=0)
            self.check(out, expected[None])
            self.assertIsNone(state)
        slopes = -8 / 4 * (1 - 1 / 3) * np.arange(4)
        expected, _ = recurrence(q[0], k[0], v[0], np.tile(slopes, (40, 1)))
        out, _ = ops.chunk_lightning_attn(on_gpu(q), on_gpu(k), on_gpu(v), 1, 3,
                                          stream=0)
        self.check(out, expected[None])

    def test_fused_chunks_are_normalized_unless_told(self):
        q, k, v = self.inputs(20)
        given = [on_gpu(x) for x in (q, k, v)]
        with self.assertRaisesRegex(Unsupported, "expects q of PyTorch"):
            ops.fused_chunk_linear_attn(*given, stream=0)
        out, state = ops.fused_chunk_linear_attn(
            *given, 0.5, None, True, normalize=False, stream=0)
        expected, last = recurrence(q[0], k[0], v[0], scale=0.5)
        self.check(out, expected[None])
        self.check(state, last[None])

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
            initial_state=on_gpu(initial), output_final_state=True,
            cu_seqlens=on_gpu(np.array([0, 96], np.int64)), stream=0)
        expected, last = recurrence(r[0], k[0], v[0], w[0], a=a[0], b=b[0],
                                    state=initial[0], scale=1.0)
        self.check(out, expected[None])
        self.check(state, last[None])

    def test_a_bonus_for_the_own_token(self):
        r, k, v = self.inputs(70)
        w, u = self.gates(*r.shape), self.random(2, 32)
        initial = self.random(1, 2, 32, 16, type=np.float32)
        for function in (ops.chunk_rwkv6, ops.fused_recurrent_rwkv6):
            out, state = function(*(on_gpu(x) for x in (r, k, v, w, u)),
                                  initial_state=on_gpu(initial),
                                  output_final_state=True, stream=0)
            expected, last = recurrence(r[0], k[0], v[0], w[0], u=u,
                                        state=initial[0])
            self.check(out, expected[None])
            self.check(state, last[None])

    def test_gates_as_layers_project_them(self):
        q, k, v = self.inputs(70)
        a_log, bias = self.random(2, type=np.float32), self.random(2)
        raw, beta = self.random(1, 70, 2), self.random(1, 70, 2)
        out, _ = ops.chunk_gated_delta_rule(
            *(on_gpu(x) for x in (q, k, v, raw, beta)), stream=0,
            use_gate_in_kernel=True, A_log=on_gpu(a_log), dt_bias=on_gpu(bias),
            use_beta_sigmoid_in_kernel=True, allow_neg_eigval=True,
            chunk_size=32, cu_seqlens_cpu=None, safe_gate=False)
        g = -np.exp(a_log.astype(np.float64)) * softplus(
            raw[0].astype(np.float64) + bias)
        expected, _ = recurrence(q[0], k[0], v[0], g, 2 * sigmoid(beta[0]))
        self.check(out, expected[None])
        raw, bias = self.random(1, 70, 2, 32), self.random(2, 32)
        for bound in (None, -5.0):
            out, _ = ops.fused_recurrent_kda(
                *(on_gpu(x) for x in (q, k, v, raw, beta)), on_gpu(a_log),
                on_gpu(bias), use_gate_in_kernel=True, lower_bound=bound,
                use_beta_sigmoid_in_kernel=True, stream=0)
            x, rate = raw[0] + bias.astype(np.float64), np.exp(a_log)[:, None]
            g = -rate * softplus(x) if bound is None else (
                bound * sigmoid(rate * x))
            expected, _ = recurrence(q[0], k[0], v[0], g, sigmoid(beta[0]))
            self.check(out, expected[None])

    def test_padding_of_a_server(self):
        # The second of three sequences has no state: nothing of it is written.
        q, k, v = self.inputs(3, batch=3)
        g = self.gates(3, 3, 2)
        states = self.random(4, 2, 32, 16, type=np.float32)
        before, final = np.full(v.shape, 7, np.float16), np.full_like(states, 7)
        on_device = on_gpu(final)
        out, _ = ops.fused_recurrent_simple_gla(
            *(on_gpu(x) for x in (q, k, v, g)), initial_state=on_gpu(states),
            final_state=on_device, slots=on_gpu(np.array([3, -1, 1], np.int32)),
            out=on_gpu(before), stream=0)
        after, results = tilewright.to_numpy(on_device), tilewright.to_numpy(out)
        np.testing.assert_array_equal(after[[0, 2]], final[[0, 2]])
        np.testing.assert_array_equal(results[1], before[1])
        for n, slot in ((0, 3), (2, 1)):
            expected, last = recurrence(q[n], k[n], v[n], g[n],
                                        state=states[slot])
            np.testing.assert_allclose(results[n], expected, atol=4e-3,
                                       rtol=4e-3)
            np.testing.assert_allclose(after[slot], last, atol=1e-3)

    def test_decoding_in_place(self):
        # Three sequences of a server's seven states, two tokens each.
        q, k, v = self.inputs(2, heads=2, batch=3)
        g, beta = self.gates(3, 2, 2), self.generator.random(
            (3, 2, 2)).astype(np.float32)
        states = self.random(7, 2, 32, 16, type=np.float32)
        slots = np.array([5, 0, 3], np.int32)
        on_device = on_gpu(states)
        out, state = ops.fused_recurrent_gated_delta_rule(
            *(on_gpu(x) for x in (q, k, v, g)), beta=on_gpu(beta),
            initial_state=on_device, final_state=on_device,
            slots=on_gpu(slots), stream=0)
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

    def test_drafts_that_may_be_refused(self):
        # Three tokens of each sequence; of the last three 2, 1 and 3 held. The
        # second sequence is padding, and the third keeps two states.
        q, k, v = self.inputs(3, batch=3)
        g, beta = self.gates(3, 3, 2, 32), self.generator.random(
            (3, 3, 2)).astype(np.float32)
        states = self.random(12, 2, 32, 16, type=np.float32)
        slots = np.array([[9, 4, 0], [-1, 3, 2], [7, -1, 5]], np.int32)
        accepted = np.array([2, 1, 3], np.int32)
        on_device = on_gpu(states)
        out, state = ops.fused_recurrent_kda(
            *(on_gpu(x) for x in (q, k, v, g, beta)), initial_state=on_device,
            final_state=on_device, slots=on_gpu(slots),
            accepted=on_gpu(accepted), stream=0)
        self.assertIs(state, on_device)
        after, results = tilewright.to_numpy(state), tilewright.to_numpy(out)
        written = []
        for n, first in ((0, 4), (2, 5)):
            for tokens in (1, 2, 3):
                expected, last = recurrence(*(
                    x[n, :tokens] for x in (q, k, v, g, beta)),
                    state=states[first])
                if slots[n, tokens - 1] >= 0:
                    written.append(slots[n, tokens - 1])
                    np.testing.assert_allclose(after[written[-1]], last,
                                               atol=1e-5)
            np.testing.assert_allclose(results[n], expected, atol=4e-3,
                                       rtol=4e-3)
        others = [n for n in range(12) if n not in written]
        self.assertEqual(len(others), 7)
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

    def test_gated_norms(self):
        x, g, residual = self.random(3, 6, 40)
        weight, bias = self.random(2, 40)
        sum = x.astype(np.float64) + residual
        rows = sum - sum.mean(axis=1, keepdims=True)
        norm = rows / np.sqrt((rows ** 2).mean(axis=1, keepdims=True) + 1e-6)
        y, total = ops.layer_norm_gated(
            on_gpu(x), on_gpu(g), on_gpu(weight), on_gpu(bias), "sigmoid",
            on_gpu(residual), True, stream=0)
        self.check(y, (norm * weight + bias) * sigmoid(g))
        self.check(total, sum)
        x = x.astype(np.float64)
        norm = x / np.sqrt((x ** 2).mean(axis=1, keepdims=True) + 1e-6)
        y = ops.rms_norm_gated(on_gpu(x.astype(np.float16)), on_gpu(g),
                               on_gpu(weight), None, stream=0)
        self.check(y, norm * weight * g * sigmoid(g))
        for words, given in (
                ("weight and bias of one type, but got f16 and f32",
                 {"bias": on_gpu(bias.astype(np.float32))}),
                ("g of x's type, f16, but got f32",
                 {"g": on_gpu(g.astype(np.float32))}),
                ("activation=swish, silu or sigmoid, but got tanh",
                 {"activation": "tanh"})):
            with self.assertRaisesRegex(Unsupported, "expects " + words):
                ops.rms_norm_gated(**{
                    "x": on_gpu(g), "g": on_gpu(g), "weight": on_gpu(weight),
                    "bias": None, "stream": 0, **given})

    def test_no_tokens(self):
        q, k, v = self.inputs(0)
        initial = self.random(1, 2, 32, 16, type=np.float32)
        out, state = ops.chunk_linear_attn(on_gpu(q), on_gpu(k), on_gpu(v),
                                           initial_state=on_gpu(initial),
                                           output_final_state=True,
                                           normalize=False, stream=0)
        self.assertEqual(out.shape, [1, 0, 2, 16])
        np.testing.assert_array_equal(tilewright.to_numpy(state), initial)

    def test_explain(self):
        q, k, v = (on_gpu(x) for x in self.inputs(64))
        self.assertIn("predicted times",
                      ops.fused_recurrent_linear_attn(q, k, v, explain=True))

    def test_what_is_refused(self):
        q, k, v = (on_gpu(x) for x in self.inputs(4))
        beta = on_gpu(self.random(1, 4, 2, type=np.float32))
        with self.assertRaisesRegex(TypeError, "q of 4 dimensions, but got 3"):
            ops.fused_recurrent_linear_attn(on_gpu(self.random(4, 2, 32)), k, v,
                                            stream=0)
        with self.assertRaisesRegex(TypeError, "initial_state of 4 dimensions"):
            ops.fused_recurrent_linear_attn(q, k, v, initial_state=on_gpu(
                self.random(4)), stream=0)
        with self.assertRaisesRegex(TypeError, "cu_seqlens of 1 dimensions"):
            ops.fused_recurrent_linear_attn(q, k, v, cu_seqlens=on_gpu(
                np.zeros((2, 2), np.int64)), stream=0)
        with self.assertRaisesRegex(ValueError, "g or g_gamma, but got both"):
            ops.chunk_simple_gla(q, k, v, beta, beta, stream=0)
        with self.assertRaisesRegex(Unsupported, "q of PyTorch, but got one of"):
            ops.chunk_linear_attn(q, k, v, normalize=True, stream=0)
        with self.assertRaisesRegex(Unsupported, "output_attentions=False, but"):
            ops.parallel_retention(q, k, v, output_attentions=True, stream=0)
        with self.assertRaisesRegex(TypeError, "slots of 1 sequences"):
            ops.chunk_delta_rule(q, k, v, beta, stream=0,
                                 slots=on_gpu(np.zeros(2, np.int32)))
        for accepted, sizes in ((None, (1, 3)), (np.ones(1, np.int32), 1)):
            with self.assertRaisesRegex(TypeError, "accepted with slots of 2"):
                ops.chunk_delta_rule(
                    q, k, v, beta, stream=0,
                    slots=on_gpu(np.zeros(sizes, np.int32)),
                    accepted=None if accepted is None else on_gpu(accepted))
        with self.assertRaisesRegex(TypeError, "keywords stream, config"):
            ops.chunk_delta_rule(q, k, v, beta, stream=0, heads_first=True)
        for words, given in (
                ("head_first=False, but got True", {"head_first": True}),
                ("cp_context=None, but got 3", {"cp_context": 3}),
                ("q of PyTorch, but got one of tilewright", {"reverse": True}),
                ("final_state of PyTorch, but got one of tilewright",
                 {"output_final_state": True, "state_v_first": True})):
            with self.assertRaisesRegex(Unsupported, "expects " + words):
                ops.chunk_delta_rule(q, k, v, beta, stream=0, **given)
        with self.assertRaisesRegex(Unsupported, "g or gk, but got both"):
            ops.fused_recurrent_gated_delta_rule(q, k, v, beta, k, beta=beta)
        with self.assertRaisesRegex(Unsupported, "one for each channel"):
            ops.fused_recurrent_gated_delta_rule(q, k, v, beta, beta=v)
        with self.assertRaisesRegex(Unsupported, "dt_softplus=True, but got F"):
            ops.mamba_chunk_scan_combined(v, beta, None, k, q)
        with self.assertRaisesRegex(ValueError, "expects A_log with use_gate"):
            ops.chunk_gated_delta_rule(q, k, v, beta, beta,
                                       use_gate_in_kernel=True)
        with self.assertRaisesRegex(ValueError, "use_beta_sigmoid_in_kernel=T"):
            ops.chunk_gated_delta_rule(q, k, v, beta, beta,
                                       allow_neg_eigval=True)
        with self.assertRaisesRegex(
                tilewright.Error, "dimension 1 of 'beta', rows, to be 4, but "
                "got 3"):
            ops.chunk_delta_rule(
                q, k, v, on_gpu(self.random(1, 3, 2, type=np.float32)),
                stream=0)

    def test_tensors_of_other_types(self):
        """They would be read as if they were of the first one's."""
        q, k, v = (on_gpu(x) for x in self.inputs(4))
        wide = on_gpu(self.random(1, 4, 2, 16, type=np.float32))
        with self.assertRaisesRegex(Unsupported, "v of q's type, f16, but got f32"):
            ops.chunk_linear_attn(q, k, wide, normalize=False, stream=0)
        with self.assertRaisesRegex(Unsupported, "out of q's type, f16"):
            ops.chunk_linear_attn(q, k, v, normalize=False, out=wide, stream=0)
        state = on_gpu(self.random(1, 2, 32, 16, type=np.float32))
        with self.assertRaisesRegex(Unsupported, "slots of the other indices' type"):
            ops.chunk_linear_attn(
                q, k, v, normalize=False, initial_state=state, final_state=state,
                cu_seqlens=on_gpu(np.array([0, 4], np.int64)),
                slots=on_gpu(np.array([0], np.int32)), stream=0)


class CopiedTensors:
    """In place of _native and some of tilewright.ops: PyTorch's tensors of the
    CPU, which are copied to the emulator and back. Arrays are as ever."""
    TYPES = {"float16": "f16", "float32": "f32", "int32": "i32", "int64": "i64"}

    def __init__(self):
        self.native, self.compute, self.allocate = ops._native, ops._run, ops._new

    def __getattr__(self, name):
        return getattr(self.native, name)

    def _describe_tensor(self, name, tensor):
        if not isinstance(tensor, torch.Tensor):
            return self.native._describe_tensor(name, tensor)
        kind = str(tensor.dtype).partition(".")[2]
        return self.TYPES[kind], tuple(tensor.shape), 0

    def new(self, like, shape, kind, device):
        if not isinstance(like, torch.Tensor):
            return self.allocate(like, shape, kind, device)
        return torch.empty(shape, dtype={"f16": torch.float16,
                                         "f32": torch.float32}[kind])

    def run(self, operator, tensors, words, device, call):
        copies = {name: None if x is None else on_gpu(x.detach().numpy())
                  for name, x in tensors.items()}
        text = self.compute(operator, copies, words, device,
                            {**call, "stream": 0})
        for name in ("out", "final", "y", "sum"):
            if tensors.get(name) is not None:
                tensors[name].copy_(torch.from_numpy(
                    tilewright.to_numpy(copies[name])))
        return text


@unittest.skipIf(torch is None, "expects PyTorch")
@unittest.skipUnless(os.environ.get("TILEWRIGHT_CUDA_DRIVER"),
                     "expects the emulator")
class TorchTest(unittest.TestCase):
    """What is made of PyTorch's tensors before the operators see them."""

    def setUp(self):
        ops.machine_code = False
        torch.manual_seed(3)
        copied = CopiedTensors()
        for name, value in (("_native", copied), ("_run", copied.run),
                            ("_new", copied.new)):
            for module in (linear, ops):
                patch = mock.patch.object(module, name, value)
                patch.start()
                self.addCleanup(patch.stop)

    def keys(self, *shape):
        return torch.nn.functional.normalize(torch.randn(*shape), dim=-1)

    def check(self, actual, expected, tolerance=1e-4):
        expected = np.asarray(expected)
        np.testing.assert_allclose(actual.numpy(), expected, rtol=tolerance,
                                   atol=tolerance * np.abs(expected).max())

    def test_several_corrections_of_a_token(self):
        for count, gated in ((1, True), (2, True), (3, False)):
            q, k = self.keys(1, 9, 2, 16), self.keys(1, 9 * count, 2, 16)
            v, beta = torch.randn(1, 9 * count, 2, 8), torch.rand(1, 9 * count, 2)
            g = -torch.rand(1, 9, 2) if gated else None
            out, state = linear.chunk_gated_delta_product(
                q, k, v, g, beta, count, output_final_state=True)
            # Token by token, as FLA's naive recurrence has it.
            s, expected = np.zeros((2, 16, 8)), []
            for t in range(9):
                if gated:
                    s = s * np.exp(g[0, t].double().numpy())[:, None, None]
                for i in range(t * count, (t + 1) * count):
                    key = k[0, i].double().numpy()
                    add = beta[0, i].numpy()[:, None] * (
                        v[0, i].numpy() - np.einsum("hkv,hk->hv", s, key))
                    s = s + key[:, :, None] * add[:, None]
                expected.append(np.einsum("hkv,hk->hv", s, q[0, t].numpy()) / 4)
            self.check(out[0], np.stack(expected))
            self.check(state[0], s)

    def test_steps_without_decays_keep_an_exact_state(self):
        q, k = (self.keys(1, 200, 1, 16).half() for _ in range(2))
        v, beta = torch.randn(1, 200, 1, 16).half(), torch.rand(1, 200, 1)
        s, expected = np.zeros((16, 16)), []
        for t in range(200):
            query, key, value = (x[0, t, 0].double().numpy() for x in (q, k, v))
            s = s + beta[0, t, 0].item() * np.outer(key, value - s.T @ key)
            expected.append(s.T @ query / 4)
        expected, given = np.stack(expected), torch.empty_like(v)
        out, _ = linear.fused_recurrent_delta_rule(q, k, v, beta, out=given)
        self.assertIs(out, given)
        with self.assertRaisesRegex(Unsupported, "k of q's type, f16, but got f32"):
            linear.fused_recurrent_delta_rule(q, k.float(), v, beta)
        with self.assertRaisesRegex(tilewright.Error, "expects dimension 1 of 'out'"):
            linear.fused_recurrent_delta_rule(q, k, v, beta, out=given[:, 1:])
        for out, bound in ((out, 2 ** -12), (linear.chunk_delta_rule(
                q, k, v, beta)[0], 2 ** -10)):
            error = out[0, :, 0].double().numpy() - expected
            self.assertLess(np.sqrt((error ** 2).mean()),
                            bound * np.sqrt((expected ** 2).mean()))

    def test_from_the_last_token(self):
        q, k, v = self.keys(1, 30, 2, 16), self.keys(1, 30, 2, 16), torch.randn(
            1, 30, 2, 8)
        g, initial = -torch.rand(1, 30, 2, 16), torch.randn(3, 2, 16, 8)
        bounds = [0, 4, 4, 30]
        out, state = linear.fused_recurrent_gla(
            q, k, v, g, initial_state=initial, output_final_state=True,
            reverse=True, cu_seqlens=torch.tensor(bounds))
        for n, (begin, end) in enumerate(zip(bounds, bounds[1:])):
            expected, last = recurrence(*(
                x[0, begin:end].flip(0).numpy() for x in (q, k, v, g)),
                state=initial[n].numpy())
            if end > begin:
                self.check(out[0, begin:end], expected[::-1])
            self.check(state[n], last)
        out, state = linear.fused_recurrent_simple_gla(
            q, k, v, g_gamma=g[0, 0, :, 0].contiguous(), reverse=True)
        gates = np.tile(g[0, 0, :, 0].numpy(), (30, 1))
        expected, _ = recurrence(*(x[0].flip(0).numpy() for x in (q, k, v)),
                                 gates)
        self.check(out[0], expected[::-1])
        self.assertIsNone(state)
        with self.assertRaisesRegex(Unsupported, "out=None with reverse=True"):
            linear.fused_recurrent_gla(q, k, v, g, reverse=True, out=v)

    def test_normalized(self):
        q, k, v = (torch.rand(2, 9, 2, dim) for dim in (16, 16, 8))
        for reverse in (False, True):
            out, (state, keys) = linear.fused_recurrent_linear_attn(
                q, k, v, initial_state=(torch.ones(2, 2, 16, 8), torch.ones(
                    2, 1, 2, 16)), output_final_state=True, normalize=True,
                reverse=reverse)
            a, b, c = (np.flip(x.double().numpy(), 1) if reverse else
                       x.double().numpy() for x in (q, k, v))
            sums = 1 + np.cumsum(b, axis=1)
            states = 1 + np.cumsum(b[..., :, None] * c[..., None, :], axis=1)
            expected = np.einsum("bthk,bthkv->bthv", a, states) / np.einsum(
                "bthk,bthk->bth", a, sums)[..., None]
            self.check(out, np.flip(expected, 1) if reverse else expected)
            self.check(state, states[:, -1])
            self.check(keys, sums[:, -1:])
        out, (state, keys) = linear.chunk_linear_attn(q, k, v)
        self.assertIsNone(state)
        sums = np.cumsum(k.double().numpy(), axis=1)
        self.check(keys, sums[:, -1:])

    def test_norms_of_heads(self):
        x, g = torch.randn(2, 3, 2, 16).half(), torch.randn(2, 3, 2, 16).half()
        weight = torch.nn.Parameter(torch.rand(16))
        with self.assertRaisesRegex(Unsupported, "weight without gradients"):
            linear.rms_norm_gated(x, g, weight, None)
        with torch.no_grad():
            y, total = linear.rms_norm_gated(x, g, weight, None, prenorm=True,
                                             residual_in_fp32=True)
        a = x.double()
        expected = a / (a.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * (
            weight.detach() * torch.nn.functional.silu(g.double()))
        self.assertEqual(y.dtype, torch.float16)
        self.check(y, expected, 1e-3)
        self.assertTrue(torch.equal(total, x.float()))

    def test_mamba(self):
        x, dt = torch.randn(1, 20, 4, 8), torch.randn(1, 20, 4)
        a, skip, bias = -torch.rand(4) - 0.1, torch.randn(4), torch.randn(4)
        b, c = self.keys(1, 20, 2, 16), self.keys(1, 20, 2, 16)
        initial = torch.randn(1, 4, 8, 16)
        out, state = linear.mamba_chunk_scan_combined(
            x, dt, a, b, c, 64, D=skip, dt_bias=bias, initial_states=initial,
            dt_softplus=True, return_final_states=True)
        step = softplus((dt + bias)[0].numpy())
        expected, last = recurrence(
            c[0].numpy(), b[0].numpy(), x[0].numpy() * step[:, :, None],
            step * a.numpy(), state=initial[0].transpose(1, 2).numpy(),
            scale=1.0)
        self.check(out[0], expected + x[0].numpy() * skip.numpy()[:, None])
        self.check(state[0], last.transpose(0, 2, 1))

    def test_states_with_values_first(self):
        q, k, v = self.keys(1, 6, 2, 16), self.keys(1, 6, 2, 16), torch.randn(
            1, 6, 2, 8)
        initial = torch.randn(1, 2, 8, 16)
        common = dict(g=-torch.rand(1, 6, 2) * 0, initial_state=initial)
        with self.assertRaisesRegex(ValueError, "but got both"):
            linear.fused_recurrent_gated_delta_rule(
                q, k, v, **common, state_v_first=True,
                transpose_state_layout=True)
        for words, expects in (
                ("state_v_first", contextlib.nullcontext()),
                ("transpose_state_layout", self.assertWarns(DeprecationWarning))):
            with expects:
                out, state = linear.fused_recurrent_gated_delta_rule(
                    q, k, v, **common, output_final_state=True, **{words: True})
            expected, last = recurrence(
                q[0].numpy(), k[0].numpy(), v[0].numpy(), beta=np.ones((6, 2)),
                state=initial[0].transpose(1, 2).numpy())
            self.check(out[0], expected)
            self.check(state[0], last.transpose(0, 2, 1))

    def test_low_ranks(self):
        r, k, a, kk = (self.keys(1, 7, 2, 16) for _ in "rkab")
        v, w = torch.randn(1, 7, 2, 8), -torch.rand(1, 7, 2, 16)
        out, _ = linear.fused_mul_recurrent_rwkv7(r, w, k, v, kk, a)
        one = {name: x[0].numpy() for name, x in
               {"r": r, "k": k, "v": v, "w": w, "a": -kk, "b": kk * a}.items()}
        expected, _ = recurrence(one["r"], one["k"], one["v"], one["w"],
                                 a=one["a"], b=one["b"], scale=1.0)
        self.check(out[0], expected)
        expected, _ = recurrence(one["r"], one["k"], one["v"], a=one["a"],
                                 b=one["b"])
        for function in (linear.chunk_iplr_delta_rule,
                         linear.fused_recurrent_iplr_delta_rule):
            out, _ = function(r, k, v, -kk, kk * a)
            self.check(out[0], expected)

    def test_biases_in_one_row_and_parameters(self):
        q, k, v = self.keys(1, 5, 2, 16), self.keys(1, 5, 2, 16), torch.randn(
            1, 5, 2, 8)
        raw, beta = torch.randn(1, 5, 2, 16), torch.rand(1, 5, 2)
        a_log = torch.nn.Parameter(torch.randn(2))
        bias = torch.nn.Parameter(torch.randn(32))
        given = dict(use_gate_in_kernel=True, A_log=a_log, dt_bias=bias)
        with self.assertRaisesRegex(Unsupported, "without gradients"):
            linear.chunk_kda(q, k, v, raw, beta, **given)
        with torch.no_grad():
            out, _ = linear.chunk_kda(q, k, v, raw, beta, **given)
            g = -a_log.double().exp()[:, None] * torch.nn.functional.softplus(
                raw[0].double() + bias.double().view(2, 16))
        expected, _ = recurrence(q[0].numpy(), k[0].numpy(), v[0].numpy(),
                                 g.numpy(), beta[0].numpy())
        self.check(out[0], expected)


@unittest.skipUnless(importlib.util.find_spec("fla"),
                     "expects flash-linear-attention")
class SignatureTest(unittest.TestCase):
    def test_arguments_are_those_of_fla(self):
        """Names, order and defaults, read off FLA's files."""
        folder = pathlib.Path(importlib.util.find_spec("fla").origin).parent
        found = 0
        for path in sorted([*(folder / "ops").rglob("*.py"),
                            *(folder / "modules").rglob("*.py")]):
            if "backends" in path.parts:
                continue
            for node in ast.parse(path.read_text()).body:
                if (not isinstance(node, ast.FunctionDef)
                        or node.name not in linear.__all__):
                    continue
                found += 1
                names = [argument.arg for argument in node.args.args]
                defaults = [ast.unparse(x) for x in node.args.defaults]
                ours = [parameter for parameter in inspect.signature(
                    getattr(linear, node.name)).parameters.values()
                    if parameter.kind != inspect.Parameter.VAR_KEYWORD]
                with self.subTest(node.name):
                    self.assertEqual([one.name for one in ours], names)
                    self.assertEqual([repr(one.default) for one in
                                      ours[len(names) - len(defaults):]],
                                     defaults)
        self.assertGreaterEqual(found, 30)


class FakeTorch(types.ModuleType):
    """What of PyTorch a call that asks for gradients looks at."""

    def __init__(self):
        super().__init__("torch")

    @staticmethod
    def is_grad_enabled():
        return True


class TensorWithGradient:
    """As PyTorch's, where gradients are asked for."""
    requires_grad = True


TensorWithGradient.__module__ = "torch"


class RedirectionTest(unittest.TestCase):
    """enable() with modules that have FLA's names."""

    def setUp(self):
        ops.machine_code = False
        self.calls = []

        def chunk_gla(q, k, v, g, scale=None, **keywords):
            self.calls.append(scale)
            return "theirs"

        def chunk_new_rule(q):
            return "theirs"

        self.theirs = chunk_gla
        gla = types.ModuleType("fla.ops.gla")
        inner = types.ModuleType("fla.ops.gla.chunk")
        layer = types.ModuleType("fla.layers.gla")
        program = types.ModuleType("tilewright_test_program")
        for module in (gla, inner, layer):
            module.chunk_gla = chunk_gla
        program.attend = chunk_gla
        gla.chunk_new_rule = chunk_new_rule
        self.modules = {module.__name__: module for module in
                        (gla, inner, layer, program)}
        for name in ("fla", "fla.ops", "fla.layers"):
            self.modules[name] = types.ModuleType(name)
            self.modules[name].__path__ = []
        self.before = {name: sys.modules.get(name) for name in self.modules}
        sys.modules.update(self.modules)
        self.gla, self.layer, self.program = gla, layer, program

    def tearDown(self):
        linear.disable()
        for name, module in self.before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module

    def inputs(self):
        generator = np.random.default_rng(3)
        q, k, v = (generator.standard_normal((1, 5, 2, 16)).astype(np.float16)
                   for _ in "qkv")
        return q, k, v, -generator.random(q.shape).astype(np.float32)

    def test_every_name_is_redirected_and_given_back(self):
        with linear.enable(rest=False) as redirection:
            self.assertEqual(redirection.redirected, [
                "fla.layers.gla.chunk_gla", "fla.ops.gla.chunk.chunk_gla",
                "fla.ops.gla.chunk_gla", "tilewright_test_program.attend"])
            self.assertIs(self.layer.chunk_gla, self.gla.chunk_gla)
            self.assertEqual(self.gla.chunk_new_rule(1), "theirs")
            q, k, v, g = self.inputs()
            out, _ = self.program.attend(*(on_gpu(x) for x in (q, k, v, g)),
                                         stream=0)
            expected, _ = recurrence(q[0], k[0], v[0], g[0])
            np.testing.assert_allclose(tilewright.to_numpy(out)[0], expected,
                                       atol=4e-3, rtol=4e-3)
            self.assertEqual(self.calls, [])
            self.assertEqual(redirection.taken, {"chunk_gla": 1})
            self.assertEqual(redirection.left, {})
        for module in (self.gla, self.layer):
            self.assertIs(module.chunk_gla, self.theirs)
        self.assertIs(self.program.attend, self.theirs)

    def test_what_is_not_here_is_theirs_and_warns_once(self):
        linear.enable(rest=False)
        arguments = [on_gpu(x) for x in self.inputs()]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in "ab":
                self.assertEqual(self.gla.chunk_gla(
                    *arguments, scale=0.25, head_first=True), "theirs")
        self.assertEqual(self.calls, [0.25, 0.25])
        self.assertEqual([str(one.message) for one in caught], [
            "chunk_gla stays flash-linear-attention's: expects "
            "head_first=False, but got True"])

    def test_calls_are_counted_by_who_computes_them(self):
        redirection = linear.enable(rest=False)
        arguments = [on_gpu(x) for x in self.inputs()]
        self.gla.chunk_gla(*arguments, stream=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for keywords in ({"gv": 1}, {"gv": 1}, {"gv": 2}):
                self.program.attend(*arguments, **keywords)
        with self.assertRaises(TypeError):
            self.gla.chunk_gla(*arguments, unknown=1)
        self.assertEqual(redirection.taken, {"chunk_gla": 1})
        self.assertEqual(redirection.left, {"chunk_gla": {
            "expects gv=None, but got 1": 2,
            "expects gv=None, but got 2": 1}})

    def test_gradients_are_theirs(self):
        redirection = linear.enable(rest=False)
        before = sys.modules.get("torch")
        sys.modules["torch"] = FakeTorch()
        try:
            with self.assertWarnsRegex(RuntimeWarning, "q without gradients"):
                self.assertEqual(self.gla.chunk_gla(
                    TensorWithGradient(), None, None, None), "theirs")
            self.assertEqual(redirection.taken, {})
            self.assertEqual(list(redirection.left["chunk_gla"].values()), [1])
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before

    def test_twice_and_off(self):
        linear.enable(rest=False)
        first = self.gla.chunk_gla
        linear.enable(rest=False)
        self.assertIsNot(self.gla.chunk_gla, self.theirs)
        self.assertIsNot(self.gla.chunk_gla, first)
        linear.disable()
        self.assertIs(self.gla.chunk_gla, self.theirs)
        linear.disable()

    def test_a_name_that_was_set_since_is_kept(self):
        linear.enable(rest=False)
        self.layer.chunk_gla = print
        linear.disable()
        self.assertIs(self.layer.chunk_gla, print)
        self.assertIs(self.gla.chunk_gla, self.theirs)

    def test_without_fla(self):
        del self.gla.chunk_gla
        with self.assertRaisesRegex(ImportError, "flash-linear-attention to be"):
            linear.enable(rest=False)


if __name__ == "__main__":
    unittest.main()
