// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Frame.h"

#include "lib/Judges/Emulator/Machine/Program.h"

#include <algorithm>

using namespace tilewright::emulator;

bool FrameLayout::addLocal(uint64_t bytes, uint32_t alignment,
                           LocalPlace &place) {
  alignment = std::max(1u, alignment);
  uint64_t offset = alignTo(localBytes, alignment);
  if (bytes > localMemoryLimit || offset > localMemoryLimit - bytes)
    return false;
  place = {uint32_t(offset), uint32_t(bytes)};
  localBytes = offset + bytes;
  localAlignment = std::max(localAlignment, alignment);
  return true;
}

static void layOutRegisters(const Function &function, FrameLayout &layout) {
  uint32_t words = 0;
  for (const RegisterDeclaration &declaration : function.registers) {
    layout.registerOffsets.push_back(words);
    unsigned bits = bitWidth(declaration.type);
    words += declaration.type == DataType::Predicate
                 ? 1
                 : warpSize * (bits <= 32 ? 1 : bits / 32);
    // Lanes begin at a multiple of 64 bytes, so that hosts can take them whole.
    words = alignTo(words, 16);
  }
  layout.sinkOffset = words;
  layout.carryOffset = words + 4 * warpSize;
  layout.words = layout.carryOffset + 16;
  layout.numRegisters = function.registers.size() + 1;
}

bool tilewright::emulator::layOutFrame(const Function &function,
                                       FrameLayout &layout,
                                       SyntaxError &error) {
  layOutRegisters(function, layout);
  for (const Variable &variable : function.variables) {
    bool isParameter = variable.space == StateSpace::Parameter;
    if (!isParameter && variable.space != StateSpace::Local)
      continue;
    auto &places = isParameter ? layout.callParameters : layout.locals;
    if (!layout.addLocal(variable.bytes, variable.alignment,
                         places[variable.name])) {
      error = {variable.location, "expects at most " +
                                      std::to_string(localMemoryLimit) +
                                      " bytes of local memory, but '" +
                                      variable.name + "' exceeds them"};
      return false;
    }
  }
  return true;
}
