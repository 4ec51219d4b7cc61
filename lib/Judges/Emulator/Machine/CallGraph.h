// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who calls whom. In: a module. Out: the functions that a kernel reaches, or
// why their code cannot be repeated at each of their calls.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALLGRAPH_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALLGRAPH_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <string_view>
#include <unordered_map>

namespace tilewright::emulator {

/// The parts of a call instruction (PTX ISA, "call"); null: not there.
struct CallParts {
  const ListOperand *results = nullptr, *arguments = nullptr;
  const Operand *target = nullptr;
  /// The list of targets or the prototype of an indirect call.
  const Operand *prototype = nullptr;

  explicit CallParts(const Instruction &call);
  /// The function that is called by its name, or "".
  std::string_view name() const;
};

class CallGraph {
public:
  /// The module must outlive it.
  explicit CallGraph(const Module &module);

  /// The function that the name stands for, through aliases, whether it has a
  /// body here or not; null: there is none.
  const Function *find(std::string_view name) const;

  /// Appends `kernel` and each function with a body that it calls, directly or
  /// not, in the order in which their calls stand. False with `error` filled
  /// if one of them calls itself, or if code that is repeated at each call
  /// would be too long.
  bool reach(const Function &kernel, std::vector<const Function *> &functions,
             SyntaxError &error) const;

private:
  std::unordered_map<std::string_view, const Function *> functions;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_CALLGRAPH_H
