# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's compilation goes through stages: ttir, ttgir, llir, ptx, cubin, each
made of the one before, and kept in kernel.asm. Ours takes the place of ttgir,
llir, ptx and cubin: the first compiles, and the others hand out what it made.
Where an argument is a tensor descriptor, ttir is Triton's for older GPUs, or has it
made in the kernel. A stage that is given something else than what we made (an IR
file, an override, a kernel that Triton is to compile) is Triton's."""

import re

import tilewright
from triton import knobs
from triton.runtime.errors import OutOfResources

from . import _launch
from ._assembler import find_root
from ._compile import compile_ttir, log, translate_options
from ._descriptors import (WITH_TENSOR_MAPS, WITHOUT_TENSOR_MAPS, align_descriptors,
                           expand_descriptors, has_descriptor_arguments, make_descriptors,
                           needs_descriptors_made)
from ._errors import CompilationError
from ._reports import report_fallback


# An op of Triton's GPU dialects, with its results or without.
_GPU_OP = re.compile(r'^\s*(%[\w:, %]+ = )?"?ttn?g\.', re.MULTILINE)


def _makes_descriptors(text):
    return "tt.make_tensor_descriptor" in text


class Stages:
    """The stages of one compilation."""

    def __init__(self, backend, stages, options, capability, settings):
        self.backend = backend
        self.theirs = dict(stages)
        self.options = options
        self.capability = capability
        self.settings = settings
        self.compiled = None
        # Whether the kernel's own text makes tensor descriptors; None: as what ttgir is
        # given says.
        self.describes = None

    def replace(self, stages):
        """Puts ours in the place of Triton's, in their order."""
        for name in ("ttir", "ttgir", "llir", "ptx", "cubin"):
            stages[name] = getattr(self, name)

    def ttir(self, module, metadata):
        capability = self.capability
        if (has_descriptor_arguments(module)
                and not self.settings.excludes(module.get_entry_func_name())):
            capability = min(capability, WITHOUT_TENSOR_MAPS)
            if needs_descriptors_made(module):
                self.describes = _makes_descriptors(str(module))
                module, capability = make_descriptors(module), WITH_TENSOR_MAPS
        if capability == self.capability:
            return self.theirs["ttir"](module, metadata)
        return self.backend.make_ttir(module, metadata, self.options, capability)

    def ttgir(self, module, metadata):
        kernel = module.get_entry_func_name()
        if self.settings.excludes(kernel):
            log.info("'%s' is excluded: Triton compiles it", kernel)
            return self.theirs["ttgir"](module, metadata)
        text = str(module)
        if _GPU_OP.search(text):
            log.info("'%s' has ops of Triton's GPU dialects: Triton compiles it", kernel)
            return self.theirs["ttgir"](module, metadata)
        try:
            self._refuse_options(kernel)
            if has_descriptor_arguments(module):
                text = str(expand_descriptors(module))
            text = align_descriptors(text)
            options = translate_options(
                self.options, line_tables=not knobs.compilation.disable_line_info,
                launch=_launch.current(), tensor_maps=self.settings.tensor_maps,
                describes=_makes_descriptors(text) if self.describes is None
                else self.describes)
            self.compiled = compile_ttir(
                kernel, text, self.capability, options, self._find_assembler())
        except CompilationError as error:
            if not self.settings.fallback:
                raise self._as_triton(error) from error
            metadata["tilewright_fallback"] = error.reason
            report_fallback(error.kernel, error.reason)
            return self.theirs["ttgir"](module, metadata)
        self._describe(metadata)
        return self.compiled.tilegpu

    def llir(self, source, metadata):
        if self.compiled and source is self.compiled.tilegpu:
            return self.compiled.llvm
        return self.theirs["llir"](source, metadata)

    def ptx(self, source, metadata):
        if self.compiled and source is self.compiled.llvm:
            return self.compiled.ptx
        return self.theirs["ptx"](source, metadata)

    def cubin(self, source, metadata):
        if self._hands_out_ptx() and self.compiled:
            return source.encode() + b"\0"
        if self.compiled and self.compiled.cubin and source is self.compiled.ptx:
            return self.compiled.cubin
        return self.theirs["cubin"](source, metadata)

    def _find_assembler(self):
        """The folder with the library that assembles; None: ptxas does, or nobody."""
        if self.settings.image != "auto" or self._hands_out_ptx():
            return None
        return find_root(self.options, self.capability, self.backend.target.arch)

    def _hands_out_ptx(self):
        """Whether the CUDA driver is to assemble the PTX."""
        if self.settings.image != "auto":
            return self.settings.image == "ptx"
        # CUDA 13's assembler has no Volta.
        return self.capability < 75 and int(knobs.nvidia.ptxas.version.split(".")[0]) >= 13

    def _refuse_options(self, kernel):
        mode = getattr(self.options, "instrumentation_mode", "")
        if mode:
            raise CompilationError(kernel, f"sm_{self.capability}", [(
                "error", "", 0, 0, f"expects no instrumentation, but got '{mode}', which is "
                "a pass over Triton's own IR")])
        if getattr(self.options, "num_ctas", 1) > 1:
            log.info("'%s': num_ctas = %d; each program runs on one CTA all the same", kernel,
                     self.options.num_ctas)

    def _describe(self, metadata):
        """Says what Triton's launcher asks of a kernel, in any of its versions."""
        metadata["name"] = self.compiled.name
        metadata["shared"] = self.compiled.shared_bytes
        metadata["num_warps"] = self.compiled.warps
        metadata["tilewright_maps"] = self.compiled.maps
        metadata["num_ctas"] = 1
        if hasattr(self.options, "cluster_dims"):
            metadata["cluster_dims"] = (1, 1, 1)
        metadata["tmem_size"] = 0
        for name, size in (("global", self.compiled.scratch_bytes), ("profile", 0)):
            metadata[f"{name}_scratch_size"] = size
            metadata[f"{name}_scratch_align"] = 128 if size else 1
        metadata["tensordesc_meta"] = []
        metadata["tilewright"] = tilewright.version()

    @staticmethod
    def _as_triton(error):
        """The exception that Triton's autotuner knows, where it has one."""
        needs = error.out_of_resources()
        return OutOfResources(*needs) if needs else error

