// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes in; what the parser gives must be consistent in itself: every
// register and label of an operand exists, and every error has a place.

#include "lib/Judges/Emulator/Syntax/Parser.h"

#include <cstdlib>
#include <set>

using namespace tilewright::emulator;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void checkOperand(const Function &function, const Operand &operand) {
  auto checkAll = [&](const std::vector<Operand> &elements) {
    for (const Operand &element : elements)
      checkOperand(function, element);
  };
  auto checkRegister = [&](const RegisterOperand &use) {
    require(use.index < function.registers.size());
  };
  if (auto *use = std::get_if<RegisterOperand>(&operand.value))
    checkRegister(*use);
  else if (auto *symbol = std::get_if<SymbolOperand>(&operand.value))
    require(!symbol->name.empty());
  else if (auto *vector = std::get_if<VectorOperand>(&operand.value))
    checkAll(vector->elements);
  else if (auto *list = std::get_if<ListOperand>(&operand.value))
    checkAll(list->elements);
  else if (auto *pair = std::get_if<PairOperand>(&operand.value))
    checkAll(pair->elements);
  else if (auto *address = std::get_if<AddressOperand>(&operand.value)) {
    if (auto *base = std::get_if<RegisterOperand>(&address->base))
      checkRegister(*base);
    checkAll(address->coordinates);
  }
}

static void checkFunction(const Function &function) {
  std::set<std::string> names;
  for (const Function::Label &label : function.labels) {
    require(label.instruction <= function.body.size());
    require(names.insert(label.name).second);
  }
  for (const Variable &variable : function.variables)
    require(names.insert(variable.name).second);
  for (const Function::BranchTargets &list : function.branchTargets)
    for (const std::string &target : list.targets)
      require(names.contains(target));
  for (const Instruction &instruction : function.body) {
    require(!instruction.guard ||
            instruction.guard->index < function.registers.size());
    for (const Operand &operand : instruction.operands)
      checkOperand(function, operand);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SyntaxError error;
  std::optional<Module> module =
      parsePtx({reinterpret_cast<const char *>(data), size}, error);
  if (!module) {
    require(error.location.line > 0 && error.location.column > 0);
    require(error.message.starts_with("expects "));
    return 0;
  }
  for (const Function &function : module->functions)
    checkFunction(function);
  for (const Variable &variable : module->variables)
    require(variable.initializer.size() <= variable.bytes);
  return 0;
}
