#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A seeded transformer whose layers each package quantizes, patched by
tilewright.nn.patch: its logits beside those of the same model with the weights
that the package dequantizes, as numbers.

    test/Checkpoints/model.py

Takes what against_packages.py takes, of the packages that are installed.
"""

import copy
import os
import sys

import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "..", "..", "python", "tests")]

import against_packages  # noqa: E402
import test_nn  # noqa: E402

DEVICE = against_packages.DEVICE
GROUP = 32


def rounded(weight):
    """(codes of 4 bits n x k, scales and zeros n x groups, groups of columns)."""
    n, k = weight.shape
    groups = weight.float().reshape(n, k // GROUP, GROUP)
    least = groups.amin(-1).clamp_max(0)
    scales = ((groups.amax(-1).clamp_min(0) - least) / 15).half()
    zeros = (-least / scales.float()).round().clamp(1, 15)
    g_idx = torch.arange(k) // GROUP
    codes = (weight.float() / scales.float()[:, g_idx] + zeros[:, g_idx]).round()
    return codes.clamp(0, 15), scales, zeros.int(), g_idx


# Each gives (the package's layer, its weights as numbers, n x k) of a linear.

def by_bitsandbytes(linear):
    from bitsandbytes import functional
    from bitsandbytes.nn import Linear4bit, Params4bit
    layer = Linear4bit(linear.in_features, linear.out_features,
                       bias=linear.bias is not None, quant_type="nf4")
    layer.weight = Params4bit(linear.weight.data, requires_grad=False,
                              quant_type="nf4", module=layer)
    layer.bias = linear.bias
    layer = layer.to("cpu")
    return layer, functional.dequantize_4bit(layer.weight.data,
                                             layer.weight.quant_state)


def by_gptqmodel(linear):
    from gptqmodel.nn_modules.qlinear.torch import TorchLinear
    _, scales, zeros, g_idx = rounded(linear.weight.data)
    layer = TorchLinear(bits=4, group_size=GROUP, sym=False, desc_act=False,
                        in_features=linear.in_features,
                        out_features=linear.out_features,
                        bias=linear.bias is not None, register_buffers=True)
    layer.pack_original(linear, scales, zeros, g_idx.int())
    layer.post_init()
    return layer, layer.dequantize_weight().t()


def by_autoawq(linear):
    for name in ("awq", "awq.modules", "awq.modules.linear"):
        against_packages.bare_package(name)
    from awq.modules.linear.gemm import WQLinear_GEMM
    from awq.utils.packing_utils import dequantize_gemm
    codes, scales, zeros, g_idx = rounded(linear.weight.data)
    # It rounds without clamping: of weights that have codes.
    linear = copy.deepcopy(linear)
    linear.weight.data = ((codes - zeros[:, g_idx]) *
                          scales.float()[:, g_idx]).half()
    layer = WQLinear_GEMM.from_linear(linear, 4, GROUP, False,
                                      scales.t().contiguous(),
                                      zeros.t().contiguous())
    return layer, dequantize_gemm(layer.qweight, layer.qzeros, layer.scales, 4,
                                  GROUP).t()


def by_hqq(linear):
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear
    layer = HQQLinear(copy.deepcopy(linear),
                      BaseQuantizeConfig(nbits=4, group_size=GROUP, axis=1),
                      compute_dtype=torch.float16, device="cpu")
    return layer, layer.dequantize()


def by_gemlite(linear):
    if not torch.cuda.is_available():
        against_packages.pretend_gpu()
    from gemlite.core import DType, GemLiteLinearTriton
    codes, scales, zeros, g_idx = rounded(linear.weight.data)
    layer = GemLiteLinearTriton(4, GROUP, linear.in_features,
                                linear.out_features, DType.FP16, DType.FP16)
    layer.pack(codes.to(torch.uint8), scales, zeros.half(), bias=linear.bias,
               fma_mode=False)
    return layer, (codes - zeros[:, g_idx]) * scales.float()[:, g_idx]


def by_compressed_tensors(linear):
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
    scheme = QuantizationScheme(targets=["Linear"], weights=QuantizationArgs(
        num_bits=4, strategy="group", group_size=GROUP, symmetric=True))
    weight = linear.weight.data
    scale = weight.reshape(len(weight), -1, GROUP).abs().amax(-1) / 7
    compressor = BaseCompressor.get_value_from_registry("pack-quantized")
    state = compressor.compress(
        {"weight": weight, "weight_scale": scale,
         "weight_zero_point": torch.zeros_like(scale, dtype=torch.int8)}, scheme)
    numbers = compressor.decompress(dict(state), scheme)["weight"]
    layer = copy.deepcopy(linear)
    del layer.weight
    for name, tensor in state.items():
        layer.register_parameter(name, torch.nn.Parameter(tensor,
                                                          requires_grad=False))
    return layer, numbers


PACKAGES = {"bitsandbytes": by_bitsandbytes, "gptqmodel": by_gptqmodel,
            "autoawq": by_autoawq, "hqq": by_hqq, "gemlite": by_gemlite,
            "compressed-tensors": by_compressed_tensors}


def both_models(quantize):
    """(a model of the package's layers, the same of linears with its numbers, the
    same before that)."""
    torch.manual_seed(11)
    model = test_nn.Transformer().half()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    numbers, before = copy.deepcopy(model), copy.deepcopy(model)
    for name, linear in list(model.named_modules()):
        if type(linear) is torch.nn.Linear and name != "lm_head":
            parent, _, last = name.rpartition(".")
            layer, weight = quantize(linear)
            setattr(model.get_submodule(parent), last, layer)
            numbers.get_submodule(name).weight.data = weight.detach().half()
    return model.to(DEVICE), numbers.to(DEVICE), before.to(DEVICE)


def off(logits, wanted):
    return ((logits - wanted).abs().max() / wanted.abs().max()).item()


def main():
    from tilewright import nn, ops
    ops.machine_code = "TILEWRIGHT_CUDA_DRIVER" not in os.environ
    failed = passed = 0
    for package, quantize in PACKAGES.items():
        try:
            model, numbers, before = both_models(quantize)
        except ImportError as error:
            print(f"left out {package}: {error}")
            continue
        tokens = torch.randint(0, 48, (2, 9), device=DEVICE)
        with torch.no_grad():
            done = nn.patch(model)
            logits, wanted = model(tokens), numbers(tokens)
            rounding = off(before(tokens), wanted)
        error = off(logits, wanted)
        # Sums that f16 rounds otherwise, through 14 layers; less than codes do.
        good = error < 2.0 ** -7 < rounding and len(done.replaced) == 14
        passed, failed = passed + good, failed + (not good)
        print(f"{'ok  ' if good else 'FAIL'} {package} "
              f"{against_packages.version_of(package)}: {len(done.replaced)} "
              f"layers, logits off by {error:.1e} of the largest, those without "
              f"quantization by {rounding:.1e}", flush=True)
        if not good:
            print(done)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
