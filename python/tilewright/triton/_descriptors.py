# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors among a kernel's arguments. Triton's launcher passes one as
its address, shape, strides and flags where the kernel has no tensor map for it, as
Triton's passes for GPUs without tensor maps have the kernel take it.

The flags say how loads are padded and rounded. Triton compiles one kernel for all of
them; here those that pad with zeros and do not round have a mark in the kernel's key,
and their kernel makes its descriptors itself, which loads tiles as fast as through any
others. What has no mark (other flags, an IR file) is expanded by Triton's passes, which
test the flags for each tile."""

import functools
import gc
import itertools
import re
import tempfile

from triton._C.libtriton import ir, passes
from triton.tools.tensor_descriptor import TensorDescriptor

from . import _settings

# The newest capability for which Triton's own passes make pointers of descriptors.
WITHOUT_TENSOR_MAPS = 80
# The oldest for which they keep them.
WITH_TENSOR_MAPS = 90

_LOCATION = r"(?: loc\((?:[^()]|\([^()]*\))*\))?"
# A descriptor among the arguments: its name, type, sizes and elements, attributes and
# location, and the numbers that follow: first of all its sizes and strides once more.
_ARGUMENT = re.compile(r"(%[\w.$-]+): (!tt\.tensordesc<(?:tensor<)?((?:\d+x)+)([a-z]\w*)[^>]*>+)"
                       rf"( \{{[^}}]*\}})?({_LOCATION})((?:, %[\w.$-]+: i(?:32|64){_LOCATION})*)")
_NUMBER = re.compile(rf", (%[\w.$-]+): (i32|i64)({_LOCATION})")
# The mark, a letter of Triton's keys of arguments, and the attribute that it becomes.
# Triton's own letter for divisibility by 16 says here that rows have multiples of 16
# bytes; of addresses and strides Triton requires that.
_MARK, _MARKED, _WHOLE_ROWS = "Z", "tilewright.pads_with_zeros", "D"
# What addresses, strides and, with the letter, rows are multiples of, in bytes.
_GRANULARITY = 16
# A descriptor that a kernel makes: operands, and attributes.
_MADE = re.compile(r"(tt\.make_tensor_descriptor [^:{]*?) (?:\{([^}]*)\} )?: ")
# What Triton's own passes make no pointers of.
_REFUSED = re.compile(r"tt\.descriptor_reduce (min|max), .*x(f16|bf16)>")
_LOADS = re.compile(r"tt\.descriptor_(load|gather)\b")


# Whether there are descriptors at all: launches look for theirs only then.
_exist = False


def watch(jit_function, backend):
    """Has instances of Triton's class JITFunction mark the descriptors that they are
    launched with; `backend`: its class for NVIDIA's GPUs."""
    jit_function.create_binder = _marking(jit_function.create_binder)
    parse = backend.parse_attr

    def parse_attr(letters):
        return parse(letters) + [[_MARKED, 1]] * (_MARK in letters)

    backend.parse_attr = staticmethod(parse_attr)
    _watch_for_first()


def _watch_for_first():
    global _exist
    _exist = any(type(thing) is TensorDescriptor for thing in gc.get_objects())
    check = TensorDescriptor.__post_init__

    def first(self):
        global _exist
        _exist = True
        TensorDescriptor.__post_init__ = check
        check(self)

    if not _exist:
        TensorDescriptor.__post_init__ = first


def _marking(create_binder):
    @functools.wraps(create_binder)
    def create(self, *arguments, **named):
        *made, bind = create_binder(self, *arguments, **named)

        def bind_and_mark(*given, **options):
            bound, keys, rest = bind(*given, **options)
            if _exist and _settings.current() is not None:
                keys = [_mark(*each) for each in zip(bound.values(), keys)]
            return bound, keys, rest

        return (*made, bind_and_mark)
    return create


def _mark(value, key):
    """`key`, a type and letters, of an argument; or types and letters of a tuple's."""
    if type(value) is TensorDescriptor:
        # (Both are of versions after 3.4.)
        if (getattr(value, "padding", "zero") != "zero"
                or getattr(value, "round_f32_to_tf32", False)):
            return key
        row = value.shape[-1] * value.base.dtype.itemsize
        return key[0], _MARK + _WHOLE_ROWS * (row % _GRANULARITY == 0)
    if isinstance(value, tuple) and isinstance(key[0], tuple):
        keys = [_mark(*each) for each in zip(value, zip(*key))]
        return tuple(zip(*keys)) or key
    return key


def has_descriptor_arguments(module):
    return any("tensordesc" in str(each) for each in _signature(module))


def are_descriptors_marked(module):
    """Whether all of the kernel's descriptors are known to pad with zeros."""
    return all(_MARKED in (found[5] or "") for found in _find_descriptors(str(module)))


