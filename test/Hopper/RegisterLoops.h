// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product whose A comes in registers, two sets of them in turn, and whose B
// is copied by cp.async: ordinary writes, which fence.proxy.async makes known.

#ifndef TILEWRIGHT_TEST_HOPPER_REGISTERLOOPS_H
#define TILEWRIGHT_TEST_HOPPER_REGISTERLOOPS_H

#include "test/Hopper/Program.h"

namespace tilewright::hopper {

/// `mistake`: its name, or "".
HopperProgram makeRegisterLoop(unsigned steps, const std::string &mistake);

/// Correct ones.
std::vector<HopperProgram> allRegisterLoops();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_REGISTERLOOPS_H
