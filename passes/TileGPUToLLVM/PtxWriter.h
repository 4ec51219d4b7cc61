// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of some threads as inline PTX: those of one thread stand under a
// predicate, so that its warp stays together. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_PTXWRITER_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_PTXWRITER_H

#include "passes/TileGPUToLLVM/Lowering.h"

namespace tilewright::tilegpu {

/// Instructions that belong together, as one piece of inline PTX.
class PtxWriter {
public:
  explicit PtxWriter(Emitter &emitter) : emitter(emitter) {}

  /// The text of an operand. `constraint`: as LLVM has it of inline assembly.
  std::string use(mlir::Value value, const char *constraint) {
    operands.push_back(value);
    constraints += constraints.empty() ? "" : ",";
    constraints += constraint;
    return "$" + std::to_string(operands.size() - 1);
  }

  void add(const std::string &instruction) {
    text += text.empty() ? "" : "\n\t";
    text += instruction;
  }

  void emit() { emitter.inlineAssembly(text, constraints, {}, operands); }

private:
  Emitter &emitter;
  std::string text, constraints;
  llvm::SmallVector<mlir::Value> operands;
};

/// The address of `pointer`, in shared memory, as an i32.
inline mlir::Value getSharedAddress(Emitter &emitter, mlir::Value pointer) {
  return mlir::LLVM::PtrToIntOp::create(emitter.builder, emitter.location,
                                        emitter.builder.getI32Type(), pointer);
}

/// True in the agent's first thread.
inline mlir::Value isFirstThread(Emitter &emitter) {
  return emitter.equal(emitter.threadId(), emitter.constant(0));
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_PTXWRITER_H