def _find_descriptors(text):
    entry = next(line for line in text.split("\n") if "tt.func public" in line)
    return list(_ARGUMENT.finditer(entry))


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
    """Whether the kernel is to make its descriptors: all of them are marked; or Triton's
    own passes refuse to expand them, and nothing is loaded through them."""
    text = str(module)
    return (are_descriptors_marked(module)
            or bool(_REFUSED.search(text)) and not _LOADS.search(text))


def make_descriptors(module):
    """The module with its kernel's descriptors made in the kernel, of what the launcher
    passes."""
    text = str(module)
    # (Since Triton 3.9 a descriptor's type has sizes and elements in it, no tile.)
    vector = "tensor<16xf16>" if "!tt.tensordesc<tensor<" in text else "16xf16"
    flags = _count_flags(module.context, vector)
    lines, made = [], []

    def take_apart(found):
        arguments, ops = _take_apart(found, flags)
        made.extend(ops)
        return arguments

    for line in text.split("\n"):
        if "tt.func public" not in line:
            lines.append(line)
            continue
        lines.append(_ARGUMENT.sub(take_apart, line))
        lines += made
    return _parse("\n".join(lines), module.context)


def _take_apart(found, flags):
    """What the launcher passes of a descriptor, found among arguments, and behind it, as
    arguments; the ops that make it of these."""
    name, descriptor, sizes, element, attributes, location, numbers = found.groups()
    rank = sizes.count("x")
    pointer = re.sub(r"^[su](?=i\d)", "", element)
    # What sizes and strides are multiples of: those of the last dimension come last.
    whole = _count_elements(element) if "tt.divisibility" in (attributes or "") else 1
    of_sizes = [1] * (rank - 1) + [whole]
    of_strides = [_count_elements(element)] * (rank - 1) + [1]
    sizes = [f"{name}.size{d}" for d in range(rank)]
    strides = [f"{name}.stride{d}" for d in range(rank)]
    parts = [(f"{name}.base", f"!tt.ptr<{pointer}>", _GRANULARITY),
             *((part, "i64", divisor)
               for part, divisor in zip(sizes + strides, of_sizes + of_strides))]
    # Maps of tensors are made of arguments by their names.
    arguments = [f'{part}: {kind}{_divisible(divisor)} loc("{part[1:]}")'
                 for part, kind, divisor in parts]
    arguments += [f"{name}.flag{i}: i1{location}" for i in range(flags)]
    ops = [f"{size}.i32 = arith.trunci {size}{_divisible(divisor)} : i64 to i32"
           for size, divisor in zip(sizes, of_sizes)]
    ops.append(f"{name} = tt.make_tensor_descriptor {name}.base, "
               f"[{', '.join(f'{size}.i32' for size in sizes)}], [{', '.join(strides)}] "
               f": <{pointer}>, {descriptor.removeprefix('!tt.tensordesc')}")
    return ", ".join(arguments) + _hint(numbers, of_sizes + of_strides), ops


def align_descriptors(text):
    """The text of a module, with what Triton asks of the address and strides of the
    descriptors that a kernel makes."""
    def align(found):
        attributes = filter(None, [f"tt.divisibility = {_GRANULARITY} : i32", found[2]])
        return f"{found[1]} {{{', '.join(attributes)}}} : "
    return _MADE.sub(align, text)


def _hint(numbers, divisors):
    """The text of arguments that are numbers, those of a descriptor first, if they are."""
    found = list(_NUMBER.finditer(numbers))
    rank = len(divisors) // 2
    if [each[2] for each in found[:2 * rank]] != ["i32"] * rank + ["i64"] * rank:
        return numbers
    return "".join(f", {each[1]}: {each[2]}{_divisible(divisor)}{each[3]}"
                   for each, divisor in itertools.zip_longest(found, divisors, fillvalue=1))


def _divisible(number):
    return f" {{tt.divisibility = {number} : i32}}" if number > 1 else ""


def _count_elements(element):
    """Elements in the bytes that strides are multiples of."""
    bits = 8 if element.startswith("f8") else int(re.search(r"\d+", element)[0])
    return _GRANULARITY * 8 // bits


def _signature(module):
    return module.get_function_signature(module.get_function(module.get_entry_func_name()))


def _count_flags(context, vector):
    """How many flags Triton's launcher passes behind the strides of a descriptor;
    `vector`: of 16 elements, as its types have it."""
    module = _parse(f"tt.func public @k(%d: !tt.tensordesc<{vector}>) {{ tt.return }}", context)
    _run_expansion(module)
    return len(_signature(module)) - 3


def _parse(text, context):
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    return module
