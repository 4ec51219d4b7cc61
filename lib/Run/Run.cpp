// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run of a kernel; see Run.h.

#include "lib/Run/Run.h"

#include "lib/Run/Npy.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

using namespace tilewright;
using namespace tilewright::run;
using runtime::Argument;
using runtime::Dimensions;
using runtime::ParameterKind;

bool RunReport::matches() const {
  return std::all_of(
      checks.begin(), checks.end(),
      [](const CheckedArgument &check) { return check.comparison.matches(); });
}

namespace {
/// The device memory of a run's arrays; freed in the end.
class Allocations {
public:
  explicit Allocations(ExecutionDevice &device) : device(device) {}
  Allocations(const Allocations &) = delete;
  Allocations &operator=(const Allocations &) = delete;
  ~Allocations() {
    for (uint64_t address : addresses)
      (void)device.release(address);
  }
  Result<uint64_t> place(const HostTensor &tensor) {
    Result<uint64_t> address = device.allocate(tensor.bytes.size());
    if (!address)
      return address;
    addresses.push_back(*address);
    Result<void> copied = device.copyIn(*address, tensor.bytes);
    if (!copied)
      return copied.takeError();
    return address;
  }

private:
  ExecutionDevice &device;
  std::vector<uint64_t> addresses;
};

/// The steps of runArtifact, on shared state.
class Runner {
public:
  Runner(ExecutionDevice &device, const RunOptions &options)
      : device(device), options(options), allocations(device) {}

  Result<RunReport> run(const runtime::Artifact &artifact);

private:
  Result<void> checkOptions(const runtime::Kernel &kernel) const;
  Result<void> placeArguments(const runtime::Kernel &kernel);
  Result<void> fetchResults();
  Result<void> compareResults();
  Result<void> time(ExecutionKernel &kernel);

  ExecutionDevice &device;
  const RunOptions &options;
  Allocations allocations;
  std::vector<Argument> arguments;
  RunReport report;
};
} // namespace

/// A scalar as an argument, by its own type.
static Argument scalarArgument(const HostTensor &value) {
  uint32_t size = byteSize(value.type);
  uint64_t bits = 0;
  for (uint32_t i = 0; i < size; ++i)
    bits |= uint64_t(value.bytes[i]) << (8 * i);
  return isFloat(value.type) ? Argument::floating(bits, size)
                             : Argument::integer(int64_t(bits), size);
}

Result<void> Runner::checkOptions(const runtime::Kernel &kernel) const {
  if (options.arguments.size() != kernel.parameters.size())
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernel.name + "' expects " +
                     std::to_string(kernel.parameters.size()) +
                     " arguments, but got " +
                     std::to_string(options.arguments.size())};
  for (const Expectation &expectation : options.expectations)
    if (expectation.argument >= options.arguments.size() ||
        options.arguments[expectation.argument].kind !=
            RunArgument::Kind::Tensor)
      return Error{ErrorCode::InvalidArgument,
                   "expects the number of an array argument to compare, but "
                   "got " +
                       std::to_string(expectation.argument)};
  return runtime::success();
}

Result<void> Runner::placeArguments(const runtime::Kernel &kernel) {
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const RunArgument &argument = options.arguments[i];
    bool isDescriptor = kernel.parameters[i].kind == ParameterKind::Descriptor;
    report.results.push_back(argument.value);
    if (argument.kind == RunArgument::Kind::Scalar) {
      arguments.push_back(scalarArgument(argument.value));
      continue;
    }
    if (argument.kind == RunArgument::Kind::Null) {
      arguments.push_back(Argument::pointer(0));
      continue;
    }
    Result<uint64_t> address = allocations.place(argument.value);
    if (!address)
      return Error{address.error().code, "argument '" + argument.text +
                                             "': " + address.error().message};
    arguments.push_back(
        isDescriptor ? Argument::descriptor(*address, argument.value.shape,
                                            argument.value.strides())
                     : Argument::pointer(*address));
  }
  return runtime::success();
}

Result<void> Runner::fetchResults() {
  for (size_t i = 0; i < options.arguments.size(); ++i) {
    const RunArgument &argument = options.arguments[i];
    if (argument.kind != RunArgument::Kind::Tensor)
      continue;
    HostTensor &result = report.results[i];
    Result<void> copied = device.copyOut(result.bytes, arguments[i].bits);
    if (!copied)
      return copied;
    if (argument.output.empty())
      continue;
    if (Result<void> good = writeNpy(argument.output, result); !good)
      return good;
  }
  return runtime::success();
}

