# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention by the names and arguments of flash-linear-attention, forward.

    o, state = tilewright.ops.chunk_gated_delta_rule(
        q, k, v, g, beta, output_final_state=True, cu_seqlens=cu_seqlens)

    with tilewright.linear.enable():    # FLA's own names, where it is installed
        model(x)

q, k (and a, b): batch x tokens x heads x dim; v and the result: batch x tokens x
value heads x value dim, where each head of q and k serves as many value heads;
f16, bf16 or f32, strides in any order. Gates g are logarithms, with v's heads, or
with use_gate_in_kernel what the layers project. States: sequences x value heads x
dim x value dim (with state_v_first the last two swapped), f32 by default.
cu_seqlens (i32 or i64): the bounds of sequences that are packed one behind the
other, batch being 1; nothing waits for them. The functions chunk_..., fused_chunk_...
and fused_recurrent_... are the same: which way computes a call is predicted, so that
FLA's hints (chunk_size, safe_gate, cu_seqlens_cpu, ...) say nothing. What is not
there is refused by Unsupported.

Beside FLA's arguments: `final_state`, a tensor for the final states, which may be
the initial ones' (then they are updated in place); `slots`, the index in both of
each sequence's state, no two alike, or below 0 for sequences that are padding:
nothing of them is written. Of drafts that may be refused, slots: sequences x
drafts, where the state after each token goes, and `accepted`, how many tokens of
the last call held: the initial state is that after the last of them. `out`; and
those of all operators (stream, config,
prepare, explain).
"""

import warnings

from . import ops as _ops
from ._redirect import disable, enable  # noqa: F401
from .ops import _check_keywords, _describe, _kind, _native, _new, _run

__all__ = [
    "chunk_delta_rule", "chunk_dplr_delta_rule", "chunk_gated_delta_product",
    "chunk_gated_delta_rule", "chunk_gla", "chunk_iplr_delta_rule", "chunk_kda",
    "chunk_lightning_attn", "chunk_linear_attn", "chunk_retention",
    "chunk_rwkv6", "chunk_rwkv7", "chunk_simple_gla",
    "fused_chunk_linear_attn", "fused_chunk_retention",
    "fused_chunk_simple_gla", "fused_mul_recurrent_rwkv7",
    "fused_recurrent_delta_rule",
    "fused_recurrent_dplr_delta_rule", "fused_recurrent_gated_delta_rule",
    "fused_recurrent_gla", "fused_recurrent_iplr_delta_rule",
    "fused_recurrent_kda",
    "fused_recurrent_lightning_attn", "fused_recurrent_linear_attn",
    "fused_recurrent_retention", "fused_recurrent_rwkv6",
    "fused_recurrent_rwkv7", "fused_recurrent_simple_gla",
    "layer_norm_gated", "mamba_chunk_scan_combined", "parallel_retention",
    "parallel_simple_gla", "rms_norm_gated"]

_decays = {}


class Unsupported(ValueError):
    """An argument of FLA's asks for what is not here."""


def _expect(name, value, *expected):
    if not any(value is one or value == one for one in expected):
        raise Unsupported(f"expects {name}={expected[0]}, but got {value}")


# What FLA's functions take to be faster or to save memory backward.
_HINTS = ("cu_seqlens_cpu", "chunk_indices", "chunk_size", "disable_recompute",
          "safe_gate", "use_graph", "max_num_seqs")
# What is not here, with the values that do not ask for it.
_ABSENT = {"cp_context": (None,), "head_first": (False, None),
           "return_intermediate_states": (False,), "gv": (None,)}


def _without_gradient(name, tensor):
    """The tensor, which PyTorch may hand out. Parameters say that they need
    gradients even where none are made."""
    if not getattr(tensor, "requires_grad", False):
        return tensor
    if _torch(name, tensor).is_grad_enabled():
        raise Unsupported(f"expects {name} without gradients, or "
                          "torch.no_grad(), but got one that requires them")
    return tensor.detach()


def _take(call, name, default=None):
    return call.pop(name, default)


def _framework(tensor):
    return type(tensor).__module__.partition(".")[0]


def _torch(name, tensor):
    """PyTorch, for what has to be made of a tensor."""
    if _framework(tensor) != "torch":
        raise Unsupported(f"expects {name} of PyTorch, but got one of "
                          f"{_framework(tensor)}")
    import torch
    return torch


def _swapped(name, state):
    """A state with its last two dimensions swapped."""
    if state is None:
        return None
    _torch(name, state)
    return state.transpose(-1, -2)


def _is_v_first(call):
    """state_v_first, or what it was called before, as FLA takes it."""
    v_first = _take(call, "state_v_first", False)
    if "transpose_state_layout" not in call:
        return v_first
    if v_first:
        raise ValueError("expects state_v_first or transpose_state_layout, but "
                         "got both")
    warnings.warn("transpose_state_layout is deprecated, and is state_v_first "
                  "now", DeprecationWarning, stacklevel=4)
    return _take(call, "transpose_state_layout")


