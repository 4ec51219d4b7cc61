// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fake driver as new, with a kernel that adds.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H

#include "FakeCuda.h"

#include <cstring>
#include <dlfcn.h>

namespace tilewright {

/// The fake's state, as new.
inline fakecuda::State &freshState(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  auto function = reinterpret_cast<decltype(&tilewrightFakeCudaState)>(
      dlsym(handle, "tilewrightFakeCudaState"));
  fakecuda::State &state = *function();
  state = fakecuda::State();
  state.parameters = {{0, 8}, {8, 8}, {16, 4}};
  // Kernel "add": y[i] += x[i] for i < n.
  state.onLaunch = [](void **parameters) {
    float *x, *y;
    int32_t n;
    std::memcpy(&x, parameters[0], 8);
    std::memcpy(&y, parameters[1], 8);
    std::memcpy(&n, parameters[2], 4);
    for (int32_t i = 0; i < n; ++i)
      y[i] += x[i];
  };
  return state;
}

} // namespace tilewright

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAKEDEVICE_H
