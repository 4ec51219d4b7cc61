// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Choice.h"

#include "lib/Kernels/Prediction.h"

#include <cassert>
#include <cstdio>
#include <map>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// A configuration's launches, with what each does.
struct Counted {
  std::vector<Kernel> kernels;
  std::vector<Counts> counts;
};

/// Counts configurations; of those that differ in their stages alone the counts
/// are the same.
class Counter {
public:
  explicit Counter(const Problem &problem) : problem(problem) {}
  Counted count(const Configuration &c);

private:
  const Problem &problem;
  std::map<std::string, std::vector<Counts>> known;
};

} // namespace

Counted Counter::count(const Configuration &c) {
  Configuration same = c;
  same.stages = 1;
  std::vector<Kernel> kernels = problem.kernels(c);
  auto [place, isNew] = known.try_emplace(same.word());
  if (isNew)
    for (const Kernel &kernel : kernels)
      place->second.push_back(kernels::count(kernel.signature, kernel.grid,
                                             kernel.warps, kernel.text));
  return {std::move(kernels), place->second};
}

/// A grid that a launch may have, in the driver's words.
static std::string refuseGrid(const Grid &grid) {
  if (grid.x <= 2147483647 && grid.y <= 65535 && grid.z <= 65535)
    return "";
  return "expects a grid of at most 2147483647 x 65535 x 65535 programs, but "
         "it is " +
         std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " +
         std::to_string(grid.z);
}

/// Refuses or predicts one configuration.
static Candidate assess(const Counted &counted, const Configuration &c,
                        const target::Target &target,
                        const target::Device &device) {
  Candidate candidate;
  candidate.configuration = c;
  double longest = 0;
  for (size_t i = 0; i < counted.kernels.size(); ++i) {
    const Kernel &kernel = counted.kernels[i];
    const Counts &counts = counted.counts[i];
    Footprint footprint = estimateFootprint(kernel, counts, target);
    candidate.refusal = refuseGrid(kernel.grid);
    if (candidate.refusal.empty())
      candidate.refusal = footprint.refusal;
    if (!candidate.refusal.empty())
      return candidate;
    Prediction prediction = predict(kernel, counts, footprint, target, device);
    candidate.seconds += prediction.seconds;
    if (prediction.seconds > longest) {
      longest = prediction.seconds;
      candidate.bound = prediction.bound;
    }
  }
  return candidate;
}

std::vector<Candidate> kernels::rank(const Problem &problem,
                                     const target::Target &target,
                                     const target::Device &device) {
  // By whether they are refused, and by time; equal ones in their order.
  std::multimap<std::pair<bool, double>, Candidate> sorted;
  [[maybe_unused]] bool isPlain = true;
  Counter counter(problem);
  for (const Configuration &c : problem.configurations()) {
    Candidate candidate = assess(counter.count(c), c, target, device);
    // The plain one takes little of everything.
    assert(!isPlain || candidate.refusal.empty() ||
           candidate.refusal.starts_with("expects a grid"));
    isPlain = false;
    std::pair<bool, double> key(!candidate.refusal.empty(), candidate.seconds);
    sorted.emplace(key, std::move(candidate));
  }
  std::vector<Candidate> candidates;
  for (auto &[key, candidate] : sorted)
    candidates.push_back(std::move(candidate));
  return candidates;
}

target::Device kernels::modelDevice(std::string_view name, int multiprocessors,
                                    const target::Target &target) {
  target::Device result = target::getDefaultDevice(target);
  for (const target::Device &known : target::allDevices())
    if (name.find(known.name) != name.npos &&
        target.runsOn(known.computeCapability))
      result = known;
  result.multiprocessors = multiprocessors;
  return result;
}

/// "    12.34 us".
static std::string timeText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%10.2f us", seconds * 1e6);
  return text;
}

static std::string describe(const Candidate &candidate) {
  if (!candidate.refusal.empty())
    return "   refused     " + candidate.configuration.text() + ": " +
           candidate.refusal + "\n";
  std::string text = timeText(candidate.seconds) + "  " +
                     candidate.configuration.text() + "; bound by " +
                     candidate.bound;
  if (candidate.estimate)
    text += "; by its code" + timeText(*candidate.estimate);
  if (candidate.measured)
    text += "; measured" + timeText(*candidate.measured);
  return text + "\n";
}

std::string kernels::explain(const std::vector<Candidate> &candidates,
                             size_t most) {
  std::string text;
  size_t counts[2] = {0, 0};
  for (const Candidate &candidate : candidates)
    if (counts[!candidate.refusal.empty()]++ < most)
      text += describe(candidate);
  return std::to_string(counts[0]) + " configurations, " +
         std::to_string(counts[1]) + " refused; predicted times:\n" + text;
}

Result<Configuration>
kernels::choose(const std::vector<Candidate> &candidates,
                const std::optional<Configuration> &wanted) {
  const Candidate &best = candidates.front();
  if (!wanted && !best.refusal.empty())
    return Error{ErrorCode::InvalidArgument, best.refusal};
  if (!wanted)
    return best.configuration;
  std::string known;
  size_t named = 0;
  for (const Candidate &candidate : candidates) {
    if (candidate.configuration == *wanted) {
      if (candidate.refusal.empty())
        return *wanted;
      return Error{ErrorCode::InvalidArgument,
                   wanted->word() + ": " + candidate.refusal};
    }
    if (candidate.refusal.empty() && named++ < 8)
      known += "\n  " + candidate.configuration.word();
  }
  return Error{ErrorCode::InvalidArgument,
               "expects one of this problem's configurations, but got '" +
                   wanted->word() + "'; the best are" + known};
}
