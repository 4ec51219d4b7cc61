// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setmaxnreg: the registers that the warps of a CTA share out among them (PTX
// ISA, "setmaxnreg"). A CTA has as many as its threads have at the kernel's
// entry; `dec` gives some back, `inc` waits until there are enough.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REGISTERBUDGET_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REGISTERBUDGET_H

#include <cstdint>
#include <vector>

namespace tilewright::emulator {

class Cta;
class Warp;
struct Kernel;

/// What the warps of a CTA have asked for last.
struct RegisterBudget {
  /// Of each warp, a thread's registers; 0: what it had at entry.
  std::vector<uint32_t> ofWarp;
  /// Where a warp has asked last, and where for more.
  uint32_t last = ~0u, lastIncrease = ~0u;
};

/// Registers of a thread at a kernel's entry, as its directives tell them:
/// `.maxnreg`, or those of an SM's 65536 that a CTA of `.reqntid` or `.maxntid`
/// leaves each thread, a multiple of 8. 0: they do not tell.
uint32_t registersAtEntry(const Kernel &kernel);

/// A warp asks for `count` registers a thread; reports what is wrong with it.
void setRegisters(Warp &warp, uint32_t count, bool isDecrease);

/// The CTA has ended: reports that its warps have asked for more registers than
/// it has, so that on a GPU one waits for ever, or that those of a warp group
/// have not asked for the same (PTX ISA: all of its warps execute the same
/// setmaxnreg).
void checkRegisterBudget(Cta &cta);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_REGISTERBUDGET_H
