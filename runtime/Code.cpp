// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Code.h"

#include "runtime/Capture.h"

#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

Code::Code(const Device &device) : owner(device), log(8192, '\0') {}

Code::~Code() {
  if (handles.library || handles.module)
    owner.unloadLater(handles);
}

/// Whether loading failed for the image's sake, so that another may do.
static bool isImageRefused(Status status) {
  switch (status) {
  case statusInvalidImage:
  case statusNoBinaryForGpu:
  case statusInvalidPtx:
  case statusJitCompilerNotFound:
  case statusUnsupportedPtxVersion:
  case statusJitCompilationDisabled:
    return true;
  default:
    return false;
  }
}

/// Driver::check, which says Unsupported where the image was refused.
static Result<void> checkImage(const Driver &driver, Status status,
                               const char *call, const std::string &where) {
  Result<void> good = driver.check(status, call, where);
  if (!good && isImageRefused(status))
    return Error{ErrorCode::Unsupported, good.error().message};
  return good;
}

static bool hasLibraries(const Driver &driver) {
  return driver->cuLibraryLoadData && driver->cuLibraryUnload &&
         driver->cuLibraryGetKernel && driver->cuKernelGetFunction;
}

Result<std::shared_ptr<const Code>>
Code::load(const Device &device, const Image &image, const std::string &where) {
  const Driver &driver = device.driver();
  std::shared_ptr<Code> code(new Code(device));
  // The driver finds the end of PTX by its terminating zero.
  std::vector<uint8_t> bytes = image.bytes;
  bytes.push_back(0);
  JitOption options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
  void *values[] = {code->log.data(),
                    reinterpret_cast<void *>(uintptr_t(code->log.size() - 1))};
  bool isLibrary = hasLibraries(driver);
  Status status =
      isLibrary
          ? driver->cuLibraryLoadData(&code->handles.library, bytes.data(),
                                      options, values, 2, nullptr, nullptr, 0)
          : driver->cuModuleLoadDataEx(&code->handles.module, bytes.data(), 2,
                                       options, values);
  if (status == statusSuccess)
    return std::shared_ptr<const Code>(std::move(code));
  code->handles = {};
  std::string messages(code->log.c_str(),
                       strnlen(code->log.c_str(), code->log.size()));
  return checkImage(driver, status,
                    isLibrary ? "cuLibraryLoadData" : "cuModuleLoadDataEx",
                    where + (messages.empty() ? "" : "\n" + messages))
      .takeError();
}

Result<Function> Code::getFunction(const std::string &symbol,
                                   const std::string &where) const {
  const Driver &driver = owner.driver();
  auto check = [&](Status status, const char *call) {
    return checkImage(driver, status, call, where);
  };
  Function function = nullptr;
  Result<void> good;
  if (handles.module) {
    good = check(
        driver->cuModuleGetFunction(&function, handles.module, symbol.c_str()),
        "cuModuleGetFunction");
  } else {
    KernelHandle kernel = nullptr;
    good = check(
        driver->cuLibraryGetKernel(&kernel, handles.library, symbol.c_str()),
        "cuLibraryGetKernel");
    if (good)
      good = check(driver->cuKernelGetFunction(&function, kernel),
                   "cuKernelGetFunction");
  }
  // Lazy loading would otherwise load, and perhaps wait, at the first launch.
  if (good && driver->cuFuncLoad)
    good = check(driver->cuFuncLoad(function), "cuFuncLoad");
  if (!good)
    return good.takeError();
  return function;
}
