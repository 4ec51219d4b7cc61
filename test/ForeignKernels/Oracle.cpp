// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/ForeignKernels/Oracle.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Validation/TileGPUReading.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::foreign;
using reference::ReferenceMemory;

/// Runs with rounding; three that all hit the same number by chance are rare,
/// and neighbours are looked at too.
static constexpr unsigned numRoundedRuns = 3;
/// The same where a launch writes integers, which have no neighbours to look
/// at: a tie that one rounding decides comes out the same by chance in one of
/// 2^(n - 1) times.
static constexpr unsigned numRoundedRunsForIntegers = 10;
/// Neighbours on either side whose distances count for an element.
static constexpr int64_t neighbours = 16;
/// A tolerance beyond this part of the result says nothing.
static constexpr double vagueTolerance = 0.1;

namespace {

/// The runs of the reference.
struct Runs {
  ReferenceMemory exact;
  /// With the other patterns of undefined elements.
  SmallVector<ReferenceMemory, 2> otherUndefined;
  SmallVector<ReferenceMemory, numRoundedRuns> rounded;
};

/// The elements of one buffer in all runs, and whether one of them writes it.
template <typename Number>
struct Elements {
  std::vector<Number> exact;
  SmallVector<std::vector<Number>, 2> otherUndefined;
  SmallVector<std::vector<Number>, numRoundedRuns> rounded;
  std::vector<bool> isWritten;

  template <typename Get>
  Elements(const Runs &runs, size_t number, Get get)
      : exact(get(runs.exact)), isWritten(exact.size()) {
    note(runs.exact, number);
    for (const ReferenceMemory &memory : runs.otherUndefined)
      otherUndefined.push_back(get(memory));
    for (const ReferenceMemory &memory : runs.rounded) {
      rounded.push_back(get(memory));
      note(memory, number);
    }
  }

  void note(const ReferenceMemory &memory, size_t number) {
    const reference::Buffer &buffer = memory.getBuffers()[number];
    for (size_t index = 0; index < isWritten.size(); ++index)
      if (buffer.isWritten(index))
        isWritten[index] = true;
  }
  bool isUndefined(size_t index) const {
    return llvm::any_of(otherUndefined, [&](const auto &run) {
      return !isSame(exact[index], run[index]);
    });
  }
  static bool isSame(Number one, Number other) {
    return one == other || (one != one && other != other);
  }
};

} // namespace

static LogicalResult run(tt::FuncOp kernel, const LaunchCase &launch,
                         const Input &input, uint64_t roundingSeed,
                         uint64_t undefinedBits, ReferenceMemory &memory) {
  reference::Options options;
  options.roundingSeed = roundingSeed;
  options.undefinedBits = undefinedBits;
  validation::TileGPUReading reading;
  options.extension = &reading;
  memory = input.memory;
  reference::Grid grid{launch.grid[0], launch.grid[1], launch.grid[2]};
  return reference::interpret(kernel, input.arguments, grid, memory, options);
}

static bool writesIntegers(const ReferenceMemory &memory) {
  return llvm::any_of(memory.getBuffers(), [](const reference::Buffer &buffer) {
    if (reference::isReal(buffer.elementType))
      return false;
    for (int64_t index = 0, count = buffer.getCount(); index < count; ++index)
      if (buffer.isWritten(index))
        return true;
    return false;
  });
}

