// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/InlineAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace tilewright::codegen;

StringRef tilewright::codegen::getInlinePtx(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *assembly =
      call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? assembly->getAsmString() : StringRef();
}

/// Results of inline PTX whose call has that type: those in a structure, one,
/// or none. Operands are numbered behind them.
static unsigned countResults(const Type *type) {
  if (type->isVoidTy())
    return 0;
  const auto *structure = dyn_cast<StructType>(type);
  return structure ? structure->getNumElements() : 1;
}

/// Takes an operand, "$4", from the front of `text`; null where there is none.
static Value *takeOperand(StringRef &text, const CallInst &call) {
  unsigned number = 0, results = countResults(call.getType());
  if (!text.consume_front("$") || text.consumeInteger(10, number) ||
      number < results || number - results >= call.arg_size())
    return nullptr;
  return call.getArgOperand(number - results);
}

/// The moves that fill the results, one for each: "mov.b32 $0, 0".
static bool parseInitial(ArrayRef<StringRef> moves, const CallInst &call,
                         InlineAccess &access) {
  if (!moves.empty() && moves.size() != countResults(call.getType()))
    return false;
  for (auto [index, move] : enumerate(moves)) {
    auto [target, source] = move.split(", ");
    if (!target.ltrim().starts_with("mov.b") ||
        !target.ends_with(" $" + std::to_string(index)))
      return false;
    Value *value = source == "0" ? nullptr : takeOperand(source, call);
    if (!value && source != "0")
      return false;
    access.initial.push_back(value);
  }
  return true;
}

/// "[$4+2048]" somewhere in the operands.
static bool parseAddress(StringRef operands, const CallInst &call,
                         InlineAccess &access) {
  StringRef address = operands.split('[').second.split(']').first;
  access.pointer = takeOperand(address, call);
  if (!access.pointer || !access.pointer->getType()->isPointerTy())
    return false;
  return address.empty() || (address.consume_front("+") &&
                             !address.getAsInteger(10, access.distance));
}

std::optional<InlineAccess>
tilewright::codegen::parseInlineAccess(const CallInst &call) {
  SmallVector<StringRef, 8> lines;
  getInlinePtx(call).split(lines, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  InlineAccess access;
  if (lines.empty() || !parseInitial(ArrayRef(lines).drop_back(), call, access))
    return std::nullopt;
  StringRef last = lines.back().trim();
  if (last.consume_front("@")) {
    access.predicate = takeOperand(last, call);
    if (!access.predicate || !last.consume_front(" "))
      return std::nullopt;
  }
  StringRef operands;
  std::tie(access.opcode, operands) = last.split(' ');
  if (!parseAddress(operands, call, access))
    return std::nullopt;
  return access;
}
