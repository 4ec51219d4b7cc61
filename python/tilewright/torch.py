# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The library's operators as operators of PyTorch, which torch.compile takes
whole: with fake tensors, gradients where there are any, and CUDA graphs.

    import tilewright.torch as tt

    c = tt.matmul(a, b, bias, activation="gelu")
    out = tt.scaled_dot_product_attention(q, k, v, is_causal=True)

They are torch.ops.tilewright.matmul, .scaled_matmul, .grouped_matmul, .quantize,
.softmax, .layer_norm, .rms_norm,
.add_layer_norm, .add_rms_norm, .attention and .attention_with_lse. Work goes to
the tensors' current stream. What tilewright.ops can do beyond them (quantized
outputs, outputs that are given) is there.

Gradients: of matmul without an activation, and of the row-wise operators.
Attention and activations have none: their backward is an error that says so.

Where TILEWRIGHT_CUDA_DRIVER names the emulator's library, tensors are those of
the CPU, of types that NumPy has, and are copied.
"""

import os
from typing import Optional, Tuple

try:
    import torch
    from torch import Tensor
    from torch.library import custom_op
except ImportError as error:
    raise ImportError("tilewright.torch expects PyTorch 2.4 or newer") from error

import tilewright

from . import ops

__all__ = ["add_layer_norm", "add_rms_norm", "attention", "attention_with_lse",
           "layer_norm", "matmul", "rms_norm", "scaled_dot_product_attention",
           "softmax"]

_TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32,
          "i8": torch.int8, "i32": torch.int32}
_TYPES.update({ours: getattr(torch, theirs) for ours, theirs in
               (("f8e4m3", "float8_e4m3fn"), ("f8e5m2", "float8_e5m2"))
               if hasattr(torch, theirs)})


def _call(operator, outputs, *tensors, **keywords):
    """Runs tilewright.ops.OPERATOR on the current stream, or on the emulator.
    `outputs`: which of the results are wanted."""
    device = next(t for t in tensors if t is not None).device
    if device.type == "cuda":
        keywords["stream"] = torch.cuda.current_stream(device)
    else:
        tensors = tuple(_to_emulator(t) for t in tensors)
        keywords = {name: _to_emulator(value) if isinstance(value, Tensor)
                    else value for name, value in keywords.items()}
        keywords["stream"] = 0
    results = getattr(ops, operator)(*tensors, **keywords)
    results = results if isinstance(results, tuple) else (results,)
    if device.type != "cuda":
        results = tuple(torch.from_numpy(tilewright.to_numpy(r))
                        for r in results)
    return results[:outputs] if outputs > 1 else results[0]


def _to_emulator(tensor):
    if tensor is None:
        return None
    if not os.environ.get("TILEWRIGHT_CUDA_DRIVER"):
        raise ValueError("expects CUDA tensors, or the emulator's library in "
                         "TILEWRIGHT_CUDA_DRIVER, but got tensors on "
                         f"{tensor.device}")
    if tensor.dtype == torch.bfloat16 or tensor.dtype.itemsize == 1 and \
            tensor.dtype.is_floating_point:
        raise ValueError("expects types that NumPy has, on the emulator, but "
                         f"got {tensor.dtype}")
    return tilewright.array(tensor.detach().numpy())


def _define(name, function, fake):
    """Registers a function for GPUs and, by copies, for the emulator."""
    operator = custom_op(f"tilewright::{name}", function, mutates_args=(),
                         device_types=("cuda", "cpu"))
    operator.register_fake(fake)
    return operator


def _need(condition, message):
    # (Not torch._check, whose message torch.compile cannot always trace.)
    if not condition:
        raise RuntimeError(message)


# ---------------------------------------------------------------------------
# Products
# ---------------------------------------------------------------------------

def _matmul(a: Tensor, b: Tensor, bias: Optional[Tensor] = None,
            residual: Optional[Tensor] = None, activation: str = "none",
            scale: float = 1.0, out_type: str = "same",
            precision: str = "full", dynamic: str = "") -> Tensor:
    return _call("matmul", 1, a, b, bias=bias, residual=residual,
                 activation=activation, scale=scale, out_type=out_type,
                 precision=precision, dynamic=dynamic)


def _fake_matmul(a, b, bias=None, residual=None, activation="none", scale=1.0,
                 out_type="same", precision="full", dynamic=""):
    _need(a.dim() in (2, 3) and b.dim() in (2, 3),
          f"expects a and b of 2 or 3 dimensions, but got {a.dim()} and "
          f"{b.dim()}")
    _need(a.dtype == b.dtype,
          f"expects a and b of one type, but got {a.dtype} and {b.dtype}")
    _need(a.shape[-1] == b.shape[-2],
          f"expects as many rows of b as columns of a, {a.shape[-1]}, but got "
          f"{b.shape[-2]}")
    _need(out_type == "same" or out_type in _TYPES,
          f"expects out_type=same or one of {', '.join(_TYPES)}, but got "
          f"'{out_type}'")
    stored = _TYPES.get(out_type, a.dtype)
    if out_type == "same" and a.dtype == torch.int8:
        stored = torch.int32
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.new_empty((*batch, a.shape[-2], b.shape[-1]), dtype=stored)


matmul = _define("matmul", _matmul, _fake_matmul)


def _keep_matmul(ctx, inputs, output):
    a, b, bias, residual, activation, scale, _, precision, _ = inputs
    ctx.save_for_backward(a, b)
    ctx.activation, ctx.scale, ctx.precision = activation, scale, precision
    ctx.types = [t.dtype if t is not None else None
                 for t in (a, b, bias, residual)]


def _unbroadcast(gradient, shape):
    """The sum over what was repeated."""
    if gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    if gradient.dim() == 3 and shape[0] == 1 != gradient.shape[0]:
        gradient = gradient.sum(0, keepdim=True)
    return gradient


def _matmul_backward(ctx, gradient):
    if ctx.activation != "none":
        raise NotImplementedError(
            "tilewright::matmul has no gradient with activation="
            f"'{ctx.activation}': expects 'none', or tensors that need none")
    a, b = ctx.saved_tensors
    g = gradient.to(a.dtype)
    needs = ctx.needs_input_grad
    by_a = by_b = by_bias = None
    if needs[0]:
        by_a = _unbroadcast(matmul(g, b.transpose(-1, -2), scale=ctx.scale,
                                   precision=ctx.precision), a.shape)
    if needs[1]:
        by_b = _unbroadcast(matmul(a.transpose(-1, -2), g, scale=ctx.scale,
                                   precision=ctx.precision), b.shape)
    if needs[2]:
        by_bias = gradient.sum(tuple(range(gradient.dim() - 1)),
                               dtype=torch.float32).to(ctx.types[2])
    by_residual = gradient.to(ctx.types[3]) if needs[3] else None
    return by_a, by_b, by_bias, by_residual, None, None, None, None, None


matmul.register_autograd(_matmul_backward, setup_context=_keep_matmul)


# ---------------------------------------------------------------------------
# Rows
# ---------------------------------------------------------------------------

def _rows(x):
    return x.reshape(-1, x.shape[-1])


def _softmax(x: Tensor, scale: float = 1.0) -> Tensor:
    return _call("softmax", 1, _rows(x), scale=scale).reshape(x.shape)


def _like(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


softmax = _define("softmax", _softmax, lambda x, scale=1.0: _like(x))


def _softmax_backward(ctx, gradient):
    y, = ctx.saved_tensors
    y32, g = y.float(), gradient.float()
    inner = (g - (g * y32).sum(-1, keepdim=True)) * y32 * ctx.scale
    return inner.to(y.dtype), None


def _keep_softmax(ctx, inputs, output):
    ctx.save_for_backward(output)
    ctx.scale = inputs[1]


softmax.register_autograd(_softmax_backward, setup_context=_keep_softmax)


def _layer_norm(x: Tensor, weight: Optional[Tensor] = None,
                bias: Optional[Tensor] = None,
                epsilon: float = 1e-5) -> Tensor:
    return _call("layer_norm", 1, _rows(x), weight, bias,
                 epsilon=epsilon).reshape(x.shape)


def _rms_norm(x: Tensor, weight: Optional[Tensor] = None,
              epsilon: float = 1e-5) -> Tensor:
    return _call("rms_norm", 1, _rows(x), weight,
                 epsilon=epsilon).reshape(x.shape)


def _add_layer_norm(x: Tensor, residual: Tensor,
                    weight: Optional[Tensor] = None,
                    bias: Optional[Tensor] = None,
                    epsilon: float = 1e-5) -> Tuple[Tensor, Tensor]:
    y, total = _call("layer_norm", 2, _rows(x), weight, bias,
                     residual=_rows(residual), epsilon=epsilon)
    return y.reshape(x.shape), total.reshape(x.shape)


def _add_rms_norm(x: Tensor, residual: Tensor,
                  weight: Optional[Tensor] = None,
                  epsilon: float = 1e-5) -> Tuple[Tensor, Tensor]:
    y, total = _call("rms_norm", 2, _rows(x), weight,
                     residual=_rows(residual), epsilon=epsilon)
    return y.reshape(x.shape), total.reshape(x.shape)


def _fake_norm(x, weight=None, bias=None, epsilon=1e-5):
    return _like(x)


def _fake_add_norm(x, residual, weight=None, bias=None, epsilon=1e-5):
    _need(x.shape == residual.shape and x.dtype == residual.dtype,
          f"expects a residual like x, {tuple(x.shape)} of {x.dtype}, but got "
          f"{tuple(residual.shape)} of {residual.dtype}")
    return _like(x), _like(x)


layer_norm = _define("layer_norm", _layer_norm, _fake_norm)
rms_norm = _define("rms_norm", _rms_norm,
                   lambda x, weight=None, epsilon=1e-5: _like(x))
add_layer_norm = _define("add_layer_norm", _add_layer_norm, _fake_add_norm)
add_rms_norm = _define(
    "add_rms_norm", _add_rms_norm,
    lambda x, residual, weight=None, epsilon=1e-5: _fake_add_norm(x, residual))


def _norm_gradients(x, weight, gradient, epsilon, is_centred):
    """Those of x, weight and bias, the first in f32. With n = (x - mean) r,
    r = 1 / sqrt(variance + epsilon) and g what comes for n:
    r (g - [mean of g] - n mean of (g n)), the second term of layer norm."""
    x32, g = x.float(), gradient.float()
    centred = x32 - x32.mean(-1, keepdim=True) if is_centred else x32
    root = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + epsilon)
    normal = centred * root
    rows = tuple(range(x.dim() - 1))
    by_weight = None if weight is None else (g * normal).sum(rows)
    by_bias = g.sum(rows)
    if weight is not None:
        g = g * weight.float()
    inner = g - normal * (g * normal).mean(-1, keepdim=True)
    if is_centred:
        inner = inner - g.mean(-1, keepdim=True)
    return inner * root, by_weight, by_bias


def _register_norm(operator, is_centred, has_residual):
    def keep(ctx, inputs, output):
        inputs = list(inputs)
        ctx.epsilon = inputs.pop()
        ctx.input_types = [None if t is None else t.dtype for t in inputs]
        normed = output[1] if has_residual else inputs[0]
        ctx.save_for_backward(normed, inputs[2 if has_residual else 1])

    def backward(ctx, gradient, by_total=None):
        x, weight = ctx.saved_tensors
        by_x, by_weight, by_bias = _norm_gradients(x, weight, gradient,
                                                   ctx.epsilon, is_centred)
        if by_total is not None:
            by_x = by_x + by_total.float()
        results = [by_x, by_x] if has_residual else [by_x]
        results += [by_weight, by_bias] if is_centred else [by_weight]
        return (*(None if kind is None or result is None else result.to(kind)
                  for kind, result in zip(ctx.input_types, results)), None)

    operator.register_autograd(backward, setup_context=keep)


_register_norm(layer_norm, True, False)
_register_norm(rms_norm, False, False)
_register_norm(add_layer_norm, True, True)
_register_norm(add_rms_norm, False, True)


# ---------------------------------------------------------------------------
# Attention
# ---------------------------------------------------------------------------

def _attend(outputs, q, k, v, bias, slopes, lengths, query_offsets,
            key_offsets, pages, causal, window, soft_cap, scale, precision,
            dynamic):
    return _call("attention", outputs, q, k, v, bias=bias, slopes=slopes,
                 lengths=lengths, query_offsets=query_offsets,
                 key_offsets=key_offsets, pages=pages, causal=causal,
                 window=window, soft_cap=soft_cap, scale=scale,
                 precision=precision, dynamic=dynamic, lse=outputs == 2)


def _attention(q: Tensor, k: Tensor, v: Tensor, bias: Optional[Tensor] = None,
               slopes: Optional[Tensor] = None,
               lengths: Optional[Tensor] = None,
               query_offsets: Optional[Tensor] = None,
               key_offsets: Optional[Tensor] = None,
               pages: Optional[Tensor] = None, causal: str = "no",
               window: int = 0, soft_cap: float = 0.0,
               scale: Optional[float] = None, precision: str = "full",
               dynamic: str = "") -> Tensor:
    return _attend(1, q, k, v, bias, slopes, lengths, query_offsets,
                   key_offsets, pages, causal, window, soft_cap, scale,
                   precision, dynamic)


def _attention_with_lse(
        q: Tensor, k: Tensor, v: Tensor, bias: Optional[Tensor] = None,
        slopes: Optional[Tensor] = None, lengths: Optional[Tensor] = None,
        query_offsets: Optional[Tensor] = None,
        key_offsets: Optional[Tensor] = None, pages: Optional[Tensor] = None,
        causal: str = "no", window: int = 0, soft_cap: float = 0.0,
        scale: Optional[float] = None, precision: str = "full",
        dynamic: str = "") -> Tuple[Tensor, Tensor]:
    return _attend(2, q, k, v, bias, slopes, lengths, query_offsets,
                   key_offsets, pages, causal, window, soft_cap, scale,
                   precision, dynamic)


def _fake_attention(q, k, v, *others, **named):
    _need(q.dim() in (3, 4),
          f"expects q of 3 or 4 dimensions, but got {q.dim()}")
    _need(q.dtype == k.dtype == v.dtype,
          f"expects q, k and v of one type, but got {q.dtype}, {k.dtype} and "
          f"{v.dtype}")
    _need(q.shape[-1] == k.shape[-1],
          f"expects q and k of one head dimension, but got {q.shape[-1]} and "
          f"{k.shape[-1]}")
    return q.new_empty((*q.shape[:-1], v.shape[-1]))


def _fake_attention_with_lse(q, k, v, *others, **named):
    return (_fake_attention(q, k, v),
            q.new_empty(q.shape[:-1], dtype=torch.float32))


attention = _define("attention", _attention, _fake_attention)
attention_with_lse = _define("attention_with_lse", _attention_with_lse,
                             _fake_attention_with_lse)


def _no_attention_backward(ctx, *gradients):
    raise NotImplementedError(
        "tilewright::attention has no gradient: expects tensors that need "
        "none (torch.no_grad())")


for _operator in (attention, attention_with_lse):
    _operator.register_autograd(_no_attention_backward)


def scaled_dot_product_attention(query, key, value, attn_mask=None,
                                 dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """As torch.nn.functional.scaled_dot_product_attention, forward, on any
    target. Rows that see no key are 0."""
    _need(dropout_p == 0,
          f"expects dropout_p=0, which inference has, but got {dropout_p}")
    _need(attn_mask is None or not is_causal,
          "expects a mask or is_causal=True, but got both")
    _need(query.dim() >= 2, f"expects query of 2 dimensions or more, but got "
          f"{query.dim()}")
    heads = [t.shape[-3] if t.dim() > 2 else 1 for t in (query, key, value)]
    _need(enable_gqa or heads[0] == heads[1] == heads[2],
          "expects as many heads of key and value as of query, or "
          f"enable_gqa=True, but got {heads[1]} and {heads[2]} for {heads[0]}")
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype) \
                .masked_fill(attn_mask.logical_not(), float("-inf"))
        attn_mask = attn_mask.expand(*query.shape[:-1], key.shape[-2])

    def flat(tensor):
        """batches x heads x rows x columns"""
        if tensor is None:
            return None
        if tensor.dim() < 4:
            return tensor.reshape((1,) * (4 - tensor.dim()) + tensor.shape)
        return tensor.reshape(-1, *tensor.shape[-3:])

    out = attention(flat(query), flat(key), flat(value), bias=flat(attn_mask),
                    causal="top-left" if is_causal else "no", scale=scale)
    return out.reshape(query.shape[:-1] + value.shape[-1:])


# They are made of what is above.
from ._torch_products import (  # noqa: E402,F401
    grouped_matmul, quantize, scaled_matmul)

__all__ += ["grouped_matmul", "quantize", "scaled_matmul"]
