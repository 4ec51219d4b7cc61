// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic instructions on global memory as inline PTX: which one there is, how
// it is ordered, what its operands are. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_ATOMICINSTRUCTIONS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_ATOMICINSTRUCTIONS_H

#include "passes/TileGPUToLLVM/Pointers.h"

#include <optional>
#include <string>

namespace tilewright::tilegpu {

/// What PTX calls `operation` on units of `bits`, `count` elements of type
/// `element` together, behind "atom." and its qualifiers; none where `target`
/// has no such instruction (PTX ISA, "atom", "Target ISA Notes").
std::optional<std::string> findAtomicInstruction(tt::AtomicOperation operation,
                                                 mlir::Type element,
                                                 unsigned count, unsigned bits,
                                                 const target::Target &target);

/// How the accesses of one op are ordered: by each instruction where a thread
/// has one, by fences around relaxed ones where it has several (PTX ISA,
/// "Release and Acquire Patterns").
class MemoryOrder {
public:
  MemoryOrder(tt::MemorySemantic semantic, tt::MemoryScope scope,
              unsigned accesses)
      : semantic(semantic), scope(tt::stringifyMemoryScope(scope)),
        hasFences(accesses > 1) {}

  bool isRelease() const {
    return semantic == tt::MemorySemantic::RELEASE ||
           semantic == tt::MemorySemantic::ACQUIRE_RELEASE;
  }
  bool isAcquire() const {
    return semantic == tt::MemorySemantic::ACQUIRE ||
           semantic == tt::MemorySemantic::ACQUIRE_RELEASE;
  }
  /// "atom.acq_rel.gpu.global." or, where the result is `unused` and the
  /// instruction has the form, "red.relaxed.gpu.global.".
  std::string prefix(bool unused) const {
    llvm::StringRef order =
        hasFences ? "relaxed" : tt::stringifyMemorySemantic(semantic);
    bool isReduction = unused && (hasFences || !isAcquire());
    return (llvm::Twine(isReduction ? "red." : "atom.") + order + "." + scope +
            ".global.")
        .str();
  }
  void emitBefore(Emitter &emitter) const {
    if (hasFences && isRelease())
      emitFence(emitter);
  }
  void emitAfter(Emitter &emitter) const {
    if (hasFences && isAcquire())
      emitFence(emitter);
  }

private:
  void emitFence(Emitter &emitter) const {
    emitter.inlineAssembly(("fence.acq_rel." + scope + ";").str(), "", {}, {});
  }

  tt::MemorySemantic semantic;
  llvm::StringRef scope;
  bool hasFences;
};

/// One instruction: `text` between the result and the address, then
/// `operands`. The integer that was there; 0 where `predicate` (which may be
/// null) is false, nothing where the result is `unused` and none is needed.
mlir::Value emitAtomic(Emitter &emitter, llvm::StringRef text,
                       const Address &address, mlir::ValueRange operands,
                       mlir::Value predicate, bool hasResult, bool unused);

/// The same of several `words` of 32 bits, as a vector; its results are 0 where
/// `predicate` is false.
mlir::Value emitVectorAtomic(Emitter &emitter, llvm::StringRef text,
                             const Address &address, mlir::ValueRange words,
                             mlir::Value predicate, bool hasResult);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_ATOMICINSTRUCTIONS_H
