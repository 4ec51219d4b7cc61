// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Trial/Trial.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "lib/Run/Arguments.h"
#include "runtime/Artifact.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// One tensor on both sides.
struct Buffer {
  std::string name;
  ElementType type;
  Role role;
  std::vector<uint8_t> bytes;
  /// Of the allocation, and in it of the first element: as little aligned as
  /// the kernel must expect.
  uint64_t address = 0;
  size_t offset = 0;
  Array array;
};

/// A launch that is ready.
struct Launch {
  std::unique_ptr<run::ExecutionKernel> kernel;
  runtime::Dimensions grid;
  std::vector<runtime::Argument> arguments;
};

class Trial {
public:
  Trial(run::ExecutionDevice &device, const CompileOptions &options,
        uint64_t seed)
      : device(device), options(options), seed(seed) {}
  ~Trial() {
    for (const Buffer &buffer : buffers)
      (void)device.release(buffer.address);
  }

  Result<void> allocate(const std::vector<Kernel> &kernels);
  Result<void> evaluateAll(const std::vector<Kernel> &kernels);
  Result<void> prepare(const Kernel &kernel);
  Result<void> launchAll();
  Result<double> timeAll(unsigned repeat);
  Result<void> judge(TrialReport &report);

private:
  Buffer &find(const std::string &name);
  Buffer makeBuffer(const TensorParameter &tensor);
  void compare(const Buffer &buffer, TrialReport &report) const;

  run::ExecutionDevice &device;
  const CompileOptions &options;
  uint64_t seed;
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
};

} // namespace

