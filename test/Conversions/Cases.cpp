// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Conversions/Cases.h"

#include "dialects/TileGPU/ConversionRules.h"

using namespace tilewright;
using namespace tilewright::conversions;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;
using layout::Means;

static constexpr unsigned widths[] = {8, 16, 32, 64};

/// Pairs of families with a width.
static uint64_t countKinds() {
  uint64_t families = allFamilies().size();
  return families * families * std::size(widths);
}

/// A step through the kinds that visits each of them, far from the last one.
static uint64_t kindStep() {
  uint64_t kinds = countKinds(), step = kinds * 5 / 8;
  auto divisor = [&] {
    uint64_t a = kinds, b = step;
    while (b)
      a = std::exchange(b, a % b);
    return a;
  };
  while (divisor() != 1)
    ++step;
  return step;
}

uint64_t Enumeration::countOfAllPairs() const {
  uint64_t groups = (countKinds() + groupSize - 1) / groupSize;
  return groups * groupSize * targets.size();
}

std::string ConversionCase::describe() const {
  const std::vector<Family> &families = allFamilies();
  return "case " + std::to_string(number) + ": " + families[from].name +
         " -> " + families[to].name + ", " + std::to_string(1u << tensor.rows) +
         "x" + std::to_string(1u << tensor.columns) + ", " +
         std::to_string(elementBits) + " bits, " +
         std::to_string(1u << tensor.warps) + " warps, " +
         std::string(target->name) +
         (means ? ", by " + std::string(layout::meansName(*means)) : "");
}

/// Bytes of a thread's registers under `map`.
static unsigned registerBytes(const LinearLayout &map, unsigned elementBits) {
  return (elementBits << map.inputBits(Axis::Register)) / 8;
}

/// A tensor and two layouts for it that a thread has registers for.
static void chooseLayouts(ConversionCase &kind, Random &random) {
  const std::vector<Family> &families = allFamilies();
  constexpr unsigned mostBytes = 320;
  do {
    kind.tensor.rows = random.between(2, 7);
    kind.tensor.columns = random.between(2, 7);
    kind.tensor.warps = random.below(4);
    kind.source = families[kind.from].make(kind.tensor, random);
    kind.destination = families[kind.to].make(kind.tensor, random);
  } while (registerBytes(kind.source, kind.elementBits) +
               registerBytes(kind.destination, kind.elementBits) >
           mostBytes);
}

/// Whether the means is one of those of the conversion.
static bool isPossible(const ConversionCase &kind, Means means) {
  return layout::planConversionBy(means, kind.source, kind.destination,
                                  kind.elementBits,
                                  tilegpu::getConversionRules(*kind.target))
      .has_value();
}

ConversionCase Enumeration::getCase(uint64_t number) const {
  uint64_t group = number / groupSize;
  uint64_t ofTarget = group / targets.size() * groupSize + number % groupSize;
  uint64_t kind = ofTarget * kindStep() % countKinds();
  uint64_t pair = kind / std::size(widths);
  ConversionCase result;
  result.number = number;
  result.target = targets[group % targets.size()];
  result.elementBits = widths[kind % std::size(widths)];
  result.from = pair / allFamilies().size();
  result.to = pair % allFamilies().size();
  Random random(seed * 0x9e3779b97f4a7c15 + number);
  chooseLayouts(result, random);
  std::optional<Means> wanted = means;
  static const Means others[] = {Means::Shuffles, Means::Shared, Means::Rounds};
  if (!wanted && random.below(2))
    wanted = others[random.below(std::size(others))];
  if (wanted && isPossible(result, *wanted))
    result.means = wanted;
  return result;
}
