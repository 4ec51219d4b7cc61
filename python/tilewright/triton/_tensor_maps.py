# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps of Triton's kernels. Code that copies boxes in bulk takes a map of
each tensor behind its own arguments, made of their values. Triton's launcher knows
such parameters ("nvTmaDesc"), and its driver makes the maps; here each launch finds
those that it passes. Who launches a kernel in another way (a program that compiles
ahead of time) would not pass any: only what is compiled for a launch (_launch) takes
them."""

import functools

# What strides are multiples of, in bytes, and less than (CUDA driver API,
# cuTensorMapEncodeTiled).
GRANULARITY = 16
LONGEST_STRIDE = 1 << 40
# What sizes are at most: coordinates have 32 bits and a sign. (The driver takes 2^32,
# but copies by a map of more than 2^31 ended in an illegal instruction on an H200.)
LARGEST_SIZE = (1 << 31) - 1
# How far before the base dimensions begin whose coordinates may be negative, in elements.
REACH = 1 << 31

# Launches of other tensors than before are remembered up to this many.
MOST_REMEMBERED = 4096


def watch(driver):
    """Has the launchers of Triton's driver, a module, pass maps."""
    driver.CudaLauncher.__init__ = _passing(driver.CudaLauncher.__init__, driver)


class _Source:
    """What a launcher is made for, with a parameter for each map behind it."""

    def __init__(self, source, count):
        self.fn = source.fn
        self.constants = getattr(source, "constants", {})
        self.signature = {**source.signature,
                          **{f"tilewright_map{i}": "nvTmaDesc" for i in range(count)}}


def _passing(build, driver):
    @functools.wraps(build)
    def init(self, source, metadata):
        recipes = getattr(metadata, "tilewright_maps", None)
        if not recipes:
            return build(self, source, metadata)
        build(self, _Source(source, len(recipes)), metadata)
        kinds = list(source.signature.values())
        maps = TensorMaps(recipes, kinds, driver)
        launch, count = self.launch, len(kinds)
        # Since Triton 3.7 a kernel's arguments are one, the last.
        if hasattr(self, "arg_annotations"):
            self.launch = lambda *given: launch(*given[:-1], (*given[-1], *maps(given[-1])))
        else:
            self.launch = lambda *given: launch(*given, *maps(given[-count:]))
        return None
    return init


