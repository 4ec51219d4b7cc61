// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with one mistake each in what sm_90a asks of them. The emulator must
// tell of each; a GPU may do anything.

#ifndef TILEWRIGHT_TEST_HOPPER_MISTAKES_H
#define TILEWRIGHT_TEST_HOPPER_MISTAKES_H

#include "test/Hopper/Program.h"

namespace tilewright::hopper {

struct MistakenProgram {
  /// "no-commit", and which kernel has it.
  std::string mistake, variant;
  /// The checks of which one must tell of it, by their names.
  std::string checks;
  HopperProgram program;
};

/// In loops that load through tensor maps (Pipelines.cpp).
std::vector<MistakenProgram> pipelineMistakes();
/// In loops whose A is in registers (RegisterLoops.cpp).
std::vector<MistakenProgram> registerLoopMistakes();
/// In plain copies (CopyMistakes.cpp).
std::vector<MistakenProgram> copyMistakes();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_MISTAKES_H
