// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/GlobalTraffic.h"

#include "dialects/Target/Device.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "llvm/ADT/DenseSet.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Programs whose loops are followed, and whose addresses are compared: of the
/// whole launch, and of those that run at the same time.
static constexpr unsigned followedPrograms = 8, comparedPrograms = 64,
                          comparedConcurrent = 64;

/// Of a line of the L2.
static constexpr int64_t lineBytes = 128;

/// Numbers below `end`, `count` of them or fewer, spread as if at random; all
/// of them where they are no more than that.
static SmallVector<int64_t> pickNumbers(int64_t end, unsigned count) {
  SmallVector<int64_t> numbers;
  if (end <= count) {
    llvm::append_range(numbers, llvm::seq<int64_t>(0, end));
    return numbers;
  }
  llvm::SmallDenseSet<int64_t> seen;
  uint64_t state = 0;
  for (unsigned i = 0; i < count; ++i) {
    // SplitMix64 (Steele, Lea, Flood, 2014).
    uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    int64_t number = (mixed ^ (mixed >> 31)) % uint64_t(end);
    if (seen.insert(number).second)
      numbers.push_back(number);
  }
  return numbers;
}

/// How many different ones there are in `population` where `picked` of it show
/// `different`: as many as would show so many in the mean. Each is in it as
/// often as any other, and none is picked twice: of few, where every second one
/// is picked, that makes a difference of a half.
static double estimateDifferent(double different, double picked,
                                double population) {
  if (picked >= population)
    return different;
  if (different >= picked)
    return population;
  double low = different, high = population;
  for (unsigned step = 0; step < 40; ++step) {
    double middle = (low + high) / 2;
    double shown =
        middle * (1 - std::pow(1 - picked / population, population / middle));
    (shown < different ? low : high) = middle;
  }
  return high;
}

/// Number `i` of `picked` programs that are spread evenly along each axis,
/// since work often grows with the place on one, and independently, by
/// multiples of irrational numbers. So are the places within the parts of the
/// first axis: at equal distances all programs that are picked of a causal
/// attention may have the same tile of queries, each of another head.
static int64_t getSpread(int64_t i, int64_t picked, const Launch &launch) {
  auto scatter = [&](double step) {
    double place = (i + 0.5) * step;
    return place - std::floor(place);
  };
  const double along[] = {(i + scatter(0.41421356237309505)) / picked,
                          scatter(0.6180339887498949),
                          scatter(0.7548776662466927)};
  int64_t number = 0, stride = 1;
  for (unsigned axis : {0, 1, 2}) {
    number += int64_t(along[axis] * launch.grid[axis]) * stride;
    stride *= launch.grid[axis];
  }
  return number;
}

//===----------------------------------------------------------------------===//
// ProgramSample
//===----------------------------------------------------------------------===//

ProgramSample::ProgramSample(const LoopGraph &graph, const Launch &launch) {
  int64_t picked = std::min<int64_t>(launch.countPrograms(), followedPrograms);
  for (int64_t i = 0; i < picked; ++i) {
    Program &program = programs.emplace_back();
    program.values =
        std::make_unique<LaunchValues>(launch, getSpread(i, picked, launch));
    program.frequency =
        std::make_unique<LaunchFrequency>(graph, *program.values);
    if (program.frequency->isUniform())
      break;
  }
}

double ProgramSample::getRuns(Block *block) const {
  double sum = 0;
  for (const Program &program : programs)
    sum += program.frequency->get(block);
  return sum / programs.size();
}

double ProgramSample::getTrips(CFGLoop *loop) const {
  double trips = 0, entries = 0;
  for (const Program &program : programs) {
    trips +=
        program.frequency->getTrips(loop) * program.frequency->getEntries(loop);
    entries += program.frequency->getEntries(loop);
  }
  return entries ? trips / entries : 0;
}

bool ProgramSample::isKnown(CFGLoop *loop) const {
  return llvm::all_of(programs, [&](const Program &program) {
    return program.frequency->isKnown(loop);
  });
}

//===----------------------------------------------------------------------===//
// Traffic of an access
//===----------------------------------------------------------------------===//

