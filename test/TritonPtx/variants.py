# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is compiled of the kernels: types, tile sizes and targets.

Every entry of VARIANTS becomes one PTX file for each of its targets. Types
are Triton's: "*fp32" is a pointer to f32.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PTX = HERE / "ptx"


@dataclass(frozen=True)
class Variant:
    """One compilation of kernels/FILE.py's FUNCTION.

    types: of the arguments that are no constexprs, in their order. aligned:
    how many arguments, from the first, are multiples of 16.
    """

    name: str
    source: str
    types: tuple[str, ...]
    constexprs: dict[str, Any] = field(default_factory=dict)
    warps: int = 4
    stages: int = 3
    aligned: int = 0
    targets: tuple[str, ...] = ("sm_80",)

    @property
    def file(self) -> Path:
        return HERE / "kernels" / f"{self.source.split('.')[0]}.py"

    @property
    def function(self) -> str:
        return self.source.split(".")[1]

    def ptx(self, target: str) -> Path:
        return PTX / f"{self.name}.{target}.ptx"

    def facts(self, target: str) -> Path:
        return PTX / f"{self.name}.{target}.json"


BOTH = ("sm_80", "sm_89")


def _tile(rows: int, columns: int) -> dict[str, Any]:
    return {"ROWS": rows, "COLUMNS": columns}


def _elementwise() -> list[Variant]:
    block = {"BLOCK": 128}
    variants = [
        Variant("math_f32", "elementwise.math_f32",
                ("*fp32", "*fp32", "i32"), block),
        Variant("high_product", "elementwise.high_product",
                ("*u32", "*u32", "*u32"), block),
        Variant("reinterpret", "elementwise.reinterpret",
                ("*fp32", "*fp32"), block),
        Variant("collatz", "elementwise.collatz", ("*i32", "*i32"), block),
        Variant("inline_assembly", "elementwise.inline_assembly",
                ("*i32", "*i32"), block),
    ]
    for name in ("fp16", "bf16", "fp32"):
        pointers = (f"*{name}",) * 3
        variants.append(Variant(f"multiply_add_{name}",
                                "elementwise.multiply_add",
                                (*pointers, "i32"), {"BLOCK": 256}, aligned=3,
                                targets=BOTH))
    for name in ("fp16", "bf16", "fp64"):
        variants.append(Variant(f"native_{name}",
                                "elementwise.native_arithmetic",
                                (f"*{name}",) * 3 + ("i32",), block,
                                aligned=3))
    for name in ("i8", "i16", "i32", "i64"):
        variants.append(Variant(f"integers_{name}", "elementwise.integers",
                                (f"*{name}",) * 3 + ("i32",), block))
    for source, result in (("fp32", "fp16"), ("fp32", "bf16"),
                           ("fp32", "i32"), ("fp32", "i8"), ("i8", "fp32"),
                           ("i64", "fp32"), ("fp16", "fp64"),
                           ("fp8e5", "fp16"), ("fp16", "fp8e5"),
                           ("fp64", "fp32")):
        variants.append(Variant(f"convert_{source}_{result}",
                                "elementwise.convert",
                                (f"*{source}", f"*{result}"), block,
                                aligned=2))
    for source, result in (("fp32", "fp8e4nv"), ("fp8e4nv", "fp16"),
                           ("fp8e5", "fp32"), ("fp16", "fp8e5")):
        variants.append(Variant(f"convert_{source}_{result}_89",
                                "elementwise.convert",
                                (f"*{source}", f"*{result}"), block,
                                aligned=2, targets=("sm_89",)))
    return variants


def _reductions() -> list[Variant]:
    variants = []
    for name, result in (("fp32", "fp32"), ("i32", "i32"), ("fp16", "fp16"),
                         ("i64", "i64")):
        variants.append(Variant(f"sums_{name}", "reductions.sums",
                                (f"*{name}", *(f"*{result}",) * 3),
                                _tile(16, 64), aligned=4))
    for name in ("fp32", "i32", "u32", "bf16"):
        variants.append(Variant(f"extremes_{name}", "reductions.extremes",
                                (f"*{name}",) * 3, _tile(16, 64), aligned=3))
    variants += [
        Variant("places_f32", "reductions.places",
                ("*fp32", "*i32", "*i32"), _tile(8, 128), aligned=3),
        Variant("places_i32", "reductions.places",
                ("*i32", "*i32", "*i32"), _tile(32, 16), aligned=3),
        Variant("parity", "reductions.parity", ("*i32", "*i32"),
                _tile(8, 64)),
        Variant("logarithm_of_sum", "reductions.logarithm_of_sum",
                ("*fp32", "*fp32"), _tile(8, 64), warps=8, aligned=2),
    ]
    return variants


