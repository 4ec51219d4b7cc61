// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a cache entry: a digest of everything that the entry depends on.

#ifndef TILEWRIGHT_RUNTIME_CACHE_KEY_H
#define TILEWRIGHT_RUNTIME_CACHE_KEY_H

#include "runtime/Digest.h"

#include <string_view>

namespace tilewright::runtime {

using CacheKey = Digest;

/// Makes a key of named fields. Each goes in with the lengths of its name and
/// its value, so that no two lists of fields give the same message.
class KeyBuilder {
public:
  KeyBuilder &add(std::string_view name, std::string_view value);
  KeyBuilder &add(std::string_view name, uint64_t value);
  /// Ends the key. The builder must not be used afterwards.
  CacheKey finish() { return hasher.finish(); }

private:
  void addText(std::string_view text);

  Hasher hasher;
};

/// The inverse of toHex; false for other text.
bool parseKey(std::string_view text, CacheKey &key);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_KEY_H
