// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening the CUDA driver; see Driver.h.

#include "runtime/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>
#include <unistd.h>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {
enum Need { Required, Optional };

/// Finds entry points by cuGetProcAddress, which knows versions, and by dlsym
/// where that is absent (before CUDA 11.3) or does not know the name.
class Finder {
public:
  explicit Finder(void *library) : library(library) {
    v2 = reinterpret_cast<QueryV2>(dlsym(library, "cuGetProcAddress_v2"));
    v1 = reinterpret_cast<QueryV1>(dlsym(library, "cuGetProcAddress"));
  }

  void *find(const char *name, const char *symbol, int version) const {
    void *address = nullptr;
    int found = 0;
    if (v2 && v2(name, &address, version, 0, &found) == statusSuccess &&
        address)
      return address;
    if (!v2 && v1 && v1(name, &address, version, 0) == statusSuccess && address)
      return address;
    return dlsym(library, symbol);
  }

private:
  using QueryV1 = Status (*)(const char *, void **, int, uint64_t);
  using QueryV2 = Status (*)(const char *, void **, int, uint64_t, int *);
  void *library;
  QueryV2 v2;
  QueryV1 v1;
};
} // namespace

Result<void> Driver::load(const std::string &path) {
  libraryPath = path;
  owner = ::getpid();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error{ErrorCode::NotFound,
                 "cannot open the CUDA driver '" + path +
                     "': " + (reason ? reason : "no reason given") +
                     "; install NVIDIA's driver, or name another library in "
                     "TILEWRIGHT_CUDA_DRIVER"};
  }
  Finder finder(library);
  std::string missing;
  auto find = [&](auto &entry, const char *name, const char *symbol,
                  int version, Need need) {
    using Pointer = std::remove_reference_t<decltype(entry)>;
    entry = reinterpret_cast<Pointer>(finder.find(name, symbol, version));
    if (!entry && need == Required)
      missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
#define ENTRY(name, symbol, version, need, parameters)                         \
  find(entries.name, #name, #symbol, version, need);
#include "runtime/DriverEntries.def"
#undef ENTRY
  if (!missing.empty())
    return Error{ErrorCode::Unsupported, "the CUDA driver '" + path +
                                             "' lacks the entry points " +
                                             missing};
  Result<void> initialized = check(entries.cuInit(0), "cuInit");
  if (!initialized)
    return initialized;
  return check(entries.cuDriverGetVersion(&driverVersion),
               "cuDriverGetVersion");
}

Result<std::shared_ptr<const Driver>> Driver::open(const std::string &path) {
  std::shared_ptr<Driver> driver(new Driver());
  Result<void> loaded = driver->load(path);
  if (!loaded)
    return loaded.takeError();
  return std::shared_ptr<const Driver>(std::move(driver));
}

Result<std::shared_ptr<const Driver>> Driver::openDefault() {
  const char *name = std::getenv("TILEWRIGHT_CUDA_DRIVER");
  return open(name && *name ? name : "libcuda.so.1");
}

std::string Driver::description() const {
  return "CUDA " + std::to_string(driverVersion / 1000) + "." +
         std::to_string(driverVersion % 1000 / 10) + " (" + libraryPath + ")";
}

Result<int> Driver::deviceCount() const {
  int count = 0;
  Result<void> checked =
      check(entries.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (!checked)
    return checked.takeError();
  return count;
}

Result<void> Driver::checkProcess() const {
  if (::getpid() == owner)
    return success();
  return Error{ErrorCode::Unsupported,
               "the CUDA driver was opened in process " +
                   std::to_string(owner) +
                   " and is of no use after fork in process " +
                   std::to_string(::getpid()) +
                   "; open devices and load kernels in the child"};
}

Result<void> Driver::check(Status status, const char *call,
                           const std::string &where) const {
  if (status == statusSuccess)
    return success();
  const char *name = nullptr, *text = nullptr;
  if (entries.cuGetErrorName(status, &name) != statusSuccess || !name)
    name = "unknown error";
  if (entries.cuGetErrorString(status, &text) != statusSuccess)
    text = nullptr;
  std::string message = std::string(call) + " failed: " + name + " (" +
                        std::to_string(status) + ")";
  if (text)
    message += std::string(": ") + text;
  if (!where.empty())
    message += "; " + where;
  if (status == statusNotInitialized && ::getpid() != owner)
    message += "; the driver was opened before fork and is of no use in the "
               "child process";
  return Error{status == statusOutOfMemory ? ErrorCode::OutOfMemory
                                           : ErrorCode::Driver,
               std::move(message)};
}
