// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which build of the compiler this is.

#ifndef TILEWRIGHT_LIB_JIT_BUILDIDENTITY_H
#define TILEWRIGHT_LIB_JIT_BUILDIDENTITY_H

#include <string>

namespace tilewright::jit {

/// The build ids (ELF notes, NT_GNU_BUILD_ID) of the objects that this process
/// has the compiler, MLIR and LLVM in, and the versions: two builds that may
/// compile differently have different ones. An object without a note is known
/// by the digest of its file. Found once, then kept.
const std::string &buildIdentity();

} // namespace tilewright::jit

#endif // TILEWRIGHT_LIB_JIT_BUILDIDENTITY_H
