// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX to a cubin, by CUDA's assembler: libnvJitLink opened at run time,
// or else the program `ptxas`.
//
// In: PTX text and a target. Out: the cubin and what the assembler says about
// each kernel (registers, spills, shared memory). Needs no GPU and no CUDA at
// build time. It never changes the PTX.
//
// Thread-safe; the only thing kept between calls is the opened library, which
// the dynamic loader keeps.

#ifndef TILEWRIGHT_LIB_CODEGEN_ASSEMBLE_H
#define TILEWRIGHT_LIB_CODEGEN_ASSEMBLE_H

#include "dialects/Target/Target.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::codegen {

/// Which assembler to use.
enum class AssemblerKind {
  /// The library if it can be opened, or else the program.
  Any,
  /// libnvJitLink only.
  Library,
  /// ptxas only.
  Program,
};

struct AssembleOptions {
  /// The folder of a CUDA toolkit (with lib, lib64 or bin below it); empty:
  /// the environment's TILEWRIGHT_CUDA_ROOT, and then the usual places.
  std::string cudaRoot;
  AssemblerKind assembler = AssemblerKind::Any;
  /// The assembler's optimisation level, 0 to 3.
  unsigned optimizationLevel = 3;
  /// Keep line tables (`.loc`) in the cubin.
  bool lineInfo = false;
  /// Whether the assembler may fuse multiplications and additions that PTX
  /// leaves without a rounding (`mul.f32`; not `mul.rn.f32`).
  bool fuse = true;
  /// Registers that a thread may use at most (0: as the PTX says).
  unsigned registerLimit = 0;
  /// Whether a cubin that has lost something (AssembledCode::lost) is left out;
  /// what is known of the PTX before saves the time to make it.
  bool onlyWhole = false;
};

/// What the assembler reports of one kernel.
struct KernelResources {
  std::string name;
  unsigned registers = 0;
  unsigned barriers = 0;
  /// Bytes of stack and of registers spilled to it.
  unsigned stackBytes = 0;
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  /// Bytes of static shared memory.
  unsigned sharedMemoryBytes = 0;
};

struct AssembledCode {
  /// Empty with onlyWhole where something is lost.
  std::vector<char> cubin;
  /// One entry a kernel, sorted by name; none where nothing was assembled.
  std::vector<KernelResources> kernels;
  /// The GPU that the cubin runs on; it differs from the target's chip where
  /// the assembler has dropped that chip, and then the cubin only shows that
  /// the PTX is well formed: what runs on the target is its PTX.
  std::string assembledFor;
  /// What the PTX asks for and a kernel's code has not, as a sentence's end;
  /// empty where it has all. libnvJitLink makes code to link: in kernels with
  /// calls, the rare cases of a division among them, products by warp groups
  /// wait for each other, which takes a factor of their time, and setmaxnreg is
  /// ignored, so that agents who would have 240 registers have 168. ptxas and
  /// the driver's compiler do as they are asked.
  std::string lost;
  /// The assembler's own words, warnings included.
  std::string log;
};

/// Assembles `ptx` for `target`: by the library, and by the program where there
/// is one and the library loses something. The error text carries the
/// assembler's log, or, where there is no assembler, the places that were
/// searched.
llvm::Expected<AssembledCode> assemble(llvm::StringRef ptx,
                                       const target::Target &target,
                                       const AssembleOptions &options = {});

/// Names the assembler that `assemble` would use, exactly enough for a cache
/// key: library and version and build id, or the program's version line.
llvm::Expected<std::string>
assemblerIdentity(const AssembleOptions &options = {});

/// Whether an assembler's log says that products of warp groups wait for each
/// other, for whatever reason.
bool serializesProducts(llvm::StringRef log);

/// Reads the resources of each kernel out of an assembler's verbose log, which
/// may be ptxas' or libnvJitLink's.
std::vector<KernelResources> parseAssemblerLog(llvm::StringRef log);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_ASSEMBLE_H
