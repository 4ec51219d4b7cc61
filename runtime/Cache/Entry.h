// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of one cache entry, version 1: the eight bytes "TWCACHE\n", the
// version (4 bytes, little endian, as all numbers), four zero bytes, the key
// (32 bytes), the number of content bytes (8), the content, and the SHA-256 of
// all before it. Nothing in it is ever executed.

#ifndef TILEWRIGHT_RUNTIME_CACHE_ENTRY_H
#define TILEWRIGHT_RUNTIME_CACHE_ENTRY_H

#include "runtime/Cache/Key.h"

#include <optional>
#include <vector>

namespace tilewright::runtime {

/// Bytes of an entry beside its content.
inline constexpr size_t entryOverhead = 8 + 4 + 4 + 32 + 8 + 32;

std::vector<uint8_t> makeEntry(const CacheKey &key,
                               std::span<const uint8_t> content);

/// The content of an entry; nothing where `entry` is not whole, is of another
/// version, or is another key's. Any bytes may be given.
std::optional<std::vector<uint8_t>> readEntry(const CacheKey &key,
                                              std::span<const uint8_t> entry);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_ENTRY_H
