# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One kernel from TTIR to PTX: Triton's options as ours, one call of the compiler,
and what a launch must know."""

import json
import logging
import time
from dataclasses import dataclass

import tilewright
from tilewright import _native

from . import _tensor_maps
from ._errors import CompilationError

log = logging.getLogger("tilewright.triton")

# Triton's names of options, and ours.
_OPTIONS = {
    "num_warps": "num_warps",
    "num_stages": "num_stages",
    "maxnreg": "max_registers",
    "enable_fp_fusion": "fp_fusion",
    "enable_reflect_ftz": "flush_subnormals",
}
_OURS = {row["name"] for row in _native._options()}


@dataclass(frozen=True)
class Compiled:
    """A kernel in each form, and what its launch takes."""

    name: str
    tilegpu: str
    llvm: str
    ptx: str
    shared_bytes: int
    # Warps of a program, those that only copy included.
    warps: int
    # How its launch makes the tensor maps that it takes (_tensor_maps).
    maps: list
    # Bytes of a program in memory that its launch passes.
    scratch_bytes: int
    # None where it was not asked for.
    cubin: bytes


def translate_options(options, line_tables, launch, tensor_maps, describes):
    """The keywords of tilewright.emit for Triton's options. `launch`: _launch.current;
    `tensor_maps`: whether it may pass some; `describes`: whether the kernel makes
    descriptors, for whose maps Triton has programs say where memory comes from."""
    ours = {}
    for theirs, name in _OPTIONS.items():
        value = getattr(options, theirs, None)
        # (A number that is 0 asks for nothing.)
        if name in _OURS and (value or value is False):
            ours[name] = value
    ours["line_tables"] = line_tables
    ours["tensor_maps"] = tensor_maps and launch is not None
    ours["kernel_tensor_maps"] = describes and ours["tensor_maps"]
    if launch:
        ours["launch"] = launch
    return ours


def compile_ttir(kernel, text, capability, options, assembler=None):
    """Compiles the text of a module. `options`: of translate_options. `assembler`:
    the folder with the library that is to make machine code; None: nobody does."""
    target = _native._target_for_capability(capability)
    diagnostics = []
    if target is None:
        raise CompilationError(kernel, f"sm_{capability}", [(
            "error", "", 0, 0, f"expects a GPU of one of {', '.join(tilewright.targets())}, "
            f"but got sm_{capability}")])
    begin = time.perf_counter()
    try:
        forms = tilewright.emit(
            text, ["tilegpu", "llvm", "ptx", "artifact-json", *["cubin"][:assembler is not None]],
            target, on_diagnostic=lambda *said: diagnostics.append(said), machine_code=False,
            source_name=f"{kernel}.ttir", cuda_root=assembler or "", **options)
    except tilewright.Error as error:
        if assembler is not None:
            # If it is the library's fault, ptxas has its turn.
            return compile_ttir(kernel, text, capability, options)
        if not diagnostics:
            diagnostics.append(("error", "", 0, 0, str(error)))
        raise CompilationError(kernel, target, diagnostics) from None
    log.info("compiled '%s' for %s in %.3f s", kernel, target, time.perf_counter() - begin)
    facts = json.loads(forms["artifact-json"])["kernels"]
    if len(facts) != 1:
        raise CompilationError(kernel, target, [(
            "error", "", 0, 0, f"expects one kernel in a module, but got {len(facts)}")])
    maps = _tensor_maps.describe(facts[0])
    if maps is None:
        options = {**options, "tensor_maps": False}
        return compile_ttir(kernel, text, capability, options, assembler)
    return Compiled(facts[0]["name"], forms["tilegpu"], forms["llvm"], forms["ptx"],
                    facts[0]["shared_bytes"], facts[0]["variants"][0]["num_warps"], maps,
                    facts[0]["variants"][0].get("scratch_bytes", 0),
                    # Empty where the library would lose something of the PTX (registers that
                    # agents ask for): ptxas does not.
                    forms.get("cubin") or None)
