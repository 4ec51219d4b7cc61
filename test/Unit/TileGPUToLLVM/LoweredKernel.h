// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes, lowers and runs small kernels on tiles for the tests of this folder.

#ifndef TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LOWEREDKERNEL_H
#define TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LOWEREDKERNEL_H

#include "LaneInterpreter.h"

#include "mlir/IR/BuiltinOps.h"

#include <random>
#include <string>
#include <vector>

namespace tilewright::test {

/// The text of a kernel `@kernel` under construction. Tensors and pointers are
/// named apart; pointers are arguments, in the order of their first use.
class KernelText {
public:
  KernelText(std::string target, unsigned warps)
      : target(std::move(target)), warps(warps) {}

  /// Adds an attribute alias, "#name = text".
  void alias(const std::string &name, const std::string &text);
  /// Adds an argument `%name`.
  void argument(const std::string &name, const std::string &type);
  /// Adds a line to the body.
  void line(const std::string &text) { body += "  " + text + "\n"; }
  /// `name` = the row-major tile in memory behind argument `pointer` (of 1 to 3
  /// dimensions).
  void load(const std::string &name, const std::string &pointer,
            llvm::ArrayRef<int64_t> shape, const std::string &element,
            const std::string &layout);
  /// Writes tensor `name`, row-major.
  void store(const std::string &name, const std::string &pointer,
             llvm::ArrayRef<int64_t> shape, const std::string &element,
             const std::string &layout);
  std::string build() const;

private:
  std::string pointers(const std::string &pointer,
                       llvm::ArrayRef<int64_t> shape,
                       const std::string &element, const std::string &layout);

  std::string target, aliases, arguments, body;
  unsigned warps, next = 0;
};

/// "tensor<4x8xf32, #layout>".
std::string tensorType(llvm::ArrayRef<int64_t> shape,
                       const std::string &element, const std::string &layout);

/// A kernel that `passes` (a pipeline's text) have lowered.
class LoweredKernel {
public:
  LoweredKernel(const std::string &text,
                const std::string &passes = "builtin.module(tilegpu-to-llvm)");

  bool isValid() const { return bool(module); }
  const std::string &diagnostics() const { return messages; }
  mlir::LLVM::LLVMFuncOp function();

private:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages;
};

/// The text of a random layout of `shape`: dimension 0 gives its highest bits
/// to the warps, everything else is shuffled among lanes and `registerBits` (or
/// more) registers, and `mixed` with each other. What is beyond the tensor
/// holds copies.
std::string randomLinearLayout(std::mt19937 &random,
                               llvm::ArrayRef<int64_t> shape,
                               unsigned registerBits, unsigned warpBits,
                               bool mixed);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LOWEREDKERNEL_H
