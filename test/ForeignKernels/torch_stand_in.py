# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module `torch` that is good for being imported against, and no more.

Files with Triton kernels also hold their launchers, which name PyTorch in
annotations, base classes, decorators and default values. To compile the
kernels none of it is called, so a module whose every name exists is enough,
and a dump needs no PyTorch.
"""

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

VERSION = "2.10.0"
_NAMES = ("torch", "einops")


class _NameMeta(type):
    """Any name below torch: a class, so that it can be a base class, an
    annotation (`A | None`, `A[B]`) and have names below it."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _make_name(f"{cls.__name__}.{name}")

    def __getitem__(cls, _index: Any) -> Any:
        return cls

    def __or__(cls, _other: Any) -> Any:
        return cls

    __ror__ = __or__

    def __call__(cls, *arguments: Any, **_keywords: Any) -> Any:
        """A decorator gives what it decorates, a decorator with arguments one
        that does, and any other call another name."""
        if len(arguments) == 1 and callable(arguments[0]):
            return arguments[0]
        return cls


def _make_name(name: str) -> _NameMeta:
    return _NameMeta(name, (), {})


class _Module(ModuleType):
    """torch, or a module below it."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _make_name(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below torch."""

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> Any:
        if name.split(".")[0] not in _NAMES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__version__ = VERSION


def install() -> None:
    """Puts the stand-ins for torch and einops before whatever is installed."""
    sys.meta_path.insert(0, _Finder())
