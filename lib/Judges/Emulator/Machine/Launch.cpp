// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch of a grid: which CTAs run when.
//
// CTAs run one after the other, in order; one that goes on for long makes room
// for others now and then, as it may wait for them. A kernel whose CTAs cannot
// see each other's order runs them in several threads of the host. If anything
// is found then, memory is put back and the launch made again one CTA after the
// other, so that what is reported is the same on every run.

#include "lib/Judges/Emulator/Machine/Launch.h"

#include "lib/Judges/Emulator/Machine/Cta.h"

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
        options(options),
        total(uint64_t(options.grid[0]) * options.grid[1] * options.grid[2]) {}

  bool canBeConcurrent() const;
  LaunchResult runInOrder();
  /// Nothing if there is anything to report.
  std::optional<LaunchResult> runConcurrently();

private:
  std::unique_ptr<Cta> makeCta(uint64_t number, const LaunchOptions &how,
                               GlobalRaces &races, LaunchResult &result) const;
  bool runShare(const LaunchOptions &how, GlobalRaces &races,
                LaunchResult &result);
  /// Runs the CTA a while, on the launch's account; whether it has ended.
  bool runTurn(Cta &cta, uint64_t turn) {
    uint64_t before = cta.clock;
    bool isDone = cta.run(turn);
    spent += cta.clock - before;
    return isDone;
  }
  bool isSpent() const { return spent > options.maximumLaunchSteps; }
  void countEnd() {
    uint64_t count = ++ended;
    if (!options.progress)
      return;
    std::lock_guard<std::mutex> lock(progressMutex);
    options.progress(count, total);
  }

  const Kernel &kernel;
  const std::vector<uint8_t> &parameters;
  GlobalMemory &memory;
  const LaunchOptions &options;
  const uint64_t total;
  std::atomic<uint64_t> next = 0, ended = 0, spent = 0;
  std::atomic<bool> isClean = true;
  std::mutex progressMutex;
};

std::unique_ptr<Cta> Grid::makeCta(uint64_t number, const LaunchOptions &how,
                                   GlobalRaces &races,
                                   LaunchResult &result) const {
  uint64_t row = number / options.grid[0];
  std::array<uint32_t, 3> index = {uint32_t(number % options.grid[0]),
                                   uint32_t(row % options.grid[1]),
                                   uint32_t(row / options.grid[1])};
  return std::make_unique<Cta>(kernel, parameters, memory, how, index, races,
                               result);
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
  GlobalRaces races(/*areConcurrent=*/false);
  std::deque<std::unique_ptr<Cta>> residents;
  bool stopped = false;
  for (next = 0, ended = 0, spent = 0;
       !stopped && (next < total || !residents.empty());) {
    if (next < total && residents.size() < maximumResidents)
      residents.push_back(makeCta(next++, options, races, result));
    for (std::unique_ptr<Cta> &cta : residents) {
      bool isDone = runTurn(*cta, turn);
      if (isSpent() && !cta->stopped) {
        cta->report(makeSpentFault(options.maximumLaunchSteps));
        return result;
      }
      if (!isDone)
        continue;
      stopped |= cta->stopped;
      cta.reset();
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
bool Grid::runShare(const LaunchOptions &how, GlobalRaces &races,
                    LaunchResult &result) {
  result.counts.resize(kernel.code.size());
  for (uint64_t number; isClean && (number = next++) < total; countEnd()) {
    std::unique_ptr<Cta> cta = makeCta(number, how, races, result);
    while (isClean && !isSpent() && !runTurn(*cta, 4096))
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
  GlobalRaces races(/*areConcurrent=*/true);
  std::vector<LaunchResult> results(
      std::min<uint64_t>(options.hostThreads, total));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < results.size(); ++i)
    threads.emplace_back([&, i] { runShare(how, races, results[i]); });
  runShare(how, races, results[0]);
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
  if (parameters.size() != kernel.parameterBytes)
    return "expects " + std::to_string(kernel.parameterBytes) +
           " bytes of parameters, but got " + std::to_string(parameters.size());
  return "";
}

} // namespace

LaunchResult tilewright::emulator::launch(
    const Kernel &kernel, const std::vector<uint8_t> &parameters,
    GlobalMemory &memory, const LaunchOptions &options) {
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
