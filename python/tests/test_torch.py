# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that tilewright.torch gives PyTorch: on a GPU, or with CPU
tensors on the emulator's CUDA library (TILEWRIGHT_CUDA_DRIVER). Skipped without
PyTorch."""

import os
import subprocess
import sys
import unittest

try:
    import torch
except ImportError:
    torch = None

ON_EMULATOR = bool(os.environ.get("TILEWRIGHT_CUDA_DRIVER"))


class WithoutTorchTest(unittest.TestCase):
    def test_error(self):
        """An older PyTorch, or none, is said to be that."""
        program = ("import sys, types; sys.modules['torch'] = "
                   "types.ModuleType('torch'); import tilewright.torch")
        done = subprocess.run([sys.executable, "-c", program],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("tilewright.torch expects PyTorch 2.4 or newer",
                      done.stderr)


@unittest.skipIf(torch is None, "expects PyTorch")
class TorchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not ON_EMULATOR and not torch.cuda.is_available():
            raise unittest.SkipTest("expects a GPU, or the emulator")
        from tilewright import ops
        import tilewright.torch
        cls.tt = tilewright.torch
        # The emulator takes PTX.
        ops.machine_code = not ON_EMULATOR

    def setUp(self):
        self.generator = torch.Generator().manual_seed(5)

    def random(self, *shape, dtype=None, grad=False):
        made = torch.randn(*shape, generator=self.generator)
        made = made.to(dtype or torch.float32)
        if not ON_EMULATOR:
            made = made.cuda()
        return made.requires_grad_(grad)

    def weights(self, like):
        """No two alike, so that no part of a gradient cancels."""
        return torch.linspace(-2, 3, like.numel(),
                              device=like.device).reshape(like.shape)

    def check(self, actual, expected, tolerance=2e-3):
        torch.testing.assert_close(actual, expected.to(actual.dtype),
                                   rtol=tolerance, atol=tolerance)

    def cases(self):
        """(operator, its arguments, the same by PyTorch alone)."""
        functional = torch.nn.functional
        f32 = dict(grad=True)
        x, residual = self.random(2, 3, 40, **f32), self.random(2, 3, 40, **f32)
        weight, bias = self.random(40, **f32), self.random(40, **f32)
        a, b = self.random(2, 9, 24, **f32), self.random(24, 16, **f32)
        row, more = self.random(16, **f32), self.random(2, 9, 16, **f32)

        def rms(x, weight):
            return functional.rms_norm(x, (40,), weight, 1e-5)

        def layer(x, weight, bias):
            return functional.layer_norm(x, (40,), weight, bias, 1e-5)
        return [
            (self.tt.matmul, (a, b, row, more, "none", 0.5),
             lambda a, b, row, more, *_: 0.5 * (a @ b) + row + more),
            (self.tt.softmax, (x, 0.75),
             lambda x, scale: torch.softmax(scale * x, -1)),
            (self.tt.layer_norm, (x, weight, bias), layer),
            (self.tt.rms_norm, (x, weight), rms),
            (self.tt.add_layer_norm, (x, residual, weight, bias),
             lambda x, r, *others: (layer(x + r, *others), x + r)),
            (self.tt.add_rms_norm, (x, residual, weight),
             lambda x, r, weight: (rms(x + r, weight), x + r)),
        ]

    def test_values_and_gradients(self):
        for operator, arguments, by_torch in self.cases():
            with self.subTest(operator=str(operator)):
                inputs = [t for t in arguments if isinstance(t, torch.Tensor)]
                results = []
                for function in (operator, by_torch):
                    out = function(*arguments)
                    outs = out if isinstance(out, tuple) else (out,)
                    loss = sum((o * self.weights(o)).sum() for o in outs)
                    results.append((*outs, *torch.autograd.grad(loss, inputs)))
                for actual, expected in zip(*results):
                    self.check(actual, expected)

    def test_what_pytorch_asks_of_an_operator(self):
        """Schemas, fake tensors, and gradients, also where sizes are symbols."""
        q = self.random(1, 2, 5, 16)
        for operator, arguments in [
                *((op, args) for op, args, _ in self.cases()),
                (self.tt.attention, (q, q, q)),
                (self.tt.attention_with_lse, (q, q, q))]:
            with self.subTest(operator=str(operator)):
                torch.library.opcheck(operator, arguments)

    def test_compiled_whole(self):
        def network(x, w, norm):
            y = self.tt.matmul(self.tt.rms_norm(x, norm), w)
            heads = y.reshape(1, -1, 4, 16).transpose(1, 2)
            out = self.tt.scaled_dot_product_attention(heads, heads, heads,
                                                       is_causal=True)
            return self.tt.softmax(out * 2)
        x, w = self.random(12, 32), self.random(32, 64)
        norm = self.random(32)
        compiled = torch.compile(network, fullgraph=True, backend="aot_eager")
        with torch.no_grad():
            self.check(compiled(x, w, norm), network(x, w, norm), 1e-6)

    def test_drop_in_attention(self):
        reference = torch.nn.functional.scaled_dot_product_attention
        q = self.random(2, 4, 9, 32, dtype=torch.float16)
        k, v = (self.random(2, 4, 17, 32, dtype=torch.float16) for _ in "kv")
        few = [t[:, :2].clone() for t in (k, v)]
        mask = self.random(2, 1, 9, 17) > 0
        mask[..., 0] = True
        for tensors, keywords in [
                ((q, k, v), {}), ((q, k, v), {"is_causal": True}),
                ((q, k, v), {"scale": 0.3}),
                ((q, k, v), {"attn_mask": mask}),
                ((q, k, v), {"attn_mask": self.random(9, 17).half()}),
                ((q, *few), {"enable_gqa": True}),
                ((q[0], k[0], v[0]), {}), ((q[0, 0], k[0, 0], v[0, 0]), {}),
                ([t.reshape(2, 1, *t.shape[1:]) for t in (q, k, v)], {}),
                ((q.transpose(1, 2).contiguous().transpose(1, 2), k, v), {})]:
            with self.subTest(keywords=list(keywords), rank=tensors[0].dim()):
                self.check(self.tt.scaled_dot_product_attention(
                    *tensors, **keywords), reference(*tensors, **keywords))

    def test_what_is_refused(self):
        tt = self.tt
        q = self.random(1, 2, 4, 16, grad=True)
        with self.assertRaisesRegex(NotImplementedError,
                                    "attention has no gradient"):
            tt.scaled_dot_product_attention(q, q, q).sum().backward()
        a = self.random(4, 4, grad=True)
        with self.assertRaisesRegex(NotImplementedError,
                                    "no gradient with activation='gelu'"):
            tt.matmul(a, a, activation="gelu").sum().backward()
        with self.assertRaisesRegex(RuntimeError, "expects dropout_p=0"):
            tt.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
        with self.assertRaisesRegex(RuntimeError, "is_causal=True, but got both"):
            tt.scaled_dot_product_attention(q, q, q, is_causal=True,
                                            attn_mask=self.random(4, 4))
        with self.assertRaisesRegex(RuntimeError, "enable_gqa=True, but got 1"):
            tt.scaled_dot_product_attention(q, q[:, :1], q[:, :1])
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode() as mode:
            fakes = [mode.from_tensor(self.random(*shape))
                     for shape in ((4, 5), (6, 7), (4,))]
            with self.assertRaisesRegex(RuntimeError, "rows of b as columns"):
                tt.matmul(fakes[0], fakes[1])
            with self.assertRaisesRegex(RuntimeError, "2 or 3 dimensions"):
                tt.matmul(fakes[2], fakes[0])
            with self.assertRaisesRegex(RuntimeError, "expects out_type=same"):
                tt.matmul(fakes[0], fakes[0].t(), out_type="f64")
            with self.assertRaisesRegex(RuntimeError, "a residual like x"):
                tt.add_rms_norm(fakes[0], fakes[1])
        if ON_EMULATOR:
            with self.assertRaisesRegex(ValueError, "types that NumPy has"):
                tt.softmax(self.random(2, 2).bfloat16())

    def test_captured(self):
        if ON_EMULATOR:
            self.skipTest("expects a GPU")
        a, b = (self.random(64, 64, dtype=torch.float16) for _ in "ab")
        eager = self.tt.matmul(a, b)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = self.tt.matmul(a, b)
        for _ in range(10):
            captured.zero_()
            graph.replay()
            self.assertTrue(torch.equal(captured, eager))


if __name__ == "__main__":
    unittest.main()