/// Bytes of the different elements that `pointers` name.
static double getTileBytes(Value pointers, const AxisInfo *info) {
  double bytes = axis::getStep(pointers.getType());
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return bytes;
  bytes *= type.getNumElements();
  for (int64_t dim = 0; info && dim < type.getRank(); ++dim)
    if (info->contiguity[dim] == 1)
      bytes /= std::min(info->constancy[dim], type.getDimSize(dim));
  return bytes;
}

/// What memory takes for bytes that lie together by `run`, for one of what it
/// takes for whole lines of 128 bytes: 1.17 where other programs read the other
/// half of a line, 1.34 where they read all but a sector. (f16 products of 1 x
/// 14336 x 8192 on an H200: tiles of 64 and more columns take 60 us, those of
/// 32 mostly 73, those of 16 at least 75.)
static double getLineCost(double run) {
  return 1 +
         0.17 * std::log2(lineBytes / std::clamp(run, 32., double(lineBytes)));
}

/// Bytes that lie together in the rows of a tile; a line's where nothing is
/// known of them.
static double getRun(Value pointers, const AxisInfo *info) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  double run = 1;
  for (int64_t dim = 0; type && info && dim < type.getRank(); ++dim)
    run = std::max<double>(
        run, std::min(info->contiguity[dim], type.getDimSize(dim)));
  return run > 1 ? run * axis::getStep(pointers.getType()) : lineBytes;
}

/// The same of the box of a bulk copy.
static double getRun(TensorMapType map) {
  return map.getBox().back() * map.getElementBits() / 8.;
}

/// Whether the mask lets nothing through in iteration `iteration` of `loop`.
static bool isMasked(const GlobalAccess &access,
                     const LaunchFrequency &frequency, CFGLoop *loop,
                     int64_t iteration) {
  LaunchValues values = frequency.getValues(loop, iteration);
  const LaunchValue &mask = values.get(access.mask);
  return mask.range && mask.range->umax().isZero();
}

/// The part of the iterations in which the mask lets something through, where
/// it ends at some iteration, or is false all the way.
static double getActiveShare(const GlobalAccess &access,
                             const LaunchFrequency &frequency, CFGLoop *loop,
                             LaunchValues &values) {
  if (!access.mask)
    return 1;
  const LaunchValue &mask = values.get(access.mask);
  if (!loop)
    return mask.range && mask.range->umax().isZero() ? 0 : 1;
  int64_t trips = frequency.getTrips(loop);
  if (trips == 0 || !isMasked(access, frequency, loop, trips - 1))
    return 1;
  int64_t active = -1, masked = trips - 1;
  while (masked - active > 1) {
    int64_t middle = active + (masked - active) / 2;
    (isMasked(access, frequency, loop, middle) ? masked : active) = middle;
  }
  return double(active + 1) / trips;
}

/// Iterations of the loops around `block` that access the same addresses as
/// the ones before.
static double countRepetitions(const GlobalAccess &access, CFGLoop *innermost,
                               const LaunchFrequency &frequency) {
  double repetitions = 1;
  for (CFGLoop *loop = innermost; loop; loop = loop->getParentLoop()) {
    LaunchValue first = frequency.getValues(loop, 0).get(access.pointers);
    LaunchValue second = frequency.getValues(loop, 1).get(access.pointers);
    bool isKnown = first.base && first.base == second.base;
    if (isKnown && first.offset == second.offset)
      repetitions *= std::max(1., frequency.getTrips(loop));
  }
  return repetitions;
}

/// How many of the programs below `end` begin `pointers` at an address of
/// their own.
static double countAddresses(Value pointers,
                             MutableArrayRef<LaunchValues> picked,
                             int64_t end) {
  llvm::SmallDenseSet<std::pair<Value, int64_t>> addresses;
  for (LaunchValues &values : picked) {
    const LaunchValue &value = values.get(pointers);
    // Where nothing is known each has its own.
    if (!value.base || !isa<BlockArgument>(value.base))
      return end;
    addresses.insert({value.base, value.offset});
  }
  return estimateDifferent(addresses.size(), picked.size(), end);
}

