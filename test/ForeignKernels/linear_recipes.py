# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention and other recurrences."""

from typing import Any

import torch

from recipes import (
    Inputs, TRUE, add, beta, constant, head_gate, key, key_gate, per_head,
    per_head_key, qkv, wide_key_gate, with_state)

# --- simple GLA and retention -------------------------------------------------

add("chunk_simple_gla", "ops.simple_gla:chunk_simple_gla",
    with_state(qkv(g=head_gate)))
add("chunk_simple_gla-wide", "ops.simple_gla:chunk_simple_gla",
    qkv(128, 128, g=head_gate), varlen=False)
add("chunk_simple_gla-gamma", "ops.simple_gla:chunk_simple_gla",
    with_state(qkv(g_gamma=per_head)), varlen=False)
add("chunk_simple_gla-v_first", "ops.simple_gla:chunk_simple_gla",
    with_state(qkv(g=head_gate, state_v_first=TRUE)), varlen=False)
add("fused_chunk_simple_gla", "ops.simple_gla:fused_chunk_simple_gla",
    with_state(qkv(g=head_gate)))
add("parallel_simple_gla", "ops.simple_gla:parallel_simple_gla",
    qkv(g=head_gate))
add("parallel_simple_gla-attentions", "ops.simple_gla:parallel_simple_gla",
    qkv(g=head_gate, output_attentions=TRUE), varlen=False,
    backward=False)
add("fused_recurrent_simple_gla", "ops.simple_gla:fused_recurrent_simple_gla",
    with_state(qkv(g=head_gate)))
add("fused_recurrent_simple_gla-reverse",
    "ops.simple_gla:fused_recurrent_simple_gla",
    with_state(qkv(g=head_gate, reverse=TRUE)), varlen=False)
add("chunk_retention", "ops.retention:chunk_retention", with_state(qkv()))
add("fused_chunk_retention", "ops.retention:fused_chunk_retention", qkv())
add("fused_recurrent_retention", "ops.retention:fused_recurrent_retention",
    with_state(qkv()))
add("parallel_retention", "ops.retention:parallel_retention", qkv(),
    varlen=False)

# --- gated linear attention ---------------------------------------------------

add("chunk_gla", "ops.gla:chunk_gla", with_state(qkv(g=key_gate)))
add("chunk_gla-wide", "ops.gla:chunk_gla",
    with_state(qkv(128, 128, g=wide_key_gate), 128, 128), varlen=False)
add("chunk_gla-v_first", "ops.gla:chunk_gla",
    with_state(qkv(g=key_gate, state_v_first=TRUE)), varlen=False)
add("fused_recurrent_gla", "ops.gla:fused_recurrent_gla",
    with_state(qkv(gk=key_gate)))
add("fused_recurrent_gla-gv", "ops.gla:fused_recurrent_gla",
    with_state(qkv(gk=key_gate, gv=key_gate)), varlen=False)

# --- the delta rule -----------------------------------------------------------

add("chunk_delta_rule", "ops.delta_rule:chunk_delta_rule",
    with_state(qkv(beta=beta, use_qk_l2norm_in_kernel=TRUE)))
add("chunk_delta_rule-wide", "ops.delta_rule:chunk_delta_rule",
    qkv(128, 128, beta=beta), varlen=False)
add("fused_recurrent_delta_rule", "ops.delta_rule:fused_recurrent_delta_rule",
    with_state(qkv(beta=beta)))
add("fused_recurrent_delta_rule-headwise",
    "ops.delta_rule:fused_recurrent_delta_rule",
    qkv(beta=key, use_qk_l2norm_in_kernel=TRUE), varlen=False)
add("chunk_gated_delta_rule", "ops.gated_delta_rule:chunk_gated_delta_rule",
    with_state(qkv(g=head_gate, beta=beta,
                   use_qk_l2norm_in_kernel=TRUE)))
add("chunk_gated_delta_rule-wide",
    "ops.gated_delta_rule:chunk_gated_delta_rule",
    with_state(qkv(128, 128, g=head_gate, beta=beta), 128, 128))
add("chunk_gated_delta_rule-gate",
    "ops.gated_delta_rule:chunk_gated_delta_rule",
    qkv(g=beta, beta=beta, use_gate_in_kernel=TRUE, A_log=per_head,
        dt_bias=per_head, use_beta_sigmoid_in_kernel=TRUE), varlen=False)
