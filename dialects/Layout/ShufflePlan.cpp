// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/ShufflePlan.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <map>

namespace tilewright::layout {

namespace {

using Matrix = std::vector<uint64_t>;

uint64_t unit(unsigned bit) { return uint64_t(1) << bit; }

Matrix columnsOf(const LinearLayout &map, Axis input, Axis output) {
  Matrix columns;
  for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
    columns.push_back(map.basis(input, bit, output));
  return columns;
}

/// outer ∘ inner.
Matrix multiply(const Matrix &outer, const Matrix &inner) {
  Matrix product;
  for (uint64_t column : inner)
    product.push_back(f2::apply(outer, column));
  return product;
}

Matrix add(const Matrix &a, const Matrix &b) {
  Matrix sum = a;
  for (size_t i = 0; i < b.size(); ++i)
    sum[i] ^= b[i];
  return sum;
}

Matrix identity(size_t size) {
  Matrix columns;
  for (size_t bit = 0; bit < size; ++bit)
    columns.push_back(unit(bit));
  return columns;
}

/// Builds a ShufflePlan. Where destination (r, l, w) comes from source register
/// Rr r + Rl l + Rw w of lane Lr r + Ll l + Lw w, a fetch s brings value r = s
/// + D l, so that its lane is Lr s + (Ll + Lr D) l + Lw w: D is chosen to make
/// (Ll + Lr D) the identity, or else of full rank. The lane read then knows
/// which register to offer: P s + E m.
class Planner {
public:
  Planner(const LinearLayout &source, const LinearLayout &map,
          unsigned elementBits)
      : source(source),
        registerOfRegister(columnsOf(map, Axis::Register, Axis::Register)),
        registerOfLane(columnsOf(map, Axis::Lane, Axis::Register)),
        registerOfWarp(columnsOf(map, Axis::Warp, Axis::Register)),
        laneOfRegister(columnsOf(map, Axis::Register, Axis::Lane)),
        laneOfLane(columnsOf(map, Axis::Lane, Axis::Lane)),
        laneOfWarp(columnsOf(map, Axis::Warp, Axis::Lane)),
        exchange(laneOfLane.size(), 0), elementBits(elementBits) {}

  ShufflePlan build() {
    if (!makeButterfly()) {
      raiseRank();
      useCopies();
    }
    laneOfLane = lanes();
    // What a fetch must bring, as a map of the receiving lane.
    registerOfLane =
        add(multiply(registerOfRegister, exchange), registerOfLane);
    offer();
    choosePacking();
    return emit();
  }

private:
  /// Ll + Lr D.
  Matrix lanes() const {
    return add(multiply(laneOfRegister, exchange), laneOfLane);
  }

  bool makeButterfly() {
    f2::System system(laneOfRegister);
    Matrix wanted;
    for (unsigned bit = 0; bit < laneOfLane.size(); ++bit) {
      std::optional<uint64_t> solution =
          system.solve(laneOfLane[bit] ^ unit(bit));
      if (!solution)
        return false;
      wanted.push_back(*solution);
    }
    exchange = wanted;
    return true;
  }

  /// Lanes that would read the same lane are told apart by registers that come
  /// from other lanes.
  void raiseRank() {
    std::vector<uint64_t> kernel = f2::System(laneOfLane).kernel();
    f2::Span image(laneOfLane);
    f2::System system(laneOfRegister);
    std::vector<uint64_t> left;
    for (uint64_t vector : kernel) {
      // Best is a lane that reads itself.
      std::optional<uint64_t> solution = system.solve(vector);
      if (solution && image.add(vector))
        exchange[std::bit_width(vector) - 1] = *solution;
      else
        left.push_back(vector);
    }
    for (uint64_t vector : left)
      for (unsigned bit = 0; bit < laneOfRegister.size(); ++bit)
        if (image.add(laneOfRegister[bit])) {
          exchange[std::bit_width(vector) - 1] = unit(bit);
          break;
        }
  }

  /// Lanes that read the same lane, but other registers of it, read a lane that
  /// holds copies instead.
  void useCopies() {
    Matrix reads = lanes();
    f2::Span image(reads);
    Matrix wanted = add(multiply(registerOfRegister, exchange), registerOfLane);
    unsigned registerBits = source.inputBits(Axis::Register);
    unsigned threadBits = registerBits + source.inputBits(Axis::Lane);
    f2::System system(reads);
    for (uint64_t vector : system.kernel()) {
      if (!f2::apply(wanted, vector))
        continue;
      for (uint64_t copy : source.kernel()) {
        uint64_t lane = copy >> registerBits;
        if (copy >> threadBits || !image.add(lane))
          continue;
        unsigned lead = std::bit_width(vector) - 1;
        laneOfLane[lead] ^= lane;
        registerOfLane[lead] ^= copy & (unit(registerBits) - 1);
        break;
      }
    }
  }

  /// The register that a lane offers: E on the lanes that are read, by what
  /// their readers want.
  void offer() {
    unsigned laneBits = laneOfLane.size();
    Matrix generators = laneOfLane;
    for (uint64_t vector : f2::complement(laneOfLane, laneBits))
      generators.push_back(vector);
    f2::System system(generators);
    for (unsigned bit = 0; bit < laneBits; ++bit) {
      uint64_t reader = *system.solve(unit(bit)) & (unit(laneBits) - 1);
      offered.push_back(f2::apply(registerOfLane, reader));
    }
    deviation = add(multiply(offered, laneOfLane), registerOfLane);
    registerOfRegister =
        add(registerOfRegister, multiply(offered, laneOfRegister));
    registerOfWarp = add(registerOfWarp, multiply(offered, laneOfWarp));
  }

