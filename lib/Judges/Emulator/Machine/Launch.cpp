// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch of a grid: which CTAs run when. Those of a cluster run together.
//
// CTAs run one after the other, in order; one that goes on for long makes room
// for others now and then, as it may wait for them. A kernel whose CTAs cannot
// see each other's order runs them in several threads of the host. If anything
// is found then, memory is put back and the launch made again one CTA after the
// other, so that what is reported is the same on every run.

#include "lib/Judges/Emulator/Machine/Launch.h"

#include "lib/Judges/Emulator/Machine/Cluster.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

using namespace tilewright::emulator;

namespace {

/// A launch that is under way.
class Grid {
public:
  Grid(const Kernel &kernel, const std::vector<uint8_t> &parameters,
       GlobalMemory &memory, const LaunchOptions &options)
      : kernel(kernel), parameters(parameters), memory(memory),
        options(options), total(uint64_t(options.grid[0]) * options.grid[1] *
                                options.grid[2] / clusterCtas()) {}

  bool canBeConcurrent() const;
  LaunchResult runInOrder();
  /// Nothing if there is anything to report.
  std::optional<LaunchResult> runConcurrently();

private:
  std::unique_ptr<Cluster> makeCluster(uint64_t number,
                                       const LaunchOptions &how,
                                       GlobalTables &tables,
                                       LaunchResult &result) const;
  bool runShare(const LaunchOptions &how, GlobalTables &tables,
                LaunchResult &result);
  uint64_t clusterCtas() const {
    return uint64_t(options.cluster[0]) * options.cluster[1] *
           options.cluster[2];
  }
  /// Runs the cluster a while, on the launch's account; whether it has ended.
  bool runTurn(Cluster &cluster, uint64_t turn) {
    uint64_t before = cluster.countSteps();
    bool isDone = cluster.run(turn);
    spent += cluster.countSteps() - before;
    return isDone;
  }
  bool isSpent() const { return spent > options.maximumLaunchSteps; }
  void countEnd() {
    uint64_t count = ++ended;
    if (!options.progress)
      return;
    std::lock_guard<std::mutex> lock(progressMutex);
    options.progress(count * clusterCtas(), total * clusterCtas());
  }

  const Kernel &kernel;
  const std::vector<uint8_t> &parameters;
  GlobalMemory &memory;
  const LaunchOptions &options;
  /// Clusters.
  const uint64_t total;
  std::atomic<uint64_t> next = 0, ended = 0, spent = 0;
  std::atomic<bool> isClean = true;
  std::mutex progressMutex;
};

std::unique_ptr<Cluster> Grid::makeCluster(uint64_t number,
                                           const LaunchOptions &how,
                                           GlobalTables &tables,
                                           LaunchResult &result) const {
  return std::make_unique<Cluster>(kernel, parameters, memory, how, number,
                                   tables, result);
}

/// What is reported of a launch that is given up.
static Fault makeSpentFault(uint64_t limit) {
  Fault fault;
  fault.message = "expects an end within " + std::to_string(limit) +
                  " warp instructions of the launch";
  return fault;
}

LaunchResult Grid::runInOrder() {
  // Long enough for most CTAs to end.
  constexpr uint64_t turn = uint64_t(1) << 20;
  LaunchResult result;
  result.counts.resize(kernel.code.size());
  GlobalTables tables(/*areConcurrent=*/false);
  std::deque<std::unique_ptr<Cluster>> residents;
  bool stopped = false;
  for (next = 0, ended = 0, spent = 0;
       !stopped && (next < total || !residents.empty());) {
    if (next < total && residents.size() * clusterCtas() < maximumResidents)
      residents.push_back(makeCluster(next++, options, tables, result));
    for (std::unique_ptr<Cluster> &cluster : residents) {
      bool isDone = runTurn(*cluster, turn);
      if (isSpent() && !cluster->isStopped()) {
        cluster->ctas.front()->report(
            makeSpentFault(options.maximumLaunchSteps));
        return result;
      }
      if (!isDone)
        continue;
      stopped |= cluster->isStopped();
      cluster.reset();
      countEnd();
      if (stopped)
        break;
    }
    std::erase(residents, nullptr);
  }
  return result;
}

bool Grid::canBeConcurrent() const {
  // Memory is copied first: that must be worth it.
  constexpr uint64_t maximumCopy = uint64_t(1) << 30;
  return options.hostThreads > 1 && total > 1 && !kernel.mayDependOnOrder &&
         memory.size() <= maximumCopy;
}

/// Runs CTAs that no other thread has begun, until there are none or something
/// is found; whether nothing was.
bool Grid::runShare(const LaunchOptions &how, GlobalTables &tables,
                    LaunchResult &result) {
  result.counts.resize(kernel.code.size());
  for (uint64_t number; isClean && (number = next++) < total; countEnd()) {
    std::unique_ptr<Cluster> cluster = makeCluster(number, how, tables, result);
    while (isClean && !isSpent() && !runTurn(*cluster, 4096))
      ;
    if (!result.faults.empty() || isSpent())
      isClean = false;
  }
  return isClean;
}

std::optional<LaunchResult> Grid::runConcurrently() {
  // Without this check nobody would know whether the order matters.
  LaunchOptions how = options;
  how.checks.set(static_cast<unsigned>(Check::GlobalRace));
  GlobalMemory::Content before = memory.save();
  GlobalTables tables(/*areConcurrent=*/true);
  std::vector<LaunchResult> results(
      std::min<uint64_t>(options.hostThreads, total));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < results.size(); ++i)
    threads.emplace_back([&, i] { runShare(how, tables, results[i]); });
  runShare(how, tables, results[0]);
  for (std::thread &thread : threads)
    thread.join();
  if (!isClean) {
    memory.restore(before);
    return std::nullopt;
  }
  for (size_t i = 1; i < results.size(); ++i)
    for (size_t line = 0; line < kernel.code.size(); ++line)
      results[0].counts[line] += results[i].counts[line];
  return std::move(results[0]);
}

