# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention by the names and arguments of flash-linear-attention, forward.

    o, state = tilewright.ops.chunk_gated_delta_rule(
        q, k, v, g, beta, output_final_state=True, cu_seqlens=cu_seqlens)

q, k (and a, b): batch x tokens x heads x dim; v and the result: batch x tokens x
value heads x value dim, where each head of q and k serves as many value heads;
f16, bf16 or f32, strides in any order. Gates g are logarithms, with v's heads.
States: sequences x value heads x dim x value dim, f32 by default. cu_seqlens
(i32 or i64): the bounds of sequences that are packed one behind the other, batch
being 1; nothing waits for them. The functions chunk_... and fused_recurrent_...
are the same: which way computes a call is predicted.

Beside FLA's arguments: `final_state`, a tensor for the final states, which may be
the initial ones' (then they are updated in place); `slots`, the index in both of
each sequence's state, no two alike; `out`; and those of all operators (stream,
config, prepare, explain).
"""

from .ops import _check_keywords, _kind, _native, _new, _run

__all__ = [
    "chunk_delta_rule", "chunk_dplr_delta_rule", "chunk_gated_delta_rule",
    "chunk_gla", "chunk_kda", "chunk_lightning_attn", "chunk_linear_attn",
    "chunk_retention", "chunk_rwkv7", "chunk_simple_gla",
    "fused_recurrent_delta_rule", "fused_recurrent_dplr_delta_rule",
    "fused_recurrent_gated_delta_rule", "fused_recurrent_gla",
    "fused_recurrent_kda", "fused_recurrent_retention",
    "fused_recurrent_rwkv7", "fused_recurrent_simple_gla"]

_decays = {}


def _take(call, name, default=None):
    return call.pop(name, default)


def _linear(operator, q, k, v, gates, call, *, scale=None, initial_state=None,
            output_final_state=False, cu_seqlens=None, normalize=False):
    """The operator's result and its final states, or None. `gates`: the tensors
    besides, by the operator's names."""
    out, final = _take(call, "out"), _take(call, "final_state")
    slots = _take(call, "slots")
    _check_keywords(call)
    kind, shape, device = _native._describe_tensor("q", q)
    _, values, _ = _native._describe_tensor("v", v)
    for name, given in (("q", shape), ("v", values)):
        if len(given) != 4:
            raise TypeError(f"expects {name} of 4 dimensions, but got "
                            f"{len(given)}")
    sequences = shape[0]
    if cu_seqlens is not None:
        sequences = _native._describe_tensor("cu_seqlens", cu_seqlens)[1][0] - 1
    states = None
    for name, state in (("initial_state", initial_state), ("final_state", final)):
        if state is not None:
            states = states or _native._describe_tensor(name, state)[1][0]
    if slots is not None:
        count = _native._describe_tensor("slots", slots)[1]
        if len(count) != 1 or count[0] != sequences:
            raise TypeError(f"expects slots of {sequences} sequences, but got "
                            f"{count}")
    if out is None:
        out = _new(q, tuple(values), kind, device)
    if final is None and output_final_state:
        final = _new(q, (states or sequences, values[2], shape[3], values[3]),
                     "f32", device)
    tensors = {"q": q, "k": k, "v": v, "out": out, "initial": initial_state,
               "final": final, "offsets": cu_seqlens, "slots": slots}
    index = next((_kind("an index", tensor) for tensor in (cu_seqlens, slots)
                  if tensor is not None), "i32")
    words = {"type": kind, "scale": repr(float(scale or 0)),
             "normalize": "yes" if normalize else "no", "index_type": index,
             "slots": "no" if slots is None else "yes"}
    for name, state in (("initial", initial_state), ("final", final)):
        words[name] = "no" if state is None else _kind(name, state)
    for name, tensor in gates.items():
        tensors[name] = tensor
        if name in ("g", "beta"):
            words["gate_type" if name == "g" else "beta_type"] = _kind(name,
                                                                       tensor)
    text = _run(operator, tensors, words, device, call)
    return text if call.get("explain") else (out, final)


def _decays_of_heads(q, heads, key, logarithms):
    """A tensor of numbers that are known beforehand, made once for a device."""
    from . import array
    device = _native._describe_tensor("q", q)[2]
    framework = type(q).__module__.partition(".")[0]
    known = (framework, device, heads) + key
    if known not in _decays:
        numbers = [logarithms(head) for head in range(heads)]
        if isinstance(q, _native.Array):
            import numpy
            _decays[known] = array(numpy.array(numbers, numpy.float32), device)
        elif framework == "torch":
            import torch
            _decays[known] = torch.tensor(numbers, dtype=torch.float32,
                                          device=q.device)
        else:
            raise TypeError("expects g_gamma=..., as tensors of "
                            f"{framework} cannot be made here")
    return _decays[known]