def _scans() -> list[Variant]:
    variants = []
    for name, axis, reverse in (("rows", 1, False), ("columns", 0, False),
                                ("reverse", 1, True)):
        variants.append(Variant(f"running_{name}", "scans.running",
                                ("*fp32",) * 3,
                                {**_tile(8, 64), "AXIS": axis,
                                 "REVERSE": reverse}, aligned=3))
    variants.append(Variant("running_i32", "scans.running", ("*i32",) * 3,
                            {**_tile(4, 128), "AXIS": 1, "REVERSE": False}))
    variants.append(Variant("recurrence", "scans.recurrence", ("*fp32",) * 3,
                            _tile(8, 64), aligned=3, targets=BOTH))
    return variants


def _normalization() -> list[Variant]:
    return [
        Variant("softmax_f32", "normalization.softmax",
                ("*fp32", "*fp32", "i32"), {"BLOCK": 256}, targets=BOTH),
        Variant("softmax_f16", "normalization.softmax",
                ("*fp16", "*fp16", "i32"), {"BLOCK": 512}, warps=8,
                aligned=3),
        Variant("layer_norm_f32", "normalization.layer_norm",
                ("*fp32",) * 5 + ("i32", "fp32"), {"BLOCK": 128},
                targets=BOTH),
        Variant("layer_norm_bf16", "normalization.layer_norm",
                ("*bf16", "*fp32", "*fp32", "*fp32", "*fp32", "i32", "fp32"),
                {"BLOCK": 128}, aligned=6),
    ]


def _matmul(name: str, operand: str, result: str, *, stages: int = 1,
            target: str = "sm_80", precision: str = "ieee",
            block: tuple[int, int, int] = (32, 32, 32),
            accumulator: str = "float32", aligned: int = 6,
            warps: int = 4) -> Variant:
    m, n, k = block
    return Variant(f"matmul_{name}", "matmul.matmul",
                   (f"*{operand}", f"*{operand}", f"*{result}", "i32", "i32",
                    "i32"),
                   {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k,
                    "ACCUMULATOR": accumulator, "PRECISION": precision},
                   warps=warps, stages=stages, aligned=aligned,
                   targets=(target,))