add("chunk_gated_delta_rule-v_first",
    "ops.gated_delta_rule:chunk_gated_delta_rule",
    with_state(qkv(g=head_gate, beta=beta, state_v_first=TRUE)),
    varlen=False)
add("fused_recurrent_gated_delta_rule",
    "ops.gated_delta_rule:fused_recurrent_gated_delta_rule",
    with_state(qkv(g=head_gate, beta=beta)), backward=False)
add("fused_gdn_gate", "ops.gated_delta_rule.gate:fused_gdn_gate",
    lambda inputs: {"g": inputs.tokens(), "A_log": per_head(inputs),
                    "dt_bias": per_head(inputs)}, varlen=False)

# --- Kimi delta attention -----------------------------------------------------

add("chunk_kda", "ops.kda:chunk_kda",
    with_state(qkv(g=key_gate, beta=beta, use_qk_l2norm_in_kernel=TRUE)))
add("chunk_kda-wide", "ops.kda:chunk_kda",
    with_state(qkv(128, 128, g=wide_key_gate, beta=beta), 128, 128),
    varlen=False)
add("chunk_kda-safe_gate", "ops.kda:chunk_kda",
    qkv(g=key, beta=beta, use_gate_in_kernel=TRUE, safe_gate=TRUE,
        lower_bound=constant(-5.0), A_log=per_head,
        dt_bias=per_head_key))
add("fused_recurrent_kda", "ops.kda:fused_recurrent_kda",
    with_state(qkv(g=key_gate, beta=beta)), backward=False)
add("fused_kda_gate", "ops.kda.gate:fused_kda_gate",
    lambda inputs: {"g": inputs.tokens(64), "A_log": per_head(inputs),
                    "dt_bias": per_head_key(inputs)}, varlen=False)

# --- diagonal plus low rank, RWKV-7 -------------------------------------------

_DPLR = "ops.generalized_delta_rule"
add("chunk_dplr", f"{_DPLR}:chunk_dplr_delta_rule",
    with_state(qkv(a=key, b=key, gk=key_gate)))
add("chunk_dplr-safe_gate", f"{_DPLR}:chunk_dplr_delta_rule",
    qkv(a=key, b=key, gk=key_gate, safe_gate=TRUE,
        chunk_size=constant(64)), varlen=False)
add("fused_recurrent_dplr", f"{_DPLR}:fused_recurrent_dplr_delta_rule",
    with_state(qkv(a=key, b=key, gk=key_gate)), backward=False)
add("chunk_iplr", f"{_DPLR}:chunk_iplr_delta_rule",
    with_state(qkv(a=key, b=key)), backward=False)
add("fused_recurrent_iplr", f"{_DPLR}:fused_recurrent_iplr_delta_rule",
    with_state(qkv(a=key, b=key)))


def _rwkv7(inputs: Inputs) -> dict[str, Any]:
    return {name: inputs.tokens(64) for name in "rwkvab"}


add("chunk_rwkv7", "ops.rwkv7:chunk_rwkv7", with_state(_rwkv7))
add("fused_recurrent_rwkv7", "ops.rwkv7:fused_recurrent_rwkv7",
    with_state(_rwkv7), backward=False)
add("fused_mul_recurrent_rwkv7", "ops.rwkv7:fused_mul_recurrent_rwkv7",
    with_state(lambda inputs: {name: inputs.tokens(64) for name in
                               ("r", "w", "k", "v", "kk", "a")}),
    backward=False)
add("rwkv7_channel_mixing", "ops.rwkv7.channel_mixing:channel_mixing_rwkv7",
    lambda inputs: {"x": inputs.of(2, 160, 256), "x_prev": inputs.of(2, 256),
                    "x_k": inputs.of(256),
                    "key_weight": inputs.of(256, 1024),
                    "value_weight": inputs.of(1024, 256),
                    "inplace": False}, varlen=False)
add("rwkv7_addcmul", "ops.rwkv7.fused_addcmul:fused_addcmul_rwkv7",
    lambda inputs: {"hidden_states": inputs.of(2, 160, 256),
                    "delta": inputs.of(2, 160, 256),
                    **{f"x{name}": inputs.of(1, 1, 256)
                       for name in "rwkvag"}}, varlen=False)
