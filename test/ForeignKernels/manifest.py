# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes a manifest: which kernels of a package, and how compiled.

A manifest is a JSON document with the package, its version, and its kernels.
One entry stands for a kernel with each of its element types: `T` in the
signature (`*T`) and in constants (`{"dtype": "T"}`) is the element.
"""

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent

# The elements' names in a manifest and in the names of files.
ELEMENTS = {"fp16": "f16", "bf16": "bf16"}


@dataclass(frozen=True)
class Kernel:
    """One .ttir file and how it is made."""

    name: str
    module: str
    function: str
    signature: dict[str, str]
    constants: dict[str, Any]
    divisible_by_16: tuple[str, ...]
    num_warps: int
    num_stages: int
    # {"grid": [x, y, z], "arguments": {name: scalar or buffer}}: a buffer is
    # {"elements": N[, "before": M][, "values": [...]]}; see record.py.
    launch: dict[str, Any]


def with_element(value: Any, element: str) -> Any:
    """A type or constant of the manifest with the element put in."""
    if isinstance(value, dict):
        return {"dtype": element if value["dtype"] == "T" else value["dtype"]}
    return value


def without_element(value: Any, element: str) -> Any:
    """The inverse of with_element."""
    if isinstance(value, dict):
        return {"dtype": "T" if value["dtype"] == element else value["dtype"]}
    return value


def _make_kernel(entry: dict[str, Any], element: str | None) -> Kernel:
    suffix = f".{ELEMENTS[element]}" if element else ""
    signature = {name: text.replace("T", element) if element else text
                 for name, text in entry["signature"].items()}
    constants = {name: with_element(value, element) if element else value
                 for name, value in entry["constants"].items()}
    return Kernel(entry["name"] + suffix, entry["module"], entry["function"],
                  signature, constants, tuple(entry["divisibleBy16"]),
                  entry["numWarps"], entry["numStages"], entry["launch"])


def load_kernels(path: Path) -> list[Kernel]:
    """All kernels of a manifest with all their elements, in its order."""
    document = json.loads(path.read_text())
    return [_make_kernel(entry, element) for entry in document["kernels"]
            for element in entry["elements"] or [None]]


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Adds the options by which select() chooses kernels."""
    parser.add_argument("--manifest", type=Path, default=FOLDER / "fla.json")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="only kernels whose names match")
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="each N-th of them")


def select(options: argparse.Namespace) -> list[Kernel]:
    """The kernels that the options of add_selection() name."""
    return [kernel for kernel in load_kernels(options.manifest)
            if re.search(options.only, kernel.name)][::options.every]


def _format_entry(entry: dict[str, Any]) -> str:
    """An entry with one line for each of its members."""
    members = [f'  {json.dumps(key)}: {json.dumps(value)}'
               for key, value in entry.items()]
    return "{\n" + ",\n".join(members) + "\n}"


def save(path: Path, package: str, version: str,
         entries: list[dict[str, Any]]) -> None:
    """Writes a manifest of these entries."""
    body = ",\n".join(_format_entry(entry) for entry in entries)
    path.write_text(f'{{\n"package": {json.dumps(package)},\n'
                    f'"version": {json.dumps(version)},\n'
                    f'"kernels": [\n{body}\n]\n}}\n')