def _gate_words(kernel_gate, A_log, dt_bias, lower_bound, tensors):
    """The words of options for gates as layers project them; adds their
    tensors. `tensors` has g."""
    if not kernel_gate:
        return {}
    words = {"gate": "softplus"}
    if lower_bound is not None:
        # lower_bound * sigmoid(e^A_log (g + dt_bias))
        words = {"gate": "sigmoid", "gate_factor": repr(-float(lower_bound))}
    elif A_log is None:
        raise ValueError("expects A_log with use_gate_in_kernel, but got None")
    _, shape, _ = _native._describe_tensor("g", tensors["g"])
    for name, given, sizes in (("rate", A_log, shape[2:3]),
                               ("bias", dt_bias, shape[2:])):
        if given is None:
            continue
        described = _native._describe_tensor(name, given)[1]
        if list(described) != list(sizes):
            given = given.reshape(*sizes)
        tensors[name] = given
        words[name] = _kind(name, given)
    return words


def _correction_words(call):
    """The words for betas that a call's keywords ask for, and for `updates`: how
    many rows of k, v and beta each token has."""
    words = {"updates": str(_take(call, "updates", 1))}
    sigmoid = _take(call, "use_beta_sigmoid_in_kernel", False)
    negative = _take(call, "allow_neg_eigval", False)
    if negative and not sigmoid:
        raise ValueError("expects use_beta_sigmoid_in_kernel=True with "
                         f"allow_neg_eigval, but got {sigmoid}")
    if sigmoid:
        words["beta_form"] = "double_sigmoid" if negative else "sigmoid"
    return words


def _gates_of(call, tensors):
    """The words for gates and betas that a call's keywords ask for."""
    words = _correction_words(call)
    words.update(_gate_words(_take(call, "use_gate_in_kernel", False),
                             _take(call, "A_log"), _take(call, "dt_bias"),
                             _take(call, "lower_bound"), tensors))
    return words


def _slots_of(call, sequences):
    """Tensors and words of a call's slots: of each sequence's state; or of those
    after each of its drafts, and how many of these were accepted."""
    slots, accepted = _take(call, "slots"), _take(call, "accepted")
    count = [] if slots is None else _native._describe_tensor("slots", slots)[1]
    if slots is not None and (len(count) not in (1, 2)
                              or count[0] != sequences):
        raise TypeError(f"expects slots of {sequences} sequences, but got "
                        f"{count}")
    if (accepted is None) != (len(count) < 2):
        raise TypeError("expects accepted with slots of 2 dimensions, and with "
                        f"these alone, but got slots of {len(count)}")
    if accepted is None:
        return {"slots": slots}, {"slots": "no" if slots is None else "yes"}
    return ({"after": slots, "accepted": accepted},
            {"accepted": "yes", "drafts": str(count[1])})


def _refuse_ours(call, words):
    """What stands beside FLA's arguments, where `words` are asked for."""
    for name in ("out", "final_state", "slots"):
        if call.get(name) is not None:
            raise Unsupported(f"expects {name}=None with {words}, but got one")


def _expect_types(kind, whose, tensors):
    """A tensor of another type would be read as if it were of that one."""
    for name, tensor in tensors.items():
        if tensor is not None and _kind(name, tensor) != kind:
            raise Unsupported(f"expects {name} of {whose} type, {kind}, but got "
                              f"{_kind(name, tensor)}")


def _from_the_last(operator, q, k, v, gates, call, *, initial_state=None,
                   cu_seqlens=None, **keywords):
    """_linear from each sequence's last token to its first. PyTorch: what has
    tokens is copied the other way round, and with it the order of sequences."""
    torch = _torch("q", q)
    _refuse_ours(call, "reverse=True")
    tokens = q.shape[1]
    q, k, v = (x.flip(1) for x in (q, k, v))
    gates = {name: x.flip(1) if x.dim() > 2 else x for name, x in gates.items()}
    if cu_seqlens is not None:
        cu_seqlens = tokens - cu_seqlens.flip(0)
        if initial_state is not None:
            initial_state = initial_state.flip(0)
    result = _linear(operator, q, k, v, gates, call,
                     initial_state=initial_state, cu_seqlens=cu_seqlens,
                     **keywords)
    if call.get("explain"):
        return result
    out, final = result
    if cu_seqlens is not None and final is not None:
        final = torch.flip(final, (0,))
    return out.flip(1), final


