# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has Triton's kernels compiled by Tilewright.

    import tilewright.triton
    tilewright.triton.enable()

or TILEWRIGHT_TRITON=1 in the environment, which needs no change in the program.
Triton's front end, caches and launcher stay what they are; between them, from
TTIR to PTX, Tilewright compiles. docs/Triton.md is the user's page."""

from ._errors import CompilationError
from ._settings import Settings, current, use

__all__ = ["CompilationError", "Settings", "current", "disable", "enable", "exclude"]


class _Switched:
    """What was switched on or off; in a `with` it is switched back at the end."""

    def __init__(self, settings):
        self._before = use(settings)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        use(self._before)


def enable(*, fallback=None, exclude=None, image=None, tensor_maps=None):
    """Kernels that are compiled from now on are compiled by Tilewright, in this
    process and in those that it starts. What is not given is as the environment
    says.

    fallback: whether Triton compiles a kernel that Tilewright does not (a
        warning says so, and why); without, that is a CompilationError.
    exclude: patterns (fnmatch) of the names of kernels that Triton compiles.
    image: what the CUDA driver is given: "cubin", which Triton's ptxas makes, or
        "ptx", which it assembles by itself; "auto": a cubin, by the library that
        PyTorch brings or else ptxas, where ptxas knows the GPU.
    tensor_maps: whether kernels for Hopper may take tensor maps, which launches
        make of their arguments.

        with tilewright.triton.enable(fallback=True):
            ...
    """
    from ._install import install
    install()
    return _Switched(Settings.from_environment(
        fallback=fallback, exclude=exclude, image=image, tensor_maps=tensor_maps))


def disable():
    """Kernels that are compiled from now on are compiled by Triton. As enable(),
    for a `with` too."""
    return _Switched(None)


def exclude(kernel):
    """Has Triton compile this kernel: a decorator, above or below @triton.jit, or
    a call with a kernel or a name."""
    from ._settings import exclude_name
    name = kernel if isinstance(kernel, str) else getattr(
        getattr(kernel, "fn", kernel), "__name__", None)
    if not name:
        raise TypeError(f"expects a kernel or its name, but got {kernel!r}")
    exclude_name(name)
    return kernel
