// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/InlineAssembly.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

unsigned AssemblyRegister::getBits(char letter) {
  switch (letter) {
  case 'b':
    return 1;
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
    return 64;
  default:
    return 0;
  }
}

unsigned tt::getAssemblyBits(Type element) {
  if (isa<PointerType>(element))
    return 64;
  return std::max(8u, element.getIntOrFloatBitWidth());
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {
/// The letters of the constraints, tied operands with those of their result.
struct Constraints {
  SmallVector<char> results, arguments;
};
} // namespace

/// The letter of one constraint without `=` and `&`, or 0.
static char getLetter(StringRef text, const Constraints &before) {
  unsigned number = 0;
  if (!text.getAsInteger(10, number))
    return number < before.results.size() ? before.results[number] : '\0';
  return text.size() == 1 && AssemblyRegister::getBits(text[0]) ? text[0]
                                                                : '\0';
}

static FailureOr<Constraints> readConstraints(ElementwiseInlineAsmOp op) {
  Constraints constraints;
  bool sawClobber = false;
  SmallVector<StringRef> pieces;
  op.getConstraints().split(pieces, ',');
  for (StringRef piece : pieces) {
    if (piece == "~{memory}" || piece == "~{cc}") {
      sawClobber = true;
      continue;
    }
    bool isResult = piece.consume_front("=");
    if (isResult)
      piece.consume_front("&");
    char letter = getLetter(piece, constraints);
    bool isTied = !piece.empty() && llvm::isDigit(piece[0]);
    bool isMisplaced =
        sawClobber || (isResult && (isTied || !constraints.arguments.empty()));
    if (!letter || isMisplaced)
      return op.emitOpError("expects constraints '=X' for the results, then "
                            "'X' or a result's number for the operands, then "
                            "'~{memory}' or '~{cc}', with X one of b, h, r, l, "
                            "f and d, but got '")
             << op.getConstraints() << "'";
    (isResult ? constraints.results : constraints.arguments).push_back(letter);
  }
  return constraints;
}

//===----------------------------------------------------------------------===//
// Operands in the text
//===----------------------------------------------------------------------===//

/// The number behind a `$`, which is taken off `text`, or nothing where LLVM
/// knows no such form: it has `$3`, `${3}` and `${3:modifier}`.
static std::optional<unsigned> takeOperand(StringRef &text) {
  unsigned number = 0;
  bool inBraces = text.consume_front("{");
  if (text.empty() || !llvm::isDigit(text[0]) ||
      text.consumeInteger(10, number))
    return std::nullopt;
  if (!inBraces)
    return number;
  size_t end = text.find('}');
  StringRef modifier = text.take_front(end);
  if (end == StringRef::npos || (!modifier.empty() && modifier[0] != ':') ||
      modifier.size() > 2)
    return std::nullopt;
  text = text.drop_front(end + 1);
  return number;
}

static LogicalResult verifyText(ElementwiseInlineAsmOp op, size_t count) {
  StringRef text = op.getAsmString();
  while (true) {
    size_t at = text.find('$');
    if (at == StringRef::npos)
      return success();
    text = text.drop_front(at + 1);
    if (text.consume_front("$"))
      continue;
    StringRef from = text.take_front(8);
    std::optional<unsigned> number = takeOperand(text);
    if (!number)
      return op.emitOpError("expects '$$', '$N' or '${N}' in the assembly, but "
                            "got '$")
             << from << "'";
    if (*number >= count)
      return op.emitOpError("expects operands of the assembly below $")
             << count << ", which its constraints name, but got $" << *number;
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The registers of a value of `type`, whose letters are taken off `letters`.
static FailureOr<SmallVector<AssemblyRegister>>
takeRegisters(ElementwiseInlineAsmOp op, Type type, ArrayRef<char> &letters) {
  unsigned bits = getAssemblyBits(getElementTypeOrSelf(type));
  unsigned packed = op.getPackedElement();
  unsigned together = std::clamp(32 / bits, 1u, packed);
  SmallVector<AssemblyRegister> registers;
  for (unsigned at = 0; at < packed; at += together) {
    AssemblyRegister each{letters.front(), std::min(together, packed - at)};
    letters = letters.drop_front();
    unsigned needed = each.elements * bits;
    bool isPredicate = each.letter == 'b' &&
                       getElementTypeOrSelf(type).isInteger(1) &&
                       each.elements == 1;
    if (!isPredicate && AssemblyRegister::getBits(each.letter) < needed)
      return op.emitOpError("expects constraints of at least ")
             << needed << " bits for " << each.elements << " x "
             << getElementTypeOrSelf(type) << ", but got '"
             << StringRef(&each.letter, 1) << "'";
    registers.push_back(each);
  }
  return registers;
}

static size_t countRegisters(ElementwiseInlineAsmOp op, TypeRange types) {
  size_t count = 0;
  uint64_t packed = op.getPackedElement();
  for (Type type : types) {
    unsigned bits = getAssemblyBits(getElementTypeOrSelf(type));
    count +=
        llvm::divideCeil(packed, std::clamp<uint64_t>(32 / bits, 1, packed));
  }
  return count;
}

static LogicalResult takeAll(ElementwiseInlineAsmOp op, TypeRange types,
                             ArrayRef<char> letters, StringRef what,
                             SmallVector<SmallVector<AssemblyRegister>> &all) {
  size_t count = countRegisters(op, types);
  if (letters.size() != count)
    return op.emitOpError("expects ")
           << count << " constraints for its " << what
           << " (elements of fewer than 32 bits share one, packed_element = "
           << op.getPackedElement() << "), but got " << letters.size();
  for (Type type : types) {
    FailureOr<SmallVector<AssemblyRegister>> registers =
        takeRegisters(op, type, letters);
    if (failed(registers))
      return failure();
    all.push_back(std::move(*registers));
  }
  return success();
}

FailureOr<AssemblyForm> tt::getAssemblyForm(ElementwiseInlineAsmOp op) {
  FailureOr<Constraints> constraints = readConstraints(op);
  if (failed(constraints) ||
      failed(verifyText(op, constraints->results.size() +
                                constraints->arguments.size())))
    return failure();
  AssemblyForm form;
  if (failed(takeAll(op, op.getResultTypes(), constraints->results, "results",
                     form.results)) ||
      failed(takeAll(op, op.getOperandTypes(), constraints->arguments,
                     "operands", form.arguments)))
    return failure();
  return form;
}
