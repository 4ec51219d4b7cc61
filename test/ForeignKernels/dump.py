#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a manifest's kernels: NAME.ttir, and with --ptx Triton's own NAME.ptx.

The text of the tile IR is what Triton's front end and its stage `ttir` give,
for an A100. Needs requirements.txt, but neither a GPU nor PyTorch.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import gpu_stand_in
import manifest
import torch_stand_in


def find_function(kernel: manifest.Kernel) -> Any:
    """The kernel's JIT function, without the autotuners around it."""
    from triton.runtime.jit import JITFunction
    function = getattr(importlib.import_module(kernel.module),
                       kernel.function)
    while not isinstance(function, JITFunction):
        function = function.fn
    return function


def decode_constant(value: Any) -> Any:
    import triton.language as tl
    return tl.dtype(value["dtype"]) if isinstance(value, dict) else value


def make_source(kernel: manifest.Kernel) -> Any:
    """What Triton compiles."""
    from triton.compiler import ASTSource
    function = find_function(kernel)
    names = function.arg_names
    given = {*kernel.signature, *kernel.constants}
    if given != set(names):
        sys.exit(f"error: {kernel.name}: expects the arguments {names}, but "
                 f"got {sorted(given)}; record the manifest again")
    return ASTSource(
        function, {name: kernel.signature.get(name, "constexpr")
                   for name in names},
        {name: decode_constant(value)
         for name, value in kernel.constants.items()},
        {(names.index(name),): [["tt.divisibility", 16]]
         for name in kernel.divisible_by_16})


class Maker:
    """Triton's compiler for the GPU that is stood in for."""

    def __init__(self, stages: int | None) -> None:
        from triton.compiler import make_backend
        self.stages = stages
        self.target = gpu_stand_in.Driver().get_current_target()
        self.backend = make_backend(self.target)

    def make(self, kernel: manifest.Kernel, to_ptx: bool
             ) -> tuple[str, str | None]:
        """The kernel's tile IR, and its PTX if that is asked for."""
        from triton._C.libtriton import ir
        backend = self.backend
        options = backend.parse_options({"num_warps": kernel.num_warps,
                                         "num_stages": self.stages
                                         or kernel.num_stages})
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        module = make_source(kernel).make_ir(
            self.target, options, backend.get_codegen_implementation(options),
            backend.get_module_map(), context)
        metadata: dict[str, Any] = {"hash": kernel.name,
                                    "target": self.target}
        arch = self.target.arch
        module = backend.make_ttir(module, metadata, options, arch)
        text = str(module)
        if not to_ptx:
            return text, None
        stages: dict[str, Any] = {}
        from triton.compiler.compiler import Language
        backend.add_stages(stages, options, Language.TRITON)
        for stage in ("ttgir", "llir", "ptx"):
            module = stages[stage](module, metadata)
        return text, module


def relative_paths(text: str) -> str:
    """Cuts the folder of installed packages off the paths of sources."""
    for folder in sys.path:
        if folder:
            text = text.replace(f'"{folder}/', '"')
    return text


def dump(maker: Maker, kernel: manifest.Kernel, output: Path, ptx: bool
         ) -> None:
    text, code = maker.make(kernel, ptx)
    (output / f"{kernel.name}.ttir").write_text(relative_paths(text))
    if code is not None:
        (output / f"{kernel.name}.ptx").write_text(code)


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="folder to write to")
    manifest.add_selection(parser)
    parser.add_argument("--ptx", action="store_true",
                        help="write Triton's PTX too")
    parser.add_argument("--stages", type=int, metavar="N",
                        help="have Triton overlap N iterations of a loop, instead "
                             "of as many as the package asks for")
    return parser.parse_args()


def require_version(path: Path) -> None:
    """Exits unless the manifest's version of the package is installed."""
    document = json.loads(path.read_text())
    package, version = document["package"], document["version"]
    try:
        installed = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        installed = "none"
    if installed != version:
        sys.exit(f"error: expects {package} {version}, but got {installed}; "
                 f"see {manifest.FOLDER / 'requirements.txt'}")


def install_stand_ins() -> None:
    """A PyTorch and a GPU for the package to be told of."""
    os.environ["FLA_DISABLE_BACKEND_DISPATCH"] = "1"
    warnings.simplefilter("ignore")
    torch_stand_in.install()
    gpu_stand_in.install()


def main() -> int:
    options = parse_options()
    require_version(options.manifest)
    install_stand_ins()
    options.output.mkdir(parents=True, exist_ok=True)
    maker, failed, start = Maker(options.stages), 0, time.monotonic()
    kernels = manifest.select(options)
    for kernel in kernels:
        try:
            dump(maker, kernel, options.output, options.ptx)
        except Exception as error:
            failed += 1
            print(f"error: {kernel.name}: {first_line(error)}",
                  file=sys.stderr)
    print(f"{len(kernels) - failed} of {len(kernels)} kernels made in "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
