#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every variant with Triton's own compiler, for run.py.

In: variants.py and the kernels. Out: ptx/NAME.TARGET.ptx and beside it a JSON
with what a launch must know. It needs the Triton that the corpus pins, but no
GPU. Source lines are left out of the PTX.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

# Read by Triton when it is imported.
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Corpus"), str(HERE / "kernels")]

from dump import require_triton  # noqa: E402
from variants import PTX, VARIANTS, Variant  # noqa: E402


def load_function(variant: Variant) -> Any:
    """The variant's @triton.jit function."""
    return getattr(__import__(variant.file.stem), variant.function)


def compile_variant(variant: Variant, target: str) -> tuple[str, dict]:
    """The PTX, and what a launch must know of it."""
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function = load_function(variant)
    names = [name for name in function.arg_names
             if name not in variant.constexprs]
    signature = {name: "constexpr" for name in variant.constexprs}
    signature.update(zip(names, variant.types, strict=True))
    constexprs = {name: getattr(tl, value) if name == "ACCUMULATOR" else value
                  for name, value in variant.constexprs.items()}
    hints = {(function.arg_names.index(name),): [["tt.divisibility", 16]]
             for name in names[:variant.aligned]}
    source = ASTSource(function, {name: signature[name]
                                  for name in function.arg_names},
                       constexprs, hints)
    options = {"num_warps": variant.warps, "num_stages": variant.stages}
    kernel = triton.compile(source, options=options,
                            target=GPUTarget("cuda", int(target[3:]), 32))
    ptx = kernel.asm["ptx"]
    hidden = ptx.split(".visible .entry")[1].split(")")[0].count(".param")
    return ptx, {"kernel": kernel.metadata.name,
                 "threads": 32 * kernel.metadata.num_warps,
                 "sharedBytes": kernel.metadata.shared,
                 "arguments": names, "hiddenPointers": hidden - len(names)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="variants with TEXT in their names")
    options = parser.parse_args()
    require_triton()
    failed = 0
    for variant in VARIANTS:
        for target in variant.targets if options.only in variant.name else ():
            try:
                ptx, facts = compile_variant(variant, target)
            except Exception as error:  # Triton raises what it likes.
                print(f"{variant.name} {target}: {error}", file=sys.stderr)
                failed += 1
                continue
            PTX.mkdir(exist_ok=True)
            variant.ptx(target).write_text(ptx)
            variant.facts(target).write_text(json.dumps(facts) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
