// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function needs of a warp while it runs. In: the function. Out: the
// places of its registers and local variables, counted from its frame's begin.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_FRAME_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_FRAME_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <unordered_map>

namespace tilewright::emulator {

inline uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Bytes of local memory that a thread may have (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
constexpr uint64_t localMemoryLimit = uint64_t(512) << 10;

/// Where a frame begins: behind the frames of its callers. Calls of one
/// function may share a place, as only one of them is open in a lane.
struct FramePlace {
  /// The number of its first register, and that one's place in a warp's file.
  uint32_t firstRegister = 0, firstWord = 0;
  /// In local memory of a thread.
  uint32_t localBegin = 0;
};

/// A variable's bytes in local memory.
struct LocalPlace {
  uint32_t offset = 0, bytes = 0;
};

struct FrameLayout {
  /// Of each register the word where its lanes begin.
  std::vector<uint32_t> registerOffsets;
  /// Results that nobody wants, and the predicate of the carry, which is the
  /// register after the last that has a name.
  uint32_t sinkOffset = 0, carryOffset = 0;
  uint32_t numRegisters = 0, words = 0;
  /// Local variables, and parameters of calls.
  std::unordered_map<std::string, LocalPlace> locals, callParameters;
  uint32_t localBytes = 0, localAlignment = 16;

  /// Adds bytes of local memory; false if there is no room for them.
  bool addLocal(uint64_t bytes, uint32_t alignment, LocalPlace &place);
};

/// Lays a function out. On failure fills `error`: its variables are too large.
bool layOutFrame(const Function &function, FrameLayout &layout,
                 SyntaxError &error);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_FRAME_H