/// Bytes that a bulk copy by `map` takes from the L2 as long as, for each byte:
/// for each row of an atom the lines that it touches, in the mean. (f16
/// products on an H200: 512 x 1000 x 4096, whose rows begin anywhere, with
/// atoms of 64 bytes take 23.5 us, of 128 bytes 16.4; 64 x 4096 x 4096 with
/// atoms of 32 bytes 15.6 us, of 64 bytes 13.1. A second line counts more than
/// the first: 1024 x 1000 x 4096 by tiles of 128 x 64 takes 25.1 us, which
/// would be 17.3, by 128 x 128 in clusters of two 20.4 for 17.9.)
static double getAskedBytes(TensorMapOp map, LaunchValues &values) {
  if (!map || map.getStrides().empty())
    return 1;
  TensorMapType type = map.getType();
  double rowBytes = type.getSwizzleBytes(), crossing = 0;
  if (auto stride = values.get(map.getStrides().back()).getConstant()) {
    // Rows begin at multiples of this in a line, at each as often.
    double step = std::gcd(*stride * type.getElementBits() / 8, lineBytes);
    crossing = std::max(0., rowBytes / step - 1) * step / lineBytes;
  }
  constexpr double costOfSecond = 1.25;
  return (1 + costOfSecond * crossing) * lineBytes / rowBytes;
}

namespace {
/// The boxes that an op copies: of each its map, and where it begins.
struct Boxes {
  SmallVector<std::pair<Value, OperandRange>> boxes;
  Value predicate;
};
} // namespace

/// Nothing where `op` is no bulk copy or store.
static std::optional<Boxes> getBoxes(Operation *op) {
  if (auto store = dyn_cast<BulkStoreOp>(op))
    return Boxes{{{store.getMap(), store.getCoordinates()}}, {}};
  auto copy = dyn_cast<BulkCopyOp>(op);
  if (!copy)
    return std::nullopt;
  Boxes of = {{}, copy.getPredicate()};
  for (auto [number, map] : llvm::enumerate(copy.getMaps()))
    of.boxes.emplace_back(map, copy.getCoordinatesOf(number));
  return of;
}

/// How many of the programs below `end` have a box begin at coordinates of
/// their own. What is not known of a coordinate counts as nothing, as in what
/// is added to pointers (LaunchValues): kernels that differ in who copies are
/// compared by this.
static double countBoxes(OperandRange coordinates,
                         MutableArrayRef<LaunchValues> picked, int64_t end) {
  std::set<std::vector<int64_t>> begins;
  for (LaunchValues &values : picked) {
    std::vector<int64_t> begin;
    for (Value coordinate : coordinates) {
      const LaunchValue &known = values.get(coordinate);
      begin.push_back(known.range ? known.range->smin().getSExtValue() : 0);
    }
    begins.insert(std::move(begin));
  }
  return estimateDifferent(begins.size(), picked.size(), end);
}

/// The values of the programs below `end` that are compared, in the first
/// iteration of each loop.
static std::vector<LaunchValues> pickPrograms(const LoopGraph &graph,
                                              const Launch &launch, int64_t end,
                                              unsigned count) {
  std::vector<LaunchValues> picked;
  SmallVector<int64_t> numbers = pickNumbers(end, count);
  picked.reserve(numbers.size());
  for (int64_t number : numbers) {
    LaunchValues &values = picked.emplace_back(
        launch, number, picked.empty() ? nullptr : &picked.front());
    for (Block *block : graph.getOrder())
      if (graph.isHeader(block))
        for (BlockArgument argument : block->getArguments())
          for (Block *predecessor : block->getPredecessors())
            if (!graph.getLoop(block)->contains(predecessor))
              if (Value passed = getPassed(predecessor, argument))
                values.set(argument, values.get(passed));
  }
  return picked;
}

//===----------------------------------------------------------------------===//
// GlobalTraffic
//===----------------------------------------------------------------------===//

