// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Launching.h"

#include <cstring>

using namespace tilewright;
using namespace tilewright::kernels;

CompileOptions kernels::optionsOf(const Kernel &kernel,
                                  CompileOptions options) {
  options.numWarps = kernel.warps;
  options.numStages = kernel.stages;
  options.sourceName = kernel.name;
  options.lineTables = false;
  return options;
}

std::vector<runtime::Argument>
kernels::numberArguments(const Signature &signature) {
  std::vector<runtime::Argument> arguments;
  for (const Number &number : signature.numbers) {
    if (number.isConstant())
      continue;
    if (number.isInteger()) {
      arguments.push_back(runtime::Argument::integer(
          number.integer(), run::byteSize(number.type)));
      continue;
    }
    float value = static_cast<float>(number.value);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    arguments.push_back(runtime::Argument::floating(bits, sizeof bits));
  }
  return arguments;
}