def chunk_linear_attn(q, k, v, scale=None, initial_state=None,
                      output_final_state=False, normalize=False,
                      cu_seqlens=None, **call):
    """S = S + k v^T; o = scale S^T q."""
    if normalize:
        raise ValueError("expects normalize=False, but got "
                         f"{normalize}")
    return _linear("linear_attention", q, k, v, {}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def chunk_simple_gla(q, k, v, g=None, g_gamma=None, scale=None,
                     initial_state=None, output_final_state=False,
                     cu_seqlens=None, **call):
    """S = e^g S + k v^T; g: batch x tokens x heads, or g_gamma: heads, f32."""
    if g is not None and g_gamma is not None:
        raise ValueError("expects g or g_gamma, but got both")
    if g is None and g_gamma is None:
        return chunk_linear_attn(q, k, v, scale, initial_state,
                                 output_final_state, cu_seqlens=cu_seqlens,
                                 **call)
    return _linear("retention" if g is None else "simple_gla", q, k, v,
                   {"g": g_gamma if g is None else g}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def chunk_retention(q, k, v, scale=None, initial_state=None,
                    output_final_state=False, cu_seqlens=None, **call):
    """chunk_simple_gla with g_gamma = log(1 - 2^(-5 - head))."""
    import math
    heads = _native._describe_tensor("v", v)[1][2]
    gamma = _decays_of_heads(q, heads, ("retention",),
                             lambda head: math.log1p(-2.0 ** (-5 - head)))
    return chunk_simple_gla(q, k, v, None, gamma, scale, initial_state,
                            output_final_state, cu_seqlens, **call)


def chunk_lightning_attn(q, k, v, layer_idx, num_layers, scale=None,
                         initial_state=None, output_final_state=False,
                         cu_seqlens=None, **call):
    """chunk_simple_gla with g_gamma = -8 / heads (1 - layer / layers) head."""
    heads = _native._describe_tensor("v", v)[1][2]
    slope = -8 / heads * (1 - layer_idx / num_layers)
    gamma = _decays_of_heads(q, heads, ("lightning", layer_idx, num_layers),
                             lambda head: slope * head)
    return chunk_simple_gla(q, k, v, None, gamma, scale, initial_state,
                            output_final_state, cu_seqlens, **call)


def chunk_gla(q, k, v, g, scale=None, initial_state=None,
              output_final_state=False, cu_seqlens=None, **call):
    """S = diag(e^g) S + k v^T; g: batch x tokens x heads x dim."""
    return _linear("gla", q, k, v, {"g": g}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def chunk_delta_rule(q, k, v, beta, scale=None, initial_state=None,
                     output_final_state=False, use_qk_l2norm_in_kernel=False,
                     cu_seqlens=None, **call):
    """S = S + beta k (v - S^T k)^T; beta: batch x tokens x heads."""
    return _linear("delta_rule", q, k, v, {"beta": beta}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens)


def chunk_gated_delta_rule(q, k, v, g, beta, scale=None, initial_state=None,
                           output_final_state=False,
                           use_qk_l2norm_in_kernel=False, cu_seqlens=None,
                           **call):
    """S = e^g S; S = S + beta k (v - S^T k)^T; g: as beta."""
    return _linear("gated_delta_rule", q, k, v, {"g": g, "beta": beta}, call,
                   scale=scale, initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens)


def chunk_kda(q, k, v, g, beta, scale=None, initial_state=None,
              output_final_state=False, use_qk_l2norm_in_kernel=False,
              cu_seqlens=None, **call):
    """As chunk_gated_delta_rule with g: batch x tokens x heads x dim."""
    return _linear("kda", q, k, v, {"g": g, "beta": beta}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens)


def chunk_dplr_delta_rule(q, k, v, a, b, gk, scale=None, initial_state=None,
                          output_final_state=False, cu_seqlens=None, **call):
    """S = diag(e^gk) S + b (a^T S) + k v^T; gk: batch x tokens x heads x dim."""
    return _linear("dplr_delta_rule", q, k, v, {"a": a, "b": b, "g": gk}, call,
                   scale=scale, initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def chunk_rwkv7(r, w, k, v, a, b, scale=1.0, initial_state=None,
                output_final_state=True, cu_seqlens=None, **call):
    """chunk_dplr_delta_rule with q = r and gk = w."""
    return chunk_dplr_delta_rule(r, k, v, a, b, w, scale, initial_state,
                                 output_final_state, cu_seqlens, **call)


def fused_recurrent_gla(q, k, v, gk, scale=None, initial_state=None,
                        output_final_state=False, cu_seqlens=None, **call):
    """chunk_gla; of few tokens each is a step."""
    return chunk_gla(q, k, v, gk, scale, initial_state, output_final_state,
                     cu_seqlens, **call)


fused_recurrent_simple_gla = chunk_simple_gla
fused_recurrent_retention = chunk_retention
fused_recurrent_delta_rule = chunk_delta_rule
fused_recurrent_gated_delta_rule = chunk_gated_delta_rule
fused_recurrent_kda = chunk_kda
fused_recurrent_dplr_delta_rule = chunk_dplr_delta_rule
fused_recurrent_rwkv7 = chunk_rwkv7
