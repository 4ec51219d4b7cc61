// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Refinement.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "lib/Kernels/Parallel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <mutex>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// Estimates of kernels' code, each made once: configurations often differ in
/// one of their launches alone.
class KernelEstimates {
public:
  KernelEstimates(const target::Target &target, const target::Device &device)
      : target(target), device(device) {}

  /// A kernel whose estimate is wanted. `seconds` is what the launch takes,
  /// once makeAll() has returned; nothing where the kernel does not compile, or
  /// a CTA does not fit.
  struct Entry {
    CompileOptions options;
    std::optional<double> seconds;
  };

  /// The entry of a kernel, the same for kernels of the same code. Any thread
  /// may ask.
  const Entry &add(const Kernel &kernel);

  /// Makes the estimates of all that were added since the last call.
  void makeAll();

private:
  /// The text, and what of the options differs between kernels of one text.
  using Key =
      std::tuple<std::string, unsigned, unsigned, std::vector<std::string>>;
  using Entries = std::map<Key, Entry>;

  static const std::string &getText(const Entries::value_type *entry) {
    return std::get<0>(entry->first);
  }
  static std::optional<double> estimate(const std::string &text,
                                        const CompileOptions &options);

  const target::Target &target;
  const target::Device &device;
  std::mutex mutex;
  Entries entries;
  std::vector<Entries::value_type *> added;
};

} // namespace

const KernelEstimates::Entry &KernelEstimates::add(const Kernel &kernel) {
  CompileOptions options;
  options.targets = {std::string(target.name)};
  options = optionsOf(kernel, options);
  options.gpu = std::string(device.name);
  options.launch = describeLaunch(kernel, /*isTypical=*/false);
  Key key = {emit(kernel.name, kernel.signature, kernel.text), options.numWarps,
             options.numStages, options.launch};
  std::lock_guard lock(mutex);
  auto [it, isNew] = entries.try_emplace(std::move(key));
  if (isNew) {
    it->second.options = std::move(options);
    added.push_back(&*it);
  }
  return it->second;
}

void KernelEstimates::makeAll() {
  // What takes longest comes first, so that no thread is left with it when the
  // others have ended. (Long texts unroll the most.)
  llvm::sort(added, [](const auto *a, const auto *b) {
    return getText(a).size() > getText(b).size();
  });
  forEachInParallel(added.size(), [&](size_t i) {
    Entry &entry = added[i]->second;
    entry.seconds = estimate(getText(added[i]), entry.options);
  });
  added.clear();
}

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
/// them, and the clock falls. They take 1.15 and 1.27 of their estimate (4096^3
/// and more, 4096 x 28672 x 8192, on H200s of two days), those that unpack
/// weights beside 1.05 and 1.06.
static constexpr double dequantized = 1.15;
} // namespace bias

/// Seconds of all launches of a configuration.
static std::optional<double>
sumUp(const Configuration &c,
      llvm::ArrayRef<const KernelEstimates::Entry *> launches) {
  double sum = bias::stage * c.stages + (c.parts > 1 ? bias::parts : 0);
  bool isFirst = true;
  for (const KernelEstimates::Entry *launch : launches) {
    if (!launch->seconds)
      return std::nullopt;
    sum += *launch->seconds * (c.isDequantized ? bias::dequantized : 1) +
           (isFirst ? 0 : bias::launch);
    isFirst = false;
  }
  return sum;
}

/// Estimates each candidate. Its launches are estimated in parallel too.
static void estimateAll(llvm::ArrayRef<Candidate *> candidates,
                        const Problem &problem, KernelEstimates &estimates) {
  std::vector<std::vector<const KernelEstimates::Entry *>> launches(
      candidates.size());
  forEachInParallel(candidates.size(), [&](size_t i) {
    for (const Kernel &kernel : problem.kernels(candidates[i]->configuration))
      launches[i].push_back(&estimates.add(kernel));
  });
  estimates.makeAll();
  for (auto [candidate, its] : llvm::zip_equal(candidates, launches))
    candidate->estimate = sumUp(candidate->configuration, its);
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
    estimateAll(llvm::ArrayRef(order).slice(begin, count), problem, estimates);
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
