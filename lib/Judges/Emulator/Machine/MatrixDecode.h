// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decoders of matrix instructions share. Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDECODE_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDECODE_H

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

#include <array>

namespace tilewright::emulator {

/// The next modifier as the type of a matrix's elements; takes it.
std::optional<MatrixType> takeMatrixType(DecodeContext &context);

/// The next modifier as "m16n8k16": M, N and K; takes it.
bool takeMatrixShape(DecodeContext &context, std::array<uint32_t, 3> &sizes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MATRIXDECODE_H