GlobalTraffic::GlobalTraffic(
    const LoopGraph &graph, const ProgramSample &sample, const Launch &launch,
    int64_t concurrent,
    llvm::function_ref<const AxisInfo *(Value)> lookupAxisInfo)
    : programs(launch.countPrograms()) {
  concurrent = std::min(concurrent, programs);
  std::vector<LaunchValues> all =
      pickPrograms(graph, launch, programs, comparedPrograms);
  std::vector<LaunchValues> together =
      pickPrograms(graph, launch, concurrent, comparedConcurrent);
  // By what they access, the loops of those that come first.
  llvm::DenseMap<std::tuple<Value, int64_t, Type, unsigned>, CFGLoop *> seen;
  const ProgramSample::Program &typical =
      sample.getPrograms()[sample.getPrograms().size() / 2];
  for (Block *block : graph.getOrder())
    for (Operation &op : *block) {
      CFGLoop *loop = graph.getLoop(block);
      AccessTraffic traffic;
      if (std::optional<Boxes> copied = getBoxes(&op)) {
        GlobalAccess guard = {/*pointers=*/{}, copied->predicate};
        traffic.activeShare =
            getActiveShare(guard, *typical.frequency, loop, *typical.values);
        double runs = sample.getRuns(block) * traffic.activeShare, asked = 0;
        for (auto [map, begin] : copied->boxes) {
          auto type = cast<TensorMapType>(map.getType());
          double bytes = type.getBoxBytes() * runs;
          double ofAll = bytes / programs * countBoxes(begin, all, programs);
          double ofConcurrent =
              bytes / concurrent * countBoxes(begin, together, concurrent);
          traffic.bytes += bytes;
          traffic.sharedByAll += ofAll;
          traffic.sharedByConcurrent += std::max(ofAll, ofConcurrent);
          asked +=
              bytes / type.getCtas() *
              getAskedBytes(map.getDefiningOp<TensorMapOp>(), *typical.values);
        }
        traffic.askedShare = asked / std::max(1., traffic.bytes);
        traffic.lineCost = getLineCost(
            getRun(cast<TensorMapType>(copied->boxes[0].first.getType())));
        footprint += traffic.sharedByAll * programs;
        concurrentFootprint += traffic.sharedByConcurrent * concurrent;
        accesses[&op] = traffic;
        continue;
      }
      std::optional<GlobalAccess> access = getGlobalAccess(&op);
      if (!access)
        continue;
      traffic.activeShare =
          getActiveShare(*access, *typical.frequency, loop, *typical.values);
      traffic.bytes =
          getTileBytes(access->pointers, lookupAxisInfo(access->pointers)) *
          sample.getRuns(block) * traffic.activeShare /
          countRepetitions(*access, loop, *typical.frequency);
      traffic.lineCost = getLineCost(
          getRun(access->pointers, lookupAxisInfo(access->pointers)));
      traffic.sharedByAll = traffic.bytes / programs *
                            countAddresses(access->pointers, all, programs);
      // Fewer programs share no more, whatever the samples say.
      traffic.sharedByConcurrent =
          std::max(traffic.sharedByAll,
                   traffic.bytes / concurrent *
                       countAddresses(access->pointers, together, concurrent));
      // What another access of the same kind has brought is in the L2, but for
      // what a whole loop has displaced since.
      const LaunchValue &address = all.front().get(access->pointers);
      bool isWrite = access->isWrite || access->isAtomic;
      auto [first, isFirst] =
          seen.try_emplace({address.base, address.offset,
                            access->pointers.getType(), unsigned(isWrite)},
                           loop);
      if (address.base && !isFirst) {
        if (first->second && first->second != loop)
          traffic.again = traffic.sharedByConcurrent;
        traffic.sharedByAll = traffic.sharedByConcurrent = 0;
        traffic.isRepeated = !isWrite;
      }
      // What is summed there is read and written.
      if (access->isAtomic) {
        traffic.sharedByAll *= 2;
        traffic.sharedByConcurrent *= 2;
      }
      footprint += traffic.sharedByAll * programs;
      concurrentFootprint += traffic.sharedByConcurrent * concurrent;
      accesses[&op] = traffic;
    }
}

double GlobalTraffic::getMemoryBytes(Operation *op, uint64_t l2Bytes) const {
  const AccessTraffic *traffic = lookup(op);
  if (!traffic)
    return 0;
  // Of what does not fit, programs that do not run at the same time share
  // nothing.
  double kept = std::min(1., l2Bytes / std::max(1., footprint));
  return kept * traffic->sharedByAll +
         (1 - kept) * traffic->sharedByConcurrent +
         target::getLostShare(concurrentFootprint, l2Bytes) * traffic->again;
}

double GlobalTraffic::getMemoryBytes(uint64_t l2Bytes) const {
  double sum = 0;
  for (const auto &[op, traffic] : accesses)
    sum += getMemoryBytes(op, l2Bytes);
  return sum;
}
