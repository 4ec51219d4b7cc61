// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/InlineAssembly.h"

#include "dialects/Triton/AssemblyText.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

unsigned AssemblyRegister::getBits(char letter) {
  switch (letter) {
  case 'b':
    return 1;
  case 'c':
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'l':
  case 'd':
  case 'i':
  case 'n':
    return 64;
  case 'q':
    return 128;
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
  /// Results that an operand is tied to.
  SmallVector<unsigned> tied;
  bool sawClobber = false;
  std::string text;

  void append(const Twine &constraint) {
    text += (text.empty() ? "" : ",") + constraint.str();
  }
  LogicalResult addClobber(StringRef piece);
  LogicalResult addResult(StringRef piece);
  LogicalResult addArgument(StringRef piece);
};
} // namespace

/// Of the letters that a constraint allows the first that is a register's, as
/// LLVM chooses, or 0. Of alternatives ("r|f") the first counts.
static char chooseLetter(StringRef letters) {
  char chosen = 0;
  for (char letter : letters.split('|').first) {
    if (AssemblyRegister::getBits(letter) == 0)
      return 0;
    if (!chosen)
      chosen = letter;
  }
  return chosen;
}

/// Any register may be named: PTX has none of the machine's.
LogicalResult Constraints::addClobber(StringRef piece) {
  if (!piece.consume_front("~{") || !piece.consume_back("}") || piece.empty() ||
      piece.contains('{') || piece.contains('}'))
    return failure();
  sawClobber = true;
  append("~{" + piece + "}");
  return success();
}

LogicalResult Constraints::addResult(StringRef piece) {
  bool isEarly = piece.consume_front("&");
  char letter = chooseLetter(piece);
  AssemblyRegister result{letter};
  if (!letter || result.isConstant() || sawClobber || !arguments.empty())
    return failure();
  results.push_back(letter);
  append(Twine(isEarly ? "=&" : "=") + Twine(letter));
  return success();
}

LogicalResult Constraints::addArgument(StringRef piece) {
  if (sawClobber)
    return failure();
  // That two operands may be swapped is nothing that has to be made use of.
  piece.consume_front("%");
  unsigned number = 0;
  if (!piece.getAsInteger(10, number)) {
    if (number >= results.size() || llvm::is_contained(tied, number))
      return failure();
    tied.push_back(number);
    arguments.push_back(results[number]);
    append(Twine(number));
    return success();
  }
  char letter = chooseLetter(piece);
  if (!letter)
    return failure();
  arguments.push_back(letter);
  append(Twine(letter));
  return success();
}

static FailureOr<Constraints> readConstraints(ElementwiseInlineAsmOp op) {
  std::string text;
  llvm::copy_if(op.getConstraints(), std::back_inserter(text),
                [](char letter) { return !llvm::isSpace(letter); });
  Constraints constraints;
  SmallVector<StringRef> pieces;
  StringRef(text).split(pieces, ',');
  for (StringRef piece : pieces) {
    LogicalResult isKnown =
        piece.starts_with("~")     ? constraints.addClobber(piece)
        : piece.consume_front("=") ? constraints.addResult(piece)
                                   : constraints.addArgument(piece);
    if (failed(isKnown))
      return op.emitOpError(
                 "expects constraints '=X' or '=&X' for the results, then 'X', "
                 "'n', 'i' or a result's number, each once, for the operands, "
                 "then clobbers '~{name}', with X one of b, c, h, r, l, q, f "
                 "and d, but got '")
             << op.getConstraints() << "'";
  }
  return constraints;
}

//===----------------------------------------------------------------------===//
// Operands in the text
//===----------------------------------------------------------------------===//

/// Takes `{:uid}`, `{:comment}` or `{:private}`, which LLVM writes itself, off
/// `text`.
static bool takeSpecial(StringRef &text) {
  for (StringRef name : {"{:uid}", "{:comment}", "{:private}"})
    if (text.consume_front(name))
      return true;
  return false;
}

/// The number behind a `$`, which is taken off `text`, or nothing where LLVM
/// has no such form for registers of PTX: it has `$3`, `${3}` and `${3:r}`.
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
  if (end == StringRef::npos || (!modifier.empty() && modifier != ":r"))
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
    if (text.consume_front("$") || takeSpecial(text))
      continue;
    StringRef from = text.take_front(8);
    std::optional<unsigned> number = takeOperand(text);
    if (!number)
      return op.emitOpError("expects '$$', '$N', '${N}' or '${:uid}' in the "
                            "assembly, but got '$")
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

std::optional<APInt> tt::getConstantElement(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  APInt bits;
  return matchPattern(value, m_ConstantInt(&bits)) ? std::optional(bits)
                                                   : std::nullopt;
}

/// Operands whose constraint asks for one are constants.
static LogicalResult verifyConstants(ElementwiseInlineAsmOp op,
                                     const AssemblyForm &form) {
  for (auto [number, value] : llvm::enumerate(op.getArgs()))
    if (form.arguments[number].front().isConstant() &&
        !getConstantElement(value))
      return op.emitOpError("expects an integer constant as operand ")
             << number << ", whose constraint is '"
             << StringRef(&form.arguments[number].front().letter, 1)
             << "', but got a value that is known at run time alone";
  return success();
}

FailureOr<AssemblyForm> tt::getAssemblyForm(ElementwiseInlineAsmOp op) {
  FailureOr<Constraints> constraints = readConstraints(op);
  if (failed(constraints) ||
      failed(verifyText(op, constraints->results.size() +
                                constraints->arguments.size())) ||
      failed(verifyAssemblyStatements(op)))
    return failure();
  AssemblyForm form;
  form.constraints = constraints->text;
  if (failed(takeAll(op, op.getResultTypes(), constraints->results, "results",
                     form.results)) ||
      failed(takeAll(op, op.getOperandTypes(), constraints->arguments,
                     "operands", form.arguments)) ||
      failed(verifyConstants(op, form)))
    return failure();
  return form;
}