static LogicalResult runAll(tt::FuncOp kernel, const LaunchCase &launch,
                            const Input &input, Runs &runs) {
  constexpr ArrayRef<uint64_t> patterns = reference::undefinedPatterns;
  if (failed(run(kernel, launch, input, 0, patterns.front(), runs.exact)))
    return failure();
  for (uint64_t bits : patterns.drop_front())
    if (failed(run(kernel, launch, input, 0, bits,
                   runs.otherUndefined.emplace_back())))
      return failure();
  unsigned count =
      writesIntegers(runs.exact) ? numRoundedRunsForIntegers : numRoundedRuns;
  for (unsigned seed = 1; seed <= count; ++seed)
    if (failed(run(kernel, launch, input, seed, patterns.front(),
                   runs.rounded.emplace_back())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// How far rounding moves each element; NaN where it decides whether it is
/// finite, 0 where nothing changes.
static std::vector<double> getSpreads(const Elements<double> &elements) {
  std::vector<double> spreads(elements.exact.size());
  for (auto [index, spread] : llvm::enumerate(spreads))
    for (const std::vector<double> &run : elements.rounded) {
      double distance = std::abs(run[index] - elements.exact[index]);
      if (Elements<double>::isSame(run[index], elements.exact[index]))
        distance = 0.0;
      spread = std::isfinite(distance) ? std::max(spread, distance) : NAN;
      if (std::isnan(spread))
        break;
    }
  return spreads;
}

/// The largest of the finite spreads around an element.
static double getSpreadNear(const std::vector<double> &spreads, int64_t index) {
  double largest = 0.0;
  int64_t last = std::min<int64_t>(index + neighbours, spreads.size() - 1);
  for (int64_t at = std::max<int64_t>(index - neighbours, 0); at <= last; ++at)
    if (!std::isnan(spreads[at]))
      largest = std::max(largest, spreads[at]);
  return largest;
}

static double takeMedian(std::vector<double> &values) {
  if (values.empty())
    return 0.0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What rounding moves the elements by at the median, in parts of each.
static double getTypicalSpread(const Elements<double> &elements,
                               const std::vector<double> &spreads) {
  std::vector<double> parts;
  for (auto [index, value] : llvm::enumerate(elements.exact))
    if (elements.isWritten[index] && std::isfinite(value) && value != 0.0 &&
        !std::isnan(spreads[index]))
      parts.push_back(spreads[index] / std::abs(value));
  return takeMedian(parts);
}

/// The root of the mean square of what the launch writes.
static double getScale(const Elements<double> &elements) {
  double norm = 0.0, count = 0.0;
  for (auto [index, value] : llvm::enumerate(elements.exact))
    if (std::isfinite(value) && elements.isWritten[index]) {
      // Squares of large numbers are beyond any type.
      norm = std::hypot(norm, value);
      ++count;
    }
  return count ? norm / std::sqrt(count) : 0.0;
}

/// Two units in the last place of `value`, and of the smallest number.
static double getUnits(FloatType type, double value) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int precision = llvm::APFloat::semanticsPrecision(semantics);
  double smallest =
      llvm::APFloat::getSmallestNormalized(semantics).convertToDouble();
  return std::ldexp(std::abs(value) + smallest, 1 - precision) * 2.0;
}

static std::vector<ElementBound> boundReals(const Elements<double> &elements,
                                            FloatType type,
                                            OracleCounts &counts,
                                            std::vector<double> &ratios) {
  std::vector<double> spreads = getSpreads(elements);
  double scale = getScale(elements),
         typical = getTypicalSpread(elements, spreads);
  std::vector<ElementBound> bounds(spreads.size());
  for (auto [index, bound] : llvm::enumerate(bounds)) {
    if (!elements.isWritten[index])
      continue;
    ++counts.written;
    double value = elements.exact[index];
    double spread =
        std::max(getSpreadNear(spreads, index), typical * std::abs(value));
    bound.tolerance = spreadFactor * spread + getUnits(type, value);
    double magnitude = std::max(std::abs(value), scale);
    bool isVague = bound.tolerance > vagueTolerance * magnitude;
    bound.isJudged = false;
    if (elements.isUndefined(index))
      ++counts.undefined;
    else if (!std::isfinite(value))
      ++counts.notFinite;
    else if (std::isnan(spreads[index]) || isVague)
      ++counts.undecided;
    else
      bound.isJudged = true;
    if (!bound.isJudged)
      continue;
    ++counts.judged;
    if (magnitude > 0.0)
      ratios.push_back(bound.tolerance / magnitude);
  }
  return bounds;
}

static std::vector<ElementBound>
boundIntegers(const Elements<int64_t> &elements, OracleCounts &counts) {
  std::vector<ElementBound> bounds(elements.exact.size());
  for (auto [index, bound] : llvm::enumerate(bounds)) {
    if (!elements.isWritten[index])
      continue;
    ++counts.written;
    bool isDecided = llvm::all_of(elements.rounded, [&](const auto &run) {
      return run[index] == elements.exact[index];
    });
    bound.isJudged = isDecided && !elements.isUndefined(index);
    counts.judged += bound.isJudged;
    counts.undefined += elements.isUndefined(index);
    counts.undecided += !isDecided;
  }
  return bounds;
}

/// Sets what the runs tell.
static void bound(Oracle &oracle, const Runs &runs) {
  std::vector<double> ratios;
  for (auto [number, buffer] :
       llvm::enumerate(oracle.input.memory.getBuffers())) {
    auto real = dyn_cast<FloatType>(buffer.elementType);
    oracle.bounds.push_back(
        real ? boundReals(Elements<double>(runs, number,
                                           [&](const ReferenceMemory &memory) {
                                             return memory.getReals(number);
                                           }),
                          real, oracle.counts, ratios)
             : boundIntegers(
                   Elements<int64_t>(runs, number,
                                     [&](const ReferenceMemory &memory) {
                                       return memory.getIntegers(number);
                                     }),
                   oracle.counts));
  }
  oracle.medianTolerance = takeMedian(ratios);
}

llvm::Expected<Oracle> foreign::makeOracle(tt::FuncOp kernel,
                                           const LaunchCase &launch) {
  std::optional<Oracle> best;
  for (unsigned style = 0; style < numStyles; ++style) {
    llvm::Expected<Input> input = makeInput(kernel, launch, style);
    if (!input)
      return input.takeError();
    Oracle oracle;
    oracle.style = style;
    oracle.input = std::move(*input);
    Runs runs;
    if (failed(runAll(kernel, launch, oracle.input, runs)))
      continue;
    bound(oracle, runs);
    oracle.expected = std::move(runs.exact);
    if (!best || oracle.counts.judged * best->counts.written >
                     best->counts.judged * oracle.counts.written)
      best = std::move(oracle);
    if (best->counts.isGood())
      break;
  }
  if (!best)
    return llvm::createStringError(
        "expects inputs that the reference can run, but found none");
  return std::move(*best);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

/// As findDifferences, for one buffer. `getError` gives the distance of an
/// element from what is expected.
template <typename Number>
static std::string
findDifference(StringRef name, const std::vector<ElementBound> &bounds,
               const std::vector<Number> &expected,
               const std::vector<Number> &actual, double &worst) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  uint64_t count = 0;
  for (auto [index, bound] : llvm::enumerate(bounds)) {
    Number one = expected[index], other = actual[index];
    if (!bound.isJudged || Elements<Number>::isSame(one, other))
      continue;
    double error = std::abs(double(one) - double(other));
    double parts = bound.tolerance ? error / bound.tolerance : INFINITY;
    if (!std::isnan(parts))
      worst = std::max(worst, parts);
    if (parts <= 1.0)
      continue;
    if (count++ == 0)
      stream << "expects " << one << " within " << bound.tolerance
             << " as element " << index << " of '" << name << "', but got "
             << other;
  }
  if (count)
    stream << " (" << count << " of " << bounds.size() << ")\n";
  return text;
}

std::string foreign::findDifferences(const Oracle &oracle,
                                     const ReferenceMemory &actual,
                                     double &worst) {
  std::string text;
  for (auto [number, buffer] : llvm::enumerate(oracle.expected.getBuffers())) {
    const std::vector<ElementBound> &bounds = oracle.bounds[number];
    text += reference::isReal(buffer.elementType)
                ? findDifference(buffer.name, bounds,
                                 oracle.expected.getReals(number),
                                 actual.getReals(number), worst)
                : findDifference(buffer.name, bounds,
                                 oracle.expected.getIntegers(number),
                                 actual.getIntegers(number), worst);
  }
  return text;
}
