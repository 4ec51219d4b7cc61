# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch that a kernel is compiled for, where a JITFunction compiles it to launch
it with Triton's launcher. What is estimated on the way is estimated for that launch:
the first one, as its kernel serves those to come."""

import contextlib
import functools
import math
import sys
import threading

# Of fewer programs than estimates take as given, nothing is said of later launches:
# programs often warm up with little.
FEWEST_PROGRAMS = 1024

_state = threading.local()


def watch(jit_function):
    """Notes the launches of Triton's class JITFunction. A version that compiles in
    another way than is known here has none."""
    if hasattr(jit_function, "_do_compile"):
        jit_function._do_compile = _noting(jit_function._do_compile)


def current():
    """What is known of it, as the option `launch` has it: maybe nothing ([]). None
    where others may launch the kernel: a warm-up, a compilation ahead of time."""
    return getattr(_state, "launch", None)


def of_unknown_arguments():
    """A `with` in which kernels are compiled to be launched with Triton's launcher."""
    return _compiled_for([])


@contextlib.contextmanager
def _compiled_for(launch):
    before = current()
    _state.launch = launch
    try:
        yield
    finally:
        _state.launch = before


def _noting(compile_kernel):
    @functools.wraps(compile_kernel)
    def do_compile(self, key, signature, device, constexprs, options, attrs, warmup):
        # (Triton hands the grid and the arguments to nobody before the launch.)
        launch = None if warmup else _describe(signature, sys._getframe(1).f_locals)
        with _compiled_for(launch):
            return compile_kernel(self, key, signature, device, constexprs, options, attrs, warmup)
    return do_compile


def _describe(signature, run):
    """`run`: the variables of JITFunction.run."""
    grid, arguments = run.get("grid"), run.get("bound_args")
    if not isinstance(arguments, dict):
        return []
    try:
        grid = tuple(grid(arguments) if callable(grid) else grid)
    except Exception:  # It is the launch's to say so.
        return []
    if not all(isinstance(size, int) for size in grid) or math.prod(grid) < FEWEST_PROGRAMS:
        return []
    words = ["x".join(map(str, (*grid, 1, 1)[:3]))]
    words += [f"{name}={value}" for name, value in arguments.items()
              if type(value) is int and signature.get(name) in ("i32", "i64")]
    return words
