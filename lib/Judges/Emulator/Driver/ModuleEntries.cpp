// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: modules and libraries, which are the same thing here.

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

/// Loads an image; `handle` gets the module's.
template <typename Handle>
static Status load(Handle *handle, const void *image, unsigned optionCount,
                   JitOption *options, void **values) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!handle || !image || (optionCount && (!options || !values)))
    return invalidValue;
  ContextState &context = call.context();
  if (Status failed = checkUnsafe(context))
    return failed;
  Status status = success;
  std::string log;
  std::shared_ptr<LoadedModule> loaded =
      loadImage(image, *call.state.device, context.memory, status, log);
  writeLogs(log, optionCount, options, values);
  if (!loaded)
    return status;
  for (const std::shared_ptr<LoadedFunction> &function : loaded->functions)
    context.functions.add<void *>(function);
  *handle =
      reinterpret_cast<Handle>(context.modules.add<void *>(std::move(loaded)));
  return success;
}

static Status unload(const void *handle) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  ContextState &context = call.context();
  if (Status failed = checkUnsafe(context))
    return failed;
  std::shared_ptr<LoadedModule> loaded = context.modules.remove(handle);
  if (!loaded)
    return invalidHandle;
  for (const std::shared_ptr<LoadedFunction> &function : loaded->functions)
    context.functions.remove(function.get());
  for (const std::string &name : loaded->variables)
    context.memory.free(loaded->program->variableAddress(name));
  return success;
}

template <typename Handle>
static Status getFunction(Handle *function, const void *handle,
                          const char *name) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!function || !name)
    return invalidValue;
  std::shared_ptr<LoadedModule> loaded = call.context().modules.find(handle);
  if (!loaded)
    return invalidHandle;
  std::shared_ptr<LoadedFunction> found = loaded->find(name);
  if (!found)
    return notFound;
  *function = reinterpret_cast<Handle>(found.get());
  return success;
}

/// Either result may be null.
static Status getGlobal(DeviceAddress *address, size_t *size,
                        const void *handle, const char *name) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!name)
    return invalidValue;
  std::shared_ptr<LoadedModule> loaded = call.context().modules.find(handle);
  if (!loaded)
    return invalidHandle;
  uint64_t start = loaded->program->variableAddress(name);
  if (!start)
    return notFound;
  if (address)
    *address = start;
  if (size)
    *size = call.context().memory.find(start)->bytes;
  return success;
}

Status driver::cuModuleLoadDataEx(Module *module, const void *image,
                                  unsigned optionCount, JitOption *options,
                                  void **values) {
  return load(module, image, optionCount, options, values);
}
Status driver::cuModuleLoadData(Module *module, const void *image) {
  return load(module, image, 0, nullptr, nullptr);
}
Status driver::cuModuleUnload(Module module) { return unload(module); }
Status driver::cuModuleGetFunction(Function *function, Module module,
                                   const char *name) {
  return getFunction(function, module, name);
}
Status driver::cuModuleGetGlobal_v2(DeviceAddress *address, size_t *size,
                                    Module module, const char *name) {
  return getGlobal(address, size, module, name);
}

/// The library's own options say when to load and whether to copy the image,
/// which is read at once.
Status driver::cuLibraryLoadData(Library *library, const void *code,
                                 JitOption *jitOptions, void **jitValues,
                                 unsigned jitOptionCount, int *libraryOptions,
                                 void **libraryValues,
                                 unsigned libraryOptionCount) {
  return load(library, code, jitOptionCount, jitOptions, jitValues);
}
Status driver::cuLibraryUnload(Library library) { return unload(library); }
Status driver::cuLibraryGetKernel(KernelHandle *kernel, Library library,
                                  const char *name) {
  return getFunction(kernel, library, name);
}
Status driver::cuLibraryGetGlobal(DeviceAddress *address, size_t *size,
                                  Library library, const char *name) {
  return getGlobal(address, size, library, name);
}