def _products() -> list[Variant]:
    return [
        _matmul("f16", "fp16", "fp32"),
        _matmul("f16_3stages", "fp16", "fp32", stages=3),
        _matmul("f16_unaligned", "fp16", "fp16", stages=3, aligned=0),
        _matmul("f16_4stages", "fp16", "fp16", stages=4, block=(64, 32, 32)),
        _matmul("f16_f16", "fp16", "fp16", accumulator="float16", warps=1,
                block=(16, 16, 16)),
        _matmul("bf16", "bf16", "fp32", block=(16, 64, 16), warps=2),
        _matmul("bf16_3stages", "bf16", "fp32", stages=3),
        _matmul("tf32", "fp32", "fp32", precision="tf32"),
        _matmul("tf32_3stages", "fp32", "fp32", precision="tf32", stages=3),
        _matmul("tf32x3", "fp32", "fp32", precision="tf32x3",
                block=(16, 16, 16), warps=2),
        _matmul("f32", "fp32", "fp32", block=(16, 16, 16)),
        _matmul("f64", "fp64", "fp64", accumulator="float64",
                block=(16, 16, 16)),
        _matmul("i8", "i8", "i32", accumulator="int32"),
        _matmul("i8_3stages", "i8", "i32", accumulator="int32", stages=3,
                block=(32, 32, 64)),
        _matmul("e4m3_89", "fp8e4nv", "fp32", target="sm_89"),
        _matmul("e4m3_3stages_89", "fp8e4nv", "fp32", target="sm_89",
                stages=3, block=(32, 32, 64)),
        _matmul("e5m2_89", "fp8e5", "fp32", target="sm_89"),
        _matmul("e5m2", "fp8e5", "fp32"),
        _matmul("f16_3stages_89", "fp16", "fp32", target="sm_89", stages=3),
        Variant("transposed_f16", "matmul.transposed_operands",
                ("*fp16", "*fp16", "*fp32"), {"BLOCK": 32}, aligned=3),
        Variant("transposed_f32", "matmul.transposed_operands",
                ("*fp32", "*fp32", "*fp32"), {"BLOCK": 16}, aligned=3),
        Variant("matmul_int4", "matmul.matmul_int4",
                ("*fp16", "*u8", "*fp32", "*fp32", "i32"),
                {"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 32}, aligned=5,
                targets=BOTH),
        Variant("matmul_descriptors", "matmul.matmul_descriptors",
                ("*fp16", "*fp16", "*fp32", "i32", "i32", "i32"),
                {"BLOCK": 32}, aligned=6),
        Variant("batched", "matmul.batched", ("*fp16", "*fp16", "*fp32"),
                {"BATCH": 2, "BLOCK": 16}, aligned=3),
    ]


def _atomics() -> list[Variant]:
    return [
        Variant("scatter_add_f32", "atomics.scatter_add",
                ("*fp32", "*i32", "*fp32", "i32"), {"BLOCK": 128}),
        Variant("scatter_add_i32", "atomics.scatter_add",
                ("*i32", "*i32", "*i32", "i32"), {"BLOCK": 128}),
        Variant("scatter_add_f16", "atomics.scatter_add",
                ("*fp16", "*i32", "*fp16", "i32"), {"BLOCK": 128}),
        Variant("add_tile_f32", "atomics.add_tile", ("*fp32", "*fp32"),
                {"BLOCK": 128}, aligned=2),
        Variant("add_tile_f16", "atomics.add_tile", ("*fp16", "*fp16"),
                {"BLOCK": 256}, aligned=2),
        Variant("add_tile_i64", "atomics.add_tile", ("*i64", "*i64"),
                {"BLOCK": 128}, aligned=2),
        Variant("atomic_extremes_i32", "atomics.extremes", ("*i32",) * 3,
                {"BLOCK": 128}),
        Variant("atomic_extremes_u32", "atomics.extremes", ("*u32",) * 3,
                {"BLOCK": 128}),
        Variant("atomic_extremes_f32", "atomics.extremes", ("*fp32",) * 3,
                {"BLOCK": 128}),
        Variant("atomic_bits", "atomics.bits", ("*i32",) * 4,
                {"BLOCK": 128}),
        Variant("tickets", "atomics.tickets", ("*i32", "*i32")),
        Variant("locked_sum", "atomics.locked_sum",
                ("*i32", "*i32", "*i32"), {"BLOCK": 128}, targets=BOTH),
    ]


def _rearrangements() -> list[Variant]:
    def two(name: str, source: str, kind: str, constexprs: dict[str, Any],
            **others: Any) -> Variant:
        return Variant(name, f"rearrangement.{source}", (f"*{kind}",) * 2,
                       constexprs, aligned=2, **others)

    return [
        Variant("gather_rows", "rearrangement.gather_rows",
                ("*fp32", "*i32", "*fp32", "i32", "i32"),
                {"COLUMNS": 16, "BLOCK": 32}, aligned=3),
        Variant("scatter", "rearrangement.scatter",
                ("*fp16", "*i32", "*fp16", "i32"), {"BLOCK": 128}),
        Variant("gather_in_tile", "rearrangement.gather_in_tile",
                ("*fp32", "*i32", "*fp32"), _tile(8, 64), aligned=3),
        two("transpose_f32", "transpose", "fp32", _tile(32, 32),
            targets=BOTH),
        two("transpose_f16", "transpose", "fp16", _tile(64, 32)),
        two("transpose_i8", "transpose", "i8", _tile(32, 64)),
        two("permute", "permute", "i32", {"A": 4, "B": 16, "C": 8}),
        Variant("interleave", "rearrangement.interleave", ("*fp32",) * 4,
                {"BLOCK": 128}, aligned=4),
        Variant("sort_f32", "rearrangement.sort", ("*fp32",) * 3,
                _tile(2, 64), aligned=3),
        Variant("sort_i32", "rearrangement.sort", ("*i32",) * 3,
                _tile(1, 128), aligned=3),
        two("flip", "flip", "i32", _tile(4, 64)),
        Variant("histogram", "rearrangement.histogram", ("*i32",) * 2,
                {"BLOCK": 256, "BINS": 32}, aligned=2, targets=BOTH),
        Variant("unpack_int4", "rearrangement.unpack_int4",
                ("*i32", "*fp16", "*fp16"), {"ROWS": 8, "GROUP": 64},
                aligned=3),
    ]


def _attention() -> list[Variant]:
    def flash(name: str, kind: str, causal: bool, stages: int,
              targets: tuple[str, ...]) -> Variant:
        return Variant(f"flash_attention_{name}", "attention.flash_attention",
                       (f"*{kind}", f"*{kind}", f"*{kind}", "*fp32", "i32",
                        "fp32"),
                       {"BLOCK_M": 32, "BLOCK_N": 32, "HEAD": 32,
                        "CAUSAL": causal}, stages=stages, aligned=4,
                       targets=targets)

    return [
        flash("f16", "fp16", False, 1, ("sm_80",)),
        flash("causal_bf16", "bf16", True, 2, BOTH),
        Variant("linear_attention", "attention.linear_attention",
                ("*bf16", "*bf16", "*bf16", "*fp32", "*fp32", "*fp32", "i32"),
                {"CHUNK": 32, "HEAD": 16}, stages=2, aligned=6,
                targets=BOTH),
        Variant("philox", "philox.philox",
                ("*i32", "*fp32", "*fp32", "i32"), {"BLOCK": 128}),
        Variant("dropout", "philox.dropout",
                ("*fp32", "*fp32", "i32", "fp32", "i32"), {"BLOCK": 128}),
        Variant("function_calls", "functions.rows", ("*i32", "*i32", "i32"),
                {"BLOCK": 128, "ROWS": 3}, warps=2, targets=BOTH),
    ]


VARIANTS = [*_elementwise(), *_reductions(), *_scans(), *_normalization(),
            *_products(), *_atomics(), *_rearrangements(), *_attention()]
