// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: finding entry points by their names, and writing down which are
// called.

#include "lib/Judges/Emulator/Driver/Entries.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

namespace tilewright::emulator::driver {
// Where the runtime has declared one of our entry points, the two agree: a
// different signature of one C function does not compile.
extern "C" {
#define ENTRY(name, symbol, version, need, parameters) Status symbol parameters;
#include "runtime/DriverEntries.def"
#undef ENTRY
}
} // namespace tilewright::emulator::driver

//===----------------------------------------------------------------------===//
// Calls, written down
//===----------------------------------------------------------------------===//

/// Where each call of an entry point that cuGetProcAddress gave writes its
/// name: the file that TILEWRIGHT_EMULATOR_CALLS names; null without it.
static std::FILE *callsFile() {
  static std::FILE *file = [] {
    const char *name = std::getenv("TILEWRIGHT_EMULATOR_CALLS");
    std::FILE *opened = name && *name ? std::fopen(name, "a") : nullptr;
    if (name && *name && !opened)
      std::fprintf(stderr,
                   "TILEWRIGHT_EMULATOR_CALLS expects a file that can be "
                   "written, but got '%s'\n",
                   name);
    return opened;
  }();
  return file;
}

static void writeCall(void *function) {
  const char *called = "";
#define ENTRY(name, symbol, version, parameters)                               \
  if (function == reinterpret_cast<void *>(&driver::symbol))                   \
    called = #name;
#include "lib/Judges/Emulator/Driver/Entries.def"
#undef ENTRY
  // One write for a line, so that threads' lines stay whole.
  std::fprintf(callsFile(), "%s\n", called);
  std::fflush(callsFile());
}

namespace {

/// An entry point that writes its name first.
template <auto function>
struct Written;
template <typename... Parameters, Status (*function)(Parameters...)>
struct Written<function> {
  static Status call(Parameters... parameters) {
    writeCall(reinterpret_cast<void *>(function));
    return function(parameters...);
  }
};

} // namespace

template <auto function>
static void *addressOf() {
  return callsFile() ? reinterpret_cast<void *>(&Written<function>::call)
                     : reinterpret_cast<void *>(function);
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

/// CUdriverProcAddressQueryResult.
enum QueryResult : int {
  found = 0,
  symbolNotFound = 1,
  versionNotSufficient = 2
};

static Status query(const char *name, void **address, int version,
                    QueryResult &result) {
  *address = nullptr;
  result = symbolNotFound;
  auto consider = [&](const char *candidate, int least, void *function) {
    if (std::strcmp(candidate, name) != 0)
      return;
    if (version >= least)
      *address = function;
    result = *address ? found : versionNotSufficient;
  };
#define ENTRY(name, symbol, version, parameters)                               \
  consider(#name, version, addressOf<&driver::symbol>());
#include "lib/Judges/Emulator/Driver/Entries.def"
#undef ENTRY
  return *address ? success : notFound;
}

Status driver::cuGetProcAddress(const char *name, void **address, int version,
                                uint64_t flags) {
  QueryResult ignored;
  return name && address ? query(name, address, version, ignored)
                         : Status(invalidValue);
}

/// Since CUDA 12 an absent name is no error where `result` is wanted.
Status driver::cuGetProcAddress_v2(const char *name, void **address,
                                   int version, uint64_t flags, int *result) {
  if (!name || !address)
    return invalidValue;
  QueryResult queried;
  Status status = query(name, address, version, queried);
  if (!result)
    return status;
  *result = queried;
  return success;
}
