# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of flash-linear-attention's operators, by which record.py finds which
kernels they launch.

A recipe is one call, on a batch of equal sequences or on sequences of various
lengths laid end to end (`varlen`). Shapes are small, but of the kind that
models have: heads of 64 or 128, lengths of more than one chunk.
"""

import importlib
from dataclasses import dataclass
from typing import Any, Callable

import torch


@dataclass(frozen=True)
class Recipe:
    """A call of an operator: `call` makes its inputs and gives its outputs."""

    name: str
    call: Callable[["Inputs"], Any]
    varlen: bool
    backward: bool


class Inputs:
    """Makes the tensors of one call."""

    def __init__(self, element: torch.dtype, varlen: bool) -> None:
        self.element = element
        self.batch, self.length = (1, 320) if varlen else (2, 160)
        self.heads = 4
        self.sequences = 3 if varlen else self.batch
        self.varlen = {}
        if varlen:
            self.varlen["cu_seqlens"] = torch.tensor([0, 100, 116, 320])

    def of(self, *shape: int, dtype: torch.dtype | None = None) -> Any:
        """A tensor of this shape that takes a gradient."""
        return torch.rand(*shape, dtype=dtype or self.element).requires_grad_()

    def tokens(self, *shape: int, dtype: torch.dtype | None = None) -> Any:
        """[batch, length, heads, shape...]"""
        return self.of(self.batch, self.length, self.heads, *shape,
                       dtype=dtype)

    def qkv(self, key: int = 64, value: int = 64) -> tuple[Any, Any, Any]:
        return self.tokens(key), self.tokens(key), self.tokens(value)

    def gate(self, *shape: int) -> Any:
        """A logarithm of a decay, in f32."""
        return -self.tokens(*shape, dtype=torch.float32)

    def state(self, key: int = 64, value: int = 64) -> dict[str, Any]:
        """The arguments that give a state in and ask for it back."""
        return {"initial_state": self.of(self.sequences, self.heads, key,
                                         value, dtype=torch.float32),
                "output_final_state": True}


RECIPES: list[Recipe] = []


def _function(path: str) -> Callable[..., Any]:
    """'ops.gla:chunk_gla' of the package."""
    module, name = path.split(":")
    return getattr(importlib.import_module(f"fla.{module}"), name)


def _add(name: str, path: str, arguments: Callable[[Inputs], dict[str, Any]],
         *, varlen: bool | None = None, backward: bool = True) -> None:
    """Adds the call of a function; both dense and varlen where `varlen` is not
    given."""
    for each in (False, True) if varlen is None else (varlen,):
        RECIPES.append(Recipe(
            f"{name}-varlen" if each else name,
            lambda inputs: _function(path)(**arguments(inputs),
                                           **inputs.varlen),
            each, backward))


def _qkv(key: int = 64, value: int = 64, **more: Callable[[Inputs], Any]
         ) -> Callable[[Inputs], dict[str, Any]]:
    """Arguments q, k, v and those that functions of the inputs make."""
    def make(inputs: Inputs) -> dict[str, Any]:
        query, keys, values = inputs.qkv(key, value)
        return {"q": query, "k": keys, "v": values,
                **{name: function(inputs) for name, function in more.items()}}
    return make


def _with_state(make: Callable[[Inputs], dict[str, Any]], key: int = 64,
                value: int = 64) -> Callable[[Inputs], dict[str, Any]]:
    return lambda inputs: {**make(inputs), **inputs.state(key, value)}


def _constant(value: Any) -> Callable[[Inputs], Any]:
    return lambda inputs: value


_TRUE = _constant(True)


def _head_gate(inputs: Inputs) -> Any:
    return inputs.gate()


def _key_gate(inputs: Inputs) -> Any:
    return inputs.gate(64)


def _wide_key_gate(inputs: Inputs) -> Any:
    return inputs.gate(128)


def _beta(inputs: Inputs) -> Any:
    return inputs.tokens()


def _key(inputs: Inputs) -> Any:
    return inputs.tokens(64)


def _wide_key(inputs: Inputs) -> Any:
    return inputs.tokens(128)


def _per_head(inputs: Inputs) -> Any:
    return -torch.rand(inputs.heads, dtype=torch.float32)


def _per_head_key(inputs: Inputs) -> Any:
    return -torch.rand(inputs.heads * 64, dtype=torch.float32)


# --- simple GLA and retention -------------------------------------------------

_add("chunk_simple_gla", "ops.simple_gla:chunk_simple_gla",
     _with_state(_qkv(g=_head_gate)))
_add("chunk_simple_gla-wide", "ops.simple_gla:chunk_simple_gla",
     _qkv(128, 128, g=_head_gate), varlen=False)
_add("chunk_simple_gla-gamma", "ops.simple_gla:chunk_simple_gla",
     _with_state(_qkv(g_gamma=_per_head)), varlen=False)
_add("chunk_simple_gla-v_first", "ops.simple_gla:chunk_simple_gla",
     _with_state(_qkv(g=_head_gate, state_v_first=_TRUE)), varlen=False)
_add("fused_chunk_simple_gla", "ops.simple_gla:fused_chunk_simple_gla",
     _with_state(_qkv(g=_head_gate)))
_add("parallel_simple_gla", "ops.simple_gla:parallel_simple_gla",
     _qkv(g=_head_gate))
_add("parallel_simple_gla-attentions", "ops.simple_gla:parallel_simple_gla",
     _qkv(g=_head_gate, output_attentions=_TRUE), varlen=False,
     backward=False)
_add("fused_recurrent_simple_gla", "ops.simple_gla:fused_recurrent_simple_gla",
     _with_state(_qkv(g=_head_gate)))
_add("fused_recurrent_simple_gla-reverse",
     "ops.simple_gla:fused_recurrent_simple_gla",
     _with_state(_qkv(g=_head_gate, reverse=_TRUE)), varlen=False)
_add("chunk_retention", "ops.retention:chunk_retention", _with_state(_qkv()))
_add("fused_chunk_retention", "ops.retention:fused_chunk_retention", _qkv())
_add("fused_recurrent_retention", "ops.retention:fused_recurrent_retention",
     _with_state(_qkv()))
_add("parallel_retention", "ops.retention:parallel_retention", _qkv(),
     varlen=False)

# --- gated linear attention ---------------------------------------------------

_add("chunk_gla", "ops.gla:chunk_gla", _with_state(_qkv(g=_key_gate)))
_add("chunk_gla-wide", "ops.gla:chunk_gla",
     _with_state(_qkv(128, 128, g=_wide_key_gate), 128, 128), varlen=False)
_add("chunk_gla-v_first", "ops.gla:chunk_gla",
     _with_state(_qkv(g=_key_gate, state_v_first=_TRUE)), varlen=False)
_add("fused_recurrent_gla", "ops.gla:fused_recurrent_gla",
     _with_state(_qkv(gk=_key_gate)))
_add("fused_recurrent_gla-gv", "ops.gla:fused_recurrent_gla",
     _with_state(_qkv(gk=_key_gate, gv=_key_gate)), varlen=False)

# --- the delta rule -----------------------------------------------------------

_add("chunk_delta_rule", "ops.delta_rule:chunk_delta_rule",
     _with_state(_qkv(beta=_beta, use_qk_l2norm_in_kernel=_TRUE)))
_add("chunk_delta_rule-wide", "ops.delta_rule:chunk_delta_rule",
     _qkv(128, 128, beta=_beta), varlen=False)
_add("fused_recurrent_delta_rule", "ops.delta_rule:fused_recurrent_delta_rule",
     _with_state(_qkv(beta=_beta)))
_add("fused_recurrent_delta_rule-headwise",
     "ops.delta_rule:fused_recurrent_delta_rule",
     _qkv(beta=_key, use_qk_l2norm_in_kernel=_TRUE), varlen=False)
_add("chunk_gated_delta_rule", "ops.gated_delta_rule:chunk_gated_delta_rule",
     _with_state(_qkv(g=_head_gate, beta=_beta,
                      use_qk_l2norm_in_kernel=_TRUE)))
_add("chunk_gated_delta_rule-wide",
     "ops.gated_delta_rule:chunk_gated_delta_rule",
     _with_state(_qkv(128, 128, g=_head_gate, beta=_beta), 128, 128))
_add("chunk_gated_delta_rule-gate",
     "ops.gated_delta_rule:chunk_gated_delta_rule",
     _qkv(g=_beta, beta=_beta, use_gate_in_kernel=_TRUE, A_log=_per_head,
          dt_bias=_per_head, use_beta_sigmoid_in_kernel=_TRUE), varlen=False)
_add("chunk_gated_delta_rule-v_first",
     "ops.gated_delta_rule:chunk_gated_delta_rule",
     _with_state(_qkv(g=_head_gate, beta=_beta, state_v_first=_TRUE)),
     varlen=False)
_add("fused_recurrent_gated_delta_rule",
     "ops.gated_delta_rule:fused_recurrent_gated_delta_rule",
     _with_state(_qkv(g=_head_gate, beta=_beta)), backward=False)
_add("fused_gdn_gate", "ops.gated_delta_rule.gate:fused_gdn_gate",
     lambda inputs: {"g": inputs.tokens(), "A_log": _per_head(inputs),
                     "dt_bias": _per_head(inputs)}, varlen=False)

# --- Kimi delta attention -----------------------------------------------------

_add("chunk_kda", "ops.kda:chunk_kda",
     _with_state(_qkv(g=_key_gate, beta=_beta, use_qk_l2norm_in_kernel=_TRUE)))
_add("chunk_kda-wide", "ops.kda:chunk_kda",
     _with_state(_qkv(128, 128, g=_wide_key_gate, beta=_beta), 128, 128),
     varlen=False)
_add("chunk_kda-safe_gate", "ops.kda:chunk_kda",
     _qkv(g=_key, beta=_beta, use_gate_in_kernel=_TRUE, safe_gate=_TRUE,
          lower_bound=_constant(-5.0), A_log=_per_head,
          dt_bias=_per_head_key))
_add("fused_recurrent_kda", "ops.kda:fused_recurrent_kda",
     _with_state(_qkv(g=_key_gate, beta=_beta)), backward=False)
_add("fused_kda_gate", "ops.kda.gate:fused_kda_gate",
     lambda inputs: {"g": inputs.tokens(64), "A_log": _per_head(inputs),
                     "dt_bias": _per_head_key(inputs)}, varlen=False)

# --- diagonal plus low rank, RWKV-7 -------------------------------------------

_DPLR = "ops.generalized_delta_rule"
_add("chunk_dplr", f"{_DPLR}:chunk_dplr_delta_rule",
     _with_state(_qkv(a=_key, b=_key, gk=_key_gate)))
_add("chunk_dplr-safe_gate", f"{_DPLR}:chunk_dplr_delta_rule",
     _qkv(a=_key, b=_key, gk=_key_gate, safe_gate=_TRUE,
          chunk_size=_constant(64)), varlen=False)
_add("fused_recurrent_dplr", f"{_DPLR}:fused_recurrent_dplr_delta_rule",
     _with_state(_qkv(a=_key, b=_key, gk=_key_gate)), backward=False)
_add("chunk_iplr", f"{_DPLR}:chunk_iplr_delta_rule",
     _with_state(_qkv(a=_key, b=_key)), backward=False)
_add("fused_recurrent_iplr", f"{_DPLR}:fused_recurrent_iplr_delta_rule",
     _with_state(_qkv(a=_key, b=_key)))


def _rwkv7(inputs: Inputs) -> dict[str, Any]:
    return {name: inputs.tokens(64) for name in "rwkvab"}


_add("chunk_rwkv7", "ops.rwkv7:chunk_rwkv7", _with_state(_rwkv7))
_add("fused_recurrent_rwkv7", "ops.rwkv7:fused_recurrent_rwkv7",
     _with_state(_rwkv7), backward=False)
_add("fused_mul_recurrent_rwkv7", "ops.rwkv7:fused_mul_recurrent_rwkv7",
     _with_state(lambda inputs: {name: inputs.tokens(64) for name in
                                 ("r", "w", "k", "v", "kk", "a")}),
     backward=False)
_add("rwkv7_channel_mixing", "ops.rwkv7.channel_mixing:channel_mixing_rwkv7",
     lambda inputs: {"x": inputs.of(2, 160, 256), "x_prev": inputs.of(2, 256),
                     "x_k": inputs.of(256),
                     "key_weight": inputs.of(256, 1024),
                     "value_weight": inputs.of(1024, 256),
                     "inplace": False}, varlen=False)
_add("rwkv7_addcmul", "ops.rwkv7.fused_addcmul:fused_addcmul_rwkv7",
     lambda inputs: {"hidden_states": inputs.of(2, 160, 256),
                     "delta": inputs.of(2, 160, 256),
                     **{f"x{name}": inputs.of(1, 1, 256)
                        for name in "rwkvag"}}, varlen=False)
_add("rwkv7_k_update", "ops.rwkv7.fused_k_update:fused_k_rwkv7",
     lambda inputs: {"k": inputs.of(inputs.batch, inputs.length, 256),
                     "a": inputs.of(inputs.batch, inputs.length, 256),
                     "ka": inputs.of(256)})
_add("rwkv7_output_correction",
     "ops.rwkv7.gate_output_correction:gate_output_correction",
     lambda inputs: {"o": inputs.of(2, 160, 256), "r": inputs.tokens(64),
                     "k": inputs.tokens(64), "r_k": inputs.of(4, 64),
                     "v": inputs.tokens(64), "g": inputs.of(2, 160, 256)},
     varlen=False)

# --- other recurrences --------------------------------------------------------

_add("chunk_rwkv6", "ops.rwkv6:chunk_rwkv6",
     _with_state(lambda inputs: {
         **{name: inputs.tokens(64) for name in "rkv"},
         "w": inputs.gate(64), "u": inputs.of(4, 64)}))
_add("fused_recurrent_rwkv6", "ops.rwkv6:fused_recurrent_rwkv6",
     _with_state(lambda inputs: {
         **{name: inputs.tokens(64) for name in "rkv"},
         "w": inputs.gate(64), "u": inputs.of(4, 64)}))
_add("chunk_hgrn", "ops.hgrn:chunk_hgrn",
     lambda inputs: {"x": inputs.of(2, 160, 256), "g": inputs.of(2, 160, 256)},
     varlen=False)
_add("fused_recurrent_hgrn", "ops.hgrn:fused_recurrent_hgrn",
     lambda inputs: {"x": inputs.of(inputs.batch, inputs.length, 256),
                     "g": inputs.of(inputs.batch, inputs.length, 256)})
_add("chunk_gsa", "ops.gsa:chunk_gsa", _qkv(s=_key, g=_key_gate))
_add("chunk_comba", "ops.comba:chunk_comba",
     _with_state(_qkv(p=_key, g=_head_gate, beta=_beta)))

# --- attention ----------------------------------------------------------------

_add("parallel_attn", "ops.attn:parallel_attn", _qkv())
_add("parallel_forgetting_attn",
     "ops.forgetting_attn:parallel_forgetting_attn", _qkv(g=_head_gate))
_add("parallel_based", "ops.based:parallel_based", _qkv(16, 64), varlen=False)

# --- parts that many operators share ------------------------------------------

for _size in (16, 32, 64):
    _add(f"solve_tril-{_size}", "ops.utils.solve_tril:solve_tril",
         lambda inputs, size=_size: {"A": inputs.tokens(
             size, dtype=torch.float32)}, backward=False)
for _reverse in (False, True):
    _suffix = "-reverse" if _reverse else ""
    for _kind, _shape in (("scalar", ()), ("vector", (64,))):
        _add(f"chunk_local_cumsum-{_kind}{_suffix}",
             "ops.utils.cumsum:chunk_local_cumsum",
             lambda inputs, shape=_shape, reverse=_reverse: {
                 "g": inputs.gate(*shape), "chunk_size": 64,
                 "reverse": reverse}, backward=False)
        _add(f"chunk_global_cumsum-{_kind}{_suffix}",
             "ops.utils.cumsum:chunk_global_cumsum",
             lambda inputs, shape=_shape, reverse=_reverse: {
                 "s": inputs.gate(*shape), "reverse": reverse},
             backward=False)
_add("mean_pooling", "ops.utils.pooling:mean_pooling",
     lambda inputs: {"x": inputs.tokens(64), "chunk_size": 32})
_add("softmax_fwd", "ops.utils.softmax:softmax_fwd",
     lambda inputs: {"x": inputs.of(512, 100)}, varlen=False, backward=False)
_add("softmax_bwd", "ops.utils.softmax:softmax_bwd",
     lambda inputs: {"p": inputs.of(512, 100), "dp": inputs.of(512, 100)},
     varlen=False, backward=False)
_add("logsumexp_fwd", "ops.utils.logsumexp:logsumexp_fwd",
     lambda inputs: {"x": inputs.of(512, 1000)}, varlen=False, backward=False)
_add("matmul", "ops.utils.matmul:matmul",
     lambda inputs: {"a": inputs.of(256, 128), "b": inputs.of(128, 256)},
     varlen=False, backward=False)
_add("l2norm", "modules.norm.l2norm:l2norm",
     lambda inputs: {"x": inputs.tokens(64)}, varlen=False)
