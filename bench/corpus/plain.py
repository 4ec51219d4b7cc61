# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain kernels at the sizes that users have: products, quantized products,
attention, softmax, layer norm, addition. Their text is made by Triton's front
end from the functions in test/Corpus/kernels."""

import math

from problems import Buffer, JitText, Problem, Scalar, ceil_div


def matmul(m: int, n: int, k: int, tile: tuple[int, int, int], warps: int,
           stages: int = 3) -> Problem:
    signature = {"a_ptr": "*fp16", "b_ptr": "*fp16", "c_ptr": "*fp16",
                 "M": "i32", "N": "i32", "K": "i32", "stride_am": "i32",
                 "stride_bk": "i32", "stride_cm": "i32"}
    constants = {"stride_ak": 1, "stride_bn": 1, "stride_cn": 1,
                 "BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2],
                 "GROUP_M": 8}
    sizes = {"M": m, "N": n, "K": k, "stride_am": k, "stride_bk": n,
             "stride_cm": n}
    return Problem(
        f"matmul f16 {m}x{n}x{k}, {'x'.join(map(str, tile))}, {warps} warps",
        "plain", JitText("matmul_f16", "matmul_f16_kernel", signature,
                         constants, frozenset(sizes)),
        warps, stages, (ceil_div(m, tile[0]) * ceil_div(n, tile[1]), 1, 1),
        {"a_ptr": Buffer(m * k, "fp16"), "b_ptr": Buffer(k * n, "fp16"),
         "c_ptr": Buffer(m * n, "fp16", "zeros"),
         **{name: Scalar(value, "i32") for name, value in sizes.items()}},
        "matmul", "c_ptr", 1e-2 * math.sqrt(k), sizes)


def quantized(m: int, n: int, k: int, tile: tuple[int, int, int],
              warps: int, stages: int = 3) -> Problem:
    group = 128
    signature = {"a_ptr": "*fp16", "packed_ptr": "*i32", "scales_ptr": "*fp16",
                 "zeros_ptr": "*fp16", "c_ptr": "*fp16", "M": "i32",
                 "N": "i32", "K": "i32", "stride_am": "i32",
                 "stride_cm": "i32"}
    constants = {"BLOCK_M": tile[0], "BLOCK_N": tile[1], "BLOCK_K": tile[2],
                 "GROUP": group, "ZEROS_PACKED": 0}
    sizes = {"M": m, "N": n, "K": k, "stride_am": k, "stride_cm": n}
    divisible = frozenset(name for name, value in sizes.items()
                          if value % 16 == 0)
    return Problem(
        f"W4A16 {m}x{n}x{k}, {'x'.join(map(str, tile))}, {warps} warps",
        "plain", JitText("matmul_w4a16", "matmul_w4a16_kernel", signature,
                         constants, divisible),
        warps, stages, (ceil_div(m, tile[0]), ceil_div(n, tile[1]), 1),
        {"a_ptr": Buffer(m * k, "fp16"),
         "packed_ptr": Buffer(k // 8 * n, "i32"),
         "scales_ptr": Buffer(k // group * n, "fp16", "small"),
         "zeros_ptr": Buffer(k // group * n, "fp16"),
         "c_ptr": Buffer(m * n, "fp16", "zeros"),
         **{name: Scalar(value, "i32") for name, value in sizes.items()}},
        "quantized", "c_ptr", 1e-1 * math.sqrt(k), {**sizes, "group": group})


def attention(heads: int, tokens: int, d: int, tile: tuple[int, int],
              warps: int, stages: int = 2) -> Problem:
    signature = {"q_ptr": "*fp16", "k_ptr": "*fp16", "v_ptr": "*fp16",
                 "out_ptr": "*fp16", "sums_ptr": "*fp32", "scale": "fp32",
                 "queries": "i32", "keys": "i32", "heads": "i32",
                 "stride_q": "i32", "stride_k": "i32", "stride_v": "i32",
                 "stride_out": "i32"}
    constants = {"GROUP": 1, "DIMENSION": d, "BLOCK_M": tile[0],
                 "BLOCK_N": tile[1]}
    row, count = heads * d, tokens * heads * d
    sizes = {"queries": tokens, "keys": tokens, "heads": heads,
             "stride_q": row, "stride_k": row, "stride_v": row,
             "stride_out": row}
    return Problem(
        f"causal attention f16, {heads} heads, {tokens}, D = {d}, "
        f"{tile[0]}x{tile[1]}, {warps} warps",
        "plain", JitText("causal_attention", "causal_attention_kernel",
                         signature, constants, frozenset(sizes)),
        warps, stages, (ceil_div(tokens, tile[0]), heads, 1),
        {**{name: Buffer(count, "fp16")
            for name in ("q_ptr", "k_ptr", "v_ptr")},
         "out_ptr": Buffer(count, "fp16", "zeros"),
         "sums_ptr": Buffer(heads * tokens, "fp32", "zeros"),
         "scale": Scalar(1.4426950408889634 / math.sqrt(d), "fp32"),
         **{name: Scalar(value, "i32") for name, value in sizes.items()}},
        "attention", "out_ptr", 2e-2, {**sizes, "dimension": d})


def softmax(rows: int, columns: int, warps: int) -> Problem:
    signature = {"in_ptr": "*fp16", "out_ptr": "*fp16", "columns": "i32",
                 "in_row_stride": "i32", "out_row_stride": "i32"}
    sizes = {"columns": columns, "in_row_stride": columns,
             "out_row_stride": columns}
    return Problem(
        f"softmax f16 {rows}x{columns}, {warps} warps", "plain",
        JitText("fused_softmax", "fused_softmax_kernel", signature,
                {"BLOCK": columns}, frozenset(sizes)),
        warps, 1, (rows, 1, 1),
        {"in_ptr": Buffer(rows * columns, "fp16"),
         "out_ptr": Buffer(rows * columns, "fp16", "zeros"),
         **{name: Scalar(value, "i32") for name, value in sizes.items()}},
        "softmax", "out_ptr", 1e-2, {"rows": rows, **sizes},
        streams=True)


def layer_norm(rows: int, columns: int, block: int, warps: int) -> Problem:
    """To f16: fp8 needs a newer target than most."""
    signature = {"x_ptr": "*fp16", "weight_ptr": "*fp16", "bias_ptr": "*fp16",
                 "out_ptr": "*fp16", "mean_ptr": "*fp32",
                 "deviation_ptr": "*fp32", "columns": "i32",
                 "stride_x": "i32", "stride_out": "i32", "epsilon": "fp32",
                 "inverse_scale": "fp32"}
    sizes = {"columns": columns, "stride_x": columns, "stride_out": columns}
    return Problem(
        f"layer norm f16 {rows}x{columns}, tile {block}, {warps} warps",
        "plain", JitText("layer_norm", "layer_norm_fp8_kernel", signature,
                         {"BLOCK": block}, frozenset(sizes)),
        warps, 1, (rows, 1, 1),
        {"x_ptr": Buffer(rows * columns, "fp16"),
         "weight_ptr": Buffer(columns, "fp16"),
         "bias_ptr": Buffer(columns, "fp16"),
         "out_ptr": Buffer(rows * columns, "fp16", "zeros"),
         "mean_ptr": Buffer(rows, "fp32", "zeros"),
         "deviation_ptr": Buffer(rows, "fp32", "zeros"),
         **{name: Scalar(value, "i32") for name, value in sizes.items()},
         "epsilon": Scalar(1e-5, "fp32"), "inverse_scale": Scalar(1.0, "fp32")},
        "layer_norm", "out_ptr", 3e-2, {"rows": rows, **sizes},
        streams=True)


def addition(count: int, block: int, warps: int) -> Problem:
    signature = {"x_ptr": "*fp16", "y_ptr": "*fp16", "out_ptr": "*fp16",
                 "count": "i32"}
    return Problem(
        f"addition f16 {count}, tile {block}, {warps} warps", "plain",
        JitText("vector_add", "vector_add_kernel", signature,
                {"BLOCK": block}, frozenset({"count"})),
        warps, 1, (ceil_div(count, block), 1, 1),
        {"x_ptr": Buffer(count, "fp16"), "y_ptr": Buffer(count, "fp16"),
         "out_ptr": Buffer(count, "fp16", "zeros"),
         "count": Scalar(count, "i32")},
        "addition", "out_ptr", 1e-2, {"count": count},
        streams=True)


def list_problems() -> list[Problem]:
    return [
        matmul(4096, 4096, 4096, (128, 128, 32), 4),
        matmul(4096, 4096, 4096, (128, 128, 64), 8),
        matmul(4096, 4096, 4096, (128, 64, 64), 4),
        matmul(4096, 4096, 4096, (64, 64, 32), 4),
        matmul(4096, 4096, 4096, (128, 256, 32), 8),
        matmul(4096, 4096, 4096, (64, 128, 64), 4),
        matmul(4096, 4096, 4096, (32, 32, 64), 2),
        matmul(1024, 1024, 1024, (64, 64, 64), 4),
        matmul(256, 4096, 4096, (64, 64, 64), 4),
        matmul(16, 4096, 4096, (16, 64, 128), 4),
        matmul(8192, 8192, 1024, (128, 128, 32), 4),
        quantized(16, 8192, 8192, (16, 64, 64), 4),
        quantized(64, 8192, 8192, (64, 64, 64), 4),
        quantized(256, 8192, 8192, (64, 128, 64), 4),
        quantized(4096, 8192, 8192, (128, 128, 64), 8),
        attention(32, 4096, 128, (64, 64), 4),
        attention(32, 4096, 64, (128, 64), 4),
        attention(32, 4096, 128, (128, 64), 8),
        attention(32, 1024, 64, (64, 64), 4),
        softmax(16384, 1024, 4),
        softmax(16384, 4096, 8),
        softmax(16384, 8192, 8),
        layer_norm(16384, 1024, 1024, 4),
        layer_norm(16384, 4096, 4096, 8),
        layer_norm(16384, 8192, 2048, 8),
        addition(1 << 26, 1024, 4),
        addition(1 << 26, 256, 4),
        addition(1 << 20, 1024, 4)]
