#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tile IR of kernels.py as the installed Triton prints it.

Out: VERSION/NAME.ttir, the form that Triton's own pipeline starts from, and
VERSION/NAME.source.ttir, what its front end gives, with functions that are not
inlined and block pointers. No GPU is needed. A kernel that the version cannot
compile is said on stderr.
"""

import argparse
import inspect
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def make_source(name: str) -> Any:
    """What Triton compiles, as the version wants it."""
    import triton
    from triton.compiler import ASTSource
    import kernels
    types, constants = kernels.KERNELS[name]
    function = getattr(kernels, name)
    names = [each for each in function.arg_names if each not in constants]
    signature = dict(zip(names, types.split(), strict=True))
    if triton.__version__.startswith(("3.0.", "3.1.")):
        places = {each: place for place, each
                  in enumerate(function.arg_names)}
        return ASTSource(function, {places[each]: text for each, text
                                    in signature.items()},
                         {places[each]: value for each, value
                          in constants.items()})
    if not triton.__version__.startswith("3.2."):
        signature = {each: signature.get(each, "constexpr")
                     for each in function.arg_names}
        constants = {(function.arg_names.index(each),): value
                     for each, value in constants.items()}
    return ASTSource(function, signature, constants)


def call(function: Any, known: dict[str, Any]) -> Any:
    """Calls a function of Triton with those of its parameters that are known;
    which there are differs between versions."""
    names = inspect.signature(function).parameters
    return function(*[known[name] for name in names if name != "self"])


def make(name: str) -> tuple[str, str]:
    """The kernel's source form, and its tile IR."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    target = GPUTarget("cuda", 80, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": 4, "debug": True})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions: Any = getattr(backend, "get_codegen_implementation", dict)
    known = {"target": target, "options": options, "context": context,
             "capability": 80, "opt": options, "metadata": {}}
    known["codegen_fns"] = call(functions, known)
    known["module_map"] = getattr(backend, "get_module_map", dict)()
    module = call(make_source(name).make_ir, known)
    source = str(module)
    known["mod"] = module
    return source, str(call(backend.make_ttir, known))


def clean(text: str) -> str:
    """The text without this machine's folders."""
    folders = sorted({str(HERE), *sys.path}, key=len, reverse=True)
    for folder in folders:
        if folder:
            text = text.replace(f'"{folder}/', '"')
    return text


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    os.environ["TRITON_ALLOW_NON_CONSTEXPR_GLOBALS"] = "1"
    sys.path.insert(0, str(HERE))
    import triton
    import kernels
    folder = HERE / triton.__version__
    folder.mkdir(exist_ok=True)
    failed = 0
    for name in kernels.KERNELS:
        try:
            source, text = make(name)
        except Exception as error:  # Triton raises what it likes.
            print(f"{triton.__version__}: {name}: {error}", file=sys.stderr)
            failed += 1
            continue
        (folder / f"{name}.source.ttir").write_text(clean(source))
        (folder / f"{name}.ttir").write_text(clean(text))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
