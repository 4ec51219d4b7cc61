// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact as C: a header with a typed function for each kernel, and a
// source that holds the artifact's bytes. What comes of it needs the runtime
// alone (tilewright-c/Runtime.h).

#ifndef TILEWRIGHT_LIB_COMPILER_CSOURCE_H
#define TILEWRIGHT_LIB_COMPILER_CSOURCE_H

#include "runtime/Artifact.h"

#include <utility>

namespace tilewright::compiler {

/// Header and source. `name` is the header's without `.h`; as a C name it
/// begins those of the type and the functions `NAME_load` and `NAME_unload`.
/// `bytes` are the artifact's.
std::pair<std::string, std::string>
makeCSources(const runtime::Artifact &artifact, std::string_view bytes,
             std::string_view name);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_CSOURCE_H
