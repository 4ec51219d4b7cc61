// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/DropLoads.h"

#include "lib/Codegen/MemoryAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

namespace {

/// A load that the lowering writes as inline PTX: moves that fill its
/// registers, one for each, and the load under a predicate.
struct PredicatedLoad {
  /// An operand, or null for 0, of each move, in the order of the results.
  SmallVector<Value *> initial;
  Value *predicate = nullptr;
};

} // namespace

/// The argument that `text` begins with: "$4", counted behind the results.
static Value *findArgument(StringRef text, const CallInst &call) {
  unsigned number = 0, results = codegen::countResults(call.getType());
  if (!text.consume_front("$") || text.consumeInteger(10, number) ||
      number < results || number - results >= call.arg_size())
    return nullptr;
  return call.getArgOperand(number - results);
}

static std::optional<PredicatedLoad> parse(const CallInst &call) {
  const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly || call.getType()->isVoidTy())
    return std::nullopt;
  SmallVector<StringRef, 8> lines;
  StringRef(assembly->getAsmString())
      .split(lines, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  unsigned results = codegen::countResults(call.getType());
  if (lines.size() != results + 1)
    return std::nullopt;
  PredicatedLoad load;
  for (auto [index, line] : enumerate(ArrayRef(lines).drop_back())) {
    auto [target, source] = line.split(", ");
    if (!target.ltrim().starts_with("mov.b") ||
        !target.ends_with(" $" + std::to_string(index)))
      return std::nullopt;
    load.initial.push_back(findArgument(source, call));
    if (!load.initial.back() && source != "0")
      return std::nullopt;
  }
  StringRef last = lines.back().trim();
  if (!last.consume_front("@") || !last.split(' ').second.starts_with("ld."))
    return std::nullopt;
  load.predicate = findArgument(last, call);
  return load;
}

/// What the results are where nothing is loaded.
static Value *makeInitial(const PredicatedLoad &load, CallInst &call) {
  auto get = [&](unsigned index, Type *type) {
    Value *value = load.initial[index];
    return value ? value : Constant::getNullValue(type);
  };
  auto *structure = dyn_cast<StructType>(call.getType());
  if (!structure)
    return get(0, call.getType());
  IRBuilder<> builder(&call);
  Value *all = PoisonValue::get(structure);
  for (unsigned index = 0; index < load.initial.size(); ++index)
    all = builder.CreateInsertValue(
        all, get(index, structure->getElementType(index)), index);
  return all;
}

PreservedAnalyses codegen::DropLoads::run(Function &function,
                                          FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    std::optional<PredicatedLoad> load = call ? parse(*call) : std::nullopt;
    if (!load || !load->predicate || !match(load->predicate, m_Zero()))
      continue;
    call->replaceAllUsesWith(makeInitial(*load, *call));
    call->eraseFromParent();
    hasChanged = true;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
