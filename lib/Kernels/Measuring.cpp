// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Measuring.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

using namespace tilewright;
using namespace tilewright::kernels;

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

/// The first line of a reason.
static std::string firstLine(const std::string &text) {
  return text.substr(0, text.find('\n'));
}

static Measurement measureOne(const Candidate &candidate,
                              const Problem &problem, Execution &execution,
                              const CompileKernel &compile, unsigned repeat) {
  Measurement result{candidate.configuration, 0, ""};
  Result<void> ready =
      execution.load(problem.kernels(candidate.configuration), compile);
  Result<double> time =
      ready ? execution.time(repeat) : Result<double>(ready.takeError());
  if (time)
    result.seconds = *time * 1e-6;
  else
    result.failure = firstLine(time.error().message);
  return result;
}

Result<std::vector<Measurement>>
kernels::measure(std::span<const Candidate> candidates, const Problem &problem,
                 run::ExecutionDevice &device, const CompileKernel &compile,
                 const MeasuringOptions &options) {
  Execution execution(device, options.seed, options.coldBytes);
  std::vector<Measurement> results;
  size_t left = options.most;
  for (const Candidate &candidate : candidates) {
    if (left == 0 || results.size() >= size_t(2) * options.most)
      break;
    if (!candidate.refusal.empty())
      continue;
    results.push_back(measureOne(candidate, problem, execution, compile,
                                 std::max(1u, options.repeat)));
    left -= results.back().failure.empty();
    if (options.onMeasured)
      options.onMeasured(candidate, results.back());
    // After a fault of a kernel a device does nothing more.
    if (!results.back().failure.empty())
      if (Result<void> alive = device.synchronize(); !alive)
        return alive.takeError();
  }
  return results;
}

void kernels::applyMeasurements(std::span<const Measurement> measurements,
                                std::vector<Candidate> &candidates) {
  for (const Measurement &measurement : measurements)
    for (Candidate &candidate : candidates) {
      if (candidate.configuration != measurement.configuration)
        continue;
      if (measurement.failure.empty())
        candidate.measured = measurement.seconds;
      else
        candidate.refusal = "on the device: " + measurement.failure;
    }
  // Measured, predicted, refused; among the measured by time, else as they
  // were.
  auto key = [](const Candidate &candidate) {
    if (!candidate.refusal.empty())
      return std::pair(2, 0.0);
    return candidate.measured ? std::pair(0, *candidate.measured)
                              : std::pair(1, 0.0);
  };
  std::multimap<std::pair<int, double>, Candidate> sorted;
  for (Candidate &candidate : candidates) {
    std::pair<int, double> place = key(candidate);
    sorted.emplace(place, std::move(candidate));
  }
  candidates.clear();
  for (auto &[place, candidate] : sorted)
    candidates.push_back(std::move(candidate));
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

static constexpr std::string_view header = "measured 1\n";
static constexpr std::string_view failed = "failed: ";

std::string kernels::toText(std::span<const Measurement> measurements) {
  std::string text(header);
  for (const Measurement &measurement : measurements) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.9g", measurement.seconds);
    text += measurement.configuration.word() + " " +
            (measurement.failure.empty()
                 ? std::string(seconds)
                 : std::string(failed) + firstLine(measurement.failure)) +
            "\n";
  }
  return text;
}

/// "128x64x32w4s3k1 1.5e-05" or "... failed: why".
static std::optional<Measurement> parseMeasurement(std::string_view line) {
  size_t space = line.find(' ');
  auto configuration = Configuration::parse(line.substr(0, space));
  if (!configuration || space == line.npos)
    return std::nullopt;
  std::string rest(line.substr(space + 1));
  if (rest.starts_with(failed))
    return Measurement{*configuration, 0, rest.substr(failed.size())};
  char *end = nullptr;
  double seconds = std::strtod(rest.c_str(), &end);
  if (end == rest.c_str() || *end || !std::isfinite(seconds) || seconds < 0)
    return std::nullopt;
  return Measurement{*configuration, seconds, ""};
}

std::optional<std::vector<Measurement>>
kernels::parseMeasurements(std::string_view text) {
  if (!text.starts_with(header))
    return std::nullopt;
  text.remove_prefix(header.size());
  std::vector<Measurement> results;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::optional<Measurement> parsed = parseMeasurement(text.substr(0, end));
    if (!parsed || end == text.npos)
      return std::nullopt;
    results.push_back(std::move(*parsed));
    text.remove_prefix(end + 1);
  }
  return results;
}
