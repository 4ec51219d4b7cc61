// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the reference share: kernels from text, memory, and the
// diagnostics of a run.

#ifndef TILEWRIGHT_TEST_UNIT_REFERENCE_REFERENCETEST_H
#define TILEWRIGHT_TEST_UNIT_REFERENCE_REFERENCETEST_H

#include "lib/Judges/Reference/Comparison.h"
#include "lib/Judges/Reference/Reference.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace tilewright::reference {

using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest();

  /// The element type of this name: "f16", "i32".
  mlir::Type getType(mlir::StringRef name);
  /// The first function of a module; null, and a failed test, if the text is
  /// wrong. The module lives as long as the test.
  tt::FuncOp parse(const std::string &text);
  tt::FuncOp parseFile(const std::string &path);

  /// Buffers that the next kernel gets, in this order.
  unsigned addReals(mlir::StringRef type, const Reals &values);
  unsigned addIntegers(mlir::StringRef type, const Integers &values);

  /// Runs a kernel whose parameters are the buffers added before, and then
  /// `scalars`.
  mlir::LogicalResult run(tt::FuncOp function, Grid grid = {},
                          std::vector<Argument> scalars = {});

  /// Runs a kernel made of `body`, in which %r is a tile of `count` elements of
  /// `type`, and gives these as they are stored. `%out` is the first parameter,
  /// and buffers added before are %p0, %p1, ...; afterwards they are as they
  /// were.
  Integers evaluateIntegers(const std::string &body, const std::string &type,
                            int64_t count);
  Reals evaluateReals(const std::string &body, const std::string &type,
                      int64_t count);

  mlir::MLIRContext context;
  ReferenceMemory memory;
  Options options;
  /// All diagnostics so far, each on a line; notes are not among them.
  std::string diagnostics;

private:
  bool evaluate(const std::string &body, const std::string &type, int64_t count,
                unsigned &output);

  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};

} // namespace tilewright::reference

#endif // TILEWRIGHT_TEST_UNIT_REFERENCE_REFERENCETEST_H
