// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one tt.dot, compiled for a target and run on the emulator.

#ifndef TILEWRIGHT_TEST_UNIT_DOTS_DOTKERNEL_H
#define TILEWRIGHT_TEST_UNIT_DOTS_DOTKERNEL_H

#include "lib/Run/Tensor.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace tilewright::test {

/// D = A B + C of whole tiles in row-major order, by one program.
struct DotKernel {
  std::string target;
  unsigned numWarps;
  /// 0: matrices without a batch.
  int64_t batches, rows, columns, k;
  std::string operand, accumulator;
  std::string inputPrecision = "ieee";

  int64_t countBatches() const { return batches ? batches : 1; }
};

std::ostream &operator<<(std::ostream &stream, const DotKernel &kernel);

/// The kernel as tile IR.
std::string buildText(const DotKernel &kernel);

/// PTX of the kernel; the error's text where it does not compile.
std::string compileToPtx(const DotKernel &kernel);

/// D for the operands' elements in row-major order, rounded to their types, or
/// nothing after a failure that is added to the test.
std::vector<double> runDot(const DotKernel &kernel,
                           const std::vector<double> &a,
                           const std::vector<double> &b,
                           const std::vector<double> &c);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_DOTS_DOTKERNEL_H
