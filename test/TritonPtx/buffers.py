# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What references are made of: buffers of every type, and their registry.

In: arrays. Out: the buffers of a Case (test/Corpus/cases.py).
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import formats
from cases import GUARD, Buffer, Case, Scalar
from variants import Variant

# The largest relative errors of one rounding to nearest.
U16, U32, U64, UB16 = 2.0 ** -11, 2.0 ** -24, 2.0 ** -53, 2.0 ** -8

Arguments = dict[str, Buffer | Scalar]
Reference = Callable[[Variant, np.random.Generator],
                     tuple[tuple[int, int, int], Arguments]]
REFERENCES: dict[str, Reference] = {}

# Types, and how their values become bits and back, where numpy has none.
_DTYPES = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64,
           "bf16": np.uint16, "fp8e4nv": np.uint8, "fp8e5": np.uint8,
           "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
           "u8": np.uint8, "u32": np.uint32}
_ENCODE = {"bf16": formats.to_bf16, "fp8e4nv": formats.to_e4m3,
           "fp8e5": formats.to_e5m2}
_DECODE = {"bf16": formats.from_bf16, "fp8e4nv": formats.from_e4m3,
           "fp8e5": formats.from_e5m2}


def reference(source: str) -> Callable[[Reference], Reference]:
    """Registers the reference of kernel FILE.FUNCTION."""
    def register(function: Reference) -> Reference:
        REFERENCES[source] = function
        return function
    return register


def build_case(variant: Variant) -> Case:
    rng = np.random.default_rng(zlib.crc32(variant.name.encode()))
    grid, arguments = REFERENCES[variant.source](variant, rng)
    return Case(variant.name, grid, arguments)


def kind(variant: Variant, index: int) -> str:
    """The type that pointer argument `index` points to."""
    return variant.types[index].removeprefix("*")


def encode(values: np.ndarray, name: str) -> np.ndarray:
    return (_ENCODE[name](values) if name in _ENCODE
            else values.astype(_DTYPES[name]))


def decode(stored: np.ndarray, name: str) -> np.ndarray:
    return _DECODE[name](stored) if name in _DECODE else stored


def given(stored: np.ndarray) -> Buffer:
    """An input, with a guard behind it."""
    guard = np.full(GUARD * stored.itemsize, 0x7F, np.uint8)
    return Buffer(np.concatenate([stored.ravel(),
                                  guard.view(stored.dtype)]))


def made(expected: np.ndarray, dtype: Any, bound: Any = None,
         written: np.ndarray | None = None) -> Buffer:
    """An output that holds no right element before the launch, and whose
    guard stays as it is."""
    count = expected.size
    wanted = expected.ravel() if bound is None else expected.ravel().astype(
        np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        old = wanted.astype(dtype)
    initial = np.full(count + GUARD, 0, dtype)
    initial.view(f"u{initial.itemsize}")[:count] = ~old.view(
        f"u{initial.itemsize}")
    pad = [0, GUARD]
    mask = np.ones(count, bool) if written is None else written.ravel()
    allowed = None
    if bound is not None:
        allowed = np.pad(np.broadcast_to(bound, expected.shape).ravel(), pad)
    return Buffer(initial, np.pad(wanted, pad), allowed, np.pad(mask, pad))


def changed(before: np.ndarray, after: np.ndarray,
            bound: Any = None) -> Buffer:
    """An output that is read before it is written."""
    old, new = before.ravel(), after.ravel()
    if bound is not None:
        bound = np.broadcast_to(bound, after.shape).ravel()
    return Buffer(old.copy(), new, bound,
                  old.astype(np.float64) != new.astype(np.float64))


def i32(value: int) -> Scalar:
    return Scalar("i32", value)


def blocks(count: int, block: int) -> tuple[int, int, int]:
    return (-(-count // block), 1, 1)


def normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)
