// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Trial/Trial.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Execution.h"
#include "lib/Kernels/Launching.h"
#include "runtime/Artifact.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

/// Code by the compiler itself; an error has its diagnostics.
static CompileKernel compileBy(const CompileOptions &options) {
  return [&options](const Kernel &kernel)
             -> Result<std::shared_ptr<const runtime::Artifact>> {
    std::string problems;
    CompileOptions given = optionsOf(kernel, options);
    given.onDiagnostic = [&](const Diagnostic &diagnostic) {
      if (diagnostic.severity == Diagnostic::Severity::Error)
        problems += compiler::toString(diagnostic) + "\n";
      if (options.onDiagnostic)
        options.onDiagnostic(diagnostic);
    };
    std::optional<runtime::Artifact> artifact = compiler::compile(
        emit(kernel.name, kernel.signature, kernel.text), given);
    if (!artifact)
      return Error{ErrorCode::InvalidArgument,
                   "the kernel '" + kernel.name +
                       "' does not compile: " + problems};
    return std::make_shared<const runtime::Artifact>(std::move(*artifact));
  };
}

//===----------------------------------------------------------------------===//
// The float64 reading
//===----------------------------------------------------------------------===//

/// What the device's memory holds before the launches.
static Array startOf(const DeviceTensor &tensor) {
  ElementType type = tensor.parameter.type;
  std::vector<uint8_t> bytes = initialContent(tensor.parameter, tensor.stream);
  Array array;
  array.values.resize(tensor.parameter.elements);
  array.bounds.resize(tensor.parameter.elements);
  for (size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = run::toDouble(type, &bytes[i * run::byteSize(type)]);
  return array;
}

static Result<void> evaluateAll(const std::vector<Kernel> &kernels,
                                NamedArrays &arrays) {
  for (const Kernel &kernel : kernels) {
    std::vector<Array> own;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      own.push_back(std::move(arrays[tensor.name]));
    Result<void> done =
        evaluate(kernel.signature, kernel.grid, kernel.text, own);
    size_t index = 0;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      arrays[tensor.name] = std::move(own[index++]);
    if (!done)
      return done;
  }
  return runtime::success();
}

/// Holds what the kernels' texts gave against the operator's formula. Both are
/// float64, so that they agree to far more than any type holds.
static Result<void> recompute(const Problem &problem,
                              const std::vector<DeviceTensor> &buffers,
                              const NamedArrays &arrays) {
  NamedArrays expected = arrays;
  // Without programs nothing is asked for.
  if (buffers.empty() || !problem.recompute(expected))
    return runtime::success();
  for (const DeviceTensor &buffer : buffers) {
    if (buffer.parameter.role != Role::Output)
      continue;
    const std::string &name = buffer.parameter.name;
    const std::vector<double> &formula = expected[name].values;
    const std::vector<double> &texts = arrays.at(name).values;
    const std::vector<double> &bounds = arrays.at(name).bounds;
    double largest = 1;
    for (double value : formula)
      if (std::isfinite(value))
        largest = std::fmax(largest, std::abs(value));
    for (size_t i = 0; i < formula.size(); ++i)
      // An infinite bound: an overflow of the type may be either way.
      if (texts[i] != formula[i] &&
          !(std::isinf(bounds[i]) && std::isinf(formula[i])) &&
          !(std::abs(texts[i] - formula[i]) <= 1e-9 * largest) &&
          !(std::isnan(texts[i]) && std::isnan(formula[i])))
        return Error{ErrorCode::InvalidArgument,
                     name + "[" + std::to_string(i) + "] is " +
                         std::to_string(formula[i]) +
                         " by the operator's formula, but " +
                         std::to_string(texts[i]) + " by its kernels' texts"};
  }
  return runtime::success();
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

double TrialReport::relativeError() const {
  return squares > 0 ? std::sqrt(squaredErrors / squares) : 0;
}

/// Every element of the memory, also those that nothing writes.
static void compare(const TensorParameter &tensor, const Array &array,
                    const std::vector<uint8_t> &bytes, TrialReport &report) {
  size_t size = run::byteSize(tensor.type);
  for (size_t i = 0; i < array.values.size(); ++i) {
    double expected = array.values[i], bound = array.bounds[i];
    double actual = run::toDouble(tensor.type, &bytes[i * size]);
    ++report.elements;
    report.exact += bound == 0;
    if (std::isfinite(expected))
      report.squares += expected * expected;
    if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
      continue;
    double error = std::abs(actual - expected);
    if (std::isfinite(error))
      report.squaredErrors += error * error;
    if (error <= bound) {
      report.worst = std::max(report.worst, error / bound);
      continue;
    }
    if (report.wrong++ == 0)
      report.first = tensor.name + "[" + std::to_string(i) + "]: expects " +
                     std::to_string(expected) + " within " +
                     std::to_string(bound) + ", but got " +
                     std::to_string(actual);
  }
}

static Result<void> judge(const std::vector<Kernel> &kernels,
                          Execution &execution, const Problem *problem,
                          TrialReport &report) {
  NamedArrays arrays;
  for (const DeviceTensor &tensor : execution.tensors())
    arrays[tensor.parameter.name] = startOf(tensor);
  if (Result<void> done = evaluateAll(kernels, arrays); !done)
    return done;
  if (problem)
    if (Result<void> done = recompute(*problem, execution.tensors(), arrays);
        !done)
      return done;
  for (const DeviceTensor &tensor : execution.tensors()) {
    if (tensor.parameter.role != Role::Output)
      continue;
    Result<std::vector<uint8_t>> bytes = execution.read(tensor);
    if (!bytes)
      return bytes.takeError();
    compare(tensor.parameter, arrays[tensor.parameter.name], *bytes, report);
  }
  return runtime::success();
}

Result<TrialReport> kernels::tryOut(const std::vector<Kernel> &kernels,
                                    run::ExecutionDevice &device,
                                    const CompileOptions &options,
                                    uint64_t seed, unsigned repeat,
                                    const Problem *problem) {
  TrialReport report;
  Execution execution(device, seed);
  if (Result<void> done = execution.load(kernels, compileBy(options)); !done)
    return done.takeError();
  if (Result<void> done = execution.launch(); !done)
    return done.takeError();
  if (Result<void> done = judge(kernels, execution, problem, report); !done)
    return done.takeError();
  if (!repeat)
    return report;
  Result<double> time = execution.time(repeat);
  if (!time)
    return time.takeError();
  report.microseconds = *time;
  return report;
}
