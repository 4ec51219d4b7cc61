// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt").

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

using namespace tilewright::emulator;

namespace {

/// One side of a conversion.
struct Format {
  bool isFloat = false, isSigned = false, isPair = false;
  FloatFormat format = FloatFormat::F32;
  /// Of one element.
  unsigned bits = 32;
};

std::optional<Format> parseFormat(std::string_view text) {
  static const std::unordered_map<std::string_view, Format> formats = {
      {"u8", {false, false, false, {}, 8}},
      {"s8", {false, true, false, {}, 8}},
      {"u16", {false, false, false, {}, 16}},
      {"s16", {false, true, false, {}, 16}},
      {"u32", {false, false, false, {}, 32}},
      {"s32", {false, true, false, {}, 32}},
      {"u64", {false, false, false, {}, 64}},
      {"s64", {false, true, false, {}, 64}},
      {"f16", {true, true, false, FloatFormat::F16, 16}},
      {"bf16", {true, true, false, FloatFormat::BF16, 16}},
      {"f32", {true, true, false, FloatFormat::F32, 32}},
      {"f64", {true, true, false, FloatFormat::F64, 64}},
      {"tf32", {true, true, false, FloatFormat::TF32, 32}},
      {"f16x2", {true, true, true, FloatFormat::F16, 16}},
      {"bf16x2", {true, true, true, FloatFormat::BF16, 16}},
      {"e4m3x2", {true, true, true, FloatFormat::E4M3, 8}},
      {"e5m2x2", {true, true, true, FloatFormat::E5M2, 8}}};
  auto found = formats.find(text);
  if (found == formats.end())
    return std::nullopt;
  return found->second;
}

struct ConversionDetails {
  Format from, to;
  FloatFlags flags;
  /// .rni and so on: to an integer, in a float format.
  bool isIntegral = false;
  bool saturates = false;
};

uint64_t lowBits(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

int64_t signExtend(uint64_t value, unsigned bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

/// Between integers: extended by the source's sign; .sat clamps.
uint64_t convertInteger(uint64_t value, const ConversionDetails &details) {
  const Format &from = details.from, &to = details.to;
  uint64_t wide = from.isSigned ? uint64_t(signExtend(value, from.bits))
                                : lowBits(value, from.bits);
  if (details.saturates) {
    __int128 number = from.isSigned ? __int128(int64_t(wide)) : __int128(wide);
    __int128 least = to.isSigned ? -(__int128(1) << (to.bits - 1)) : 0;
    __int128 most = (__int128(1) << (to.isSigned ? to.bits - 1 : to.bits)) - 1;
    wide = static_cast<uint64_t>(std::min(std::max(number, least), most));
  }
  // A wider register receives the result extended by the result's sign.
  return to.isSigned ? uint64_t(signExtend(wide, to.bits))
                     : lowBits(wide, to.bits);
}

uint64_t convertElement(uint64_t value, const ConversionDetails &details) {
  const Format &from = details.from, &to = details.to;
  value = lowBits(value, from.bits);
  if (!from.isFloat && !to.isFloat)
    return convertInteger(value, details);
  if (!from.isFloat)
    return convertFromInteger(value, from.bits, from.isSigned, to.format,
                              details.flags);
  if (!to.isFloat) {
    uint64_t result = convertToInteger(value, from.format, to.bits, to.isSigned,
                                       details.flags);
    return to.isSigned ? uint64_t(signExtend(result, to.bits)) : result;
  }
  if (details.isIntegral)
    return roundToIntegral(value, from.format, details.flags);
  return convertFloat(value, from.format, to.format, details.flags);
}

/// d = cvt(a), or two elements: {a, b} with a above b, or both from one word.
struct Convert {
  uint64_t operator()(const Decoded &instruction, const uint64_t *words) const {
    const auto &details =
        *static_cast<const ConversionDetails *>(instruction.details.get());
    if (!details.to.isPair)
      return convertElement(words[0], details);
    bool isFromPair = details.from.isPair;
    uint64_t high = isFromPair ? words[0] >> details.from.bits : words[0];
    uint64_t low = isFromPair ? words[0] : words[1];
    return convertElement(low, details) | convertElement(high, details)
                                              << details.to.bits;
  }
};

template <typename To, typename From>
struct CastInteger {
  To operator()(From a) const { return static_cast<To>(a); }
};

/// The usual conversions between registers of their own width, as vectors.
Handler findIntegerHandler(const ConversionDetails &details) {
  if (details.from.isFloat || details.to.isFloat || details.saturates)
    return nullptr;
  if (details.to.bits == 64 && details.from.bits == 32)
    return details.from.isSigned
               ? executeUnary<int32_t, int64_t, CastInteger<int64_t, int32_t>>
               : executeUnary<uint32_t, uint64_t,
                              CastInteger<uint64_t, uint32_t>>;
  if (details.to.bits == 32 && details.from.bits == 64)
    return executeUnary<uint64_t, uint32_t, CastInteger<uint32_t, uint64_t>>;
  return nullptr;
}

bool takeRounding(DecodeContext &context, ConversionDetails &details) {
  std::optional<unsigned> rounding = context.takeOneOf(
      {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
  if (!rounding)
    return true;
  if (*rounding >= 5) {
    details.isIntegral = true;
    details.flags.rounding = static_cast<Rounding>(*rounding - 5);
  } else {
    details.flags.rounding = static_cast<Rounding>(*rounding);
  }
  return true;
}

bool decodeConversion(DecodeContext &context) {
  auto details = std::make_shared<ConversionDetails>();
  takeRounding(context, *details);
  FloatFlags &flags = details->flags;
  flags.flushSubnormals = context.take("ftz");
  details->saturates = context.take("sat");
  flags.saturates = details->saturates;
  flags.saturatesFinite = context.take("satfinite");
  flags.clampsNegative = context.take("relu");
  std::optional<Format> formats[2];
  for (std::optional<Format> &format : formats) {
    std::string_view text = context.rest();
    format = parseFormat(text);
    if (!format || !context.take(text))
      return false;
  }
  details->to = *formats[0];
  details->from = *formats[1];
  if (details->from.isPair && !details->to.isPair)
    return false;
  unsigned count = details->to.isPair && !details->from.isPair ? 2 : 1;
  unsigned fromBits = details->from.bits * (details->from.isPair ? 2 : 1);
  unsigned toBits = details->to.bits * (details->to.isPair ? 2 : 1);
  if (!context.expectOperands(count + 1) ||
      !context.wideDestination(context.in.operands[0], toBits))
    return false;
  unsigned held = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!context.wideSource(context.in.operands[i + 1], std::max(fromBits, 16u),
                            held))
      return false;
    context.out.flags[5] |= (held == 64) << i;
  }
  context.out.execute = executeWords<Convert>;
  const Destination &place = context.out.destinations[0];
  if (Handler handler = findIntegerHandler(*details))
    if (place.bits == toBits && held == std::max(fromBits, 32u))
      context.out.execute = handler;
  context.out.details = std::move(details);
  return true;
}

} // namespace

Family tilewright::emulator::conversionFamily() {
  return {{"cvt", decodeConversion}};
}
