// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a kernel that was compiled before, for several GPUs, with
//   tilewright compile add.mlir --target=sm_75,sm_80,sm_90a --emit=c-header -o
//   add_kernels.h
// It is linked with add_kernels.c and Tilewright::Runtime, without a compiler.
#include "add_kernels.h"
#include "tilewright/Launching.h"

#include <cstdio>
#include <vector>

using namespace tilewright;

static int fail(const Failure &failure) {
  std::fprintf(stderr, "aot: error: %s\n", failure.message.c_str());
  return 1;
}

int main() {
  auto device = Device::open();
  if (!device)
    return fail(device.failure());
  add_kernels *kernels = nullptr; // the image that fits this device
  if (tilewright_error *error = add_kernels_load(device->handle(), &kernels))
    return fail(Failure::take(error));

  const int count = 1000;
  std::vector<float> x(count, 1.5f), y(count, 2.25f), sum(count);
  Address addresses[3];
  for (Address &address : addresses)
    if (auto memory = device->allocate(count * sizeof(float)))
      address = *memory;
  auto done = device->write(addresses[0], x.data(), count * sizeof(float));
  if (done)
    done = device->write(addresses[1], y.data(), count * sizeof(float));
  if (done)
    done = Expected<void>(add_launch(
        kernels, /*stream=*/nullptr, (count + 63) / 64, 1, 1,
        addresses[0].value, addresses[1].value, addresses[2].value, count));
  if (done)
    done = device->read(sum.data(), addresses[2], count * sizeof(float));
  add_kernels_unload(kernels);
  if (!done)
    return fail(done.failure());
  std::printf("%s: %g ... %g\n", device->architecture().c_str(), sum[0],
              sum[count - 1]);
  return 0;
}
