// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_MEMORYACCESS_H
#define TILEWRIGHT_LIB_CODEGEN_MEMORYACCESS_H

#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class Value;
} // namespace llvm

namespace tilewright::codegen {

/// What an instruction of a kernel does to memory.
struct MemoryAccess {
  enum Kind {
    /// Nothing: it may move wherever its operands are at hand.
    None,
    /// Reads, or writes, `bytes` bytes at `base` + `offset`.
    Read,
    Write,
    /// Stays in its place among all accesses: barriers, shuffles, atomics,
    /// matrix instructions, and whatever is not known.
    Ordered,
  };

  Kind kind = None;
  unsigned addressSpace = 0;
  const llvm::Value *base = nullptr;
  /// What `base` points into, as far as that can be seen.
  const llvm::Value *object = nullptr;
  int64_t offset = 0;
  uint64_t bytes = 0;

  /// Whether this has to stay behind `other`, an earlier access: one of them is
  /// Ordered, or writes what a thread may touch by both.
  ///
  /// Different arguments of a kernel are taken to be different buffers, as by
  /// the pass that orders global accesses, or else one buffer whose elements
  /// are read and written in place: at the same distances from both.
  bool dependsOn(const MemoryAccess &other) const;
};

/// What `instruction` does: a load or store of LLVM, or of inline PTX that the
/// lowering writes for an access under a predicate or with cache hints.
MemoryAccess getMemoryAccess(const llvm::Instruction &instruction,
                             const llvm::DataLayout &layout);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_MEMORYACCESS_H
