// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: finding entry points by their names.

#include "lib/Judges/Emulator/Driver/Entries.h"

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
  consider(#name, version, reinterpret_cast<void *>(&driver::symbol));
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
