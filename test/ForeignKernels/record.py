#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a manifest by running a package's launchers and noting their kernels.

Calls each recipe (recipes.py) on small CPU tensors, forward and backward, once
with each element type. Where Triton would compile and launch, what it would
compile is noted, by Triton's own rules for specializing arguments, and nothing
is launched; of configurations to choose between by timing, a fixed rule takes
one. With it goes the first launch: grid, scalars, sizes of tensors, and small
tensors of integers. Needs requirements-record.txt, but no GPU. What the
launchers compute is meaningless; what they would launch is not.
"""

import argparse
import importlib.metadata
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import gpu_stand_in
import manifest

PACKAGE = "fla-core"
TYPICAL_WARPS = 4
# Of larger tensors of integers the values are not noted.
MOST_VALUES = 4096


def encode_constant(value: Any) -> Any:
    """A constant as JSON: dtypes as {"dtype": name}."""
    import triton.language as tl
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tl.dtype):
        return {"dtype": value.name}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"expects a number, string or dtype, but got {value!r}")


class Recorder:
    """Takes Triton's place where kernels would be compiled and launched."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def install(self, all_configurations: bool) -> None:
        from triton.runtime.autotuner import Autotuner
        from triton.runtime.jit import JITFunction
        recorder = self

        def run(function: Any, *arguments: Any, grid: Any, warmup: bool,
                **keywords: Any) -> None:
            del warmup
            recorder.entries.append(
                describe(function, arguments, keywords, grid))

        JITFunction.run = run
        Autotuner.run = run_all if all_configurations else run_typical

    def take(self) -> list[dict[str, Any]]:
        """What was noted since the last call."""
        entries, self.entries = self.entries, []
        return entries


def find_configurations(tuner: Any, arguments: Any, keywords: Any
                        ) -> list[Any]:
    """What autotuning would choose between."""
    tuner.nargs = dict(zip(tuner.arg_names, arguments))
    return tuner.prune_configs(keywords)


def run_typical(tuner: Any, *arguments: Any, **keywords: Any) -> None:
    """Runs the first configuration of four warps, or else the first."""
    configurations = find_configurations(tuner, arguments, keywords)
    chosen = next((each for each in configurations
                   if each.num_warps == TYPICAL_WARPS), configurations[0])
    tuner.fn.run(*arguments, **{**keywords, **chosen.all_kwargs()})


def run_all(tuner: Any, *arguments: Any, **keywords: Any) -> None:
    """Runs every configuration, but those that differ in num_stages alone
    once: it is a wish that changes no tile IR."""
    seen = set()
    for each in find_configurations(tuner, arguments, keywords):
        values = each.all_kwargs()
        key = repr(sorted((name, value) for name, value in values.items()
                          if name != "num_stages"))
        if key not in seen:
            seen.add(key)
            tuner.fn.run(*arguments, **{**keywords, **values})


def describe_argument(value: Any) -> Any:
    """What a launch gives for a parameter: a scalar itself; for a tensor how
    many elements lie before and from its pointer on, and for small integers,
    which are mostly indices, what they are."""
    import torch
    if not isinstance(value, torch.Tensor):
        return value
    before = value.storage_offset()
    storage = value.untyped_storage().nbytes() // value.element_size()
    buffer: dict[str, Any] = {"elements": storage - before}
    if before:
        buffer["before"] = before
    if (value.dtype in (torch.int32, torch.int64)
            and 0 < storage - before <= MOST_VALUES):
        values = torch.as_strided(value, (storage - before,), (1,)).tolist()
        if torch.iinfo(value.dtype).max not in values:
            buffer["values"] = values
    return buffer


def describe(function: Any, arguments: Any, keywords: Any, grid: Any
             ) -> dict[str, Any]:
    """What Triton would compile for a launch with these arguments, and the
    launch."""
    keywords = {"debug": False, "instrumentation_mode": "", **keywords}
    *_, backend, binder = function.device_caches[0]
    bound, specialization, options = binder(*arguments, **keywords)
    options, signature, constants, attributes = function._pack_args(
        backend, keywords, bound, specialization, options)
    names = list(signature)
    if any(len(path) != 1 for path in constants):
        raise TypeError("expects no tuple among a kernel's arguments")
    runtime = {name: text for name, text in signature.items()
               if text != "constexpr"}
    sizes = grid(bound) if callable(grid) else grid
    return {"module": function.fn.__module__, "function": function.__name__,
            "signature": runtime,
            "constants": {names[path[0]]: encode_constant(value)
                          for path, value in constants.items()},
            "divisibleBy16": [names[path[0]] for path, hints
                              in attributes.items()
                              if ["tt.divisibility", 16] in hints],
            "numWarps": options.num_warps, "numStages": options.num_stages,
            "launch": {"grid": [*map(int, sizes), 1, 1][:3],
                       "arguments": {name: describe_argument(bound[name])
                                     for name in runtime}}}


