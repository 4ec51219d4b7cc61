// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library between the runtime and a CUDA driver (the one that the environment
// variable FAULTY_CUDA_DRIVER names), for tests: it counts the calls of each
// entry point, and has the n-th call of one fail. Any thread may call.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYCUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYCUDA_H

#include <array>
#include <atomic>

namespace tilewright::faultycuda {

/// The entry points of runtime/DriverEntries.def, in its order.
enum class Entry : int {
#define ENTRY(name, symbol, version, need, parameters) name,
#include "runtime/DriverEntries.def"
#undef ENTRY
  Count
};
inline constexpr int entryCount = int(Entry::Count);

inline constexpr const char *entryNames[] = {
#define ENTRY(name, symbol, version, need, parameters) #name,
#include "runtime/DriverEntries.def"
#undef ENTRY
};

struct Control {
  /// Call number `failingCall` (from 1) of `failingEntry` returns
  /// `failingStatus` and does nothing; -1: none does.
  std::atomic<int> failingEntry = -1;
  std::atomic<long> failingCall = 0;
  std::atomic<int> failingStatus = 0;
  /// Launches succeed without the driver.
  std::atomic<bool> swallowsLaunches = false;
  /// The version that the driver is to claim; 0: its own.
  std::atomic<int> version = 0;

  std::array<std::atomic<long>, entryCount> calls = {};
  long callsOf(Entry entry) const { return calls[int(entry)]; }
  long allCalls() const {
    long sum = 0;
    for (const auto &count : calls)
      sum += count;
    return sum;
  }
  void reset() {
    failingEntry = -1;
    swallowsLaunches = false;
    version = 0;
    for (auto &count : calls)
      count = 0;
    for (auto &count : live)
      count = 0;
  }

  /// What was made less what was given back, or tried to be: contexts, current
  /// contexts, code, memory, streams, events.
  std::array<std::atomic<long>, 6> live = {};
};

} // namespace tilewright::faultycuda

extern "C" tilewright::faultycuda::Control *tilewrightFaultyCuda();

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYCUDA_H
