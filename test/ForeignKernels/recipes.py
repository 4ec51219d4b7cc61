# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of flash-linear-attention's operators, by which record.py finds which
kernels they launch: what the files *_recipes.py, which list them, share.

A recipe is one call, on a batch of equal sequences or on sequences of various
lengths laid end to end (`varlen`). Shapes are small, but of the kind that
models have: heads of 64 or 128, lengths of more than one chunk.
"""

import importlib
from dataclasses import dataclass
from typing import Any, Callable

import torch


@dataclass(frozen=True)
class Recipe:
    """A call of an operator: `call` makes its inputs and gives its outputs."""

    name: str
    call: Callable[["Inputs"], Any]
    varlen: bool
    backward: bool


class Inputs:
    """Makes the tensors of one call."""

    def __init__(self, element: torch.dtype, varlen: bool) -> None:
        self.element = element
        self.batch, self.length = (1, 320) if varlen else (2, 160)
        self.heads = 4
        self.sequences = 3 if varlen else self.batch
        self.varlen = {}
        if varlen:
            self.varlen["cu_seqlens"] = torch.tensor([0, 100, 116, 320])

    def of(self, *shape: int, dtype: torch.dtype | None = None) -> Any:
        """A tensor of this shape that takes a gradient."""
        return torch.rand(*shape, dtype=dtype or self.element).requires_grad_()

    def tokens(self, *shape: int, dtype: torch.dtype | None = None) -> Any:
        """[batch, length, heads, shape...]"""
        return self.of(self.batch, self.length, self.heads, *shape,
                       dtype=dtype)

    def qkv(self, key: int = 64, value: int = 64) -> tuple[Any, Any, Any]:
        return self.tokens(key), self.tokens(key), self.tokens(value)

    def gate(self, *shape: int) -> Any:
        """A logarithm of a decay, in f32."""
        return -self.tokens(*shape, dtype=torch.float32)

    def state(self, key: int = 64, value: int = 64) -> dict[str, Any]:
        """The arguments that give a state in and ask for it back."""
        return {"initial_state": self.of(self.sequences, self.heads, key,
                                         value, dtype=torch.float32),
                "output_final_state": True}


RECIPES: list[Recipe] = []


def _function(path: str) -> Callable[..., Any]:
    """'ops.gla:chunk_gla' of the package."""
    module, name = path.split(":")
    return getattr(importlib.import_module(f"fla.{module}"), name)


def add(name: str, path: str, arguments: Callable[[Inputs], dict[str, Any]],
         *, varlen: bool | None = None, backward: bool = True) -> None:
    """Adds the call of a function; both dense and varlen where `varlen` is not
    given."""
    for each in (False, True) if varlen is None else (varlen,):
        RECIPES.append(Recipe(
            f"{name}-varlen" if each else name,
            lambda inputs: _function(path)(**arguments(inputs),
                                           **inputs.varlen),
            each, backward))


def qkv(width: int = 64, value: int = 64, **more: Callable[[Inputs], Any]
         ) -> Callable[[Inputs], dict[str, Any]]:
    """Arguments q, k, v and those that functions of the inputs make."""
    def make(inputs: Inputs) -> dict[str, Any]:
        query, keys, values = inputs.qkv(width, value)
        return {"q": query, "k": keys, "v": values,
                **{name: function(inputs) for name, function in more.items()}}
    return make


def with_state(make: Callable[[Inputs], dict[str, Any]], width: int = 64,
               value: int = 64) -> Callable[[Inputs], dict[str, Any]]:
    return lambda inputs: {**make(inputs), **inputs.state(width, value)}


def constant(value: Any) -> Callable[[Inputs], Any]:
    return lambda inputs: value


TRUE = constant(True)


def head_gate(inputs: Inputs) -> Any:
    return inputs.gate()


def key_gate(inputs: Inputs) -> Any:
    return inputs.gate(64)


def wide_key_gate(inputs: Inputs) -> Any:
    return inputs.gate(128)


def beta(inputs: Inputs) -> Any:
    return inputs.tokens()


def key(inputs: Inputs) -> Any:
    return inputs.tokens(64)


def per_head(inputs: Inputs) -> Any:
    return -torch.rand(inputs.heads, dtype=torch.float32)


def per_head_key(inputs: Inputs) -> Any:
    return -torch.rand(inputs.heads * 64, dtype=torch.float32)
