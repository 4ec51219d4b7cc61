// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Driver/LoadedModule.h"

#include "lib/Judges/Emulator/Driver/DeviceFacts.h"
#include "lib/Judges/Emulator/Syntax/Parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace tilewright;
using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

std::shared_ptr<LoadedFunction>
LoadedModule::find(std::string_view name) const {
  for (const auto &function : functions)
    if (function->kernel->name == name)
      return function;
  return nullptr;
}

/// Whether the image is machine code: ELF, or a fat binary (its header, or the
/// wrapper that host objects hold).
static bool isMachineCode(const void *image) {
  // Text may be shorter than the number, but is not without its zero.
  auto *bytes = static_cast<const unsigned char *>(image);
  static constexpr unsigned char magics[][4] = {{0x7f, 'E', 'L', 'F'},
                                                {0x50, 0xed, 0x55, 0xba},
                                                {0xb1, 0x43, 0x62, 0x46}};
  for (const auto &magic : magics)
    if (std::equal(std::begin(magic), std::end(magic), bytes))
      return true;
  return false;
}

static std::string describeError(const SyntaxError &error) {
  std::string place = error.location.line
                          ? "PTX line " + std::to_string(error.location.line) +
                                ":" + std::to_string(error.location.column) +
                                ": "
                          : "PTX: ";
  return place + error.message;
}

/// Whether code for `target` ("sm_90a") runs on the device; targets with a
/// letter run on their own architecture or family alone (PTX ISA, "Target").
static bool runsOn(std::string_view target, const DeviceFacts &device) {
  unsigned number = 0;
  if (!target.starts_with("sm_"))
    return false;
  const char *end = target.data() + target.size();
  auto [rest, error] = std::from_chars(target.data() + 3, end, number);
  if (error != std::errc())
    return false;
  unsigned own = device.major * 10 + device.minor;
  if (rest == end)
    return number <= own;
  return *rest == 'f' ? number / 10 == own / 10 && number <= own
                      : number == own;
}

static void addFunctions(LoadedModule &loaded, const emulator::Module &text) {
  for (const emulator::Kernel &kernel : loaded.program->kernels()) {
    auto function = std::make_shared<LoadedFunction>();
    function->program = loaded.program;
    function->kernel = &kernel;
    function->ptxVersion = text.version;
    uint32_t limit = defaultSharedBytesPerBlock;
    function->dynamicSharedLimit =
        limit - std::min(limit, kernel.staticSharedBytes);
    loaded.functions.push_back(std::move(function));
  }
}

std::shared_ptr<LoadedModule>
driver::loadImage(const void *image, const DeviceFacts &device,
                  GlobalMemory &memory, Status &status, std::string &log) {
  if (isMachineCode(image)) {
    status = noBinaryForGpu;
    log = "expects PTX text, which the emulator runs, but got machine code";
    return nullptr;
  }
  status = invalidPtx;
  SyntaxError error;
  std::string_view ptx(static_cast<const char *>(image));
  std::optional<emulator::Module> text = parsePtx(ptx, error);
  if (!text) {
    log = describeError(error);
    return nullptr;
  }
  if (!runsOn(text->target, device)) {
    log = "PTX: expects a target that runs on sm_" +
          std::to_string(device.major) + std::to_string(device.minor) +
          ", but got '" + text->target + "'";
    return nullptr;
  }
  auto loaded = std::make_shared<LoadedModule>();
  loaded->program = Program::create(ptx, memory, error);
  if (!loaded->program) {
    log = describeError(error);
    return nullptr;
  }
  for (const Variable &variable : text->variables)
    if (loaded->program->variableAddress(variable.name))
      loaded->variables.push_back(variable.name);
  addFunctions(*loaded, *text);
  status = success;
  return loaded;
}

void driver::writeLogs(const std::string &log, unsigned count,
                       const JitOption *options, void **values) {
  // CUjit_option: a buffer's number is followed by that of its size.
  constexpr int informationBuffer = 3, errorBuffer = 5;
  for (int buffer : {informationBuffer, errorBuffer}) {
    char *text = nullptr;
    void **sizeValue = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == buffer)
        text = static_cast<char *>(values[i]);
      if (options[i] == buffer + 1)
        sizeValue = &values[i];
    }
    if (!text || !sizeValue)
      continue;
    size_t size =
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(*sizeValue));
    if (size == 0)
      continue;
    std::string_view content;
    if (buffer == errorBuffer)
      content = std::string_view(log).substr(0, size - 1);
    std::memcpy(text, content.data(), content.size());
    text[content.size()] = 0;
    *sizeValue = reinterpret_cast<void *>(uintptr_t(content.size()));
  }
}
