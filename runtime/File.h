// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files in and out, with bounds. In: paths. Out: bytes, or an error that
// names the path and the operating system's reason. No mapping: a file that
// another process truncates must not kill this one.

#ifndef TILEWRIGHT_RUNTIME_FILE_H
#define TILEWRIGHT_RUNTIME_FILE_H

#include "runtime/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// Reads the regular file at `path`, following links. Fails with NotFound when
/// it is absent, and with InputOutput when it is no regular file, is longer
/// than `limit` bytes, or cannot be read.
Result<std::vector<uint8_t>> readFile(const std::string &path, uint64_t limit);

/// Puts `bytes` at `path`: written to a new file beside it, then renamed over
/// it, so that a reader sees the old content or the new one, never a part.
Result<void> writeFile(const std::string &path, std::span<const uint8_t> bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_FILE_H
