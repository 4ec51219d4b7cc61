// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Refinement.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace tilewright;
using namespace tilewright::kernels;

std::optional<double> kernels::estimateSeconds(const Kernel &kernel,
                                               const target::Target &target,
                                               const target::Device &device) {
  CompileOptions options;
  options.targets = {std::string(target.name)};
  options = optionsOf(kernel, options);
  options.gpu = std::string(device.name);
  options.launch = describeLaunch(kernel, /*isTypical=*/false);
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

/// What a launch that waits for the one before takes longer than by itself, as
/// an estimate has it: the last programs of the one end while none of the other
/// begins, and what it reads has just been written. (Products split by 4 on an
/// H200, replayed from graphs: 3 to 6 us more than the estimates' sum.)
static constexpr double drainSeconds = 4e-6;

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
    sum += *seconds + (sum > 0 ? drainSeconds : 0);
  }
  return sum;
}

/// Calls `body` for 0 to `count` - 1, on as many threads as the machine has, as
/// the first call of an operator waits for it.
static void forEachInParallel(size_t count,
                              const std::function<void(size_t)> &body) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> threads;
  size_t wanted = std::min<size_t>(
      count, std::max(1u, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < wanted; ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

/// Those whose code is worth a look, the most promising first: few of one tile,
/// and in turns those that unpack weights where they multiply them and those
/// that do so before, those that split sums and those that do not, and of the
/// latter those that are transposed and those that are not, since predictions
/// of one kind err alike. (70 products and linear attentions on an
/// H100 and an H200: the best of the sixteen takes at most 1.16 of the best of
/// all by their estimates, and 1.24 where splits are no kind of their own.)
static std::vector<Candidate *>
orderForEstimates(std::vector<Candidate> &candidates) {
  using Kind = std::tuple<bool, bool, bool>;
  std::map<Kind, std::vector<Candidate *>> kinds;
  std::map<std::tuple<bool, bool, std::array<int64_t, 3>>, unsigned> ofTile;
  for (Candidate &candidate : candidates) {
    const Configuration &c = candidate.configuration;
    if (candidate.refusal.empty() &&
        ofTile[{c.isDequantized, c.isTransposed, c.tile}]++ < 2)
      kinds[{c.split > 1, c.isDequantized, c.isTransposed && c.split == 1}]
          .push_back(&candidate);
  }
  std::vector<Candidate *> order;
  size_t most = 0;
  for (const auto &[name, kind] : kinds)
    most = std::max(most, kind.size());
  for (size_t i = 0; i < most; ++i)
    for (const auto &[name, kind] : kinds)
      if (i < kind.size())
        order.push_back(kind[i]);
  return order;
}

void kernels::refine(std::vector<Candidate> &candidates, const Problem &problem,
                     const target::Target &target, const target::Device &device,
                     size_t most) {
  std::vector<Candidate *> order = orderForEstimates(candidates);
  size_t begin = 0;
  for (size_t left = most; left && begin < order.size();) {
    size_t count = std::min(left, order.size() - begin);
    forEachInParallel(count, [&](size_t i) {
      Candidate &candidate = *order[begin + i];
      candidate.estimate =
          estimateAll(problem, candidate.configuration, target, device);
    });
    // In place of those that do not compile others are looked at.
    for (size_t i = begin; i < begin + count; ++i)
      left -= order[i]->estimate.has_value();
    begin += count;
  }
  std::vector<Candidate> refined, others;
  for (Candidate &candidate : candidates)
    (candidate.estimate ? refined : others).push_back(std::move(candidate));
  std::sort(refined.begin(), refined.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::pair(*a.estimate, a.seconds) <
                     std::pair(*b.estimate, b.seconds);
            });
  candidates = std::move(refined);
  std::move(others.begin(), others.end(), std::back_inserter(candidates));
}
