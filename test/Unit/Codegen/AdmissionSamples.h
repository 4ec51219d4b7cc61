// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each row of the target verifier's table, kernels that use it: what the
// verifier admits there must compile.

#ifndef TILEWRIGHT_TEST_UNIT_CODEGEN_ADMISSIONSAMPLES_H
#define TILEWRIGHT_TEST_UNIT_CODEGEN_ADMISSIONSAMPLES_H

#include "passes/TileGPUToLLVM/VerifyTarget/VerifyTarget.h"

#include <string>
#include <vector>

namespace tilewright::test {

/// Some lines of a kernel's body.
struct Sample {
  /// What the sample shows, for messages.
  std::string name;
  /// Operations; they may use the kernel's arguments (see `kernelText`) and
  /// name one result %r, which is then stored so that it stays alive.
  std::string body;
  /// The type of %r; empty: there is none.
  std::string resultType;
  /// Text beside the kernel.
  std::string declarations;
};

/// The samples of one row; empty if none was written.
std::vector<Sample> samplesFor(const tilegpu::AdmissionRule &rule);

/// A module with one kernel around the sample. Its arguments: %p, %q global
/// pointers, %g generic, %s shared, %i i32, %j i32, %l i64, %f f32, %d f64,
/// %h f16, %b bf16, %c i1, %hh vector<2xf16>, %bb vector<2xbf16>.
std::string kernelText(const Sample &sample);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_CODEGEN_ADMISSIONSAMPLES_H
