// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reading of a kernel that counts what its programs do, without doing it:
// integers are computed where they are known, tiles are shapes. A loop's
// iterations count alike.

#ifndef TILEWRIGHT_LIB_KERNELS_COUNTING_H
#define TILEWRIGHT_LIB_KERNELS_COUNTING_H

#include "lib/Kernels/Evaluation.h"

namespace tilewright::kernels {

/// What a launch does, all programs together.
struct Counts {
  /// Of dots, by what their tiles have, padding included; of f32 operands that
  /// must not be rounded apart.
  double multiplyAdds = 0, fullMultiplyAdds = 0;
  /// Of the dots' operands.
  ElementType operandType = ElementType::F16;
  /// Other operations on elements of floats; of them exponentials, roots and
  /// the like.
  double arithmetic = 0, special = 0;
  /// Between programs and memory, however often the same byte.
  double loadedBytes = 0, storedBytes = 0;
  /// The same in whole lines of 128 bytes: of a box's rows that lie apart each
  /// takes its own.
  double lineBytes = 0;
  /// Of the whole boxes that a loop's iteration loads, in one program: the
  /// most.
  double loadedBytesPerIteration = 0;
  /// Of the operands of an iteration's dots those that it has not loaded
  /// itself, in one program: the most.
  double residentOperandBytes = 0;
  /// The largest box that is loaded or stored.
  double boxBytes = 0;
  /// What a loop carries, and the largest two results of an iteration's dots
  /// beside that: in elements, in one program; the most.
  double liveElements = 0;
  /// What dots read of shared memory, where their operands pass through it: by
  /// warps, and where groups of four warps multiply together.
  double operandBytes = 0, groupOperandBytes = 0;
  /// Iterations of the innermost loops that have dots or loads, and rows of
  /// triangular inverses, in one program: the mean.
  double iterations = 0;
  /// Steps of 16 along the depth of dots, each of which waits for the sum of
  /// the one before, and tiles that are unpacked for them, in one program: the
  /// mean.
  double dotSteps = 0, unpackedTiles = 0;
  double programs = 0;
  /// Programs of a cluster; 1: there are none.
  int64_t clusterPrograms = 1;
};

/// Counts a launch of programs of `warps` warps. Of more than 16 programs, 16
/// stand for all.
Counts count(const Signature &signature, const Grid &grid, unsigned warps,
             const std::function<void(Reading &)> &text);

/// Bytes that must move however the operator is computed: every element of the
/// inputs once, and of the outputs.
double compulsoryBytes(const Signature &signature);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_COUNTING_H