class TensorMaps:
    """The maps of one kernel. `kinds`: Triton's types of its arguments."""

    def __init__(self, recipes, kinds, driver):
        self.recipes = recipes
        self.kinds = kinds
        self.driver = driver
        self.is_flat = not any(
            isinstance(kind, tuple) or kind.startswith("tensordesc") for kind in kinds)
        numbers = [i for i, kind in enumerate(kinds) if kind != "constexpr"]
        # Those that count: their places among all arguments, if each is one of the
        # code's, or else among the code's.
        self.places = sorted({value["argument"] for recipe in recipes
                              for value in _values(recipe) if isinstance(value, dict)})
        self.given = [numbers[place] for place in self.places] if self.is_flat else self.places
        self.made = {}

    def __call__(self, arguments):
        """The maps of a launch with these arguments."""
        if not self.is_flat:
            arguments = self._flatten(self.kinds, arguments)
        key = tuple([_number(arguments[place]) for place in self.given])
        maps = self.made.get(key)
        if maps is None:
            if len(self.made) >= MOST_REMEMBERED:
                self.made.clear()
            values = dict(zip(self.places, key))
            maps = self.made[key] = tuple(self._make(recipe, values) for recipe in self.recipes)
        return maps

    def _flatten(self, kinds, arguments):
        """As the code takes them."""
        flat = []
        for kind, argument in zip(kinds, arguments):
            if isinstance(kind, tuple):
                flat += self._flatten(kind, argument)
            elif kind.startswith("tensordesc"):
                decompose = getattr(self.driver, "decompose_descriptor", None)
                flat += (decompose(argument) if decompose
                         else self.driver.make_tensordesc_arg(argument, None))
            elif kind != "constexpr":
                flat.append(argument)
        return flat

    def _make(self, recipe, values):
        def evaluate(value):
            return values[value["argument"]] if isinstance(value, dict) else value
        for value in recipe["non_negative"]:
            if evaluate(value) < 0:
                raise _refusal(f"argument {value['argument']} to be 0 or more, but got "
                               f"{evaluate(value)}")
        address = evaluate(recipe["base"])
        shape = [min(evaluate(size), LARGEST_SIZE) for size in recipe["shape"]]
        if min(shape) < 1:
            # No map has no elements: one of a single 0 brings what masks would.
            address, shape = self._zeros(), [1] * len(shape)
        else:
            address -= self._add_signed_dimensions(recipe, evaluate, shape)
        if address % GRANULARITY:
            raise _refusal(f"an address that is a multiple of {GRANULARITY}, but got {address}")
        size = recipe["element_bytes"]
        strides = [self._check_stride(evaluate(stride), size) if extent > 1 else GRANULARITY // size
                   for stride, extent in zip(recipe["strides"], shape[1:])]
        utilities = self.driver.triton.runtime.driver.active.utils
        fill = getattr(utilities, "fill_tma_descriptor_tiled", None) or utilities.fill_tma_descriptor
        # Slowest dimensions first; zeros outside.
        return fill(address, recipe["swizzle"], size, recipe["data_type"], recipe["box"][::-1],
                    shape[::-1], [*strides[::-1], 1], 0)

    @staticmethod
    def _add_signed_dimensions(recipe, evaluate, shape):
        """What the tensor has before its base, of which the bytes are given."""
        size, before = recipe["element_bytes"], 0
        for dim in recipe.get("signed_dimensions", []):
            stride = evaluate(recipe["strides"][dim - 1])
            bias = REACH // max(stride, GRANULARITY // size)
            shape[dim] = min(shape[dim] + bias, LARGEST_SIZE)
            before += bias * stride * size
        return before

    @staticmethod
    def _check_stride(stride, size):
        if not 0 <= stride < LONGEST_STRIDE // size or stride * size % GRANULARITY:
            raise _refusal(f"strides of a tensor that are multiples of {GRANULARITY} bytes from 0 "
                           f"to 2^40, but got {stride * size}")
        return stride

    def _zeros(self):
        """The address of bytes that are 0, on the current device."""
        return _make_zeros(self.driver.triton.runtime.driver.active.get_current_device()).data_ptr()


@functools.cache
def _make_zeros(_device):
    import torch
    return torch.empty(GRANULARITY, dtype=torch.uint8, device="cuda").zero_()


def _refusal(what):
    return ValueError(f"bulk copies expect {what}; set TILEWRIGHT_TRITON_TENSOR_MAPS=0 for "
                      "programs that pass such")


def _values(recipe):
    return [recipe["base"], *recipe["shape"], *recipe["strides"],
            *recipe.get("non_negative", [])]


def _number(argument):
    """An argument as a launch passes it: pointers are tensors, numbers, or None."""
    if hasattr(argument, "data_ptr"):
        return argument.data_ptr()
    return 0 if argument is None else int(argument)


def describe(kernel):
    """The recipes of a kernel's maps, of its description in an artifact: arguments by
    their numbers, as names need not tell them apart. None where they do not."""
    recipes = kernel["variants"][0].get("tensor_maps", [])
    names = [parameter["name"] for parameter in kernel["parameters"]]
    used = {value for recipe in recipes for value in _values(recipe) if isinstance(value, str)}
    if any(names.count(name) > 1 for name in used):
        return None
    def number(value):
        return {"argument": names.index(value)} if isinstance(value, str) else value
    return [{**recipe, "base": number(recipe["base"]),
             **{name: [number(value) for value in recipe.get(name, [])]
                for name in ("shape", "strides", "non_negative")}} for recipe in recipes]
