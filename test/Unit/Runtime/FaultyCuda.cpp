// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FaultyCuda.h.

#include "FaultyCuda.h"

#include "runtime/Driver.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace tilewright::faultycuda;
using namespace tilewright::runtime::cuda;

#define PUBLIC extern "C" __attribute__((visibility("default")))

PUBLIC Control *tilewrightFaultyCuda() {
  static Control control;
  return &control;
}

/// What a call makes (1) or gives back (-1), as an index into Control::live.
static void countLive(Entry entry, bool isGood) {
  auto &live = tilewrightFaultyCuda()->live;
  auto made = [&](int kind) { live[size_t(kind)] += isGood; };
  switch (entry) {
  case Entry::cuDevicePrimaryCtxRetain:
    return made(0);
  case Entry::cuCtxPushCurrent:
    return made(1);
  case Entry::cuModuleLoadDataEx:
  case Entry::cuLibraryLoadData:
    return made(2);
  case Entry::cuMemAlloc:
    return made(3);
  case Entry::cuStreamCreate:
    return made(4);
  case Entry::cuEventCreate:
    return made(5);
  case Entry::cuDevicePrimaryCtxRelease:
    --live[0];
    return;
  case Entry::cuCtxPopCurrent:
    --live[1];
    return;
  case Entry::cuModuleUnload:
  case Entry::cuLibraryUnload:
    --live[2];
    return;
  case Entry::cuMemFree:
    --live[3];
    return;
  case Entry::cuStreamDestroy:
    --live[4];
    return;
  case Entry::cuEventDestroy:
    --live[5];
    return;
  default:
    return;
  }
}

static bool isLaunch(Entry entry) {
  return entry == Entry::cuLaunchKernel || entry == Entry::cuLaunchKernelEx ||
         entry == Entry::cuLaunchCooperativeKernel;
}

namespace {
/// The entry point that stands before the driver's.
template <Entry entry, typename Signature>
struct Wrapper;
template <Entry entry, typename... Arguments>
struct Wrapper<entry, Status (*)(Arguments...)> {
  static inline Status (*original)(Arguments...) = nullptr;

  static Status call(Arguments... arguments) {
    Control &control = *tilewrightFaultyCuda();
    long number = ++control.calls[size_t(entry)];
    bool fails =
        control.failingEntry == int(entry) && control.failingCall == number;
    Status status = fails ? control.failingStatus.load()
                    : control.swallowsLaunches && isLaunch(entry)
                        ? statusSuccess
                        : original(arguments...);
    if constexpr (entry == Entry::cuDriverGetVersion)
      if (status == statusSuccess && control.version)
        (*arguments, ...) = control.version;
    countLive(entry, status == statusSuccess);
    return status;
  }
};
} // namespace

using Query = Status (*)(const char *, void **, int, uint64_t, int *);

static Query driverQuery() {
  static Query query = [] {
    const char *path = std::getenv("FAULTY_CUDA_DRIVER");
    void *library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    return library
               ? reinterpret_cast<Query>(dlsym(library, "cuGetProcAddress_v2"))
               : nullptr;
  }();
  return query;
}

PUBLIC Status cuGetProcAddress_v2(const char *wanted, void **address,
                                  int version, uint64_t flags, int *found) {
  *address = nullptr;
  if (!driverQuery())
    return 500;
  void *original = nullptr;
  Status status = driverQuery()(wanted, &original, version, flags, found);
  if (status != statusSuccess || !original)
    return status;
#define ENTRY(name, symbol, needed, need, parameters)                          \
  if (std::strcmp(wanted, #name) == 0) {                                       \
    using Wrapped = Wrapper<Entry::name, decltype(Entries::name)>;             \
    Wrapped::original =                                                        \
        reinterpret_cast<decltype(Wrapped::original)>(original);               \
    *address = reinterpret_cast<void *>(&Wrapped::call);                       \
  }
#include "runtime/DriverEntries.def"
#undef ENTRY
  return *address ? statusSuccess : 500;
}
