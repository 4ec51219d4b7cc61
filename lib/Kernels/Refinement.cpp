// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Refinement.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;

/// The launch as the compiler's option `launch` has it: the grid, and integer
/// arguments by their numbers.
static std::vector<std::string> describeLaunch(const Kernel &kernel) {
  std::vector<std::string> launch = {std::to_string(kernel.grid.x) + "x" +
                                     std::to_string(kernel.grid.y) + "x" +
                                     std::to_string(kernel.grid.z)};
  size_t argument = kernel.signature.tensors.size();
  for (const Number &number : kernel.signature.numbers) {
    if (number.isConstant())
      continue;
    if (number.isInteger())
      launch.push_back("arg" + std::to_string(argument) + "=" +
                       std::to_string(number.integer()));
    ++argument;
  }
  return launch;
}

std::optional<double> kernels::estimateSeconds(const Kernel &kernel,
                                               const target::Target &target,
                                               const target::Device &device) {
  CompileOptions options;
  options.targets = {std::string(target.name)};
  options = optionsOf(kernel, options);
  options.gpu = std::string(device.name);
  options.launch = describeLaunch(kernel);
  auto outputs =
      compiler::emit(emit(kernel.name, kernel.signature, kernel.text),
                     Emit::EstimateJSON, options);
  if (!outputs)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse(outputs->front());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *report = parsed->getAsObject();
  const llvm::json::Array *all = report ? report->getArray("kernels") : nullptr;
  const llvm::json::Object *first =
      all && !all->empty() ? all->front().getAsObject() : nullptr;
  std::optional<double> microseconds =
      first ? first->getNumber("us") : std::nullopt;
  if (!microseconds)
    return std::nullopt;
  return *microseconds * 1e-6;
}

/// Seconds of all launches of a configuration.
static std::optional<double> estimateAll(const Problem &problem,
                                         const Configuration &c,
                                         const target::Target &target,
                                         const target::Device &device) {
  double sum = 0;
  for (const Kernel &kernel : problem.kernels(c)) {
    std::optional<double> seconds = estimateSeconds(kernel, target, device);
    if (!seconds)
      return std::nullopt;
    sum += *seconds;
  }
  return sum;
}

void kernels::refine(std::vector<Candidate> &candidates, const Problem &problem,
                     const target::Target &target, const target::Device &device,
                     size_t most) {
  // Those whose code is looked at: the first, few of them of one tile.
  std::vector<Candidate> refined, others;
  std::map<std::array<int64_t, 3>, unsigned> ofTile;
  for (Candidate &candidate : candidates) {
    bool isTaken = candidate.refusal.empty() && refined.size() < most &&
                   ofTile[candidate.configuration.tile]++ < 2;
    if (isTaken)
      candidate.estimate =
          estimateAll(problem, candidate.configuration, target, device);
    (isTaken && candidate.estimate ? refined : others)
        .push_back(std::move(candidate));
  }
  std::sort(refined.begin(), refined.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::pair(*a.estimate, a.seconds) <
                     std::pair(*b.estimate, b.seconds);
            });
  candidates = std::move(refined);
  std::move(others.begin(), others.end(), std::back_inserter(candidates));
}
