// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decoders of the families of instructions share. A family's decoder
// reads the modifiers and operands of one instruction and fills in the handler
// that executes it. Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODE_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODE_H

#include "lib/Judges/Emulator/Machine/Frame.h"
#include "lib/Judges/Emulator/Machine/Program.h"

#include <initializer_list>

namespace tilewright::emulator {

class Decoder;

/// One instruction while it is decoded. What a family's decoder does not take
/// of the modifiers is an error, so that nothing is guessed.
class DecodeContext {
public:
  DecodeContext(Decoder &decoder, const Instruction &in, Decoded &out)
      : in(in), out(out), decoder(decoder), taken(in.modifiers.size()) {}

  const Instruction &in;
  Decoded &out;

  /// Whether the modifier is there; takes it.
  bool take(std::string_view modifier);
  /// The index in `choices` of the first modifier that is there, or none.
  std::optional<unsigned>
  takeOneOf(std::initializer_list<std::string_view> choices);
  /// The first modifier not yet taken that is a type (PTX's spelling).
  std::optional<DataType> takeType();
  /// The first modifier not yet taken, or "".
  std::string_view rest() const;

  /// Adds operand `index` as a source of words of `bits` (1, 16, 32, 64).
  bool source(size_t index, unsigned bits);
  bool source(const Operand &operand, unsigned bits);
  /// The same where a register may be wider, as stores and conversions allow
  /// (PTX ISA, "Operand Size Exceeding Instruction-Type Size"): its low bits
  /// count. `wordBits` gets the bits of its words, 32 or 64.
  bool wideSource(const Operand &operand, unsigned bits, unsigned &wordBits);
  /// Adds operand `index` as a result of words of `bits`.
  bool destination(size_t index, unsigned bits);
  bool destination(const Operand &operand, unsigned bits);
  /// The same where the register may be wider, as loads and conversions allow.
  bool wideDestination(const Operand &operand, unsigned bits);
  /// Reads operand `index` as the address of an access. In Decoded::space goes
  /// Local for `.param` where it means a parameter of a call.
  bool address(size_t index, StateSpace space);
  /// The same of an address that coordinates follow, which are left alone.
  bool tensorAddress(size_t index, StateSpace space);
  /// The variable of a call's parameter that address() has met, if any.
  std::optional<LocalPlace> callParameter;
  /// The elements of a vector operand, or the operand itself.
  std::vector<const Operand *> elements(size_t index) const;
  /// Checks the number of operands.
  bool expectOperands(size_t least, size_t most);
  bool expectOperands(size_t count) { return expectOperands(count, count); }

  /// Says what is wrong; always false.
  bool fail(std::string message);

  Decoder &decoder;

private:
  std::vector<bool> taken;
};

using FamilyDecoder = bool (*)(DecodeContext &);

/// The families: names of instructions and their decoders.
struct FamilyEntry {
  std::string_view name;
  FamilyDecoder decode;
  /// Whether the lanes of a warp execute it together.
  bool isCollective = false;
};
using Family = std::vector<FamilyEntry>;
Family arithmeticFamily();
Family logicFamily();
Family moveFamily();
Family conversionFamily();
Family comparisonFamily();
Family memoryFamily();
Family controlFamily();
Family callFamily();
Family warpFamily();
Family matrixFamily();
Family asynchronousFamily();
Family memoryBarrierFamily();
Family warpGroupFamily();
Family tensorMapFamily();

/// bar.warp.sync, whose member mask is the only source.
bool decodeWarpSynchronization(DecodeContext &context);

/// What stands behind `cp.async.bulk` and `cp.reduce.async.bulk`.
bool decodeBulkCopy(DecodeContext &context);

/// What stands behind `fence.proxy.tensormap::generic`.
bool decodeTensorMapFence(DecodeContext &context);

/// testp.
bool decodeFloatTest(DecodeContext &context);

/// Integer and float forms of the instructions of arithmeticFamily.
bool decodeIntegerArithmetic(DecodeContext &context, DataType type);
bool decodeFloatArithmetic(DecodeContext &context, DataType type);
/// The handler of add, sub, mul or fma on f16 or bf16 (isBrain), rounded to
/// nearest without other modifiers; null: none of these.
Handler findHalfHandler(std::string_view name, bool isBrain, bool isPair);
/// addc, subc, madc, and add, sub, mad with .cc.
bool decodeCarryArithmetic(DecodeContext &context, DataType type);

/// Calls `function` with a value of the C++ type that `type` stands for.
template <typename Function>
bool dispatchInteger(DataType type, Function function) {
  switch (type) {
  case DataType::B16:
  case DataType::U16:
    return function(uint16_t());
  case DataType::S16:
    return function(int16_t());
  case DataType::B32:
  case DataType::U32:
    return function(uint32_t());
  case DataType::S32:
    return function(int32_t());
  case DataType::B64:
  case DataType::U64:
    return function(uint64_t());
  case DataType::S64:
    return function(int64_t());
  default:
    return false;
  }
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODE_H
