// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Cache/Key.h"

#include <charconv>

using namespace tilewright::runtime;

static std::array<uint8_t, 8> toBytes(uint64_t number) {
  std::array<uint8_t, 8> bytes;
  for (unsigned i = 0; i < 8; ++i)
    bytes[i] = uint8_t(number >> (8 * i));
  return bytes;
}

void KeyBuilder::addText(std::string_view text) {
  hasher.update(toBytes(text.size()));
  hasher.update({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

KeyBuilder &KeyBuilder::add(std::string_view name, std::string_view value) {
  addText(name);
  addText(value);
  return *this;
}

KeyBuilder &KeyBuilder::add(std::string_view name, uint64_t value) {
  std::array<uint8_t, 8> bytes = toBytes(value);
  return add(name, std::string_view(reinterpret_cast<const char *>(&bytes),
                                    bytes.size()));
}

bool tilewright::runtime::parseKey(std::string_view text, CacheKey &key) {
  if (text.size() != 2 * key.size())
    return false;
  for (size_t i = 0; i < key.size(); ++i) {
    const char *digits = text.data() + 2 * i;
    auto [end, error] = std::from_chars(digits, digits + 2, key[i], 16);
    if (error != std::errc() || end != digits + 2)
      return false;
  }
  // Capital digits are another name.
  return toHex(key) == text;
}