Buffer &Trial::find(const std::string &name) {
  return *std::find_if(buffers.begin(), buffers.end(),
                       [&](const Buffer &b) { return b.name == name; });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Random numbers that the type holds; integers of 8 bits.
static double randomNumber(ElementType type, uint64_t bits) {
  if (!run::isFloat(type))
    return static_cast<double>(static_cast<int64_t>(bits % 255) - 127);
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

/// The floats of every other seed are of two bits, so that sums are exact.
static double coarsened(double number, ElementType type, uint64_t seed) {
  return seed % 2 && run::isFloat(type) ? std::nearbyint(2 * number) : number;
}

/// Integers that are what is promised of them.
static void fillIntegers(const TensorParameter &tensor, uint64_t stream,
                         std::vector<double> &values) {
  const Content &content = tensor.content;
  if (content.kind == Content::Kind::Codes) {
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t bits = run::randomBits(stream, i) & content.limit;
      values[i] = tensor.type == ElementType::I8
                      ? static_cast<double>(static_cast<int8_t>(bits))
                      : static_cast<double>(static_cast<int32_t>(bits));
    }
    return;
  }
  int64_t count = content.limit + (content.kind != Content::Kind::Below);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(run::randomBits(stream, i) %
                                    std::max<int64_t>(count, 1));
  if (content.kind != Content::Kind::Offsets || values.empty())
    return;
  std::sort(values.begin(), values.end());
  values.front() = 0;
  values.back() = static_cast<double>(content.limit);
}

/// Outputs hold poison until they are written.
Buffer Trial::makeBuffer(const TensorParameter &tensor) {
  Buffer buffer{
      tensor.name, tensor.type,
      tensor.role, {},
      0,           tensor.alignment < 16 ? size_t(tensor.alignment) : 0,
      {}};
  size_t size = run::byteSize(tensor.type);
  buffer.bytes.assign(tensor.elements * size, 0xff);
  buffer.array.values.resize(tensor.elements);
  buffer.array.bounds.resize(tensor.elements);
  uint64_t stream = seed * 1000 + buffers.size();
  std::vector<double> promised(tensor.elements);
  bool isPromised = tensor.content.kind != Content::Kind::Any;
  if (isPromised)
    fillIntegers(tensor, stream, promised);
  for (int64_t i = 0; i < tensor.elements; ++i) {
    uint8_t *bytes = &buffer.bytes[i * size];
    if (tensor.role == Role::Input)
      run::fromDouble(
          tensor.type,
          isPromised
              ? promised[i]
              : coarsened(randomNumber(tensor.type, run::randomBits(stream, i)),
                          tensor.type, seed),
          bytes);
    buffer.array.values[i] = run::toDouble(tensor.type, bytes);
  }
  return buffer;
}

Result<void> Trial::allocate(const std::vector<Kernel> &kernels) {
  for (const Kernel &kernel : kernels)
    for (const TensorParameter &tensor : kernel.signature.tensors) {
      bool isKnown =
          std::any_of(buffers.begin(), buffers.end(),
                      [&](const Buffer &b) { return b.name == tensor.name; });
      if (isKnown)
        continue;
      buffers.push_back(makeBuffer(tensor));
      Buffer &buffer = buffers.back();
      std::vector<uint8_t> moved(buffer.offset, 0);
      moved.insert(moved.end(), buffer.bytes.begin(), buffer.bytes.end());
      Result<uint64_t> address =
          device.allocate(std::max<size_t>(moved.size(), 16));
      if (!address)
        return address.takeError();
      buffer.address = *address;
      if (Result<void> copied = device.copyIn(*address, moved); !copied)
        return copied;
    }
  return runtime::success();
}

//===----------------------------------------------------------------------===//
// Both sides
//===----------------------------------------------------------------------===//

Result<void> Trial::evaluateAll(const std::vector<Kernel> &kernels) {
  for (const Kernel &kernel : kernels) {
    std::vector<Array> arrays;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      arrays.push_back(std::move(find(tensor.name).array));
    Result<void> done =
        evaluate(kernel.signature, kernel.grid, kernel.text, arrays);
    size_t index = 0;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      find(tensor.name).array = std::move(arrays[index++]);
    if (!done)
      return done;
  }
  return runtime::success();
}

Result<void> Trial::prepare(const Kernel &kernel) {
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
  Result<std::unique_ptr<run::ExecutionKernel>> prepared =
      device.prepare(*artifact, "");
  if (!prepared)
    return prepared.takeError();
  Launch launch{std::move(*prepared),
                {static_cast<uint32_t>(kernel.grid.x),
                 static_cast<uint32_t>(kernel.grid.y),
                 static_cast<uint32_t>(kernel.grid.z)},
                {}};
  for (const TensorParameter &tensor : kernel.signature.tensors) {
    const Buffer &buffer = find(tensor.name);
    launch.arguments.push_back(
        runtime::Argument::pointer(buffer.address + buffer.offset));
  }
  for (runtime::Argument &argument : numberArguments(kernel.signature))
    launch.arguments.push_back(std::move(argument));
  launches.push_back(std::move(launch));
  return runtime::success();
}

Result<void> Trial::launchAll() {
  for (const Launch &launch : launches)
    if (Result<void> done =
            launch.kernel->launch(launch.grid, launch.arguments);
        !done)
      return done;
  return device.synchronize();
}

Result<double> Trial::timeAll(unsigned repeat) {
  std::vector<double> times;
  for (unsigned i = 0; i < repeat + 3; ++i) {
    double sum = 0;
    for (const Launch &launch : launches) {
      Result<double> time =
          launch.kernel->launchTimed(launch.grid, launch.arguments);
      if (!time)
        return time;
      sum += *time;
    }
    if (i >= 3)
      times.push_back(sum);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

/// Every element of the buffer, also those that nothing writes.
void Trial::compare(const Buffer &buffer, TrialReport &report) const {
  size_t size = run::byteSize(buffer.type);
  for (size_t i = 0; i < buffer.array.values.size(); ++i) {
    double expected = buffer.array.values[i], bound = buffer.array.bounds[i];
    double actual = run::toDouble(buffer.type, &buffer.bytes[i * size]);
    ++report.elements;
    report.exact += bound == 0;
    if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
      continue;
    double error = std::abs(actual - expected);
    if (error <= bound) {
      report.worst = std::max(report.worst, error / bound);
      continue;
    }
    if (report.wrong++ == 0)
      report.first = buffer.name + "[" + std::to_string(i) + "]: expects " +
                     std::to_string(expected) + " within " +
                     std::to_string(bound) + ", but got " +
                     std::to_string(actual);
  }
}

Result<void> Trial::judge(TrialReport &report) {
  for (Buffer &buffer : buffers) {
    if (buffer.role != Role::Output)
      continue;
    std::vector<uint8_t> bytes(buffer.bytes.size() + buffer.offset);
    if (Result<void> copied = device.copyOut(bytes, buffer.address); !copied)
      return copied;
    std::copy(bytes.begin() + buffer.offset, bytes.end(), buffer.bytes.begin());
    compare(buffer, report);
  }
  return runtime::success();
}

Result<TrialReport> kernels::tryOut(const std::vector<Kernel> &kernels,
                                    run::ExecutionDevice &device,
                                    const CompileOptions &options,
                                    uint64_t seed, unsigned repeat,
                                    bool isJudged) {
  TrialReport report;
  Trial trial(device, options, seed);
  if (Result<void> done = trial.allocate(kernels); !done)
    return done.takeError();
  for (const Kernel &kernel : kernels)
    if (Result<void> done = trial.prepare(kernel); !done)
      return done.takeError();
  if (Result<void> done = trial.launchAll(); !done)
    return done.takeError();
  Result<void> judged = runtime::success();
  if (isJudged)
    judged = trial.evaluateAll(kernels);
  if (isJudged && judged)
    judged = trial.judge(report);
  if (!judged)
    return judged.takeError();
  if (!repeat)
    return report;
  Result<double> time = trial.timeAll(repeat);
  if (!time)
    return time.takeError();
  report.microseconds = *time;
  return report;
}
