# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors among a kernel's arguments. Triton's launcher passes one as
its address, shape, strides and flags where the kernel has no tensor map for it, as
Triton's passes for GPUs without tensor maps have the kernel take it."""

from triton._C.libtriton import ir, passes

# The newest capability for which Triton's own passes make pointers of descriptors.
WITHOUT_TENSOR_MAPS = 80


def has_descriptor_arguments(module):
    function = module.get_function(module.get_entry_func_name())
    return any("tensordesc" in str(each) for each in module.get_function_signature(function))


def expand_descriptors(module):
    """Has a module that is not from Triton's front end, but from a file, take no
    descriptors."""
    manager = ir.pass_manager(module.context)
    passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    # Since Triton 3.5 a run has a name, for its dumps.
    if "str" in (manager.run.__doc__ or ""):
        manager.run(module, "tilewright_expand_descriptors")
    else:
        manager.run(module)
