# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors among a kernel's arguments. Triton's launcher passes one as
its address, shape, strides and flags where the kernel has no tensor map for it, as
Triton's passes for GPUs without tensor maps have the kernel take it."""

import re
import tempfile

from triton._C.libtriton import ir, passes

# The newest capability for which Triton's own passes make pointers of descriptors.
WITHOUT_TENSOR_MAPS = 80
# The oldest for which they keep them.
WITH_TENSOR_MAPS = 90

# A descriptor among the arguments: its name, sizes and elements.
_ARGUMENT = re.compile(r"(%[\w.$-]+): !tt\.tensordesc<tensor<((?:\d+x)+)([a-z]\w*)[^>]*>>")
# What Triton's own passes make no pointers of.
_REFUSED = re.compile(r"tt\.descriptor_reduce (min|max), .*x(f16|bf16)>")
_LOADS = re.compile(r"tt\.descriptor_(load|gather)\b")


def has_descriptor_arguments(module):
    return any("tensordesc" in str(each) for each in _signature(module))


def expand_descriptors(module):
    """A module that is not from Triton's front end, but from a file, with no descriptors
    among its arguments."""
    if needs_descriptors_made(module):
        return make_descriptors(module)
    _run_expansion(module)
    return module


def _run_expansion(module):
    manager = ir.pass_manager(module.context)
    passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
    passes.common.add_canonicalizer(manager)
    passes.common.add_cse(manager)
    # Since Triton 3.5 a run has a name, for its dumps.
    if "str" in (manager.run.__doc__ or ""):
        manager.run(module, "tilewright_expand_descriptors")
    else:
        manager.run(module)


def needs_descriptors_made(module):
    """Whether Triton's own passes refuse to expand a module's descriptors, and nothing
    is loaded through them: how loads are padded is known at the launch alone."""
    text = str(module)
    return bool(_REFUSED.search(text)) and not _LOADS.search(text)


def make_descriptors(module):
    """The module with its kernel's descriptors made in the kernel, of what the launcher
    passes."""
    flags = _count_flags(module.context)
    made = []

    def take_apart(found):
        name, sizes, element = found.groups()
        rank = sizes.count("x")
        pointer = re.sub(r"^[su](?=i\d)", "", element)
        shape = [f"{name}.size{d}" for d in range(rank)]
        strides = [f"{name}.stride{d}" for d in range(rank)]
        made.extend(f"{size}.i32 = arith.trunci {size} : i64 to i32" for size in shape)
        made.append(f"{name} = tt.make_tensor_descriptor {name}.base, "
                    f"[{', '.join(f'{size}.i32' for size in shape)}], [{', '.join(strides)}] "
                    f": <{pointer}>, <tensor<{sizes}{element}>>")
        return ", ".join([f"{name}.base: !tt.ptr<{pointer}>",
                          *(f"{number}: i64" for number in (*shape, *strides)),
                          *(f"{name}.flag{i}: i1" for i in range(flags))])

    lines = []
    for line in str(module).split("\n"):
        if "tt.func public" not in line:
            lines.append(line)
            continue
        lines.append(_ARGUMENT.sub(take_apart, line))
        lines += made
    return _parse("\n".join(lines), module.context)


def _signature(module):
    return module.get_function_signature(module.get_function(module.get_entry_func_name()))


def _count_flags(context):
    """How many flags Triton's launcher passes behind the strides of a descriptor."""
    module = _parse("tt.func public @k(%d: !tt.tensordesc<tensor<16xf16>>) { tt.return }", context)
    _run_expansion(module)
    return len(_signature(module)) - 3


def _parse(text, context):
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    return module
