// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Decode.h"

#include "lib/Judges/Emulator/Machine/Decoder.h"

#include <cstring>

using namespace tilewright::emulator;

bool DecodeContext::take(std::string_view modifier) {
  for (size_t i = 0; i < in.modifiers.size(); ++i)
    if (!taken[i] && in.modifiers[i] == modifier) {
      taken[i] = true;
      return true;
    }
  return false;
}

std::optional<unsigned>
DecodeContext::takeOneOf(std::initializer_list<std::string_view> choices) {
  unsigned index = 0;
  for (std::string_view choice : choices) {
    if (take(choice))
      return index;
    ++index;
  }
  return std::nullopt;
}

static std::optional<DataType> parseType(std::string_view text) {
  static const std::unordered_map<std::string_view, DataType> types = {
      {"pred", DataType::Predicate}, {"b8", DataType::B8},
      {"b16", DataType::B16},        {"b32", DataType::B32},
      {"b64", DataType::B64},        {"b128", DataType::B128},
      {"u8", DataType::U8},          {"u16", DataType::U16},
      {"u32", DataType::U32},        {"u64", DataType::U64},
      {"s8", DataType::S8},          {"s16", DataType::S16},
      {"s32", DataType::S32},        {"s64", DataType::S64},
      {"f16", DataType::F16},        {"f16x2", DataType::F16x2},
      {"bf16", DataType::BF16},      {"bf16x2", DataType::BF16x2},
      {"f32", DataType::F32},        {"f64", DataType::F64}};
  auto found = types.find(text);
  if (found == types.end())
    return std::nullopt;
  return found->second;
}

std::optional<DataType> DecodeContext::takeType() {
  for (size_t i = 0; i < in.modifiers.size(); ++i)
    if (!taken[i])
      if (std::optional<DataType> type = parseType(in.modifiers[i])) {
        taken[i] = true;
        return type;
      }
  return std::nullopt;
}

std::string_view DecodeContext::rest() const {
  for (size_t i = 0; i < in.modifiers.size(); ++i)
    if (!taken[i])
      return in.modifiers[i];
  return "";
}

bool DecodeContext::fail(std::string message) {
  std::string text = in.name;
  for (const std::string &modifier : in.modifiers)
    text += "." + modifier;
  return decoder.fail(in.location, "the emulator cannot execute '" + text +
                                       "': " + std::move(message));
}

bool DecodeContext::expectOperands(size_t least, size_t most) {
  return in.operands.size() >= least && in.operands.size() <= most;
}

/// A number as the bits of a word: floats in the width that is wanted.
static uint64_t floatBits(const FloatOperand &number, unsigned bits) {
  if (number.isDouble && bits == 32) {
    double wide;
    std::memcpy(&wide, &number.bits, sizeof(wide));
    float narrow = wide;
    uint32_t result;
    std::memcpy(&result, &narrow, sizeof(result));
    return result;
  }
  return number.bits;
}

static unsigned wordBits(unsigned bits) {
  return bits <= 32 ? (bits == 1 ? 1 : 32) : bits;
}

bool DecodeContext::source(size_t index, unsigned bits) {
  return index < in.operands.size() && source(in.operands[index], bits);
}

bool DecodeContext::source(const Operand &operand, unsigned bits) {
  if (const auto *name = std::get_if<RegisterOperand>(&operand.value)) {
    unsigned held = bitWidth(decoder.getRegisterType(name->index));
    if (wordBits(held) != wordBits(bits))
      return fail("expects a register of " + std::to_string(bits) +
                  " bits, but got one of " + std::to_string(held));
    Source source = decoder.getRegister(name->index);
    source.isNegated = name->isNegated;
    out.sources.push_back(source);
    return true;
  }
  if (bits > 64)
    return fail("expects a register of 128 bits");
  unsigned width = wordBits(bits) == 64 ? 64 : 32;
  if (const auto *number = std::get_if<IntegerOperand>(&operand.value)) {
    uint64_t value = number->bits;
    // A predicate is a mask of lanes.
    if (bits == 1)
      value = value ? ~uint64_t(0) : 0;
    else if (bits < 32)
      value &= (uint64_t(1) << bits) - 1;
    out.sources.push_back(decoder.getConstant(value, width));
    return true;
  }
  if (const auto *number = std::get_if<FloatOperand>(&operand.value)) {
    out.sources.push_back(
        decoder.getConstant(floatBits(*number, width), width));
    return true;
  }
  if (const auto *special =
          std::get_if<SpecialRegisterOperand>(&operand.value)) {
    std::optional<Source> place = decoder.getSpecialRegister(special->name);
    if (!place || width != 32)
      return fail("the special register '%" + special->name + "' is not known");
    out.sources.push_back(*place);
    return true;
  }
  if (const auto *symbol = std::get_if<SymbolOperand>(&operand.value)) {
    std::optional<uint64_t> address = decoder.getAddress(symbol->name);
    if (!address)
      return fail("'" + symbol->name + "' has no address");
    out.sources.push_back(
        decoder.getConstant(*address + symbol->addend, width));
    return true;
  }
  return fail("expects a register or a number");
}

