# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What plain kernels compute, by PyTorch in float64 or float32."""

from typing import Any, Callable

import torch

Tensors = dict[str, torch.Tensor]
Sizes = dict[str, int]


def matmul(t: Tensors, s: Sizes) -> torch.Tensor:
    a, b = t["a_ptr"].view(s["M"], s["K"]), t["b_ptr"].view(s["K"], s["N"])
    return a.double() @ b.double()


def quantized(t: Tensors, s: Sizes) -> torch.Tensor:
    n, k, group = s["N"], s["K"], s["group"]
    packed = t["packed_ptr"].view(k // 8, n)
    shifts = (torch.arange(8, device=packed.device) * 4).view(1, 8, 1)
    codes = (packed.unsqueeze(1) >> shifts & 15).reshape(k, n).half()
    zeros, scales = (t[name].view(k // group, n).repeat_interleave(group, 0)
                     for name in ("zeros_ptr", "scales_ptr"))
    a = t["a_ptr"].view(s["M"], k)
    return a.double() @ ((codes - zeros) * scales).double()


def attention(t: Tensors, s: Sizes) -> torch.Tensor:
    shape = s["queries"], s["heads"], s["dimension"]
    q, k, v = (t[name].view(shape).transpose(0, 1).float()
               for name in ("q_ptr", "k_ptr", "v_ptr"))
    result = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=True)
    return result.transpose(0, 1).double()


def softmax(t: Tensors, s: Sizes) -> torch.Tensor:
    return torch.softmax(
        t["in_ptr"].view(s["rows"], s["columns"]).float(), 1).double()


def layer_norm(t: Tensors, s: Sizes) -> torch.Tensor:
    x = t["x_ptr"].view(s["rows"], s["columns"]).float()
    return torch.nn.functional.layer_norm(
        x, (s["columns"],), t["weight_ptr"].float(), t["bias_ptr"].float(),
        1e-5).double()


def addition(t: Tensors, s: Sizes) -> torch.Tensor:
    return t["x_ptr"].double() + t["y_ptr"].double()


CHECKS: dict[str, Callable[[Tensors, Sizes], Any]] = {
    "matmul": matmul, "quantized": quantized, "attention": attention,
    "softmax": softmax, "layer_norm": layer_norm, "addition": addition}
