# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inductor, the back end of torch.compile. It compiles kernels apart from their
launches, and launches most of them by a launcher of its own, which passes no tensor
maps; those that take some it launches as Triton does. What it keeps on disk for a
graph has the graph's machine code in it, so that the keys say who compiled it."""

import functools
import hashlib

from tilewright_triton_startup import after_import

from . import _launch, _settings


def watch(identify):
    """Puts what is to be known into Inductor, now or when it is imported. `identify`:
    what tells our code under the settings in force from other code, a string."""
    after_import("torch._inductor.runtime.triton_heuristics", _watch_compilations)
    after_import("torch._inductor.codecache",
                 lambda module: _watch_cache(module.CacheBase, identify))


def _watch_compilations(heuristics):
    """A version that compiles in another way than is known here takes no maps."""
    tuner = getattr(heuristics, "CachingAutotuner", None)
    own = getattr(heuristics, "StaticTritonCompileResult", None)
    if not hasattr(tuner, "_precompile_config") or not hasattr(own, "can_statically_launch"):
        return
    tuner._precompile_config = _for_launches(tuner._precompile_config)
    own.can_statically_launch = staticmethod(_without_maps(own.can_statically_launch))


def _for_launches(compile_config):
    @functools.wraps(compile_config)
    def precompile_config(self, *arguments, **named):
        # Programs in C++ keep the machine code, and launch it themselves.
        if self.inductor_meta.get("store_cubin"):
            return compile_config(self, *arguments, **named)
        with _launch.of_unknown_arguments():
            return compile_config(self, *arguments, **named)
    return precompile_config


def _without_maps(can_launch):
    @functools.wraps(can_launch)
    def can_statically_launch(kernel, *arguments, **named):
        if getattr(kernel.metadata, "tilewright_maps", None):
            return None
        return can_launch(kernel, *arguments, **named)
    return can_statically_launch


def _watch_cache(cache, identify):
    get_system = cache.get_system

    @functools.wraps(get_system)
    def with_identity():
        system = get_system()
        if not system or _settings.current() is None:
            return system
        identity = identify()
        key = hashlib.sha256(f"{system['hash']}-{identity}".encode()).hexdigest()
        return {**system, "tilewright": identity, "hash": key}

    cache.get_system = staticmethod(with_identity)
