// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the verbose log of CUDA's assembler. ptxas 13.0 writes, per kernel,
//   ptxas info    : Function properties for k
//       0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 5 registers, used 1 barriers, 2048 bytes smem, ...
// and libnvJitLink 13.0 the same, followed by a second report
//   info    : Function properties for 'k':
//   info    : used 5 registers, used 1 barriers, 0 stack, 2048 bytes smem, ...
// of which only the second says the shared memory. Hence the largest of all
// that is said about a kernel counts.

#include "lib/Codegen/Assemble.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tilewright::codegen;

/// Raises `value` to the number that stands right before `unit` in `line`.
static void readCount(StringRef line, StringRef unit, unsigned &value) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return;
  StringRef before = line.take_front(at).rtrim();
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  unsigned number;
  if (!digits.getAsInteger(10, number))
    value = std::max(value, number);
}

std::vector<KernelResources>
tilewright::codegen::parseAssemblerLog(StringRef log) {
  std::vector<KernelResources> kernels;
  KernelResources *current = nullptr;
  auto enter = [&](StringRef name) {
    auto found = llvm::find_if(kernels, [&](const KernelResources &kernel) {
      return kernel.name == name;
    });
    if (found == kernels.end()) {
      kernels.emplace_back();
      kernels.back().name = name.str();
      found = std::prev(kernels.end());
    }
    current = &*found;
  };

  for (StringRef line : llvm::split(log, '\n')) {
    constexpr StringLiteral properties = "Function properties for ";
    if (size_t at = line.find(properties); at != StringRef::npos) {
      enter(line.drop_front(at + properties.size()).trim(" :'\r"));
      continue;
    }
    if (!current)
      continue;
    readCount(line, " registers", current->registers);
    readCount(line, " barriers", current->barriers);
    readCount(line, " bytes stack frame", current->stackBytes);
    readCount(line, " bytes spill stores", current->spillStoreBytes);
    readCount(line, " bytes spill loads", current->spillLoadBytes);
    readCount(line, " bytes smem", current->sharedMemoryBytes);
  }
  llvm::sort(kernels, [](const KernelResources &a, const KernelResources &b) {
    return a.name < b.name;
  });
  return kernels;
}
