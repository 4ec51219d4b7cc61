#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regenerates the corpus: one NAME.ttir for each kernel of manifest.json.

In: manifest.json and the Triton kernels that it names. Out: the text that
Triton's front end and its `ttir` stage give, with source locations relative to
the project root. It needs the pinned Triton (requirements.txt) but no GPU. It
runs nothing: that is run.py's work.
"""

import argparse
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from manifest import CORPUS, Kernel, load_kernels

PROJECT = CORPUS.parent.parent


def pinned_version() -> str:
    """The version that requirements.txt pins."""
    text = (CORPUS / "requirements.txt").read_text()
    return re.search(r"^triton==(\S+)$", text, re.MULTILINE).group(1)


def require_triton() -> ModuleType:
    """Imports Triton, or exits saying which version is needed."""
    advice = (f"install it with 'python3 -m pip install -r "
              f"{CORPUS / 'requirements.txt'}'")
    try:
        import triton
    except ImportError:
        sys.exit(f"error: expects triton {pinned_version()}, but it is not "
                 f"installed; {advice}")
    if triton.__version__ != pinned_version():
        sys.exit(f"error: expects triton {pinned_version()}, but got "
                 f"{triton.__version__}, whose dump may differ; {advice}")
    return triton


def load_function(kernel: Kernel) -> Any:
    """The kernel's @triton.jit function."""
    spec = importlib.util.spec_from_file_location(kernel.source.stem,
                                                  kernel.source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel.function)


def relative_locations(text: str) -> str:
    """Cuts what is particular to this machine off every source path."""
    text = text.replace(f'"{PROJECT}/', '"')
    return re.sub(r'"[^"\n]*/(?=triton/language/)', '"', text)


def require_signature(kernel: Kernel, arguments: list[str]) -> None:
    """Exits unless the manifest has each argument once, in the right order:
    the kernel's arguments are the signature's, as it stands."""
    of_function = [name for name in arguments
                   if name not in kernel.constexprs]
    unknown = sorted(set(kernel.constexprs) - set(arguments))
    if unknown or list(kernel.signature) != of_function:
        sys.exit(f"error: {kernel.name}: expects the signature {of_function} "
                 f"for {kernel.function}, but got {list(kernel.signature)}"
                 + (f" and unknown constexprs {unknown}" if unknown else ""))


def make_ttir(kernel: Kernel, capability: int) -> str:
    """The kernel's tile IR as a user's Triton dumps it for this capability."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend

    function = load_function(kernel)
    arguments = function.arg_names
    require_signature(kernel, arguments)
    signature = {name: kernel.signature.get(name, "constexpr")
                 for name in arguments}
    hints = {(arguments.index(name),): [["tt.divisibility", 16]]
             for name in kernel.divisible_by_16}

    target = GPUTarget("cuda", capability, 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": kernel.num_warps,
                                     "num_stages": kernel.num_stages})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(function, signature, kernel.constexprs, hints)
    module = source.make_ir(target, options,
                            backend.get_codegen_implementation(options),
                            backend.get_module_map(), context)
    module = backend.make_ttir(module, {}, options, capability)
    return relative_locations(str(module))


def write_or_check(path: Path, text: str, check: bool) -> bool:
    """Writes the dump; when checking, says whether the file already has it."""
    if not check:
        path.write_text(text)
        return True
    return path.exists() and path.read_text() == text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if a file would change")
    parser.add_argument("--capability", type=int, default=80,
                        help="compute capability to dump for (default: 80)")
    parser.add_argument("--output", type=Path, default=CORPUS,
                        help="folder to write to")
    options = parser.parse_args()
    require_triton()
    stale = []
    for kernel in load_kernels():
        text = make_ttir(kernel, max(options.capability, kernel.capability))
        path = options.output / kernel.file.name
        if not write_or_check(path, text, options.check):
            stale.append(path.name)
    for name in stale:
        print(f"error: {name} differs from what dump.py gives",
              file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
