#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that the packages themselves pack, read by tilewright.checkpoints: the
codes' values against the package's own dequantization, products by the operator
(on a GPU, or on the emulator's driver that TILEWRIGHT_CUDA_DRIVER names), and the
package's layers replaced by tilewright.nn.patch.

    test/Checkpoints/against_packages.py [--record=python/tests/checkpoints.npz]

Takes PyTorch and those of bitsandbytes, gptqmodel, autoawq, hqq, gemlite and
compressed-tensors that are installed; says which it left out. --record keeps what
some made and its products, which python/tests/test_checkpoints.py reads without
them.

Of packages whose `__init__` imports more than packing needs, the modules that pack
are imported alone; gemlite, which asks for a GPU when imported, is told of one.
"""

import argparse
import copy
import importlib.metadata
import json
import os
import sys
import types

import numpy as np
import torch

N, K = 32, 64
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def bare_package(name):
    """Has its modules imported without what its __init__ imports."""
    if name not in sys.modules:
        parent, _, last = name.rpartition(".")
        places = sys.modules[parent].__path__ if parent else sys.path
        place = next((os.path.join(p, last) for p in places
                      if os.path.isdir(os.path.join(p, last))), None)
        if place is None:
            raise ImportError(f"no module named '{name}'")
        module = types.ModuleType(name)
        module.__path__ = [place]
        sys.modules[name] = module


def weight(n=N, k=K, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, k, generator=generator) * 0.1


class Case:
    """tensors: of a layer, by their names in it. expected: its weights as the
    package has them, n x k. module: the package's layer with them, for
    tilewright.nn.patch. hints: what weights_of is told besides."""

    def __init__(self, name, package, tensors, expected, module=None, **hints):
        self.name, self.package, self.hints = name, package, hints
        self.module = module
        self.tensors = {key: tensor.detach() for key, tensor in tensors.items()
                        if tensor is not None}
        self.expected = expected.detach().double().numpy()


# ---------------------------------------------------------------------------
# Packages
# ---------------------------------------------------------------------------

def bitsandbytes_cases():
    from bitsandbytes import functional
    from bitsandbytes.nn import Linear4bit, Params4bit
    for kind, blocksize, nested, (n, k) in (
            ("nf4", 64, True, (N, K)), ("nf4", 128, False, (N, K)),
            ("fp4", 64, False, (N, K)), ("nf4", 256, True, (N, 512)),
            ("fp4", 4096, True, (64, 128)), ("nf4", 64, False, (16, 96))):
        w = weight(n, k).half()
        packed, state = functional.quantize_4bit(
            w, blocksize=blocksize, quant_type=kind, compress_statistics=nested)
        tensors = {"weight": packed}
        tensors.update({f"weight.{key}": value for key, value in
                        state.as_dict(packed=True).items()})
        layer = Linear4bit(k, n, bias=False, quant_type=kind)
        layer.weight = Params4bit(w, requires_grad=False, quant_type=kind,
                                  blocksize=blocksize, module=layer,
                                  compress_statistics=nested)
        # In rows of a block: bitsandbytes 0.50 on CPUs goes on with a row's last
        # block in the next only where rows are whole blocks.
        state.dtype = torch.float32
        state.shape = torch.Size((n * k // blocksize, blocksize))
        yield Case(f"{kind} blocks of {blocksize} k={k}{' nested' * nested}",
                   "bitsandbytes", tensors,
                   functional.dequantize_4bit(packed, state)
                   .reshape(n, k), module=layer.to("cpu"))
    codes, rows, _ = functional.int8_vectorwise_quant(weight().half())
    yield Case("int8", "bitsandbytes", {"weight": codes, "SCB": rows},
               functional.int8_vectorwise_dequant(codes, rows))


def rounded_linear(bits, group, g_idx):
    """(a linear whose weights are codes' values, scales, zeros): n x groups."""
    generator = torch.Generator().manual_seed(bits)
    groups = K // group
    scales = torch.rand(N, groups, generator=generator).half() * 0.02 + 0.01
    zeros = torch.randint(1, 2 ** bits, (N, groups), generator=generator)
    codes = torch.randint(0, 2 ** bits, (N, K), generator=generator)
    linear = torch.nn.Linear(K, N, bias=False).half()
    linear.weight.data = ((codes - zeros[:, g_idx]).float() *
                          scales.float()[:, g_idx]).half()
    return linear, scales, zeros


def gptqmodel_cases():
    from gptqmodel.nn_modules.qlinear.torch import TorchLinear
    from gptqmodel.utils.model import convert_gptq_v2_to_v1_format_module
    for bits, group, ordered in ((4, 32, False), (4, 32, True), (8, 32, False),
                                 (2, 32, False), (3, 32, False)):
        g_idx = torch.arange(K) // group
        if ordered:
            g_idx = g_idx[torch.randperm(K, generator=torch.Generator()
                                         .manual_seed(3))]
        linear, scales, zeros = rounded_linear(bits, group, g_idx)
        layer = TorchLinear(bits=bits, group_size=group, sym=False,
                            desc_act=ordered, in_features=K, out_features=N,
                            bias=False, register_buffers=True)
        layer.pack_original(linear, scales.clone(), zeros.clone(), g_idx.int())
        layer.post_init()
        expected = layer.dequantize_weight().t()
        name = f"GPTQ {bits} bits{' act-order' * ordered}"
        yield Case(name + " in memory", "gptqmodel", tensors_of(layer), expected,
                   gptq_version=2, module=copy.deepcopy(layer))
        convert_gptq_v2_to_v1_format_module(
            layer, types.SimpleNamespace(bits=bits, pack_dtype=torch.int32))
        yield Case(name, "gptqmodel", tensors_of(layer), expected)


def tensors_of(layer):
    names = ("qweight", "qzeros", "scales", "g_idx")
    return {name: getattr(layer, name).clone() for name in names}


def autoawq_cases():
    for name in ("awq", "awq.modules", "awq.modules.linear"):
        bare_package(name)
    from awq.modules.linear.gemm import WQLinear_GEMM
    from awq.modules.linear.gemv import WQLinear_GEMV
    from awq.utils.packing_utils import dequantize_gemm
    group = 32
    g_idx = torch.arange(K) // group
    linear, scales, zeros = rounded_linear(4, group, g_idx)
    packed = WQLinear_GEMM.from_linear(linear, 4, group, False,
                                       scales.t().contiguous(),
                                       zeros.t().contiguous())
    expected = dequantize_gemm(packed.qweight, packed.qzeros, packed.scales, 4,
                               group).t()
    yield Case("AWQ gemm", "autoawq", packed.state_dict(), expected,
               module=packed)
    vector = WQLinear_GEMV.from_linear(linear, 4, group, False, scales, zeros)
    # (It has no dequantization of its own but its kernel's.)
    yield Case("AWQ gemv", "autoawq", vector.state_dict(), expected,
               module=vector, group=group)


def hqq_cases():
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear
    for bits, group in ((4, 32), (8, 32), (2, 32), (3, 32), (1, 32)):
        linear = torch.nn.Linear(K, N, bias=False)
        linear.weight.data = weight()
        layer = HQQLinear(linear, BaseQuantizeConfig(nbits=bits, group_size=group,
                                                     axis=1),
                          compute_dtype=torch.float32, device="cpu")
        yield Case(f"HQQ {bits} bits", "hqq", {
            name: value for name, value in layer.state_dict().items()
            if isinstance(value, torch.Tensor)}, layer.dequantize(),
            module=layer)


def gemlite_cases():
    if not torch.cuda.is_available():
        pretend_gpu()
    from gemlite.core import DType, GemLiteLinearTriton
    for bits, group, fused in ((4, 32, True), (2, 32, False), (8, K, False)):
        g_idx = torch.arange(K) // group
        linear, scales, zeros = rounded_linear(bits, group, g_idx)
        codes = (linear.weight.float() / scales.float()[:, g_idx] +
                 zeros[:, g_idx]).round().to(torch.uint8)
        layer = GemLiteLinearTriton(bits, group, K, N, DType.FP16, DType.FP16)
        layer.pack(codes, scales, zeros.half(), fma_mode=fused)
        expected = (codes.float() - zeros[:, g_idx]) * scales.float()[:, g_idx]
        yield Case(f"{bits} bits{' fused' * fused}", "gemlite",
                   layer.state_dict(), expected, module=layer)


def pretend_gpu():
    import triton
    facts = types.SimpleNamespace(
        multi_processor_count=132, name="none", major=9, minor=0,
        shared_memory_per_block_optin=227 * 1024, total_memory=2 ** 36)
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_name = lambda *_: facts.name
    torch.cuda.get_device_properties = lambda *_: facts
    torch.cuda.current_device = lambda: 0
    triton.runtime.driver.set_active(types.SimpleNamespace(
        get_current_target=lambda: types.SimpleNamespace(
            backend="cuda", arch=90, warp_size=32)))


def compressed_tensors_cases():
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    generator = torch.Generator().manual_seed(4)
    for form, bits, kind, strategy, group in (
            ("pack-quantized", 4, "int", "group", 32),
            ("pack-quantized", 4, "int", "channel", None),
            ("pack-quantized", 8, "int", "group", 32),
            ("pack-quantized", 3, "int", "group", 32),
            ("int-quantized", 8, "int", "channel", None),
            ("float-quantized", 8, "float", "channel", None),
            ("float-quantized", 8, "float", "tensor", None)):
        for symmetric in (True, False) if bits == 4 else (True,):
            args = QuantizationArgs(num_bits=bits, type=kind, strategy=strategy,
                                    group_size=group, symmetric=symmetric)
            scheme = QuantizationScheme(targets=["Linear"], weights=args)
            groups = K // group if group else 1
            rows = 1 if strategy == "tensor" else N
            top = 448 if kind == "float" else 2 ** (bits - 1) - 1
            scale = torch.full((rows, groups), 0.4 / top) * (
                1 + torch.rand(rows, groups, generator=generator))
            zeros = torch.zeros(rows, groups, dtype=torch.int8)
            if not symmetric:
                zeros = torch.randint(-4, 5, zeros.shape, generator=generator)
            compressor = BaseCompressor.get_value_from_registry(form)
            state = compressor.compress(
                {"weight": weight(), "weight_scale": scale,
                 "weight_zero_point": zeros.to(torch.int8)}, scheme)
            whole = compressor.decompress(dict(state), scheme)["weight"]
            name = f"{form} {bits} bits {strategy}{' zeros' * (not symmetric)}"
            module = torch.nn.Linear(K, N, bias=False)
            del module.weight
            for key, tensor in state.items():
                module.register_parameter(
                    key, torch.nn.Parameter(tensor, requires_grad=False))
            yield Case(name, "compressed-tensors", state, whole, module=module)


PACKAGES = {"bitsandbytes": bitsandbytes_cases, "gptqmodel": gptqmodel_cases,
            "autoawq": autoawq_cases, "hqq": hqq_cases, "gemlite": gemlite_cases,
            "compressed-tensors": compressed_tensors_cases}


# ---------------------------------------------------------------------------
# Comparison
# ---------------------------------------------------------------------------

def activations(k):
    """3 x k small integers, that differ from column to column."""
    steps = np.arange(3 * k).reshape(3, k)
    return (steps * steps // 7 % 5 - 2).astype(np.float16)


def product(weights, a):
    """(a w by the operator, of f16; w)"""
    from tilewright.nn import QuantizedLinear
    layer = QuantizedLinear.from_weights(weights, device=DEVICE)
    return layer(a.to(DEVICE)).cpu().double().numpy(), \
        layer.dequantize().cpu().double().numpy()


def patched_differs(module, a, ours):
    """Why the package's layer, patched, gives something else; None: it does not."""
    from tilewright import nn
    model = torch.nn.ModuleDict({"layer": module}).to(DEVICE)
    done = nn.patch(model)
    if not done.replaced:
        return str(done)
    again = model["layer"](a.to(DEVICE)).cpu().double().numpy()
    done.undo()
    if not (again == ours).all():
        return "patched, it gives other products"
    return None if model["layer"] is module else "undone, it is another"


def check(case, version):
    """Whether weights and a product are right; prints how far they are off."""
    from tilewright import checkpoints
    kind, weights = checkpoints.weights_of(case.tensors, **case.hints)
    a = torch.from_numpy(activations(weights.shape[0]))
    ours, numbers = product(weights, a)
    largest = np.abs(case.expected).max()
    by_weights = np.abs(numbers - case.expected).max() / largest
    wanted = a.double().numpy() @ case.expected.T
    # Each weight is rounded to f16, and the result.
    bound = 2.0 ** -10 * (np.abs(a.double().numpy()) @ np.abs(case.expected.T)) \
        + 2.0 ** -10 * np.abs(wanted) + 2.0 ** -20
    by_product = (np.abs(ours - wanted) / bound).max()
    # (The packages' own results have the 11 bits of f16, some of zeros too.)
    good = by_weights <= 2.0 ** -9 and by_product <= 1
    print(f"{'ok  ' if good else 'FAIL'} {case.package} {version}: {case.name}: "
          f"as {kind}, weights off by {by_weights:.1e} of the largest, products "
          f"{by_product:.2f} of the bound", flush=True)
    reason = case.module is not None and patched_differs(case.module, a, ours)
    if reason:
        print(f"FAIL {reason}")
    return good and not reason


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "of the path"


# What is recorded: a few of each package, as it all is in the repository.
RECORDED = ("nf4 blocks of 64 k=64 nested", "fp4 blocks of 64 k=64",
            "nf4 blocks of 64 k=96", "int8", "GPTQ 4 bits act-order",
            "GPTQ 8 bits", "GPTQ 3 bits", "AWQ gemm", "AWQ gemv", "HQQ 4 bits",
            "HQQ 3 bits", "4 bits fused", "pack-quantized 4 bits group zeros",
            "pack-quantized 3 bits group", "float-quantized 8 bits channel")


def record(cases, path):
    """One file: arrays by "case/tensor", by "case" the products of the package's
    weights with `activations`, and what they are in JSON."""
    arrays, index = {}, []
    cases = [case for case in cases if case.name in RECORDED]
    for number, case in enumerate(cases):
        types_ = {}
        for name, tensor in case.tensors.items():
            types_[name] = str(tensor.dtype).rpartition(".")[2]
            if types_[name] == "bfloat16" or types_[name].startswith("float8"):
                tensor = tensor.view(torch.uint8)
            arrays[f"{number}/{name}"] = tensor.cpu().numpy()
        arrays[f"{number}"] = (activations(case.expected.shape[1]).astype(float)
                               @ case.expected.T).astype(np.float32)
        index.append({"name": case.name, "hints": case.hints, "types": types_,
                      "package": f"{case.package} {version_of(case.package)}"})
    arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
    np.savez_compressed(path, **arrays)
    print(f"{len(cases)} cases, {os.path.getsize(path)} bytes in {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--only", help="packages, separated by commas")
    options = parser.parse_args()
    from tilewright import ops
    ops.machine_code = "TILEWRIGHT_CUDA_DRIVER" not in os.environ
    made, failed, left = [], 0, []
    for package, cases in PACKAGES.items():
        if options.only and package not in options.only.split(","):
            continue
        try:
            found = list(cases())
        except ImportError as error:
            left.append(f"{package}: {error}")
            continue
        failed += sum(not check(case, version_of(package)) for case in found)
        made += found
    for reason in left:
        print(f"left out {reason}")
    if options.record:
        record(made, options.record)
    print(f"{len(made) - failed} passed, {failed} failed")
    return 1 if failed or not made else 0


if __name__ == "__main__":
    sys.exit(main())
