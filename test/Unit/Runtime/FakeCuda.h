// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver without a GPU, for tests: it records calls, fails where told,
// and keeps "device" memory on the host. The test talks to it through one
// structure.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H

#include "runtime/Driver.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewright::fakecuda {

/// What a launch was asked for.
struct Launch {
  std::string call;
  std::vector<unsigned> grid, block;
  unsigned sharedBytes = 0;
  runtime::cuda::StreamHandle stream = nullptr;
  runtime::cuda::Context context = nullptr;
  std::vector<int> attributes;
};

/// What the fake does and what it has seen.
struct State {
  // Settings.
  int version = 12040;
  int deviceCount = 1;
  int major = 8, minor = 0;
  int sharedLimit = 166912;
  /// Calls that return this status, instead of doing anything.
  std::map<std::string, int> failures;
  /// What the next loading of code returns, once; 0: nothing special.
  int failNextLoad = 0;
  /// Entry points that are absent.
  std::set<std::string> absent;
  /// (offset, size) of the parameters of every kernel.
  std::vector<std::pair<size_t, size_t>> parameters;
  /// What the compiler writes to the error log when loading fails.
  std::string compilerLog;
  /// Does a kernel's work.
  std::function<void(void **)> onLaunch;
  float elapsedMilliseconds = 0.25f;

  // Observations.
  std::vector<std::string> calls;
  std::vector<Launch> launches;
  std::map<int, int> functionAttributes;
  std::string loadedImage;
  std::string kernelName;
  std::vector<uint64_t> tensorMapShape;
  /// What cuStreamIsCapturing says.
  int captureStatus = 0;
  /// Capture modes of the thread that loaded and unloaded code, in order.
  std::vector<int> captureModes;
  /// Live allocations, streams, events, libraries, modules, contexts.
  std::map<std::string, int> live;
};

} // namespace tilewright::fakecuda

/// The state of the fake in this library.
extern "C" tilewright::fakecuda::State *tilewrightFakeCudaState();

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKECUDA_H
