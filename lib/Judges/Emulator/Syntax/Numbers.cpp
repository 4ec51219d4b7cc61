// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the numbers of PTX text.

#include "lib/Judges/Emulator/Syntax/Numbers.h"

#include <bit>
#include <charconv>

using namespace tilewright::emulator;

/// Whether it begins with '0' and this letter, small or capital.
static bool hasPrefix(std::string_view text, char letter) {
  return text.size() >= 2 && text[0] == '0' && (text[1] | 0x20) == letter;
}

bool tilewright::emulator::isFloat(std::string_view text) {
  if (hasPrefix(text, 'f') || hasPrefix(text, 'd'))
    return true;
  return !hasPrefix(text, 'x') && !hasPrefix(text, 'b') &&
         text.find_first_of(".eE") != std::string_view::npos;
}

static std::optional<uint64_t> readDigits(std::string_view text, int base) {
  uint64_t bits = 0;
  const char *end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, bits, base);
  if (problem != std::errc() || stop != end)
    return std::nullopt;
  return bits;
}

std::optional<Constant>
tilewright::emulator::readInteger(std::string_view text) {
  bool hasSuffix = text.ends_with('U') || text.ends_with('u');
  if (hasSuffix)
    text.remove_suffix(1);
  std::optional<uint64_t> bits;
  if (hasPrefix(text, 'x'))
    bits = readDigits(text.substr(2), 16);
  else if (hasPrefix(text, 'b'))
    bits = readDigits(text.substr(2), 2);
  else
    bits = readDigits(text, text.starts_with('0') ? 8 : 10);
  if (!bits)
    return std::nullopt;
  return Constant{*bits, hasSuffix || *bits >> 63 != 0};
}

std::optional<FloatOperand>
tilewright::emulator::readFloat(std::string_view text) {
  bool isSingle = hasPrefix(text, 'f');
  if (isSingle || hasPrefix(text, 'd')) {
    text.remove_prefix(2);
    std::optional<uint64_t> bits = readDigits(text, 16);
    if (!bits || text.size() != (isSingle ? 8 : 16))
      return std::nullopt;
    return FloatOperand{*bits, !isSingle};
  }
  double value = 0;
  const char *end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end)
    return std::nullopt;
  return FloatOperand{std::bit_cast<uint64_t>(value), true};
}
