// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays from and to .npy files (NumPy Enhancement Proposal 1, format versions
// 1 and 2). Little-endian and C order alone; every other form is an error that
// says what the file has. Types without a NumPy name are written as unsigned
// integers of their size: bf16 as u16, fp8 as u8.

#ifndef TILEWRIGHT_LIB_RUN_NPY_H
#define TILEWRIGHT_LIB_RUN_NPY_H

#include "lib/Run/Tensor.h"

namespace tilewright::run {

/// The array in the bytes of a file. Any bytes may be given. Errors name the
/// byte offset.
Result<HostTensor> parseNpy(std::span<const uint8_t> bytes);
/// The bytes of a file (format version 1, or 2 when the header is too long).
std::vector<uint8_t> serializeNpy(const HostTensor &tensor);

/// The same on files; errors begin with the path.
Result<HostTensor> readNpy(const std::string &path);
Result<void> writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_NPY_H
