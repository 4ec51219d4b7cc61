// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator ahead of time: for several targets and several sizes the code of
// what is chosen, in one artifact, and a C function that picks by the device
// and the sizes of a call. What comes of it needs the runtime alone.

#ifndef TILEWRIGHT_LIB_KERNELS_EXPORT_H
#define TILEWRIGHT_LIB_KERNELS_EXPORT_H

#include "dialects/Target/Device.h"
#include "lib/JIT/Jit.h"
#include "lib/Kernels/Operator.h"

namespace tilewright::kernels {

struct ExportRequest {
  const Operator *of = nullptr;
  /// For each variant all words; they differ in sizes alone. With one size that
  /// is dynamic, its value is the largest that the variant is for.
  std::vector<Options::Words> variants;
  std::vector<const target::Target *> targets;
  /// Of how many candidates the code is estimated before one is taken.
  unsigned refined = 0;
  bool machineCode = true;
  /// A C name, with which those of the functions begin: NAME_load, NAME_run.
  std::string name;
  /// Told of each variant and target before it is compiled.
  std::function<void(const std::string &)> onProgress = {};
};

struct ExportedSources {
  std::string header, source;
};

/// The header NAME.h and the source NAME.c, which holds the artifact.
Result<ExportedSources> exportOperator(const ExportRequest &request, Jit &jit);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EXPORT_H
