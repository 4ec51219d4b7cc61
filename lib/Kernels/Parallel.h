// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in parallel, of compilations that one call waits for.

#ifndef TILEWRIGHT_LIB_KERNELS_PARALLEL_H
#define TILEWRIGHT_LIB_KERNELS_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace tilewright::kernels {

/// Calls `body` for 0 to `count` - 1, beginning with the first, on as many
/// threads as the machine has, the caller's among them; returns when all calls
/// have.
inline void forEachInParallel(size_t count,
                              const std::function<void(size_t)> &body) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> threads;
  size_t wanted = std::min<size_t>(
      count, std::max(1u, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < wanted; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PARALLEL_H