def _linear(operator, q, k, v, gates, call, *, scale=None, initial_state=None,
            output_final_state=False, cu_seqlens=None, normalize=False,
            options=None):
    """The operator's result and its final states, or None. `gates`: the tensors
    besides, by the operator's names. `options`: words of the operator's."""
    if _take(call, "reverse", False):
        return _from_the_last(operator, q, k, v, gates, call, scale=scale,
                              initial_state=initial_state,
                              output_final_state=output_final_state,
                              cu_seqlens=cu_seqlens, normalize=normalize,
                              options=options)
    q, k, v = (_without_gradient(name, tensor)
               for name, tensor in (("q", q), ("k", k), ("v", v)))
    initial_state = _without_gradient("initial_state", initial_state)
    gates = {name: _without_gradient(name, tensor)
             for name, tensor in gates.items()}
    for name in _HINTS:
        _take(call, name)
    for name, allowed in _ABSENT.items():
        _expect(name, _take(call, name, allowed[0]), *allowed)
    out, final = _take(call, "out"), _take(call, "final_state")
    v_first = _is_v_first(call)
    _check_keywords({name: given for name, given in call.items()
                     if name not in ("slots", "accepted")})
    kind, shape, device = _describe("q", q, 4)
    _, values, _ = _describe("v", v, 4)
    sequences = shape[0]
    if cu_seqlens is not None:
        sequences = _describe("cu_seqlens", cu_seqlens, 1)[1][0] - 1
    states = None
    for name, state in (("initial_state", initial_state), ("final_state", final)):
        if state is not None:
            states = states or _describe(name, state, 4)[1][0]
    places, slot_words = _slots_of(call, sequences)
    if out is None:
        out = _new(q, tuple(shape[:2]) + tuple(values[2:]), kind, device)
    if final is None and output_final_state:
        last = (values[3], shape[3]) if v_first else (shape[3], values[3])
        final = _new(q, (states or sequences, values[2]) + last, "f32", device)
    given, returned = final, final
    if v_first:
        initial_state = _swapped("initial_state", initial_state)
        given = _swapped("final_state", final)
    tensors = {"q": q, "k": k, "v": v, "out": out, "initial": initial_state,
               "final": given, "offsets": cu_seqlens, **places}
    indices = {"cu_seqlens": cu_seqlens, **places}
    index = next((_kind(name, tensor) for name, tensor in indices.items()
                  if tensor is not None), "i32")
    _expect_types(kind, "q's", {"k": k, "v": v, "a": gates.get("a"),
                                "b": gates.get("b"), "out": out})
    _expect_types(index, "the other indices'", indices)
    words = {"type": kind, "scale": repr(float(scale or 0)),
             "normalize": "yes" if normalize else "no", "index_type": index,
             **slot_words, **(options or {})}
    for name, state in (("initial", initial_state), ("final", given)):
        words[name] = "no" if state is None else _kind(name, state)
    for name, tensor in gates.items():
        tensors[name] = tensor
        if name in ("g", "beta"):
            words["gate_type" if name == "g" else "beta_type"] = _kind(name,
                                                                       tensor)
    text = _run(operator, tensors, words, device, call)
    return text if call.get("explain") else (out, returned)


def _decays_of_heads(q, heads, key, logarithms):
    """A tensor of numbers that are known beforehand, made once for a device."""
    from . import array
    device = _native._describe_tensor("q", q)[2]
    framework = _framework(q)
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


#===------------------------------------------------------------------------===#
# Rules that add
#===------------------------------------------------------------------------===#

def _normalized_linear_attn(q, k, v, initial_state, output_final_state, call,
                            **keywords):
    """chunk_linear_attn over its value for values of 1. PyTorch. The state of
    these, the sum of keys: sequences x 1 x heads x dim, with f32 as the other."""
    _torch("q", q)
    _refuse_ours(call, "normalize=True")
    state, keys = (initial_state if isinstance(initial_state, (tuple, list))
                   else (initial_state, None))
    result = _linear("linear_attention", q, k, v, {}, dict(call),
                     initial_state=state, output_final_state=output_final_state,
                     **keywords)
    if call.get("explain"):
        return result
    if keys is not None:
        keys = keys.permute(0, 2, 3, 1)
    weights, keys = _linear("linear_attention", q, k, v.new_ones(
        (*v.shape[:3], 1)), {}, dict(call), initial_state=keys,
        output_final_state=True, **keywords)
    out = (result[0].float() / (weights.float() + 1e-10)).to(result[0].dtype)
    return out, (result[1], keys.permute(0, 3, 1, 2))


def chunk_linear_attn(q, k, v, scale=None, initial_state=None,
                      output_final_state=False, normalize=True,
                      cu_seqlens=None, **call):
    """S = S + k v^T; o = scale S^T q. With normalize (PyTorch alone) over scale
    z^T q, where z = z + k; states are pairs then, of S and z."""
    keywords = {"scale": scale, "cu_seqlens": cu_seqlens}
    if normalize:
        return _normalized_linear_attn(q, k, v, initial_state,
                                       output_final_state, call, **keywords)
    return _linear("linear_attention", q, k, v, {}, call,
                   initial_state=initial_state,
                   output_final_state=output_final_state, **keywords)


