// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/TensorMaps.h"

#include "runtime/Capture.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

//===----------------------------------------------------------------------===//
// What was made before
//===----------------------------------------------------------------------===//

TensorMapCache::Key::Key(const TensorMapValues &values, uint64_t recipe) {
  words[0] = recipe << 1 | values.isEmpty;
  words[1] = values.address;
  std::copy(values.shape.begin(), values.shape.end(), words.begin() + 2);
  std::copy(values.strideBytes.begin(), values.strideBytes.end(),
            words.begin() + 7);
}

size_t TensorMapCache::setOf(const Key &key) {
  uint64_t hash = 0;
  for (uint64_t word : key.words) {
    // Of MurmurHash3's finalizer.
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 33;
  }
  return hash % setCount;
}

/// Words are read by acquire and written by release: who has read a word of a
/// later version finds that version at the end, and not the one of the begin.
bool TensorMapCache::Entry::read(const Key &wanted, void *to) const {
  uint64_t begin = version.load(std::memory_order_acquire);
  if (begin == 0 || begin % 2)
    return false;
  for (size_t i = 0; i < key.size(); ++i)
    if (key[i].load(std::memory_order_acquire) != wanted.words[i])
      return false;
  std::array<uint64_t, tensorMapBytes / 8> words;
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = map[i].load(std::memory_order_acquire);
  if (version.load(std::memory_order_relaxed) != begin)
    return false;
  std::memcpy(to, words.data(), sizeof(words));
  return true;
}

/// Nothing is written while somebody else writes.
bool TensorMapCache::Entry::write(const Key &wanted, const void *from) {
  uint64_t begin = version.load(std::memory_order_relaxed);
  if (begin % 2 || !version.compare_exchange_strong(begin, begin + 1,
                                                    std::memory_order_acquire))
    return false;
  for (size_t i = 0; i < key.size(); ++i)
    key[i].store(wanted.words[i], std::memory_order_release);
  std::array<uint64_t, tensorMapBytes / 8> words;
  std::memcpy(words.data(), from, sizeof(words));
  for (size_t i = 0; i < words.size(); ++i)
    map[i].store(words[i], std::memory_order_release);
  version.store(begin + 2, std::memory_order_release);
  return true;
}

bool TensorMapCache::find(const Key &key, void *map) const {
  for (const Entry &entry : sets[setOf(key)])
    if (entry.read(key, map))
      return true;
  return false;
}

void TensorMapCache::insert(const Key &key, const void *map) {
  size_t way = next.fetch_add(1, std::memory_order_relaxed) % wayCount;
  sets[setOf(key)][way].write(key, map);
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

Result<uint64_t> TensorMaps::getZeros() {
  std::lock_guard<std::mutex> lock(zerosMutex);
  if (zeros)
    return zeros->address();
  // A stream may capture, here or elsewhere, which allocating would end.
  RelaxedCaptureMode relaxed(owner.driver());
  Result<Stream> stream = Stream::create(owner);
  if (!stream)
    return stream.takeError();
  static constexpr std::array<uint8_t, emptyTensorBytes> bytes = {};
  Result<Buffer> buffer = Buffer::allocate(owner, bytes.size());
  if (!buffer)
    return buffer.takeError();
  if (Result<void> good = buffer->copyIn(bytes, *stream); !good)
    return good.takeError();
  zeros = std::move(*buffer);
  return zeros->address();
}

Result<void> TensorMaps::encode(const TensorMapValues &values, uint64_t address,
                                void *map) const {
  const Driver &driver = owner.driver();
  if (!driver->cuTensorMapEncodeTiled)
    return Error{ErrorCode::Unsupported,
                 driver.description() + " cannot make tensor maps"};
  // It takes the current context, which a launch need not have. Maps are
  // remembered, so that this costs no warm launch anything.
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  const TensorMapRecipe &recipe = *values.recipe;
  Status status = driver->cuTensorMapEncodeTiled(
      map, int(recipe.dataType), values.rank,
      reinterpret_cast<void *>(uintptr_t(address)), values.shape.data(),
      values.strideBytes.data(), recipe.box.data(),
      recipe.elementStrides.data(), int(recipe.interleave), int(recipe.swizzle),
      int(recipe.l2Promotion), int(recipe.outOfBoundsFill));
  if (status == statusSuccess)
    return success();
  std::string where = "address " + std::to_string(address) + ", shape";
  for (uint32_t d = 0; d < values.rank; ++d)
    where += " " + std::to_string(values.shape[d]);
  where += ", strides in bytes";
  for (uint32_t d = 0; d + 1 < values.rank; ++d)
    where += " " + std::to_string(values.strideBytes[d]);
  return driver.check(status, "cuTensorMapEncodeTiled", where);
}

Result<void> TensorMaps::make(const TensorMapValues &values, size_t recipe,
                              void *map) {
  TensorMapCache::Key key(values, recipe);
  if (cache.find(key, map))
    return success();
  uint64_t address = values.address;
  if (values.isEmpty) {
    Result<uint64_t> found = getZeros();
    if (!found)
      return found.takeError();
    address = *found;
  }
  if (Result<void> good = encode(values, address, map); !good)
    return good;
  cache.insert(key, map);
  return success();
}
