// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artifacts from PTX text that did not come with one. In: PTX text. Out: an
// artifact with one PTX image and one kernel for each `.entry`, from what the
// text declares: `.version`, `.target`, the parameters, `.reqntid`, `.maxntid`,
// `.maxnreg`, `.reqnctapercluster`, static `.shared` variables. PTX does not
// say how much dynamic shared memory a launch needs, nor (without `.reqntid`)
// the number of threads: PtxOptions does.

#ifndef TILEWRIGHT_LIB_RUN_PTXARTIFACT_H
#define TILEWRIGHT_LIB_RUN_PTXARTIFACT_H

#include "runtime/Artifact.h"

namespace tilewright::run {

/// What PTX leaves open.
struct PtxOptions {
  /// Threads of a block where there is no `.reqntid`; nothing: `.maxntid`, or
  /// else 32.
  std::optional<runtime::Dimensions> block;
  /// Dynamic shared memory of a block, in bytes.
  uint32_t dynamicSharedBytes = 0;
};

/// Builds the artifact. Parameters: `.f16`, `.f32` and `.f64` are
/// floating-point numbers; `.u*` and `.s*` of up to 4 bytes are integers;
/// 8-byte ones with `.ptr` are pointers; all others (`.b*`, arrays, 8-byte
/// integers, which may be addresses) are untyped. What the emulator's parser
/// does not take is an error that begins with "line N:".
runtime::Result<runtime::Artifact> artifactFromPtx(std::string_view text,
                                                   const PtxOptions &options);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_PTXARTIFACT_H