def abstract(entry: dict[str, Any], element: str) -> dict[str, Any]:
    """The entry with T for the element."""
    return {**entry,
            "signature": {name: f"*T" if text == f"*{element}" else
                          "T" if text == element else text
                          for name, text in entry["signature"].items()},
            "constants": {name: manifest.without_element(value, element)
                          for name, value in entry["constants"].items()}}


def uses_element(entry: dict[str, Any]) -> bool:
    return (any(text in ("T", "*T") for text in entry["signature"].values())
            or {"dtype": "T"} in entry["constants"].values())


class Collection:
    """All entries, each once, under names that tell them apart."""

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Any]] = {}
        self.names: set[str] = set()

    def add(self, recipe: str, element: str, entry: dict[str, Any]) -> None:
        entry = abstract(entry, element)
        key = repr({**entry, "launch": None})
        elements = [element] if uses_element(entry) else []
        if key in self.entries:
            known = self.entries[key]["elements"]
            known.extend(each for each in elements if each not in known)
            return
        base = name = f"{recipe}.{entry['function']}"
        number = 1
        while name in self.names:
            number += 1
            name = f"{base}.{number}"
        self.names.add(name)
        self.entries[key] = {"name": name, "elements": elements, **entry}


def run_recipe(recipe: Any, element: str) -> None:
    """Runs a recipe forward and, as far as it has one, backward."""
    import torch
    from recipes import Inputs
    torch.manual_seed(0)
    # What no kernel has written is NaN, or the largest integer, every time.
    torch.use_deterministic_algorithms(True)
    outputs = recipe.call(Inputs(getattr(torch, {
        "fp16": "float16", "bf16": "bfloat16"}[element]), recipe.varlen))
    if not isinstance(outputs, (tuple, list)):
        outputs = [outputs]
    outputs = [each for each in outputs if isinstance(each, torch.Tensor)
               and each.requires_grad]
    if recipe.backward:
        torch.autograd.backward(outputs, [torch.ones_like(each)
                                          for each in outputs])


def collect(only: str, all_configurations: bool
            ) -> tuple[list[dict[str, Any]], list[str]]:
    """The entries of all recipes, and the names of those that failed."""
    recorder = Recorder()
    recorder.install(all_configurations)
    import linear_recipes  # pylint: disable=unused-import
    import attention_recipes  # pylint: disable=unused-import
    import part_recipes  # pylint: disable=unused-import
    from recipes import RECIPES
    collection, failed = Collection(), []
    for recipe in RECIPES:
        if only not in recipe.name:
            continue
        for element in manifest.ELEMENTS:
            try:
                run_recipe(recipe, element)
            except Exception:
                failed.append(f"{recipe.name} with {element}")
                traceback.print_exc()
            for entry in recorder.take():
                collection.add(recipe.name, element, entry)
    return list(collection.entries.values()), failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path,
                        default=manifest.FOLDER / "fla.json")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only recipes whose names have it")
    parser.add_argument("--all-configurations", action="store_true",
                        help="note what autotuning would try, not only the "
                        "typical: thousands of kernels, to look for crashes")
    options = parser.parse_args()
    # Kernels for other vendors and compilers are chosen at run time.
    os.environ["FLA_DISABLE_BACKEND_DISPATCH"] = "1"
    warnings.simplefilter("ignore")
    gpu_stand_in.install()
    entries, failed = collect(options.only, options.all_configurations)
    manifest.save(options.output, PACKAGE,
                  importlib.metadata.version(PACKAGE), entries)
    files = sum(max(1, len(entry["elements"])) for entry in entries)
    functions = {(entry["module"], entry["function"]) for entry in entries}
    print(f"{len(functions)} functions, {len(entries)} entries, "
          f"{files} kernels with their element types")
    for name in failed:
        print(f"error: the recipe {name} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
