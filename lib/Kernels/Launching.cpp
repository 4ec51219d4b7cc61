// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Launching.h"

#include "dialects/Target/Target.h"
#include "lib/Kernels/Operator.h"

#include <algorithm>
#include <cstring>

using namespace tilewright;
using namespace tilewright::kernels;

CompileOptions kernels::optionsOf(const Kernel &kernel,
                                  CompileOptions options) {
  options.numWarps = kernel.warps;
  options.numStages = kernel.stages;
  options.sourceName = kernel.name;
  options.lineTables = false;
  // Operators are called one after the other, on what the last one wrote.
  options.dependentLaunch = true;
  // Of other targets there is one code, whatever the launch.
  for (const std::string &name : options.targets)
    if (const target::Target *target = target::lookup(name);
        target && target->has(target::Capability::BulkTensorCopy))
      options.launch = describeLaunch(kernel, /*isTypical=*/true);
  return options;
}

std::vector<std::string> kernels::describeLaunch(const Kernel &kernel,
                                                 bool isTypical) {
  const std::vector<Number> &numbers = kernel.signature.numbers;
  bool rounds =
      isTypical && std::any_of(numbers.begin(), numbers.end(),
                               [](const Number &n) { return !n.isConstant(); });
  // What a grid may be at most is what the option takes.
  auto programs = [&](int64_t count, int64_t most) {
    count = std::max<int64_t>(count, 1);
    return std::to_string(
        std::min(rounds ? ceilPowerOfTwo(count) : count, most));
  };
  std::vector<std::string> launch = {programs(kernel.grid.x, INT32_MAX) + "x" +
                                     programs(kernel.grid.y, 65535) + "x" +
                                     programs(kernel.grid.z, 65535)};
  size_t argument = kernel.signature.tensors.size();
  for (const Number &number : numbers) {
    if (number.isConstant())
      continue;
    if (number.isInteger()) {
      int64_t value = number.integer();
      launch.push_back(
          "arg" + std::to_string(argument) + "=" +
          std::to_string(rounds && value > 0 ? ceilPowerOfTwo(value) : value));
    }
    ++argument;
  }
  return launch;
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
