# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit suite: what runs tests, what they may ask for.

Features    ptxas      CUDA's assembler as a program (substitution %ptxas)
            cuda-gpu   a GPU whose driver can be opened
            sm_XX      that GPU runs PTX for the target
            asserts    our own assertions are on
            llc        LLVM's own compiler, and MLIR's translator to LLVM IR
            embedding  the libraries for embedders are built
Programs    tilewright, tilewright-conversions, tilewright-fuzz, tilewright-judge,
            tilewright-kernel-trials, tilewright-opt, tilewright-reduce, FileCheck, not, split-file, count
            %python, the Python that runs lit
Paths       %cuda_root, the folder of the CUDA toolkit; %build, ours;
            %examples; %emulated_cuda, the emulator as a CUDA driver

TILEWRIGHT_OPT_VERIFY_ROUNDTRIP=1 runs every tilewright-opt with
--verify-roundtrip. Memory is filled with other bytes when it is freed (where the
C library is glibc), so that a use after that fails at once.
"""

import ctypes
import glob
import os
import re
import shutil
import sys

import lit.formats
import lit.llvm
from lit.llvm.subst import FindTool, ToolSubst

config.name = "Tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".test"]
# Unit has GoogleTest; Corpus' sources are no tests.
config.excludes = ["Unit", "kernels", "Inputs"]
config.test_source_root = os.path.join(config.project_source_dir, "test")
config.test_exec_root = os.path.join(config.project_binary_dir, "test")

# lit.llvm asks for these.
config.llvm_shlib_dir = ""
config.environment["GLIBC_TUNABLES"] = (
    "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165")
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
lit.llvm.initialize(lit_config, config)


# --- CUDA -------------------------------------------------------------------

def cuda_root():
    """The toolkit: where it was said to be, or else the usual folders."""
    named = os.environ.get("TILEWRIGHT_CUDA_ROOT") or config.cuda_root
    usual = ["/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"))[::-1]]
    return next((folder for folder in [named] + usual
                 if folder and os.path.isdir(folder)), "")


def gpu_capability():
    """The first GPU's compute capability (90 for 9.0), or None."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        device, major, minor = (ctypes.c_int() for _ in range(3))
        found = (driver.cuInit(0) == 0
                 and driver.cuDeviceGet(ctypes.byref(device), 0) == 0
                 # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
                 and driver.cuDeviceGetAttribute(
                     ctypes.byref(major), 75, device) == 0
                 and driver.cuDeviceGetAttribute(
                     ctypes.byref(minor), 76, device) == 0)
    except (OSError, AttributeError):
        return None
    return 10 * major.value + minor.value if found else None


root = cuda_root()
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%cuda_root", root))
if root:
    config.environment["TILEWRIGHT_CUDA_ROOT"] = root
ptxas = shutil.which(os.path.join(root, "bin", "ptxas")) or shutil.which(
    "ptxas")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

capability = gpu_capability()
if capability:
    config.available_features.add("cuda-gpu")
    for number in (70, 75, 80, 86, 87, 89):
        if number <= capability:
            config.available_features.add(f"sm_{number}")
    # Code for an `a` target runs on that very GPU alone.
    config.available_features.add(f"sm_{capability}a")

if re.fullmatch("ON|1|TRUE|YES", config.enable_assertions.upper()):
    config.available_features.add("asserts")


# --- embedding --------------------------------------------------------------

emulated_cuda = os.path.join(config.project_binary_dir, "lib", "Judges",
                             "Emulator", "Driver",
                             "libtilewright-emu-cuda.so")
if os.path.exists(emulated_cuda) and os.path.exists(os.path.join(
        config.project_binary_dir, "lib", "libtilewright.so")):
    config.available_features.add("embedding")
config.substitutions += [
    ("%emulated_cuda", emulated_cuda),
    ("%examples", os.path.join(config.project_source_dir, "examples")),
    ("%build", config.project_binary_dir),
    ("%cmake", config.cmake),
    ("%cc", config.c_compiler),
    ("%include", os.path.join(config.project_source_dir, "include")),
    ("%compilers", f"-DCMAKE_C_COMPILER={config.c_compiler} "
                   f"-DCMAKE_CXX_COMPILER={config.cxx_compiler}"),
    ("%llvm_libraries", config.llvm_library_dir),
]


# --- programs ---------------------------------------------------------------

if all(shutil.which(os.path.join(config.llvm_tools_dir, program))
       for program in ("llc", "mlir-translate")):
    config.available_features.add("llc")

roundtrip = os.environ.get("TILEWRIGHT_OPT_VERIFY_ROUNDTRIP", "") not in (
    "", "0")
lit.llvm.llvm_config.add_tool_substitutions(
    [
        ToolSubst("tilewright-opt", FindTool("tilewright-opt"),
                  unresolved="ignore",
                  extra_args=["--verify-roundtrip"] if roundtrip else []),
        ToolSubst("tilewright-reduce", FindTool("tilewright-reduce"),
                  unresolved="ignore"),
        ToolSubst("tilewright-conversions",
                  FindTool("tilewright-conversions"), unresolved="ignore"),
        ToolSubst("tilewright-judge", FindTool("tilewright-judge"),
                  unresolved="ignore"),
        ToolSubst("tilewright-kernel-trials",
                  FindTool("tilewright-kernel-trials"), unresolved="ignore"),
        ToolSubst("tilewright-fuzz", FindTool("tilewright-fuzz"),
                  unresolved="ignore"),
        ToolSubst("tilewright", FindTool("tilewright"), unresolved="ignore"),
        ToolSubst("FileCheck", unresolved="fatal"),
        ToolSubst("not", unresolved="fatal"),
        ToolSubst("split-file", unresolved="fatal"),
        ToolSubst("count", unresolved="fatal"),
        ToolSubst("llc", unresolved="ignore"),
        ToolSubst("mlir-translate", unresolved="ignore"),
        ToolSubst("llvm-nm", unresolved="ignore"),
    ],
    [os.path.join(config.project_binary_dir, "bin"), config.llvm_tools_dir])
