# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who makes machine code of the PTX: the assembler that PyTorch brings as a library
(libnvJitLink), in this process, where there is one and nothing is asked of ptxas;
else Triton's ptxas, a program."""

import functools
import glob
import importlib.util
import os
import re
import sys

from triton import knobs

from tilewright import _native


def find_root(options, capability, device):
    """The folder with lib/libnvJitLink.so.N in it that is to be used, or None.
    `capability`: what the code is for; `device`: that of the GPU."""
    asked = (getattr(options, "ptx_options", None) or knobs.nvidia.disable_ptxas_opt
             or getattr(knobs.nvidia, "dump_ptxas_log", False)
             or "TRITON_PTXAS_PATH" in os.environ)
    library = _library()
    if asked or library is None or (capability < 75 and _major(library) >= 13):
        return None
    # The library assembles for the target; for a newer GPU ptxas does.
    target = _native._target_for_capability(capability) or ""
    if target.rstrip("a") != f"sm_{capability}" or capability != device:
        return None
    return os.path.dirname(os.path.dirname(library))


def identity():
    """What tells this assembler from others, for keys of caches."""
    library = _library()
    return "ptxas" if library is None else (
        f"{os.path.basename(library)}:{os.stat(library).st_size}")


def _library():
    """The library of the CUDA that PyTorch was built with: what it makes, the
    driver of this machine loads."""
    cuda = getattr(getattr(sys.modules.get("torch"), "version", None), "cuda", None)
    return _find(cuda.split(".")[0]) if cuda else None


@functools.lru_cache()
def _find(major):
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or () if found else ()):
        for path in sorted(glob.glob(f"{folder}/*/lib/libnvJitLink.so.{major}")):
            return path
    return None


def _major(library):
    return int(re.search(r"\.so\.(\d+)", library)[1])
