# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts that operators share, and the layers around them."""

import torch

from recipes import add

for _size in (16, 32, 64):
    add(f"solve_tril-{_size}", "ops.utils.solve_tril:solve_tril",
        lambda inputs, size=_size: {"A": inputs.tokens(
            size, dtype=torch.float32)}, backward=False)
for _reverse in (False, True):
    _suffix = "-reverse" if _reverse else ""
    for _kind, _shape in (("scalar", ()), ("vector", (64,))):
        add(f"chunk_local_cumsum-{_kind}{_suffix}",
            "ops.utils.cumsum:chunk_local_cumsum",
            lambda inputs, shape=_shape, reverse=_reverse: {
                "g": inputs.gate(*shape), "chunk_size": 64,
                "reverse": reverse}, backward=False)
        add(f"chunk_global_cumsum-{_kind}{_suffix}",
            "ops.utils.cumsum:chunk_global_cumsum",
            lambda inputs, shape=_shape, reverse=_reverse: {
                "s": inputs.gate(*shape), "reverse": reverse},
            backward=False)
add("mean_pooling", "ops.utils.pooling:mean_pooling",
    lambda inputs: {"x": inputs.tokens(64), "chunk_size": 32})
add("softmax_fwd", "ops.utils.softmax:softmax_fwd",
    lambda inputs: {"x": inputs.of(512, 100)}, varlen=False, backward=False)
add("softmax_bwd", "ops.utils.softmax:softmax_bwd",
    lambda inputs: {"p": inputs.of(512, 100), "dp": inputs.of(512, 100)},
    varlen=False, backward=False)
add("logsumexp_fwd", "ops.utils.logsumexp:logsumexp_fwd",
    lambda inputs: {"x": inputs.of(512, 1000)}, varlen=False, backward=False)
add("matmul", "ops.utils.matmul:matmul",
    lambda inputs: {"a": inputs.of(256, 128), "b": inputs.of(128, 256)},
    varlen=False, backward=False)
add("l2norm", "modules.norm.l2norm:l2norm",
    lambda inputs: {"x": inputs.tokens(64)}, varlen=False)
add("pack_sequence", "ops.utils.pack:pack_sequence",
    lambda inputs: {"x": inputs.of(3, 204, 256)}, varlen=True)
for _name in ("layer_norm", "rms_norm"):
    add(_name, f"modules.norm.layernorm:{_name}",
        lambda inputs: {"x": inputs.of(2, 160, 256), "weight": inputs.of(256),
                        "bias": inputs.of(256),
                        "residual": inputs.of(2, 160, 256)}, varlen=False)
    add(f"{_name}_gated", f"modules.norm.fused_norm_gate:{_name}_gated",
        lambda inputs: {"x": inputs.of(2, 160, 256),
                        "g": inputs.of(2, 160, 256),
                        "weight": inputs.of(256), "bias": inputs.of(256)},
        varlen=False)
add("group_norm", "modules.norm.layernorm:group_norm",
    lambda inputs: {"x": inputs.of(2, 160, 256), "weight": inputs.of(256),
                    "bias": inputs.of(256), "num_groups": 4}, varlen=False)
add("layer_norm_linear_quant",
    "modules.fused_bitlinear:layer_norm_linear_quant",
    lambda inputs: {"x": inputs.of(2, 160, 256),
                    "norm_weight": inputs.of(256),
                    "norm_bias": inputs.of(256),
                    "linear_weight": inputs.of(256, 256),
                    "linear_bias": inputs.of(256)}, varlen=False)
add("rotary", "modules.rotary.ops:rotary_embedding",
    lambda inputs: {"x": inputs.tokens(64),
                    "cos": torch.rand(320, 32).to(inputs.element),
                    "sin": torch.rand(320, 32).to(inputs.element)})
add("rotary-interleaved", "modules.rotary.ops:rotary_embedding",
    lambda inputs: {"x": inputs.tokens(64), "interleaved": True,
                    "cos": torch.rand(320, 32).to(inputs.element),
                    "sin": torch.rand(320, 32).to(inputs.element)},
    varlen=False)
add("token_shift", "modules.token_shift:token_shift",
    lambda inputs: {"x": inputs.of(inputs.batch, inputs.length, 256)})
add("causal_conv1d", "modules.causal_conv1d.ops:causal_conv1d",
    lambda inputs: {"x": inputs.of(inputs.batch, inputs.length, 256),
                    "weight": inputs.of(256, 4), "bias": inputs.of(256),
                    "residual": inputs.of(inputs.batch, inputs.length, 256),
                    "activation": "silu"})
add("cross_entropy", "modules.fused_cross_entropy.ops:cross_entropy_loss",
    lambda inputs: {"logits": inputs.of(160, 1000),
                    "target": torch.zeros(160, dtype=torch.int64),
                    "label_smoothing": 0.1, "lse_square_scale": 0.1},
    varlen=False)
add("fused_linear_cross_entropy",
    "modules.fused_linear_cross_entropy.ops:fused_linear_cross_entropy_loss",
    lambda inputs: {"x": inputs.of(160, 256), "weight": inputs.of(1000, 256),
                    "target": torch.zeros(160, dtype=torch.int64),
                    "label_smoothing": 0.1}, varlen=False)
add("fused_kl_div", "modules.fused_kl_div.ops:fused_kl_div_loss",
    lambda inputs: {"x": inputs.of(160, 256),
                    "target_x": torch.rand(160, 256).to(inputs.element),
                    "weight": inputs.of(1000, 256),
                    "target_weight": torch.rand(1000, 256).to(inputs.element)},
    varlen=False)
add("grpo", "modules.grpo.ops:fused_grpo_loss",
    lambda inputs: {"logits": inputs.of(2, 33, 1000),
                    "ref_logp": torch.rand(2, 32),
                    "input_ids": torch.zeros(2, 40, dtype=torch.int64),
                    "advantages": torch.rand(2)}, varlen=False)
for _name in ("sigmoid", "elu_p1", "logsigmoid", "swish", "gelu", "sqrelu"):
    add(f"{_name}_fwd", f"modules.activations.ops:{_name}_fwd",
        lambda inputs: {"x": inputs.of(160, 256)}, varlen=False,
        backward=False)
for _name in ("sigmoid", "elu_p1", "logsigmoid", "swish"):
    add(f"{_name}_bwd", f"modules.activations.ops:{_name}_bwd",
        lambda inputs: {"x": inputs.of(160, 256), "dy": inputs.of(160, 256)},
        varlen=False, backward=False)
for _name in ("swiglu", "sigmoidglu", "powglu"):
    add(f"{_name}_fwd", f"modules.activations.ops:{_name}_fwd",
        lambda inputs: {"x": inputs.of(160, 256), "y": inputs.of(160, 256)},
        varlen=False, backward=False)
    add(f"{_name}_fwdbwd", f"modules.activations.ops:{_name}_fwdbwd",
        lambda inputs: {name: inputs.of(160, 256) for name in "xyg"},
        varlen=False, backward=False)
