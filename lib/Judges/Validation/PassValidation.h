// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the first pass that changes what a kernel computes. Comes in: a
// pipeline that runs. Goes out: diagnostics.
//
// Before the first pass, inputs are generated for every public kernel, and the
// interpreter of tile IR (lib/Judges/Reference) tells what each leaves in
// memory. An input with which the kernel has no defined meaning is dropped and
// another one tried. After every pass the kernels are run again on the same
// inputs. What depends on undefined elements is not compared: passes may choose
// those.
//
// Operations of `tilegpu` are read as TileGPUReading.h says, so kernels are
// followed until they hold operations of other dialects. Layouts, threads and
// the bytes of shared memory are not looked at: the emulator does that.

#ifndef TILEWRIGHT_LIB_JUDGES_VALIDATION_PASSVALIDATION_H
#define TILEWRIGHT_LIB_JUDGES_VALIDATION_PASSVALIDATION_H

#include "lib/Judges/Reference/Comparison.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace tilewright::validation {

struct ValidationOptions {
  /// Inputs that each kernel is run on.
  unsigned numInputs = 3;
  uint64_t seed = 1;
  /// How far results may be from those before the first pass. Where it is 0,
  /// floats in the inputs are small integers; else they have fractions.
  reference::Tolerance tolerance;
  /// Whether a remark at each kernel says what it was validated on, and through
  /// which passes.
  bool report = false;
};

/// An instrumentation for one run of one pass manager, whose context must not
/// use threads, and whose module must outlive it: its end is when it reports.
/// A pass that changes a result is an error at the kernel, one for
/// each kernel, and sets `foundChange`, which outlives the instrumentation. A
/// kernel for which no input is found is a remark.
std::unique_ptr<mlir::PassInstrumentation>
createPassValidation(const ValidationOptions &options, bool &foundChange);

} // namespace tilewright::validation

#endif // TILEWRIGHT_LIB_JUDGES_VALIDATION_PASSVALIDATION_H