  /// Values that come from the same lane out of different registers can share a
  /// word.
  void choosePacking() {
    if (elementBits != 8 && elementBits != 16)
      return;
    f2::Span apart;
    f2::System system(laneOfRegister);
    for (uint64_t step : system.kernel()) {
      if (unit(packed.size()) * elementBits == 32)
        return;
      if (apart.add(f2::apply(registerOfRegister, step)))
        packed.push_back(step);
    }
  }

  ShufflePlan emit() {
    ShufflePlan plan;
    plan.sourceExchange = {offered, registerOfWarp};
    plan.laneIndex = {laneOfLane, laneOfWarp};
    plan.isButterfly = laneOfLane == identity(laneOfLane.size()) &&
                       f2::Span(laneOfWarp).dimension() == 0;
    plan.alternative = {deviation, Matrix(laneOfWarp.size(), 0)};
    plan.destinationExchange = {exchange, Matrix(laneOfWarp.size(), 0)};
    plan.sourceRegisters = 1u << source.inputBits(Axis::Register);
    plan.elementBits = elementBits;
    std::vector<uint64_t> choices = plan.alternative.image();
    for (uint64_t vector : choices)
      plan.alternativeBits.push_back(std::bit_width(vector) - 1);
    for (uint64_t step = 0; step < unit(laneOfRegister.size()); ++step) {
      std::vector<ShufflePlan::Part> parts;
      for (uint64_t choice = 0; choice < unit(choices.size()); ++choice)
        parts.push_back(fetch(step, f2::apply(choices, choice), plan));
      plan.values.push_back(std::move(parts));
    }
    return plan;
  }

  /// The fetch that brings value `step`, from the register offered plus
  /// `other`: one that exists, or a new one with all that fits its word.
  ShufflePlan::Part fetch(uint64_t step, uint64_t other, ShufflePlan &plan) {
    uint64_t lane = f2::apply(laneOfRegister, step);
    uint64_t wanted = f2::apply(registerOfRegister, step) ^ other;
    auto [known, isNew] = fetched.try_emplace({lane, wanted});
    if (!isNew)
      return known->second;
    bool isShuffle = lane || !plan.isButterfly;
    unsigned index = plan.fetches.size();
    ShufflePlan::Fetch fetch = {lane, {}, isShuffle};
    uint64_t count = isShuffle ? unit(packed.size()) : 1;
    for (uint64_t position = 0; position < count; ++position) {
      uint64_t held =
          wanted ^ f2::apply(registerOfRegister, f2::apply(packed, position));
      fetch.registers.push_back(held);
      fetched[{lane, held}] = {index, unsigned(position)};
    }
    plan.fetches.push_back(std::move(fetch));
    return {index, 0};
  }

  const LinearLayout &source;
  /// Source register and lane by destination register, lane, warp; see the
  /// comment of the class.
  Matrix registerOfRegister, registerOfLane, registerOfWarp;
  Matrix laneOfRegister, laneOfLane, laneOfWarp;
  /// D, E, and E (Ll + Lr D) less what is wanted.
  Matrix exchange, offered, deviation;
  /// Steps whose values share a word.
  std::vector<uint64_t> packed;
  unsigned elementBits;
  /// (lane offset, register) -> where it was fetched.
  std::map<std::pair<uint64_t, uint64_t>, ShufflePlan::Part> fetched;
};

} // namespace

std::vector<uint64_t> ThreadMap::image() const {
  f2::Span span(lane);
  for (uint64_t column : warp)
    span.add(column);
  return std::move(span).basis();
}

std::pair<uint64_t, uint64_t> ThreadMap::parityMasks(unsigned bit) const {
  std::pair<uint64_t, uint64_t> masks = {0, 0};
  for (size_t i = 0; i < lane.size(); ++i)
    masks.first |= (lane[i] >> bit & 1) << i;
  for (size_t i = 0; i < warp.size(); ++i)
    masks.second |= (warp[i] >> bit & 1) << i;
  return masks;
}

unsigned ShufflePlan::countShuffles() const {
  unsigned words = std::max(1u, elementBits / 32), count = 0;
  for (const Fetch &fetch : fetches)
    count += fetch.isShuffle ? words : 0;
  return count;
}

unsigned ShufflePlan::countSelects() const {
  unsigned words = std::max(1u, elementBits / 32);
  unsigned perValue =
      destinationExchange.image().size() + (1u << alternativeBits.size()) - 1;
  return words * (sourceExchange.image().size() * sourceRegisters +
                  perValue * values.size());
}

ShufflePlan planShuffles(const Conversion &conversion,
                         const LinearLayout &source, unsigned elementBits) {
  assert(conversion.movement < Movement::Warps && "shuffles stay in a warp");
  return Planner(source, conversion.map, elementBits).build();
}

std::optional<ShufflePlan> planShuffles(const LinearLayout &source,
                                        const LinearLayout &destination,
                                        unsigned elementBits) {
  std::optional<Conversion> conversion =
      classifyConversion(source, destination);
  if (!conversion || conversion->movement == Movement::Warps)
    return std::nullopt;
  return planShuffles(*conversion, source, elementBits);
}

std::optional<unsigned> countShuffles(const LinearLayout &source,
                                      const LinearLayout &destination,
                                      unsigned elementBits) {
  std::optional<ShufflePlan> plan =
      planShuffles(source, destination, elementBits);
  if (!plan)
    return std::nullopt;
  return plan->countShuffles();
}

} // namespace tilewright::layout
