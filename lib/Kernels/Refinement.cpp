// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Refinement.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// Estimates of kernels' code, each made once: configurations often differ in
/// one of their launches alone. Any thread may ask.
class KernelEstimates {
public:
  KernelEstimates(const target::Target &target, const target::Device &device)
      : target(target), device(device) {}

  /// Seconds that the launch takes; nothing where the kernel does not compile,
  /// or a CTA does not fit.
  std::optional<double> get(const Kernel &kernel) {
    std::string text = emit(kernel.name, kernel.signature, kernel.text);
    CompileOptions options;
    options.targets = {std::string(target.name)};
    options = optionsOf(kernel, options);
    options.gpu = std::string(device.name);
    options.launch = describeLaunch(kernel, /*isTypical=*/false);
    Entry &entry = find(text, options);
    std::call_once(entry.isMade,
                   [&] { entry.seconds = estimate(text, options); });
    return entry.seconds;
  }

private:
  struct Entry {
    std::once_flag isMade;
    std::optional<double> seconds;
  };
  /// The text, and what of the options differs between kernels of one text.
  using Key =
      std::tuple<std::string, unsigned, unsigned, std::vector<std::string>>;

  Entry &find(const std::string &text, const CompileOptions &options) {
    std::lock_guard lock(mutex);
    return entries[{text, options.numWarps, options.numStages, options.launch}];
  }
  static std::optional<double> estimate(const std::string &text,
                                        const CompileOptions &options);

  const target::Target &target;
  const target::Device &device;
  std::mutex mutex;
  std::map<Key, Entry> entries;
};

} // namespace

std::optional<double> KernelEstimates::estimate(const std::string &text,
                                                const CompileOptions &options) {
  auto outputs = compiler::emit(text, Emit::EstimateJSON, options);
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

/// What configurations of a kind take longer than estimated, in the median of
/// 1,283 codes of 24 products (4 and 16 bits, 1 to 256 rows) on an H200,
/// replayed from graphs with weights that are not in the L2. The one estimated
/// best takes 1.05 of the best one's time with these, 1.085 with 4 us for each
/// further launch alone; of 66 other problems on an H100 1.039 for 1.044.
namespace bias {
/// A launch that waits for the one before: the last programs of the one end
/// while none of the other begins.
static constexpr double launch = 2e-6;
/// Warps that share a program's sum.
static constexpr double parts = 2e-6;
/// Each stage: all programs ask for theirs at once in the beginning, and shared
/// memory is taken from the L1.
static constexpr double stage = 1e-7;
/// Of products whose weights are dequantized before: matrix units alone bound
/// them, and the clock falls. They take 1.15 of their estimate (4096^3 and more
/// on an H200), those that unpack weights beside 1.05.
static constexpr double dequantized = 1.1;
} // namespace bias

/// Seconds of all launches of a configuration.
static std::optional<double> estimateAll(const Problem &problem,
                                         const Configuration &c,
                                         KernelEstimates &estimates) {
  double sum = bias::stage * c.stages + (c.parts > 1 ? bias::parts : 0);
  bool isFirst = true;
  for (const Kernel &kernel : problem.kernels(c)) {
    std::optional<double> seconds = estimates.get(kernel);
    if (!seconds)
      return std::nullopt;
    sum += *seconds * (c.isDequantized ? bias::dequantized : 1) +
           (isFirst ? 0 : bias::launch);
    isFirst = false;
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

/// Those whose code is worth a look, the most promising first: of a tile two,
/// and one of more stages than four, which predictions like and small problems
/// do not; in turns those that unpack weights where they multiply them and
/// those that do so before, those that split sums, in clusters or not, and
/// those that do not, of the latter those that are transposed and those that
/// are not, and those whose warps each have a part of the depth to themselves,
/// since predictions of one kind err alike. (70 products and
/// linear attentions on an H100 and an H200: the best of the sixteen takes at
/// most 1.16 of the best of all by their estimates, and 1.24 where splits are
/// no kind of their own.)
static std::vector<Candidate *>
orderForEstimates(std::vector<Candidate> &candidates) {
  using Kind = std::tuple<unsigned, bool, bool, bool>;
  std::map<Kind, std::vector<Candidate *>> kinds;
  constexpr unsigned fewStages = 4;
  std::map<std::tuple<bool, bool, bool, bool, bool, std::array<int64_t, 3>>,
           unsigned>
      ofTile;
  for (Candidate &candidate : candidates) {
    const Configuration &c = candidate.configuration;
    bool isDeep = c.stages > fewStages;
    bool isWhole = c.split == 1;
    unsigned splitting = isWhole ? 0 : c.isClustered ? 1 : 2;
    if (candidate.refusal.empty() &&
        ofTile[{splitting == 1, c.isDequantized, c.isTransposed,
                c.hasFreeWarps(), isDeep, c.tile}]++ < (isDeep ? 1 : 2))
      kinds[{splitting, c.isDequantized, c.isTransposed && isWhole,
             c.hasFreeWarps() && isWhole}]
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
  // The kind of free warps is not looked at in place of others.
  if (llvm::any_of(order, [](const Candidate *candidate) {
        return candidate->configuration.hasFreeWarps();
      }))
    most += most / 4;
  KernelEstimates estimates(target, device);
  size_t begin = 0;
  for (size_t left = most; left && begin < order.size();) {
    size_t count = std::min(left, order.size() - begin);
    forEachInParallel(count, [&](size_t i) {
      Candidate &candidate = *order[begin + i];
      candidate.estimate =
          estimateAll(problem, candidate.configuration, estimates);
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