/// Why the kernel cannot be launched so, or "".
std::string refuse(const Kernel &kernel, const std::vector<uint8_t> &parameters,
                   const LaunchOptions &options) {
  uint64_t threads =
      uint64_t(options.block[0]) * options.block[1] * options.block[2];
  if (threads == 0 || threads > 1024)
    return "expects 1 to 1024 threads in a CTA, but got " +
           std::to_string(threads);
  for (unsigned axis = 0; axis < 3; ++axis)
    if (kernel.requiredThreads[0] &&
        kernel.requiredThreads[axis] != options.block[axis])
      return "expects the CTA of .reqntid, " +
             std::to_string(kernel.requiredThreads[axis]) +
             " threads along axis " + std::to_string(axis) + ", but got " +
             std::to_string(options.block[axis]);
  uint64_t ctas = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    uint32_t size = options.cluster[axis];
    ctas *= size;
    if (size == 0 || options.grid[axis] % size)
      return "expects a grid in multiples of its clusters, but got " +
             std::to_string(options.grid[axis]) + " CTAs and clusters of " +
             std::to_string(size) + " along axis " + std::to_string(axis);
  }
  // The largest that any GPU takes (cudaFuncAttributeNonPortableClusterSize).
  if (ctas > 16)
    return "expects at most 16 CTAs in a cluster, but got " +
           std::to_string(ctas);
  if (parameters.size() != kernel.parameterBytes)
    return "expects " + std::to_string(kernel.parameterBytes) +
           " bytes of parameters, but got " + std::to_string(parameters.size());
  return "";
}

} // namespace

LaunchResult
tilewright::emulator::launch(const Kernel &kernel,
                             const std::vector<uint8_t> &parameters,
                             GlobalMemory &memory, const LaunchOptions &asked) {
  LaunchOptions options = asked;
  for (unsigned axis = 0; axis < 3 && kernel.requiredCluster[0]; ++axis)
    options.cluster[axis] = std::max(1u, kernel.requiredCluster[axis]);
  if (std::string problem = refuse(kernel, parameters, options);
      !problem.empty()) {
    LaunchResult result;
    result.counts.resize(kernel.code.size());
    result.faults.emplace_back();
    result.faults.back().message = std::move(problem);
    result.faults.back().kernel = kernel.name;
    return result;
  }
  Grid grid(kernel, parameters, memory, options);
  if (grid.canBeConcurrent())
    if (std::optional<LaunchResult> result = grid.runConcurrently())
      return std::move(*result);
  return grid.runInOrder();
}