Result<void> Runner::compareResults() {
  for (const Expectation &expectation : options.expectations) {
    Result<Comparison> comparison =
        compare(report.results[expectation.argument], expectation.expected,
                expectation.tolerance);
    if (!comparison)
      return Error{comparison.error().code,
                   "argument " + std::to_string(expectation.argument) + ": " +
                       comparison.error().message};
    report.checks.push_back({expectation.argument, *comparison});
  }
  return runtime::success();
}

Result<void> Runner::time(ExecutionKernel &kernel) {
  for (unsigned i = 0; i < options.warmup; ++i)
    if (Result<void> good = kernel.launch(options.grid, arguments); !good)
      return good;
  std::vector<double> times;
  for (unsigned i = 0; i < options.repeat; ++i) {
    Result<double> microseconds =
        device.time([&] { return kernel.launch(options.grid, arguments); });
    if (!microseconds)
      return microseconds.takeError();
    times.push_back(*microseconds);
  }
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  report.medianMicroseconds = times.size() % 2
                                  ? times[middle]
                                  : (times[middle - 1] + times[middle]) / 2;
  report.minimumMicroseconds = times.front();
  report.maximumMicroseconds = times.back();
  return runtime::success();
}

Result<RunReport> Runner::run(const runtime::Artifact &artifact) {
  Result<uint32_t> index = artifact.findKernel(options.kernel);
  if (!index)
    return index.takeError();
  const runtime::Kernel &facts = artifact.kernels[*index];
  if (Result<void> good = checkOptions(facts); !good)
    return good.takeError();
  Result<std::unique_ptr<ExecutionKernel>> kernel =
      device.prepare(artifact, options.kernel);
  if (!kernel)
    return kernel.takeError();
  report.kernel = facts.name;
  report.device = device.description();
  report.image = (*kernel)->image();
  if (Result<void> good = placeArguments(facts); !good)
    return good.takeError();
  if (Result<void> good = (*kernel)->launch(options.grid, arguments); !good)
    return good.takeError();
  if (Result<void> good = device.synchronize(); !good)
    return Error{good.error().code,
                 "kernel '" + facts.name + "': " + good.error().message};
  if (Result<void> good = fetchResults(); !good)
    return good.takeError();
  if (Result<void> good = compareResults(); !good)
    return good.takeError();
  if (options.repeat)
    if (Result<void> good = time(**kernel); !good)
      return good.takeError();
  return std::move(report);
}

static std::string microseconds(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f", value);
  return text;
}

/// Prints a table of one row, its columns as wide as they need be.
static void printReport(const RunReport &report, const RunOptions &options,
                        const PrintFunction &print) {
  const Dimensions &grid = options.grid;
  std::vector<std::pair<std::string, std::string>> columns = {
      {"kernel", report.kernel},
      {"grid", std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" +
                   std::to_string(grid.z)},
      {"image", report.image}};
  if (report.medianMicroseconds) {
    columns.emplace_back("median us", microseconds(*report.medianMicroseconds));
    columns.emplace_back("min us", microseconds(report.minimumMicroseconds));
    columns.emplace_back("max us", microseconds(report.maximumMicroseconds));
  }
  columns.emplace_back("result", report.checks.empty() ? "not compared"
                                 : report.matches()    ? "matches"
                                                       : "differs");
  std::string head, row;
  for (auto &[title, value] : columns) {
    size_t width = std::max(title.size(), value.size());
    bool isLast = &title == &columns.back().first;
    head += title + (isLast ? "" : std::string(width - title.size() + 2, ' '));
    row += value + (isLast ? "" : std::string(width - value.size() + 2, ' '));
  }
  print(report.device + "\n" + head + "\n" + row + "\n");
  for (const CheckedArgument &check : report.checks)
    print("argument " + std::to_string(check.argument) + ": " +
          describe(check.comparison, report.results[check.argument]) + "\n");
}

Result<RunReport>
tilewright::run::runArtifact(const runtime::Artifact &artifact,
                             ExecutionDevice &device, const RunOptions &options,
                             const PrintFunction &print) {
  Result<RunReport> report = Runner(device, options).run(artifact);
  if (report && print)
    printReport(*report, options, print);
  return report;
}

Result<Dimensions> tilewright::run::parseDimensions(std::string_view text) {
  Dimensions result;
  uint32_t *targets[] = {&result.x, &result.y, &result.z};
  const char *position = text.data(), *end = text.data() + text.size();
  for (unsigned i = 0; i < 3; ++i) {
    auto [stop, error] = std::from_chars(position, end, *targets[i]);
    // Drivers refuse grids of nothing.
    if (error != std::errc() || *targets[i] == 0)
      break;
    if (stop == end)
      return result;
    if (*stop != 'x' && *stop != ',')
      break;
    position = stop + 1;
  }
  return Error{ErrorCode::InvalidArgument,
               "expects one to three sizes of at least 1 such as 64x2x1, but "
               "got '" +
                   std::string(text) + "'"};
}
