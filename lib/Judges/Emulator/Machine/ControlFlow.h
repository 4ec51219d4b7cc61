// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CONTROLFLOW_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CONTROLFLOW_H

#include "lib/Judges/Emulator/Machine/Program.h"

namespace tilewright::emulator {

/// Sets `reconvergence` of every branch of `code` whose lanes may part: the
/// nearest instruction that all its paths come to, but for those that stop the
/// launch, or code.size() where they meet at the end alone.
void findReconvergence(std::vector<Decoded> &code);

/// Of each instruction the next one, itself included, that the lanes of a frame
/// come to together: a branch, an end, or a collective; or code.size().
std::vector<uint32_t> findCollectives(const std::vector<Decoded> &code);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CONTROLFLOW_H
