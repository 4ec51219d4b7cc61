// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of variables: the module's, with their initial values, and the shared
// ones of a kernel and the functions that it calls.

#include "lib/Judges/Emulator/Machine/Decoder.h"

#include <algorithm>

using namespace tilewright::emulator;

/// Addresses of functions, which only tell them apart: nothing is there.
static constexpr uint64_t functionWindow = uint64_t(4) << 40;
/// Bytes of shared memory, far beyond what any GPU has.
static constexpr uint64_t sharedMemoryLimit = uint64_t(1) << 30;

bool Decoder::placeModuleVariable(const Variable &variable) {
  if (variable.space == StateSpace::Shared)
    return true;
  if (variable.space != StateSpace::Global &&
      variable.space != StateSpace::Constant)
    return fail(variable.location, "expects a variable in global, constant or "
                                   "shared memory, but got '" +
                                       variable.name + "'");
  uint64_t address = memory.allocate(variable.bytes);
  if (!address)
    return fail(variable.location, "cannot hold '" + variable.name + "': " +
                                       memory.explainRefusal(variable.bytes));
  moduleAddresses[variable.name] = address;
  program.variables[variable.name] = address;
  std::vector<uint8_t> content(variable.bytes, 0);
  std::copy_n(variable.initializer.begin(),
              std::min(content.size(), variable.initializer.size()),
              content.begin());
  memory.write(address, content.data(), content.size());
  return true;
}

/// Writes the addresses in a variable's initial value.
bool Decoder::relocate(const Variable &variable) {
  for (const Variable::Relocation &relocation : variable.relocations) {
    auto symbol = moduleAddresses.find(relocation.symbol);
    if (symbol == moduleAddresses.end())
      return fail(variable.location,
                  "expects the address of a function, or of a variable in "
                  "global or constant memory, in the initializer of '" +
                      variable.name + "', but got '" + relocation.symbol + "'");
    uint64_t address =
        (symbol->second + relocation.addend) >> (8 * relocation.firstByte);
    if (!memory.write(moduleAddresses[variable.name] + relocation.offset,
                      &address, relocation.bytes))
      return fail(variable.location,
                  "an address lies beyond the end of '" + variable.name + "'");
  }
  return true;
}

/// Memory for the module's global and constant variables; shared ones get their
/// places with each kernel.
bool Decoder::placeModuleVariables() {
  uint64_t functionAddress = functionWindow;
  for (const Function &function : module.functions)
    moduleAddresses[function.name] = functionAddress += 16;
  for (const Module::Alias &alias : module.aliases)
    moduleAddresses[alias.name] = moduleAddresses[alias.target];
  for (const Variable &variable : module.variables)
    if (!placeModuleVariable(variable))
      return false;
  for (const Variable &variable : module.variables)
    if (!relocate(variable))
      return false;
  return true;
}

/// Those of one function or of the module. Arrays without a size stand behind
/// all others: `unsized` gets their addresses.
bool Decoder::placeSharedVariables(const Function *owner,
                                   const std::vector<Variable> &variables,
                                   std::vector<uint64_t *> &unsized,
                                   uint32_t &unsizedAlignment) {
  for (const Variable &variable : variables) {
    bool isHeldElsewhere = variable.space == StateSpace::Local ||
                           variable.space == StateSpace::Parameter;
    if (owner ? isHeldElsewhere : variable.space != StateSpace::Shared)
      continue;
    if (variable.space != StateSpace::Shared)
      return fail(variable.location, "expects a shared or local variable in a "
                                     "body, but got '" +
                                         variable.name + "'");
    uint64_t &address = sharedAddresses[owner][variable.name];
    if (variable.bytes == 0) {
      unsized.push_back(&address);
      unsizedAlignment = std::max(unsizedAlignment, variable.alignment);
      continue;
    }
    address =
        alignTo(kernel->staticSharedBytes, std::max(1u, variable.alignment));
    if (variable.bytes > sharedMemoryLimit ||
        address + variable.bytes > sharedMemoryLimit)
      return fail(variable.location, "'" + variable.name + "' is too large");
    kernel->staticSharedBytes = address + variable.bytes;
  }
  return true;
}

/// A function's shared variables have one place, whoever calls it.
bool Decoder::placeShared(const std::vector<const Function *> &functions) {
  sharedAddresses.clear();
  std::vector<uint64_t *> unsized;
  uint32_t alignment = 16;
  if (!placeSharedVariables(nullptr, module.variables, unsized, alignment))
    return false;
  for (const Function *function : functions)
    if (!placeSharedVariables(function, function->variables, unsized,
                              alignment))
      return false;
  kernel->dynamicSharedOffset = alignTo(kernel->staticSharedBytes, alignment);
  for (uint64_t *address : unsized)
    *address = kernel->dynamicSharedOffset;
  return true;
}
