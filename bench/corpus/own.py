# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every .ttir of test/Corpus at a size that fills a GPU, by the name of the
reference that says what its arguments mean (test/Corpus/references)."""

import json
from collections.abc import Callable
from typing import Any

from problems import ROOT, Buffer, Problem, Scalar, ceil_div

FOLDER = ROOT / "test/Corpus"
Entry = dict[str, Any]
# The grid, the elements of buffers or what they hold, and scalars.
Launch = tuple[tuple[int, int, int], dict[str, Any]]

LAUNCHES: dict[str, Callable[[Entry], Launch]] = {}


def launch(name: str) -> Callable[[Callable[[Entry], Launch]],
                                  Callable[[Entry], Launch]]:
    """Registers how kernels of a reference are launched."""
    def register(function: Callable[[Entry], Launch]
                 ) -> Callable[[Entry], Launch]:
        LAUNCHES[name] = function
        return function
    return register


@launch("vector_add")
def vector_add(entry: Entry) -> Launch:
    count = 1 << 25
    return (count // entry["constexprs"]["BLOCK"], 1, 1), {
        "x_ptr": count, "y_ptr": count, "out_ptr": count, "count": count}


@launch("fused_softmax")
def fused_softmax(entry: Entry) -> Launch:
    columns = entry["constexprs"]["BLOCK"]
    rows = (1 << 25) // columns
    return (rows, 1, 1), {
        "in_ptr": rows * columns, "out_ptr": rows * columns,
        "columns": columns, "in_row_stride": columns,
        "out_row_stride": columns}


def tiles_of(entry: Entry, m: int, n: int) -> tuple[int, int]:
    constants = entry["constexprs"]
    return (ceil_div(m, constants["BLOCK_M"]),
            ceil_div(n, constants["BLOCK_N"]))


def product(entry: Entry, m: int, n: int, k: int) -> dict[str, Any]:
    return {"a_ptr": m * k, "b_ptr": k * n, "c_ptr": m * n, "M": m, "N": n,
            "K": k, "stride_am": k, "stride_ak": 1, "stride_bk": n,
            "stride_bn": 1, "stride_cm": n, "stride_cn": 1}


@launch("matmul")
def matmul(entry: Entry) -> Launch:
    size = 4096 if entry["constexprs"]["BLOCK_M"] >= 64 else 2048
    rows, columns = tiles_of(entry, size, size)
    return (rows * columns, 1, 1), product(entry, size, size, size)


@launch("matmul_typed")
def matmul_typed(entry: Entry) -> Launch:
    size = 1024 if "*fp64" in entry["signature"].values() else 2048
    return (*tiles_of(entry, size, size), 1), product(entry, size, size, size)


@launch("matmul_descriptor")
def matmul_descriptor(entry: Entry) -> Launch:
    return (*tiles_of(entry, 4096, 4096), 1), product(entry, 4096, 4096, 4096)


@launch("matmul_split_k")
def matmul_split_k(entry: Entry) -> Launch:
    m, n, k = 64, 4096, 8192
    return (*tiles_of(entry, m, n), 8), product(entry, m, n, k)


@launch("matmul_w4a16")
def matmul_w4a16(entry: Entry) -> Launch:
    constants = entry["constexprs"]
    m, n, k = constants["BLOCK_M"], 8192, 8192
    groups = k // constants["GROUP"]
    zeros = groups * n // (8 if constants["ZEROS_PACKED"] else 1)
    return (*tiles_of(entry, m, n), 1), {
        "a_ptr": m * k, "packed_ptr": k // 8 * n, "scales_ptr": groups * n,
        "zeros_ptr": zeros, "c_ptr": m * n, "M": m, "N": n, "K": k,
        "stride_am": k, "stride_cm": n}


@launch("cumsum")
def cumsum(entry: Entry) -> Launch:
    constants = entry["constexprs"]
    rows = columns = 4096
    programs = (rows // constants["ROWS"] if "ROWS" in constants
                else columns // constants["COLUMNS"])
    return (programs, 1, 1), {
        "x_ptr": rows * columns, "out_ptr": rows * columns, "rows": rows,
        "columns": columns, "stride_x": columns, "stride_out": columns}


def sequences(entry: Entry, lengths: list[int], chunk: int) -> dict[str, Any]:
    """What kernels for packed sequences ask for."""
    starts, offsets, table = [0], [0], []
    for number, length in enumerate(lengths):
        starts.append(starts[-1] + length)
        offsets.append(offsets[-1] + ceil_div(length, chunk))
        table += [x for c in range(ceil_div(length, chunk))
                  for x in (number, c)]
    return {"cu_seqlens_ptr": starts, "chunk_offsets_ptr": offsets,
            "chunk_indices_ptr": table}


@launch("cumsum_varlen")
def cumsum_varlen(entry: Entry) -> Launch:
    constants, heads, lengths = entry["constexprs"], 32, [2048] * 8
    packed = sequences(entry, lengths, constants["CHUNK"])
    tokens = sum(lengths)
    return (len(packed["chunk_indices_ptr"]) // 2,
            ceil_div(heads, constants.get("BLOCK_HEADS", 1)), 1), {
        "gate_ptr": tokens * heads, "out_ptr": tokens * heads, "scale": 1.0,
        "heads": heads, **packed}


@launch("linear_attention_decode")
def linear_attention_decode(entry: Entry) -> Launch:
    constants, batch, heads = entry["constexprs"], 64, 32
    key, value = constants["BLOCK_K"], 128
    vectors = batch * heads
    return (ceil_div(value, constants["BLOCK_V"]), batch * heads, 1), {
        "q_ptr": vectors * key, "k_ptr": vectors * key,
        "v_ptr": vectors * value, "gate_ptr": vectors * key,
        "beta_ptr": vectors, "state_ptr": vectors * key * value,
        "slots_ptr": list(range(batch)), "out_ptr": vectors * value,
        "scale": 0.1, "steps": 1, "heads": heads, "key_size": key,
        "value_size": value}


@launch("causal_attention")
def causal_attention(entry: Entry) -> Launch:
    constants, heads, tokens = entry["constexprs"], 32, 2048
    d, group = constants["DIMENSION"], constants["GROUP"]
    row, few = heads * d, heads // group * d
    return (ceil_div(tokens, constants["BLOCK_M"]), heads, 1), {
        "q_ptr": tokens * row, "k_ptr": tokens * few, "v_ptr": tokens * few,
        "out_ptr": tokens * row, "sums_ptr": heads * tokens,
        "scale": 1.4426950408889634 / d ** 0.5, "queries": tokens,
        "keys": tokens, "heads": heads, "stride_q": row, "stride_k": few,
        "stride_v": few, "stride_out": row}


def chunks(entry: Entry) -> tuple[dict[str, Any], int, int, int]:
    """The arguments of kernels that go by chunks; sequences, heads, tokens."""
    constants = entry["constexprs"]
    batch, heads, tokens = 8, 16, 2048
    key, value, chunk = (constants[n] for n in ("KEY", "VALUE", "CHUNK"))
    rows, states = batch * tokens * heads, (batch * tokens // chunk * heads
                                            * key * value)
    packed = sequences(entry, [tokens] * batch, chunk)
    final = batch * heads * key * value
    return {
        **{f"{name}_ptr": rows * key for name in ("q", "k", "w", "b")},
        **{f"{name}_ptr": rows * value for name in ("v", "u", "new", "out")},
        "gate_ptr": rows, "decay_ptr": rows * key, "states_ptr": states,
        "scores_v_ptr": rows * chunk, "scores_b_ptr": rows * chunk,
        "initial_ptr": final, "final_ptr": final, "scale": 0.1,
        "tokens": tokens, "heads": heads, **packed}, batch, heads, tokens


@launch("chunk_gla_state")
def chunk_gla_state(entry: Entry) -> Launch:
    arguments, batch, heads, _ = chunks(entry)
    constants = entry["constexprs"]
    return (constants["KEY"] // constants["BLOCK_K"],
            ceil_div(constants["VALUE"], constants["BLOCK_V"]),
            batch * heads), arguments


@launch("chunk_gla_output")
def chunk_gla_output(entry: Entry) -> Launch:
    arguments, batch, heads, tokens = chunks(entry)
    constants = entry["constexprs"]
    return (ceil_div(constants["VALUE"], constants["BLOCK_V"]),
            tokens // constants["CHUNK"], batch * heads), arguments


@launch("chunk_gated_delta_state")
@launch("chunk_gated_delta_fused")
@launch("chunk_dplr_state")
def chunk_state(entry: Entry) -> Launch:
    arguments, batch, heads, _ = chunks(entry)
    constants = entry["constexprs"]
    return (ceil_div(constants["VALUE"], constants["BLOCK_V"]),
            batch * heads, 1), arguments


@launch("chunk_dplr_output")
def chunk_dplr_output(entry: Entry) -> Launch:
    arguments, _, heads, _ = chunks(entry)
    constants = entry["constexprs"]
    return (ceil_div(constants["VALUE"], constants["BLOCK_V"]),
            len(arguments["chunk_indices_ptr"]) // 2, heads), arguments


@launch("layer_norm")
def layer_norm(entry: Entry) -> Launch:
    rows, columns = 8192, 4096
    return (rows, 1, 1), {
        "x_ptr": rows * columns, "weight_ptr": columns, "bias_ptr": columns,
        "out_ptr": rows * columns, "mean_ptr": rows, "deviation_ptr": rows,
        "columns": columns, "stride_x": columns, "stride_out": columns,
        "epsilon": 1e-5, "inverse_scale": 1.0}


def make_argument(name: str, form: str, value: Any) -> Buffer | Scalar:
    if not form.startswith("*"):
        return Scalar(value, form)
    if isinstance(value, list):
        return Buffer(len(value), form[1:], "zeros", tuple(value))
    is_output = name.startswith(("out", "c_", "new", "final", "mean",
                                 "deviation"))
    # Gates are logarithms of decays: large ones would make zeros of all.
    fill = ("zeros" if is_output else "negative"
            if name.startswith(("gate", "decay")) else
            "small" if name.startswith(("scales", "w_", "k_", "b_"))
            else "random")
    return Buffer(value, form[1:], fill)


def list_problems(capability: int) -> list[Problem]:
    """Those whose types code for this compute capability has."""
    document = json.loads((FOLDER / "manifest.json").read_text())
    problems = []
    for entry in document["kernels"]:
        if entry.get("capability", 0) > capability:
            continue
        grid, values = LAUNCHES[entry["reference"]](entry)
        problems.append(Problem(
            entry["name"], "corpus", FOLDER / f"{entry['name']}.ttir",
            entry["numWarps"], entry["numStages"], grid,
            {name: make_argument(name, form, values[name])
             for name, form in entry["signature"].items()}))
    return problems
