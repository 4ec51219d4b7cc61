# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads manifest.json: the corpus' kernels and the cases each is run on."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parent

# 5, BLOCK_M, BLOCK_M+1, 2*BLOCK_M-3
_SIZE = re.compile(r"(?:(?P<factor>\d+)\*)?(?P<name>[A-Z_]+)"
                   r"(?P<offset>[+-]\d+)?")

# Parameters of a case that are words, not sizes.
_WORDS = ("name", "values", "transposed")


@dataclass(frozen=True)
class Kernel:
    """One .ttir file: how it is made and what it is run on. capability: the
    least that Triton's front end makes it for."""

    name: str
    source: Path
    function: str
    reference: str
    signature: dict[str, str]
    constexprs: dict[str, Any]
    divisible_by_16: tuple[str, ...]
    num_warps: int
    num_stages: int
    capability: int
    cases: tuple[dict[str, Any], ...]

    @property
    def file(self) -> Path:
        return CORPUS / f"{self.name}.ttir"


def resolve_size(value: Any, constexprs: dict[str, Any]) -> Any:
    """A case's parameter, with tile sizes such as "BLOCK_M+1" put in."""
    if isinstance(value, list):
        return [resolve_size(item, constexprs) for item in value]
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return value
    if match["name"] not in constexprs:
        raise ValueError(f"expects a constexpr of the kernel in '{value}', "
                         f"but got {sorted(constexprs)}")
    return (int(match["factor"] or 1) * constexprs[match["name"]]
            + int(match["offset"] or 0))


def _resolve_case(case: dict[str, Any],
                  constexprs: dict[str, Any]) -> dict[str, Any]:
    return {key: value if key in _WORDS else resolve_size(value, constexprs)
            for key, value in case.items()}


def _load_kernel(entry: dict[str, Any],
                 case_sets: dict[str, list[dict[str, Any]]]) -> Kernel:
    constexprs = entry["constexprs"]
    cases = [_resolve_case(case, constexprs)
             for name in entry["caseSets"] for case in case_sets[name]]
    names = [case["name"] for case in cases]
    if len(names) != len(set(names)):
        raise ValueError(f"{entry['name']}: expects one case of each name, "
                         f"but got {names}")
    return Kernel(entry["name"], CORPUS / entry["source"], entry["function"],
                  entry["reference"], entry["signature"], constexprs,
                  tuple(entry["divisibleBy16"]), entry["numWarps"],
                  entry["numStages"], entry.get("capability", 0),
                  tuple(cases))


def load_kernels() -> list[Kernel]:
    """All kernels, in the manifest's order."""
    document = json.loads((CORPUS / "manifest.json").read_text())
    return [_load_kernel(entry, document["caseSets"])
            for entry in document["kernels"]]
