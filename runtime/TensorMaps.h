// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor maps of one loaded kernel. In: the numbers of a map. Out: its 128
// bytes, made by the driver once and remembered, so that a warm launch makes
// one driver call.

#ifndef TILEWRIGHT_RUNTIME_TENSORMAPS_H
#define TILEWRIGHT_RUNTIME_TENSORMAPS_H

#include "runtime/Device.h"
#include "runtime/Parameters.h"

#include <atomic>
#include <mutex>

namespace tilewright::runtime {

/// The maps that were made last. Any number of threads may use it: they take no
/// lock and wait for nobody. What it holds is a copy, so that who finds an
/// entry that is being replaced finds nothing.
class TensorMapCache {
public:
  /// What tells one map of a kernel from another: the number of its recipe,
  /// address, sizes and strides.
  struct Key {
    Key(const TensorMapValues &values, uint64_t recipe);
    std::array<uint64_t, 12> words{};
  };

  /// Writes the map to `map` if it is there.
  bool find(const Key &key, void *map) const;
  /// Remembers the map in place of one of those that share its place.
  void insert(const Key &key, const void *map);

private:
  struct Entry {
    /// Odd while somebody writes; 0: nothing was written yet.
    std::atomic<uint64_t> version = 0;
    std::array<std::atomic<uint64_t>, 12> key{};
    std::array<std::atomic<uint64_t>, tensorMapBytes / 8> map{};

    bool read(const Key &wanted, void *to) const;
    bool write(const Key &key, const void *from);
  };
  /// 256 maps, 60 KB: a model's layers have each their weights, or keys and
  /// values, for one kernel.
  static constexpr size_t setCount = 64, wayCount = 4;
  using Set = std::array<Entry, wayCount>;

  static size_t setOf(const Key &key);

  std::array<Set, setCount> sets;
  std::atomic<size_t> next = 0;
};

/// Makes the tensor maps of launches of one kernel.
class TensorMaps {
public:
  explicit TensorMaps(Device device) : owner(std::move(device)) {}

  /// Writes the map of these numbers to `map`, which is 128-byte aligned;
  /// `recipe` is the number of the recipe in the kernel's variant. Calls the
  /// driver for maps that are not remembered; allocates for the first one
  /// without elements alone.
  Result<void> make(const TensorMapValues &values, size_t recipe, void *map);

private:
  Result<void> encode(const TensorMapValues &values, uint64_t address,
                      void *map) const;
  /// The address of zeros on the device (TensorMapValues::isEmpty).
  Result<uint64_t> getZeros();

  Device owner;
  TensorMapCache cache;
  std::mutex zerosMutex;
  std::optional<Buffer> zeros;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_TENSORMAPS_H
