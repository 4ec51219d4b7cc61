// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch's buffers hold. Comes in: a kernel and the sizes of its
// buffers. Goes out: memory and arguments for the reference.

#ifndef TILEWRIGHT_TEST_FOREIGNKERNELS_INPUTS_H
#define TILEWRIGHT_TEST_FOREIGNKERNELS_INPUTS_H

#include "lib/Judges/Reference/Reference.h"
#include "test/ForeignKernels/LaunchCase.h"

namespace tilewright::foreign {

struct Input {
  reference::ReferenceMemory memory;
  mlir::SmallVector<reference::Argument> arguments;
};

/// Ways to fill buffers, which makeInput takes from 0 on: floats of both signs,
/// positive, small or negative; integers that are not given as small indices of
/// several kinds. A kernel that takes a logarithm of some input needs one, a
/// kernel that follows an index in memory another.
constexpr unsigned numStyles = 4;

/// Fails with what does not fit: the number or the kinds of the arguments.
/// Buffers that are only written hold numbers too, so that a read of them is
/// seen; no float is 0, so that most writes are.
llvm::Expected<Input> makeInput(tt::FuncOp kernel, const LaunchCase &launch,
                                unsigned style);

} // namespace tilewright::foreign

#endif // TILEWRIGHT_TEST_FOREIGNKERNELS_INPUTS_H
