// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Cache/Entry.h"

#include <algorithm>

using namespace tilewright::runtime;

static constexpr char magic[] = "TWCACHE\n";
static constexpr uint32_t version = 1;
static constexpr size_t magicBytes = 8, keyOffset = 16, sizeOffset = 48,
                        contentOffset = 56;
static_assert(contentOffset + sizeof(Digest) == entryOverhead);

static void appendNumber(std::vector<uint8_t> &bytes, uint64_t number,
                         unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    bytes.push_back(uint8_t(number >> (8 * i)));
}

static uint64_t readNumber(std::span<const uint8_t> bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | bytes[i];
  return number;
}

std::vector<uint8_t>
tilewright::runtime::makeEntry(const CacheKey &key,
                               std::span<const uint8_t> content) {
  std::vector<uint8_t> entry(magic, magic + magicBytes);
  entry.reserve(content.size() + entryOverhead);
  appendNumber(entry, version, 4);
  appendNumber(entry, 0, 4);
  entry.insert(entry.end(), key.begin(), key.end());
  appendNumber(entry, content.size(), 8);
  entry.insert(entry.end(), content.begin(), content.end());
  Digest sum = digest(entry);
  entry.insert(entry.end(), sum.begin(), sum.end());
  return entry;
}

std::optional<std::vector<uint8_t>>
tilewright::runtime::readEntry(const CacheKey &key,
                               std::span<const uint8_t> entry) {
  if (entry.size() < entryOverhead)
    return std::nullopt;
  std::span<const uint8_t> sealed = entry.first(entry.size() - sizeof(Digest));
  bool isOurs =
      std::equal(magic, magic + magicBytes, entry.begin()) &&
      readNumber(entry.subspan(magicBytes, 4)) == version &&
      readNumber(entry.subspan(magicBytes + 4, 4)) == 0 &&
      std::equal(key.begin(), key.end(), entry.begin() + keyOffset) &&
      readNumber(entry.subspan(sizeOffset, 8)) == entry.size() - entryOverhead;
  if (!isOurs)
    return std::nullopt;
  Digest sum = digest(sealed);
  if (!std::equal(sum.begin(), sum.end(), entry.end() - sizeof(Digest)))
    return std::nullopt;
  return std::vector<uint8_t>(entry.begin() + contentOffset,
                              entry.end() - sizeof(Digest));
}
