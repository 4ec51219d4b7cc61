# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where Tilewright is put into Triton: its back end's list of stages, and its part
of the caches' keys. (Triton's hook for stages is left to the user: it has one
place, is not in every version, and has no part in the keys before 3.7.)"""

import functools
import re

from . import _settings

OLDEST = (3, 4)


def install():
    """Puts it into Triton, once. While no settings are in force, Triton does what
    it did."""
    from triton.runtime.jit import JITFunction
    _require_version()
    from triton.backends.nvidia import driver
    from triton.backends.nvidia.compiler import CUDABackend
    from . import _descriptors, _inductor, _launch, _tensor_maps
    from ._kernels import watch
    if hasattr(CUDABackend, "_tilewright"):
        return
    CUDABackend._tilewright = True
    CUDABackend.add_stages = _with_stages(CUDABackend.add_stages)
    CUDABackend.hash = _with_key(CUDABackend.hash)
    watch(JITFunction)
    _descriptors.watch(JITFunction, CUDABackend)
    _launch.watch(JITFunction)
    _tensor_maps.watch(driver)
    _inductor.watch(_identity)


def _require_version():
    import sys
    version = getattr(sys.modules["triton"], "__version__", "0")
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST:
        raise ImportError(f"expects Triton {'.'.join(map(str, OLDEST))} or later, "
                          f"but got {version}")


def _with_stages(add_stages):
    @functools.wraps(add_stages)
    def add(self, stages, options, *rest, **named):
        add_stages(self, stages, options, *rest, **named)
        settings = _settings.current()
        # A Gluon kernel has Triton's own layouts in its source, and no ttir.
        if settings is not None and "ttir" in stages and "cubin" in stages:
            from ._stages import Stages
            capability = int(re.sub(r"\D", "", str(options.arch or self.target.arch)))
            Stages(self, stages, options, capability, settings).replace(stages)
    return add


def _with_key(hash_of):
    @functools.wraps(hash_of)
    def key(self):
        if _settings.current() is None:
            return hash_of(self)
        from triton.compiler.compiler import CompiledKernel
        from . import _launch
        from ._reports import watch
        # (Here it is loaded; when Triton is being imported, it cannot be yet.)
        watch(CompiledKernel)
        return (f"{hash_of(self)}-{_identity()}-"
                f"launched={int(_launch.current() is not None)}")
    return key


def _identity():
    """What tells our code under the settings in force from other code."""
    from tilewright import _native
    from . import _assembler
    return f"{_native._identity()}-{_settings.current().key()}-{_assembler.identity()}"
