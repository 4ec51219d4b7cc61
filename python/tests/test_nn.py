# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of tilewright.nn and patched models: on a GPU, or with CPU tensors on the
emulator's CUDA library (TILEWRIGHT_CUDA_DRIVER). Skipped without PyTorch.

The layers of other packages are stood for by modules with their attributes, which
is what `patch` goes by; test/Checkpoints has the packages themselves.
"""

import copy
import io
import os
import unittest

import numpy as np

try:
    import torch
    import tilewright.nn
except ImportError:
    torch = None

ON_EMULATOR = bool(os.environ.get("TILEWRIGHT_CUDA_DRIVER"))
DEVICE = "cpu" if ON_EMULATOR else "cuda"
KINDS = ("nf4", "fp4", "int4", "int8", "uint2", "uint4")


def gptq_tensors(n=32, k=64, group=32, seed=1):
    """(tensors of GPTQ's, the weights n x k)."""
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(0, 16, (k, n), generator=generator)
    zeros = torch.randint(1, 17, (k // group, n), generator=generator)
    scales = torch.rand(k // group, n, generator=generator).half() / 50
    g_idx = torch.arange(k) // group

    def packed(values):
        """Along the first axis, the lowest first."""
        words = sum(values[i::8].long() << 4 * i for i in range(8))
        return torch.where(words >= 2 ** 31, words - 2 ** 32, words).int()
    weights = (codes - zeros[g_idx]).float() * scales[g_idx].float()
    return {"qweight": packed(codes), "scales": scales, "g_idx": g_idx.int(),
            "qzeros": packed((zeros - 1).t()).t().contiguous()}, weights.t()


if torch is not None:
    class Gptq(torch.nn.Module):
        """What gptqmodel's and auto-gptq's layers have."""

        def __init__(self, tensors, bias=None):
            super().__init__()
            for name, tensor in tensors.items():
                self.register_buffer(name, tensor)
            self.register_buffer("bias", bias)
            self.group_size = 32

        def qzero_format(self):
            return 1

    class ExllamaGptq(Gptq):
        pass

    class Block(torch.nn.Module):
        """Attention of two heads and a gated product."""

        def __init__(self, width):
            super().__init__()
            self.q, self.k, self.v, self.o = (
                torch.nn.Linear(width, width, bias=i < 3) for i in range(4))
            self.gate = torch.nn.Linear(width, 2 * width, bias=False)
            self.up = torch.nn.Linear(width, 2 * width, bias=False)
            self.down = torch.nn.Linear(2 * width, width, bias=False)

        def forward(self, x):
            def heads(y):
                return y.unflatten(-1, (2, -1)).transpose(-2, -3)
            normal = torch.nn.functional.rms_norm(x, x.shape[-1:])
            attended = torch.nn.functional.scaled_dot_product_attention(
                *(heads(layer(normal)) for layer in (self.q, self.k, self.v)),
                is_causal=True)
            x = x + self.o(attended.transpose(-2, -3).flatten(-2))
            normal = torch.nn.functional.rms_norm(x, x.shape[-1:])
            gate = torch.nn.functional.silu(self.gate(normal))
            return x + self.down(gate * self.up(normal))

    class Transformer(torch.nn.Module):
        def __init__(self, width=64, words=48):
            super().__init__()
            self.embed = torch.nn.Embedding(words, width)
            self.layers = torch.nn.ModuleList(Block(width) for _ in range(2))
            self.lm_head = torch.nn.Linear(width, words, bias=False)

        def forward(self, tokens):
            x = self.embed(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.lm_head(x)


@unittest.skipIf(torch is None, "expects PyTorch")
class LayerTest(unittest.TestCase):
    def setUp(self):
        from tilewright import ops
        if not ON_EMULATOR and not torch.cuda.is_available():
            self.skipTest("expects a GPU, or the emulator")
        # The emulator takes PTX.
        ops.machine_code = not ON_EMULATOR
        torch.manual_seed(5)

    def layer(self, kind="nf4", k=64, n=32, **keywords):
        linear = torch.nn.Linear(k, n, device=DEVICE).half()
        return tilewright.nn.QuantizedLinear.from_linear(linear, kind, 32,
                                                         **keywords), linear

    def check(self, layer, x):
        """Against its own weights as numbers."""
        wanted = torch.nn.functional.linear(
            x.double(), layer.dequantize().double(),
            None if layer.bias is None else layer.bias.double())
        torch.testing.assert_close(layer(x).double(), wanted, rtol=2e-3, atol=2e-3)

    def test_kinds(self):
        x = torch.randn(3, 64, device=DEVICE).half()
        # Half a step of the largest magnitude, and what scales are rounded.
        steps = {"nf4": 0.16, "fp4": 0.18, "int4": 0.08, "int8": 0.005,
                 "uint2": 0.35, "uint4": 0.07}
        for kind in KINDS:
            with self.subTest(kind=kind):
                layer, linear = self.layer(kind)
                error = (layer.dequantize() - linear.weight).abs().max()
                self.assertLess(error, steps[kind] * linear.weight.abs().max())
                self.check(layer, x)

    def test_shapes(self):
        layer, _ = self.layer()
        for shape in ((64,), (1, 64), (2, 3, 64), (2, 1, 5, 64)):
            x = torch.randn(*shape, device=DEVICE).half()
            self.assertEqual(layer(x).shape, (*shape[:-1], 32))
            self.check(layer, x)
        self.assertEqual(layer(torch.zeros(0, 64, device=DEVICE).half()).shape,
                         (0, 32))
        # Of a view whose rows are not neighbours.
        x = torch.randn(4, 128, device=DEVICE).half()[::2, 64:]
        self.check(layer, x)

    def test_order_of_activations(self):
        tensors, weights = gptq_tensors()
        order = torch.randperm(64)
        tensors["g_idx"] = tensors["g_idx"][order]
        layer = tilewright.nn.QuantizedLinear.from_tensors(tensors, device=DEVICE)
        self.assertIsNotNone(layer.rows)
        self.assertIn("act_order", repr(layer))
        self.check(layer, torch.randn(3, 64, device=DEVICE).half())

    def test_repacked(self):
        """As on the host, from every order and width."""
        generator = np.random.default_rng(2)
        for kind, bits, size in (("uint2", 2, 4), ("uint4", 4, 4), ("int8", 8, 4),
                                 ("book4", 4, 1)):
            for order in ("low_first", "high_first", "even_first"):
                for packed in "kn":
                    count = 8 * size // bits
                    shape = (48 // count, 64) if packed == "k" else \
                        (48, 64 // count)
                    words = generator.integers(
                        -2 ** (8 * size - 1), 2 ** (8 * size - 1), shape).astype(
                            f"i{size}")
                    w = tilewright.quantized.QuantizedWeights(
                        words, None, (48, 64), kind, order=order, packed=packed)
                    made = tilewright.nn._repacked(w.on(torch.from_numpy))
                    with self.subTest(kind=kind, order=order, packed=packed):
                        np.testing.assert_array_equal(made.words.numpy(),
                                                      w.repacked().words)
                        self.assertEqual((made.packed, made.order),
                                         ("k", "even_first"))

    def test_prepacked(self):
        """The same products, whatever order words are in; a state says in which
        they are, and is refused where this version has another."""
        tensors, expected = gptq_tensors(n=40, k=128)
        made = [tilewright.nn.QuantizedLinear.from_tensors(
            tensors, device=DEVICE, prepack=prepack) for prepack in (False, True)]
        self.assertEqual(tuple(made[1].words.shape), (3, 256))
        x = torch.randint(-2, 3, (3, 128)).half().to(DEVICE)
        wanted = x.double().cpu() @ expected.double().t()
        for layer in made:
            error = (layer(x).double().cpu() - wanted).abs().max()
            self.assertLess(error, 2e-2)
        torch.testing.assert_close(made[1].dequantize(), made[0].dequantize(),
                                   rtol=0, atol=0)
        state = made[1].state_dict()
        empty = tilewright.nn.QuantizedLinear(128, 40, bias=False, device=DEVICE)
        empty.load_state_dict(state)
        torch.testing.assert_close(empty(x), made[1](x), rtol=0, atol=0)
        about = bytes(state["_extra_state"].tolist())
        other = about.replace(b'"unit": "', b'"unit": "0')
        state["_extra_state"] = torch.tensor(list(other), dtype=torch.uint8)
        with self.assertRaisesRegex(RuntimeError, "expects words in the order of "
                                    "this version's m[0-9n]*, but got others"):
            empty.load_state_dict(state)
        model = torch.nn.Sequential(Gptq(gptq_tensors(n=32, k=64)[0])).to(DEVICE)
        tilewright.nn.patch(model, prepack=True)
        self.assertTrue(model[0].weights().is_prepacked)
        # Groups of 16 rows are not units' of 4 bits.
        model = torch.nn.Sequential(torch.nn.Linear(64, 16)).to(DEVICE)
        done = tilewright.nn.patch(model, linears="int4", group=16, prepack=True)
        self.assertEqual(done.replaced, [])
        self.assertIn("expects groups of a multiple of 64 rows", done.left[0][1])

    def test_state(self):
        layer, _ = self.layer("uint4")
        x = torch.randn(2, 64, device=DEVICE).half()
        wanted = layer(x)
        file = io.BytesIO()
        torch.save(layer.state_dict(), file)
        file.seek(0)
        state = torch.load(file, weights_only=True)
        self.assertTrue(all(isinstance(t, torch.Tensor) for t in state.values()))
        empty = tilewright.nn.QuantizedLinear(64, 32, dtype=torch.float16,
                                              device=DEVICE)
        self.assertIn("not loaded", repr(empty))
        with self.assertRaisesRegex(RuntimeError, "a layer without"):
            empty(x)
        empty.load_state_dict(state)
        self.assertTrue(torch.equal(empty(x), wanted))
        self.assertEqual(repr(empty), repr(layer))
        self.assertTrue(torch.equal(copy.deepcopy(layer)(x), wanted))
        with self.assertRaisesRegex(RuntimeError, "state of .96, 32. features"):
            tilewright.nn.QuantizedLinear(96, 32).load_state_dict(state)

    def test_casts(self):
        """Scales stay f32, whatever the model is cast to."""
        layer, _ = self.layer()
        scales = layer.scales.clone()
        layer.to(torch.bfloat16)
        self.assertEqual(layer.bias.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(layer.scales, scales))

    def test_types_of_activations(self):
        layer, _ = self.layer()
        x = torch.randn(2, 64, device=DEVICE)
        with self.assertRaisesRegex(RuntimeError, "a compute_dtype"):
            layer(x)
        layer.compute_dtype = torch.float16
        self.assertEqual(layer(x).dtype, torch.float32)
        layer.compute_dtype = None
        with torch.autocast(DEVICE, dtype=torch.float16):
            self.assertEqual(layer(x).dtype, torch.float16)
        with self.assertRaisesRegex(RuntimeError, "64 features, but got 32"):
            layer(x[:, :32])

    def test_gradients(self):
        """Of activations, in the order of g_idx too, and of the bias."""
        tensors, _ = gptq_tensors()
        tensors["g_idx"] = tensors["g_idx"][torch.randperm(64)]
        layer = tilewright.nn.QuantizedLinear.from_tensors(
            dict(tensors, bias=torch.zeros(32).half()), device=DEVICE)
        layer.bias.requires_grad_(True)
        x = torch.randn(3, 64, device=DEVICE).half().requires_grad_(True)
        weigh = torch.randn(3, 32, device=DEVICE).half()
        (layer(x) * weigh).sum().backward()
        torch.testing.assert_close(x.grad, weigh @ layer.dequantize(), rtol=5e-3,
                                   atol=5e-3)
        torch.testing.assert_close(layer.bias.grad, weigh.sum(0), rtol=5e-3,
                                   atol=5e-3)

    def test_compiled(self):
        """One graph, without breaks."""
        layer, _ = self.layer()
        x = torch.randn(2, 3, 64, device=DEVICE).half()
        compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
        self.assertTrue(torch.equal(compiled(x), layer(x)))

    def test_kinds_that_are_refused(self):
        with self.assertRaisesRegex(RuntimeError, "weights of nf4"):
            tilewright.nn.quantize(torch.ones(8, 64), "int3")
        with self.assertRaisesRegex(RuntimeError, "divides k = 64, but got 48"):
            tilewright.nn.quantize(torch.ones(8, 64), "nf4", 48)


@unittest.skipIf(torch is None, "expects PyTorch")
class PatchTest(unittest.TestCase):
    setUp = LayerTest.setUp

    def dense(self, patched):
        """The same model with the weights as numbers, in f16."""
        model = copy.deepcopy(patched)
        for name, layer in list(model.named_modules()):
            if isinstance(layer, tilewright.nn.QuantizedLinear):
                linear = torch.nn.Linear(layer.in_features, layer.out_features,
                                         bias=False, device=DEVICE).half()
                linear.weight.data = layer.dequantize().contiguous()
                linear.bias = layer.bias
                parent, _, last = name.rpartition(".")
                setattr(model.get_submodule(parent), last, linear)
        return model

    def test_transformer(self):
        """Logits as with the weights as numbers, in each format; undone, the very
        same as before."""
        model = Transformer().half().to(DEVICE)
        tokens = torch.randint(0, 48, (2, 7), device=DEVICE)
        before = model(tokens)
        for kind in KINDS:
            with self.subTest(kind=kind), torch.no_grad():
                done = tilewright.nn.patch(model, linears=kind, group=32)
                self.assertEqual(len(done.replaced), 14)
                self.assertEqual(done.left, [("lm_head", "skipped by name")])
                ours, wanted = model(tokens), self.dense(model)(tokens)
                # Sums that f16 rounds otherwise, through 14 layers.
                self.assertLess((ours - wanted).abs().max(),
                                2.0 ** -7 * wanted.abs().max())
                self.assertFalse(torch.equal(ours, before))
                done.undo()
                self.assertTrue(torch.equal(model(tokens), before))

    def test_layers_of_a_package(self):
        tensors, weights = gptq_tensors()
        bias = torch.randn(32).half()
        model = torch.nn.ModuleDict({
            "a": Gptq(tensors, bias), "b": ExllamaGptq(tensors),
            "c": torch.nn.Linear(8, 8), "d": torch.nn.LayerNorm(8)}).to(DEVICE)
        model["e"] = model["a"]
        x = torch.randn(3, 64, device=DEVICE).half()
        with tilewright.nn.patch(model) as done:
            self.assertEqual(done.replaced, [("a", "GPTQ")])
            reasons = dict(done.left)
            self.assertEqual(sorted(reasons), ["b", "c"])
            self.assertIn("ExllamaGptq has rewritten", reasons["b"])
            self.assertIn("no linears=", reasons["c"])
            self.assertIn("a: GPTQ", str(done))
            self.assertIs(model["a"], model["e"])
            wanted = x.float() @ weights.t().to(DEVICE) + bias.to(DEVICE).float()
            torch.testing.assert_close(model["e"](x).float(), wanted, rtol=3e-3,
                                       atol=3e-3)
        self.assertIsInstance(model["a"], Gptq)
        self.assertIs(model["a"], model["e"])

    def test_tensors_of_another_in_a_linear(self):
        """compressed-tensors' layers are torch.nn.Linear with other tensors."""
        linear = torch.nn.Linear(64, 32, bias=False)
        codes = torch.randint(-127, 128, (32, 64), dtype=torch.int8)
        del linear.weight
        linear.weight = torch.nn.Parameter(codes, requires_grad=False)
        linear.register_buffer("weight_scale", torch.full((32, 1), 0.25))
        model = torch.nn.ModuleDict({"a": linear}).to(DEVICE)
        done = tilewright.nn.patch(model, linears="nf4")
        self.assertEqual(done.replaced, [("a", "8-bit")])
        self.assertTrue(torch.equal(model["a"].dequantize().cpu(),
                                    codes.half() / 4))

    def test_what_is_left(self):
        tensors, _ = gptq_tensors()
        broken = dict(tensors, g_idx=torch.zeros(64, dtype=torch.int32))
        planar = Gptq(tensors)
        planar.planar = True
        model = torch.nn.ModuleDict({
            "broken": Gptq(broken), "planar": planar,
            "meta": torch.nn.Linear(64, 32, device="meta"),
            "words": Gptq({"qweight": tensors["qweight"]})})
        reasons = dict(tilewright.nn.patch(model, linears="nf4").left)
        self.assertIn("groups of 32 rows in g_idx", reasons["broken"])
        self.assertIn("planes of bits", reasons["planar"])
        self.assertIn("on no device", reasons["meta"])
        self.assertIn("no known format", reasons["words"])
        with self.assertRaisesRegex(RuntimeError, "but got a layer"):
            tilewright.nn.patch(torch.nn.Linear(64, 32).half(), linears="nf4")


if __name__ == "__main__":
    unittest.main()
