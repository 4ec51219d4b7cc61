// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/CallGraph.h"

#include <algorithm>

using namespace tilewright::emulator;

/// Instructions of a kernel whose calls are expanded.
static constexpr uint64_t expansionLimit = 1 << 18;

CallParts::CallParts(const Instruction &call) {
  for (const Operand &operand : call.operands) {
    const auto *list = std::get_if<ListOperand>(&operand.value);
    if (!target && list)
      results = list;
    else if (!target)
      target = &operand;
    else if (list)
      arguments = list;
    else
      prototype = &operand;
  }
}

std::string_view CallParts::name() const {
  const auto *symbol =
      target ? std::get_if<SymbolOperand>(&target->value) : nullptr;
  return symbol ? std::string_view(symbol->name) : std::string_view();
}

CallGraph::CallGraph(const Module &module) {
  for (const Function &function : module.functions)
    functions.try_emplace(function.name, &function);
  // An alias is declared as a function without a body.
  for (const Module::Alias &alias : module.aliases)
    if (auto target = functions.find(alias.target); target != functions.end())
      functions[alias.name] = target->second;
}

const Function *CallGraph::find(std::string_view name) const {
  auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

namespace {

/// A function whose calls are followed, up to instruction `next`.
struct Visit {
  const Function *function;
  size_t next = 0;
  /// Its instructions and those of what it has called so far.
  uint64_t size = 0;
};

/// A walk along the calls, without recursion: chains may be long.
class Walk {
public:
  Walk(const CallGraph &graph, std::vector<const Function *> &order,
       SyntaxError &error)
      : graph(graph), order(order), error(error) {}

  bool run(const Function &kernel);

private:
  void open(const Function &function);
  bool follow(const Instruction &call);
  void close();

  const CallGraph &graph;
  std::vector<const Function *> &order;
  SyntaxError &error;
  std::vector<Visit> visits;
  /// Of each function that was met: its size, or 0 while it is visited.
  std::unordered_map<const Function *, uint64_t> sizes;
};

void Walk::open(const Function &function) {
  order.push_back(&function);
  sizes[&function] = 0;
  // One more: the end, if the body does not say it.
  visits.push_back({&function, 0, function.body.size() + 1});
}

bool Walk::follow(const Instruction &call) {
  const Function *callee = graph.find(CallParts(call).name());
  if (!callee || callee->isExternal || callee->isKernel)
    return true;
  auto known = sizes.find(callee);
  if (known == sizes.end()) {
    open(*callee);
    return true;
  }
  if (known->second == 0) {
    error = {call.location, "expects calls without recursion, but '" +
                                callee->name + "' comes to call itself here"};
    return false;
  }
  visits.back().size =
      std::min(visits.back().size + known->second, 2 * expansionLimit);
  return true;
}

void Walk::close() {
  Visit done = visits.back();
  visits.pop_back();
  sizes[done.function] = done.size;
  if (!visits.empty())
    visits.back().size =
        std::min(visits.back().size + done.size, 2 * expansionLimit);
}

bool Walk::run(const Function &kernel) {
  open(kernel);
  while (!visits.empty()) {
    Visit &visit = visits.back();
    if (visit.next == visit.function->body.size()) {
      close();
      continue;
    }
    const Instruction &instruction = visit.function->body[visit.next++];
    if (instruction.name == "call" && !follow(instruction))
      return false;
  }
  if (order.size() == 1 || sizes[&kernel] <= expansionLimit)
    return true;
  error = {kernel.location,
           "expects at most " + std::to_string(expansionLimit) +
               " instructions once the code of functions stands at each of "
               "their calls, but kernel '" +
               kernel.name + "' has more"};
  return false;
}

} // namespace

bool CallGraph::reach(const Function &kernel,
                      std::vector<const Function *> &functions,
                      SyntaxError &error) const {
  return Walk(*this, functions, error).run(kernel);
}