add("rwkv7_k_update", "ops.rwkv7.fused_k_update:fused_k_rwkv7",
    lambda inputs: {"k": inputs.of(inputs.batch, inputs.length, 256),
                    "a": inputs.of(inputs.batch, inputs.length, 256),
                    "ka": inputs.of(256)})
add("rwkv7_output_correction",
    "ops.rwkv7.gate_output_correction:gate_output_correction",
    lambda inputs: {"o": inputs.of(2, 160, 256), "r": inputs.tokens(64),
                    "k": inputs.tokens(64), "r_k": inputs.of(4, 64),
                    "v": inputs.tokens(64), "g": inputs.of(2, 160, 256)},
    varlen=False)

# --- other recurrences --------------------------------------------------------

add("chunk_rwkv6", "ops.rwkv6:chunk_rwkv6",
    with_state(lambda inputs: {
        **{name: inputs.tokens(64) for name in "rkv"},
        "w": inputs.gate(64), "u": inputs.of(4, 64)}))
add("fused_recurrent_rwkv6", "ops.rwkv6:fused_recurrent_rwkv6",
    with_state(lambda inputs: {
        **{name: inputs.tokens(64) for name in "rkv"},
        "w": inputs.gate(64), "u": inputs.of(4, 64)}))
add("chunk_hgrn", "ops.hgrn:chunk_hgrn",
    lambda inputs: {"x": inputs.of(2, 160, 256), "g": inputs.of(2, 160, 256)},
    varlen=False)
add("fused_recurrent_hgrn", "ops.hgrn:fused_recurrent_hgrn",
    lambda inputs: {"x": inputs.of(inputs.batch, inputs.length, 256),
                    "g": inputs.of(inputs.batch, inputs.length, 256)})
add("chunk_gsa", "ops.gsa:chunk_gsa", qkv(s=key, g=key_gate))
add("chunk_comba", "ops.comba:chunk_comba",
    with_state(qkv(p=key, g=head_gate, beta=beta)))

add("chunk_log_linear", "ops.log_linear_attn:chunk_log_linear_attn",
    lambda inputs: {**qkv()(inputs), "g": inputs.gate(),
                    "level_scales": inputs.tokens(11)},
    varlen=False)
add("chunk_gated_delta_product",
    "ops.gated_delta_product:chunk_gated_delta_product",
    lambda inputs: {"q": inputs.tokens(64),
                    "k": inputs.of(2, 320, 4, 64),
                    "v": inputs.of(2, 320, 4, 64),
                    "g": inputs.gate(), "beta": inputs.of(2, 320, 4),
                    "num_householder": 2}, varlen=False)
add("chunk_gated_oja", "ops.gated_oja_rule:chunk_gated_oja_rule",
    qkv(gv=key_gate, beta=beta), varlen=False)
add("chunk_gdn2", "ops.gdn2:chunk_gdn2",
    with_state(qkv(g=key_gate, b=key, w=key)), varlen=False)
add("chunk_mesa_net", "ops.mesa_net:chunk_mesa_net",
    qkv(g=head_gate, beta=beta, lamb=lambda inputs: inputs.of(
        4, 64, dtype=torch.float32)), varlen=False)
add("chunk_abc", "ops.abc:chunk_abc", qkv(s=key), varlen=False)
for _name, _path in (("chunk_ttt", "ops.ttt:chunk_ttt_linear"),
                     ("fused_chunk_ttt", "ops.ttt:fused_chunk_ttt_linear")):
    add(_name, _path, qkv(
        w=lambda inputs: inputs.of(4, 64),
        b=lambda inputs: inputs.of(4, 64),
        eta=lambda inputs: inputs.tokens(1)), varlen=False)
add("fused_recurrent_comba", "ops.comba:fused_recurrent_comba",
    with_state(qkv(p=key, g=head_gate, beta=beta)), backward=False)
add("fused_recurrent_gsa", "ops.gsa:fused_recurrent_gsa",
    qkv(s=key, g=key_gate), varlen=False)
add("fused_recurrent_rwkv4", "ops.rwkv4:fused_recurrent_rwkv4",
    lambda inputs: {"w": inputs.of(256), "u": inputs.of(256),
                    "k": inputs.of(2, 160, 256), "v": inputs.of(2, 160, 256),
                    "state": inputs.of(2, 3, 1, 256)}, varlen=False)