def fused_chunk_linear_attn(q, k, v, scale=None, initial_state=None,
                            output_final_state=False, normalize=True,
                            cu_seqlens=None, **call):
    """chunk_linear_attn."""
    return chunk_linear_attn(q, k, v, scale, initial_state, output_final_state,
                             normalize, cu_seqlens, **call)


def fused_recurrent_linear_attn(q, k, v, scale=None, initial_state=None,
                                output_final_state=False, reverse=False,
                                normalize=False, cu_seqlens=None, **call):
    """chunk_linear_attn; of few tokens each is a step."""
    return chunk_linear_attn(q, k, v, scale, initial_state, output_final_state,
                             normalize, cu_seqlens, reverse=reverse, **call)


def chunk_simple_gla(q, k, v, g=None, g_gamma=None, scale=None,
                     initial_state=None, output_final_state=False,
                     state_v_first=False, cu_seqlens=None, cu_seqlens_cpu=None,
                     **call):
    """S = e^g S + k v^T; g: batch x tokens x heads, or g_gamma: heads, f32."""
    if g is not None and g_gamma is not None:
        raise Unsupported("expects g or g_gamma, but got both")
    call.update(state_v_first=state_v_first)
    gates = {"g": g_gamma if g is None else g}
    if g is None and g_gamma is None:
        gates = {}
    operator = "simple_gla" if g is not None else (
        "retention" if gates else "linear_attention")
    return _linear(operator, q, k, v, gates, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def fused_chunk_simple_gla(q, k, v, g=None, g_gamma=None, scale=None,
                           initial_state=None, output_final_state=False,
                           cu_seqlens=None, **call):
    """chunk_simple_gla, which is fused as it is."""
    return chunk_simple_gla(q, k, v, g, g_gamma, scale, initial_state,
                            output_final_state, cu_seqlens=cu_seqlens, **call)


def fused_recurrent_simple_gla(q, k, v, g=None, g_gamma=None, scale=None,
                               initial_state=None, output_final_state=False,
                               reverse=False, state_v_first=False,
                               cu_seqlens=None, **call):
    """chunk_simple_gla; of few tokens each is a step."""
    return chunk_simple_gla(q, k, v, g, g_gamma, scale, initial_state,
                            output_final_state, state_v_first, cu_seqlens,
                            reverse=reverse, **call)


def parallel_simple_gla(q, k, v, g=None, scale=None, output_attentions=False,
                        cu_seqlens=None, cu_seqlens_cpu=None, **call):
    """chunk_simple_gla without states; second comes None, for the scores."""
    _expect("output_attentions", output_attentions, False)
    return chunk_simple_gla(q, k, v, g, None, scale, cu_seqlens=cu_seqlens,
                            **call)


def _of_heads(key, logarithms, q, k, v, scale, initial_state,
              output_final_state, cu_seqlens, call):
    """chunk_simple_gla with a decay for each head, which is known beforehand."""
    heads = _native._describe_tensor("v", v)[1][2]
    gamma = _decays_of_heads(q, heads, key,
                             lambda head: logarithms(head, heads))
    return chunk_simple_gla(q, k, v, None, gamma, scale, initial_state,
                            output_final_state, cu_seqlens=cu_seqlens, **call)


def chunk_retention(q, k, v, scale=None, initial_state=None,
                    output_final_state=False, cu_seqlens=None, **call):
    """chunk_simple_gla with g_gamma = log(1 - 2^(-5 - head))."""
    import math
    return _of_heads(("retention",),
                     lambda head, heads: math.log1p(-2.0 ** (-5 - head)), q, k,
                     v, scale, initial_state, output_final_state, cu_seqlens,
                     call)


def fused_chunk_retention(q, k, v, scale=None, initial_state=None,
                          output_final_state=False, cu_seqlens=None, **call):
    """chunk_retention, which is fused as it is."""
    return chunk_retention(q, k, v, scale, initial_state, output_final_state,
                           cu_seqlens, **call)


def fused_recurrent_retention(q, k, v, scale=None, initial_state=None,
                              output_final_state=False, reverse=False,
                              state_v_first=False, cu_seqlens=None, **call):
    """chunk_retention; of few tokens each is a step."""
    return chunk_retention(q, k, v, scale, initial_state, output_final_state,
                           cu_seqlens, reverse=reverse,
                           state_v_first=state_v_first, **call)


def parallel_retention(q, k, v, scale=None, output_attentions=False,
                       cu_seqlens=None, **call):
    """chunk_retention without states; second comes None, for the scores."""
    _expect("output_attentions", output_attentions, False)
    return chunk_retention(q, k, v, scale, cu_seqlens=cu_seqlens, **call)


def chunk_lightning_attn(q, k, v, layer_idx, num_layers, scale=None,
                         initial_state=None, output_final_state=False,
                         cu_seqlens=None, **call):
    """chunk_simple_gla with g_gamma = -8 / heads (1 - layer / layers) head."""
    return _of_heads(("lightning", layer_idx, num_layers),
                     lambda head, heads:
                     -8 / heads * (1 - layer_idx / num_layers) * head, q, k, v,
                     scale, initial_state, output_final_state, cu_seqlens, call)


def fused_recurrent_lightning_attn(q, k, v, layer_idx, num_layers, scale=None,
                                   initial_state=None, output_final_state=False,
                                   reverse=False, cu_seqlens=None, **call):
    """chunk_lightning_attn; of few tokens each is a step."""
    return chunk_lightning_attn(q, k, v, layer_idx, num_layers, scale,
                                initial_state, output_final_state, cu_seqlens,
                                reverse=reverse, **call)


def chunk_gla(q, k, v, g, scale=None, initial_state=None,
              output_final_state=False, state_v_first=False, cu_seqlens=None,
              cu_seqlens_cpu=None, **call):
    """S = diag(e^g) S + k v^T; g: batch x tokens x heads x dim."""
    call.update(state_v_first=state_v_first)
    return _linear("gla", q, k, v, {"g": g}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def fused_recurrent_gla(q, k, v, gk=None, gv=None, scale=None,
                        initial_state=None, output_final_state=False,
                        reverse=False, state_v_first=False, cu_seqlens=None,
                        **call):
    """chunk_gla; of few tokens each is a step."""
    call.update(gv=gv, reverse=reverse)
    if gk is None:
        return chunk_simple_gla(q, k, v, None, None, scale, initial_state,
                                output_final_state, state_v_first, cu_seqlens,
                                **call)
    return chunk_gla(q, k, v, gk, scale, initial_state, output_final_state,
                     state_v_first, cu_seqlens, **call)


def chunk_rwkv6(r, k, v, w, u, scale=None, initial_state=None,
                output_final_state=False, cu_seqlens=None, cu_seqlens_cpu=None,
                **call):
    """S = diag(e^w) S + k v^T; o = scale (S before + diag(u) k v^T)^T r; u:
    heads x dim."""
    return _linear("gla", r, k, v, {"g": w, "bonus": u}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state, cu_seqlens=cu_seqlens,
                   options={"bonus": _kind("u", u)})


def fused_recurrent_rwkv6(r, k, v, w, u, scale=None, initial_state=None,
                          output_final_state=False, reverse=False,
                          cu_seqlens=None, **call):
    """chunk_rwkv6; of few tokens each is a step."""
    return chunk_rwkv6(r, k, v, w, u, scale, initial_state, output_final_state,
                       cu_seqlens, reverse=reverse, **call)


def mamba_chunk_scan_combined(x, dt, A, B, C, chunk_size=None, D=None, z=None,
                              dt_bias=None, initial_states=None, seq_idx=None,
                              cu_seqlens=None, dt_softplus=False,
                              dt_limit=(0.0, float("inf")),
                              return_final_states=False, **call):
    """Mamba-2's SSD, as mamba_ssm has it: with s = log(1 + e^(dt + dt_bias)),
    S = e^(s A) S + s B x^T; o = S^T C + D x. x: batch x tokens x heads x dim;
    dt: batch x tokens x heads; A, D, dt_bias: heads, A below 0; B, C: batch x
    tokens x groups x state; states: sequences x heads x dim x state. PyTorch."""
    for name, given, allowed in (
            ("z", z, None), ("seq_idx", seq_idx, None),
            ("dt_softplus", dt_softplus, True),
            ("dt_limit", tuple(dt_limit), (0.0, float("inf")))):
        _expect(name, given, allowed)
    tensors = {"g": dt, "rate": _torch("A", A).log(-A)}
    options = {"gate": "softplus", "weigh": "yes",
               "rate": _kind("A", tensors["rate"])}
    for name, operand, given in (("bias", "dt_bias", dt_bias), ("skip", "D", D)):
        if given is not None:
            tensors[name], options[name] = given, _kind(operand, given)
    result = _linear("simple_gla", C, B, x, tensors,
                     dict(call, state_v_first=True), scale=1.0,
                     initial_state=initial_states,
                     output_final_state=return_final_states,
                     cu_seqlens=cu_seqlens, options=options)
    if return_final_states or call.get("explain"):
        return result
    return result[0]


#===------------------------------------------------------------------------===#
# Rules that correct
#===------------------------------------------------------------------------===#

def chunk_delta_rule(q, k, v, beta, scale=None, initial_state=None,
                     output_final_state=False, use_qk_l2norm_in_kernel=False,
                     cu_seqlens=None, cu_seqlens_cpu=None, **call):
    """S = S + beta k (v - S^T k)^T; beta: batch x tokens x heads."""
    return _linear("delta_rule", q, k, v, {"beta": beta}, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens,
                   options=_correction_words(call))


def _ones(like):
    """Betas of 1, for keys or values of all heads."""
    return _torch("beta", like).ones_like(like[..., 0])


def _with_f32(chunk, tensors, cu_seqlens, call, *arguments):
    """`chunk` of tensors, the first of which is q, in f32, as FLA's steps keep the
    state. Chunks round it to the tensors' type where they multiply by it, and
    where nothing decays that stays: 4.3e-3 of the results for 1.7e-3 of bf16 and
    4096 tokens. Of few tokens each is a step here too. PyTorch."""
    q, few = tensors[0], 4
    kind, shape, _ = _describe("q", q, 4)
    sequences = shape[0] if cu_seqlens is None else (
        _describe("cu_seqlens", cu_seqlens, 1)[1][0] - 1)
    if (kind == "f32" or shape[0] * shape[1] <= few * sequences
            or _framework(q) != "torch"):
        return chunk(*tensors, *arguments, cu_seqlens=cu_seqlens, **call)
    out = _take(call, "out")
    _expect_types(kind, "q's", {**dict(zip("qkvab", tensors)), "out": out})
    wide = None if out is None else out.float()
    result = chunk(*(x.float() for x in tensors), *arguments, out=wide,
                   cu_seqlens=cu_seqlens, **call)
    if call.get("explain"):
        return result
    rounded = result[0].to(q.dtype) if out is None else out.copy_(result[0])
    return rounded, result[1]


def fused_recurrent_delta_rule(q, k, v, beta=None, scale=None,
                               initial_state=None, output_final_state=False,
                               use_qk_l2norm_in_kernel=False, cu_seqlens=None,
                               **call):
    """chunk_delta_rule in f32; of few tokens each is a step."""
    return _with_f32(chunk_delta_rule, (q, k, v), cu_seqlens, call,
                     _ones(v) if beta is None else beta, scale, initial_state,
                     output_final_state, use_qk_l2norm_in_kernel)


def chunk_gated_delta_rule(q, k, v, g, beta, scale=None, initial_state=None,
                           output_final_state=False,
                           use_qk_l2norm_in_kernel=False,
                           use_beta_sigmoid_in_kernel=False,
                           allow_neg_eigval=False, state_v_first=False,
                           cu_seqlens=None, cu_seqlens_cpu=None,
                           chunk_indices=None, cp_context=None, **call):
    """S = e^g S; S = S + beta k (v - S^T k)^T; g: as beta. With
    use_gate_in_kernel -e^A_log log(1 + e^(g + dt_bias)) stands for g."""
    call.update(use_beta_sigmoid_in_kernel=use_beta_sigmoid_in_kernel,
                allow_neg_eigval=allow_neg_eigval, cp_context=cp_context,
                state_v_first=state_v_first)
    tensors = {"g": g, "beta": beta}
    options = _gates_of(call, tensors)
    return _linear("gated_delta_rule", q, k, v, tensors, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens,
                   options=options)


def fused_recurrent_gated_delta_rule(
        q, k, v, g=None, gk=None, gv=None, beta=None, scale=None,
        initial_state=None, output_final_state=False,
        use_qk_l2norm_in_kernel=False, use_gate_in_kernel=False, A_log=None,
        dt_bias=None, use_beta_sigmoid_in_kernel=False, allow_neg_eigval=False,
        state_v_first=False, cu_seqlens=None, **call):
    """chunk_gated_delta_rule; of few tokens each is a step. With gk, gates of
    channels; without gates chunk_delta_rule."""
    if g is not None and gk is not None:
        raise Unsupported("expects g or gk, but got both")
    call.update(gv=gv, use_beta_sigmoid_in_kernel=use_beta_sigmoid_in_kernel,
                allow_neg_eigval=allow_neg_eigval, state_v_first=state_v_first)
    beta = _ones(v) if beta is None else beta
    if len(_native._describe_tensor("beta", beta)[1]) != 3:
        raise Unsupported("expects beta of 3 dimensions, but got one for each "
                          "channel")
    common = {"scale": scale, "initial_state": initial_state,
              "output_final_state": output_final_state,
              "use_qk_l2norm_in_kernel": use_qk_l2norm_in_kernel,
              "cu_seqlens": cu_seqlens, **call}
    if g is None and gk is None:
        return chunk_delta_rule(q, k, v, beta, **common)
    if gk is not None:
        return chunk_kda(q, k, v, gk, beta, **common)
    return chunk_gated_delta_rule(q, k, v, g, beta,
                                  use_gate_in_kernel=use_gate_in_kernel,
                                  A_log=A_log, dt_bias=dt_bias, **common)


def chunk_gated_delta_product(q, k, v, g, beta, num_householder, scale=None,
                              initial_state=None, output_final_state=False,
                              use_qk_l2norm_in_kernel=False, cu_seqlens=None,
                              cu_seqlens_cpu=None, cp_context=None, **call):
    """chunk_gated_delta_rule with num_householder corrections for each token of q
    and g: k, v and beta have as many rows for one of theirs."""
    call.update(cp_context=cp_context, updates=num_householder)
    common = {"scale": scale, "initial_state": initial_state,
              "output_final_state": output_final_state,
              "use_qk_l2norm_in_kernel": use_qk_l2norm_in_kernel,
              "cu_seqlens": cu_seqlens, **call}
    if g is None:
        return chunk_delta_rule(q, k, v, beta, **common)
    return chunk_gated_delta_rule(q, k, v, g, beta, **common)


def chunk_kda(q, k, v, g, beta, scale=None, initial_state=None,
              output_final_state=False, use_qk_l2norm_in_kernel=False,
              use_gate_in_kernel=False, use_beta_sigmoid_in_kernel=False,
              allow_neg_eigval=False, safe_gate=False, lower_bound=None,
              disable_recompute=False, return_intermediate_states=False,
              state_v_first=False, cu_seqlens=None, cu_seqlens_cpu=None,
              cp_context=None, use_graph=False, max_num_seqs=None, **call):
    """As chunk_gated_delta_rule with g: batch x tokens x heads x dim. With
    use_gate_in_kernel -e^A_log log(1 + e^(g + dt_bias)) stands for g, or
    lower_bound / (1 + e^(-e^A_log (g + dt_bias)))."""
    call.update(use_gate_in_kernel=use_gate_in_kernel, lower_bound=lower_bound,
                use_beta_sigmoid_in_kernel=use_beta_sigmoid_in_kernel,
                allow_neg_eigval=allow_neg_eigval, cp_context=cp_context,
                return_intermediate_states=return_intermediate_states,
                state_v_first=state_v_first)
    tensors = {"g": g, "beta": beta}
    options = _gates_of(call, tensors)
    return _linear("kda", q, k, v, tensors, call, scale=scale,
                   initial_state=initial_state,
                   output_final_state=output_final_state,
                   normalize=use_qk_l2norm_in_kernel, cu_seqlens=cu_seqlens,
                   options=options)


def fused_recurrent_kda(q, k, v, g, beta, A_log=None, dt_bias=None, scale=None,
                        initial_state=None, output_final_state=False,
                        use_qk_l2norm_in_kernel=False, use_gate_in_kernel=False,
                        use_beta_sigmoid_in_kernel=False,
                        allow_neg_eigval=False, lower_bound=None,
                        state_v_first=False, cu_seqlens=None, **call):
    """chunk_kda; of few tokens each is a step."""
    return chunk_kda(q, k, v, g, beta, scale, initial_state, output_final_state,
                     use_qk_l2norm_in_kernel, use_gate_in_kernel,
                     use_beta_sigmoid_in_kernel, allow_neg_eigval,
                     lower_bound=lower_bound, state_v_first=state_v_first,
                     cu_seqlens=cu_seqlens, A_log=A_log, dt_bias=dt_bias, **call)


#===------------------------------------------------------------------------===#
# A low rank
#===------------------------------------------------------------------------===#

def chunk_dplr_delta_rule(q, k, v, a, b, gk, scale=None, initial_state=None,
                          output_final_state=False, cu_seqlens=None,
                          cu_seqlens_cpu=None, safe_gate=False, chunk_size=None,
                          disable_recompute=False, cp_context=None,
                          lower_bound=None, **call):
    """S = diag(e^gk) S + b (a^T S) + k v^T; gk: batch x tokens x heads x dim."""
    call.update(cp_context=cp_context)
    return _linear("dplr_delta_rule", q, k, v, {"a": a, "b": b, "g": gk}, call,
                   scale=scale, initial_state=initial_state,
                   output_final_state=output_final_state,
                   cu_seqlens=cu_seqlens)


def fused_recurrent_dplr_delta_rule(q, k, v, a, b, gk, scale=None,
                                    initial_state=None,
                                    output_final_state=False, reverse=False,
                                    cu_seqlens=None, **call):
    """chunk_dplr_delta_rule; of few tokens each is a step."""
    return chunk_dplr_delta_rule(q, k, v, a, b, gk, scale, initial_state,
                                 output_final_state, cu_seqlens,
                                 reverse=reverse, **call)


def chunk_iplr_delta_rule(q, k, v, a, b, scale=None, initial_state=None,
                          output_final_state=False, cu_seqlens=None,
                          cu_seqlens_cpu=None, **call):
    """S = S + b (a^T S) + k v^T: chunk_dplr_delta_rule without decays. PyTorch."""
    gates = _torch("k", k).zeros_like(k)
    return chunk_dplr_delta_rule(q, k, v, a, b, gates, scale, initial_state,
                                 output_final_state, cu_seqlens, **call)


def fused_recurrent_iplr_delta_rule(q, k, v, a, b, scale=None,
                                    initial_state=None,
                                    output_final_state=False, cu_seqlens=None,
                                    **call):
    """chunk_iplr_delta_rule in f32; of few tokens each is a step."""
    return _with_f32(chunk_iplr_delta_rule, (q, k, v, a, b), cu_seqlens, call,
                     scale, initial_state, output_final_state)


def chunk_rwkv7(r, w, k, v, a, b, scale=1.0, initial_state=None,
                output_final_state=False, cu_seqlens=None, cu_seqlens_cpu=None,
                safe_gate=False, chunk_size=None, disable_recompute=False,
                cp_context=None, lower_bound=None, **call):
    """chunk_dplr_delta_rule with q = r and gk = w."""
    return chunk_dplr_delta_rule(r, k, v, a, b, w, scale, initial_state,
                                 output_final_state, cu_seqlens,
                                 cp_context=cp_context, **call)


def fused_recurrent_rwkv7(r, w, k, v, a, b, scale=None, initial_state=None,
                          output_final_state=True, cu_seqlens=None, **call):
    """chunk_rwkv7; of few tokens each is a step."""
    return chunk_rwkv7(r, w, k, v, a, b, scale, initial_state,
                       output_final_state, cu_seqlens, **call)


def fused_mul_recurrent_rwkv7(r, w, k, v, kk, a, scale=1.0, initial_state=None,
                              output_final_state=False, reverse=False,
                              cu_seqlens=None, **call):
    """chunk_rwkv7 with a = -kk and b = kk a. PyTorch."""
    _torch("kk", kk)
    return chunk_rwkv7(r, w, k, v, -kk, kk * a, scale, initial_state,
                       output_final_state, cu_seqlens, reverse=reverse, **call)


#===------------------------------------------------------------------------===#
# Norms behind them
#===------------------------------------------------------------------------===#

def _rows(name, tensor):
    """As rows of the last dimension."""
    tensor = _without_gradient(name, tensor)
    if tensor is None or len(tensor.shape) == 2:
        return tensor
    _torch(name, tensor)
    return tensor.reshape(-1, tensor.shape[-1])


def _norm_gated(norm, x, g, weight, bias, activation, residual, prenorm,
                residual_in_fp32, eps, call):
    shape = x.shape
    x, g, residual = (_rows(name, tensor) for name, tensor in
                      (("x", x), ("g", g), ("residual", residual)))
    weight, bias = (_without_gradient(name, tensor) for name, tensor in
                    (("weight", weight), ("bias", bias)))
    kind = _kind("x", x)
    for name, tensor in (("g", g), ("residual", residual)):
        if tensor is not None and _kind(name, tensor) != kind:
            raise Unsupported(f"expects {name} of x's type, {kind}, but got "
                              f"{_kind(name, tensor)}")
    if None not in (weight, bias) and _kind("bias", bias) != _kind("weight",
                                                                    weight):
        raise Unsupported("expects weight and bias of one type, but got "
                          f"{_kind('weight', weight)} and "
                          f"{_kind('bias', bias)}")
    if activation not in ("silu", "swish", "sigmoid"):
        raise Unsupported("expects activation=swish, silu or sigmoid, but got "
                          f"{activation}")
    result = norm(x, weight, bias=bias, gate=g, epsilon=eps, residual=residual,
                  activation="sigmoid" if activation == "sigmoid" else "silu",
                  **call)
    if call.get("explain"):
        return result
    out, total = (result, x) if residual is None else result
    if residual is None and prenorm and residual_in_fp32 and kind != "f32":
        total = total.to(_torch("x", x).float32)
    if len(shape) != 2:
        out, total = out.reshape(shape), total.reshape(shape)
    return (out, total) if prenorm else out


def rms_norm_gated(x, g, weight, bias, activation="swish", residual=None,
                   prenorm=False, residual_in_fp32=False, eps=1e-6, **call):
    """(x / sqrt(mean of squares + eps) weight + bias) f(g) of rows, f: swish,
    silu or sigmoid; x + residual stands for x, and with prenorm comes second.
    x, g, residual: any x columns (of PyTorch's tensors the last dimension), of
    one type; weight, bias: columns, or None."""
    return _norm_gated(_ops.rms_norm, x, g, weight, bias, activation, residual,
                       prenorm, residual_in_fp32, eps, call)


def layer_norm_gated(x, g, weight, bias, activation="swish", residual=None,
                     prenorm=False, residual_in_fp32=False, eps=1e-6, **call):
    """rms_norm_gated with x - mean in place of x."""
    return _norm_gated(_ops.layer_norm, x, g, weight, bias, activation,
                       residual, prenorm, residual_in_fp32, eps, call)


# They are among tilewright.ops, whichever of the two is imported first.
vars(_ops).update((name, globals()[name]) for name in __all__)
_ops.__all__ += __all__
