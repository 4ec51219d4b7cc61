// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Emulator/Machine/Report.h"

using namespace tilewright::emulator;

const char *tilewright::emulator::checkName(Check check) {
  switch (check) {
  case Check::OutOfBounds:
    return "out-of-bounds";
  case Check::Misaligned:
    return "misaligned";
  case Check::UninitializedRegister:
    return "uninitialized-register";
  case Check::UninitializedMemory:
    return "uninitialized-memory";
  case Check::Divergence:
    return "divergence";
  case Check::BarrierMismatch:
    return "barrier-mismatch";
  case Check::Deadlock:
    return "deadlock";
  case Check::SharedRace:
    return "shared-race";
  case Check::GlobalRace:
    return "global-race";
  case Check::AsynchronousCopy:
    return "asynchronous-copy";
  case Check::Execution:
    return "execution";
  }
  return "";
}
