# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors among a kernel's arguments. Triton's launcher passes one as
its address, shape, strides and padding where the kernel has no tensor map for it,
as its own pass for older GPUs has the kernel take it; so that pass is run."""

from triton._C.libtriton import ir, passes


def expand_descriptors(module, text):
    """The module's text, in which no argument is a descriptor."""
    signature = text[text.find("tt.func public"):].split("\n", 1)[0]
    if "!tt.tensordesc" not in signature:
        return text
    manager = ir.pass_manager(module.context)
    passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    run(manager, module)
    return str(module)


def run(manager, module):
    # Since Triton 3.5 a run has a name, for its dumps.
    if "str" in (manager.run.__doc__ or ""):
        manager.run(module, "tilewright_expand_descriptors")
    else:
        manager.run(module)
