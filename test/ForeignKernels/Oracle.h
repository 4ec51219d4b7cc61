// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch has to leave in memory, and how far from it floats may be.
//
// The reference runs in exact arithmetic (float64), then a few times with every
// operation rounded to its type, up or down at random. How far these runs are
// from the first is the error that rounding makes in this very calculation,
// with its cancellations and its conditioning. A result may be `spreadFactor`
// times the largest such distance near the element away, and two units of its
// type. It counts as no less than the buffer's median, in parts of the number:
// where all runs give an element the same, of a few possible numbers, that is
// chance if they move the others.
//
// An element is not judged where the runs show that rounding decides it (one is
// finite and another is not, an integer differs, the tolerance exceeds a tenth
// of the result and of the root mean square of its buffer), or where it depends
// on undefined elements.

#ifndef TILEWRIGHT_TEST_FOREIGNKERNELS_ORACLE_H
#define TILEWRIGHT_TEST_FOREIGNKERNELS_ORACLE_H

#include "test/ForeignKernels/Inputs.h"

namespace tilewright::foreign {

constexpr double spreadFactor = 4.0;

/// How the elements of all buffers stand.
struct OracleCounts {
  /// Elements that the launch writes, and those of them that are judged.
  uint64_t written = 0, judged = 0;
  /// Why the others are not.
  uint64_t undefined = 0, undecided = 0, notFinite = 0;

  bool isGood() const { return judged && judged >= 0.9 * written; }
};

/// What is known of an element; an element that is not judged is not looked at.
struct ElementBound {
  bool isJudged = true;
  double tolerance = 0.0;
};

struct Oracle {
  Input input;
  reference::ReferenceMemory expected;
  /// For each buffer, for each element.
  std::vector<std::vector<ElementBound>> bounds;
  OracleCounts counts;
  unsigned style = 0;
  /// The median of the judged floats' tolerances, in parts of the number or of
  /// the root mean square of what is written to its buffer, whichever is
  /// larger.
  double medianTolerance = 0.0;
};

/// Tries the styles of inputs until one gives a launch of which nine tenths are
/// judged, and takes the best. Fails where the reference can run none; its
/// diagnostics go to the context's handler.
llvm::Expected<Oracle> makeOracle(tt::FuncOp kernel, const LaunchCase &launch);

/// The first element of each buffer that is not as the oracle says, with the
/// number of such; empty if all are. `worst` gets the largest error in units of
/// its tolerance.
std::string findDifferences(const Oracle &oracle,
                            const reference::ReferenceMemory &actual,
                            double &worst);

} // namespace tilewright::foreign

#endif // TILEWRIGHT_TEST_FOREIGNKERNELS_ORACLE_H
