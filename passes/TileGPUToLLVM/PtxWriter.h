// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of some threads as inline PTX: those of one thread stand under a
// predicate, so that its warp stays together. Private to this folder.
//
// Operands that copies by maps take from uniform registers have to be the same
// in all threads that execute them. ptxas knows that of the thread that
// elect.sync names in a whole warp. Under any other predicate it has each warp
// run a loop for each copy, over the threads that start it (VOTE, ELECT and a
// branch): W4A16 of one row took 1.14 of the time with six copies an iteration.

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

  /// What is added from here on one thread of each warp executes in which
  /// `warp` holds, an i1 that is the same in all of its threads; begin with
  /// what beginElected returns.
  std::string beginElected(mlir::Value warp) {
    add("{");
    add(".reg .pred %elected;");
    add("@!" + use(warp, "b") + " bra notElected;");
    add("elect.sync _|%elected, -1;");
    return "@%elected ";
  }
  void endElected() {
    add("notElected:");
    add("}");
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

/// True in the agent's first warp.
inline mlir::Value isFirstWarp(Emitter &emitter) {
  return emitter.equal(emitter.warpId(), emitter.constant(0));
}

/// True in the agent's first thread.
inline mlir::Value isFirstThread(Emitter &emitter) {
  return emitter.equal(emitter.threadId(), emitter.constant(0));
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_PTXWRITER_H