bool DecodeContext::wideSource(const Operand &operand, unsigned bits,
                               unsigned &held) {
  held = wordBits(bits);
  if (const auto *name = std::get_if<RegisterOperand>(&operand.value))
    held = std::max(held,
                    wordBits(bitWidth(decoder.getRegisterType(name->index))));
  return source(operand, held == wordBits(bits) ? bits : held);
}

bool DecodeContext::destination(size_t index, unsigned bits) {
  return index < in.operands.size() && destination(in.operands[index], bits);
}

bool DecodeContext::destination(const Operand &operand, unsigned bits) {
  if (!wideDestination(operand, bits))
    return false;
  const Destination &place = out.destinations.back();
  if (place.index != noRegister && wordBits(place.bits) != wordBits(bits))
    return fail("expects a register of " + std::to_string(bits) +
                " bits for its result, but got one of " +
                std::to_string(place.bits));
  return true;
}

bool DecodeContext::wideDestination(const Operand &operand, unsigned bits) {
  if (std::holds_alternative<SinkOperand>(operand.value)) {
    out.destinations.push_back(decoder.getSink());
    return true;
  }
  const auto *name = std::get_if<RegisterOperand>(&operand.value);
  if (!name)
    return fail("expects a register for its result");
  unsigned held = bitWidth(decoder.getRegisterType(name->index));
  if ((bits == 1) != (held == 1) || (bits == 128) != (held == 128) ||
      wordBits(held) < wordBits(bits))
    return fail("expects a register of " + std::to_string(bits) +
                " bits for its result, but got one of " + std::to_string(held));
  Source place = decoder.getRegister(name->index);
  out.destinations.push_back({place.index, place.offset, uint8_t(held)});
  return true;
}

bool DecodeContext::address(size_t index, StateSpace space) {
  const auto *operand =
      index < in.operands.size()
          ? std::get_if<AddressOperand>(&in.operands[index].value)
          : nullptr;
  if (operand && !operand->coordinates.empty())
    return fail("expects an address without coordinates");
  return tensorAddress(index, space);
}

bool DecodeContext::tensorAddress(size_t index, StateSpace space) {
  const auto *operand =
      index < in.operands.size()
          ? std::get_if<AddressOperand>(&in.operands[index].value)
          : nullptr;
  if (!operand)
    return fail("expects an address");
  out.space = space;
  out.address.offset = operand->offset;
  if (const auto *base = std::get_if<RegisterOperand>(&operand->base)) {
    out.address.base = decoder.getRegister(base->index);
    out.address.is64Bit = bitWidth(decoder.getRegisterType(base->index)) == 64;
    if (space == StateSpace::Parameter && decoder.isInCallee())
      out.space = StateSpace::Local;
    return true;
  }
  out.address.base = decoder.getConstant(0, 64);
  if (const auto *number = std::get_if<IntegerOperand>(&operand->base)) {
    out.address.offset += number->bits;
    return true;
  }
  const auto &symbol = std::get<SymbolOperand>(operand->base);
  std::optional<uint64_t> place = decoder.getAddress(symbol.name);
  if (!place)
    return fail("'" + symbol.name + "' has no address");
  out.address.offset += *place + symbol.addend;
  if (space == StateSpace::Parameter)
    callParameter = decoder.getCallParameter(symbol.name);
  if (callParameter)
    out.space = StateSpace::Local;
  return true;
}

std::vector<const Operand *> DecodeContext::elements(size_t index) const {
  std::vector<const Operand *> result;
  if (index >= in.operands.size())
    return result;
  if (const auto *vector =
          std::get_if<VectorOperand>(&in.operands[index].value)) {
    for (const Operand &element : vector->elements)
      result.push_back(&element);
    return result;
  }
  result.push_back(&in.operands[index]);
  return result;
}
