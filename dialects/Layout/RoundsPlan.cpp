// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/RoundsPlan.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <bit>

namespace tilewright::layout {

namespace {

using Vectors = std::vector<uint64_t>;

uint64_t unit(unsigned bit) { return uint64_t(1) << bit; }

/// Where elements belong: which part, and where in it.
class Parts {
public:
  Parts(Vectors functionals, unsigned bits)
      : functionals(std::move(functionals)), bits(bits) {
    for (uint64_t functional : this->functionals)
      pivots |= unit(std::bit_width(functional) - 1);
  }

  uint64_t partOf(uint64_t coordinates) const {
    uint64_t part = 0;
    for (size_t i = 0; i < functionals.size(); ++i)
      part |= uint64_t(std::popcount(functionals[i] & coordinates) & 1) << i;
    return part;
  }

  /// The coordinates without each functional's leading bit, which the others
  /// and the part determine.
  uint64_t placeOf(uint64_t coordinates) const {
    uint64_t place = 0;
    unsigned next = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      if (!(pivots >> bit & 1))
        place |= (coordinates >> bit & 1) << next++;
    return place;
  }

  unsigned placeBits() const { return bits - functionals.size(); }
  const Vectors &list() const { return functionals; }

private:
  Vectors functionals;
  unsigned bits;
  uint64_t pivots = 0;
};

/// (new register, lane, warp) -> place, where new register bit i stands for the
/// vector registers[i].
LinearLayout placesOf(const LinearLayout &layout, const Parts &parts,
                      const Vectors &registers) {
  Vectors columns;
  for (uint64_t vector : registers)
    columns.push_back(parts.placeOf(layout.apply(vector)));
  for (Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)})
    for (unsigned bit = 0; bit < layout.inputBits(axis); ++bit)
      columns.push_back(parts.placeOf(layout.column(axis, bit)));
  return LinearLayout({{Axis::Register, unsigned(registers.size())},
                       {Axis::Lane, layout.inputBits(Axis::Lane)},
                       {Axis::Warp, layout.inputBits(Axis::Warp)}},
                      {{Axis::coordinate(0), parts.placeBits()}},
                      std::move(columns));
}

ThreadMap threadRoundsOf(const LinearLayout &layout, const Parts &parts) {
  ThreadMap map;
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Lane); ++bit)
    map.lane.push_back(parts.partOf(layout.column(Axis::Lane, bit)));
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Warp); ++bit)
    map.warp.push_back(parts.partOf(layout.column(Axis::Warp, bit)));
  return map;
}

/// Registers by whose number the part changes: those of one class, and one for
/// each bit of the number of the class.
struct Classes {
  Vectors within, between;
};

Classes classesOf(const LinearLayout &layout, const Parts &parts) {
  Vectors images;
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
    images.push_back(parts.partOf(layout.column(Axis::Register, bit)));
  Classes classes;
  classes.within = f2::System(images).kernel();
  f2::Span reached;
  for (size_t bit = 0; bit < images.size(); ++bit)
    if (reached.add(images[bit]))
      classes.between.push_back(unit(bit));
  return classes;
}

RoundsSide makeSide(const LinearLayout &layout, const Parts &parts,
                    const LinearLayout &shared, unsigned elementBits) {
  RoundsSide side;
  Classes classes = classesOf(layout, parts);
  LinearLayout within = placesOf(layout, parts, classes.within);
  side.access = accessVector(within, shared, elementBits);
  // Classes begin at the start of a vector.
  LinearLayout offsets = *shared.invert();
  for (uint64_t &vector : classes.between) {
    uint64_t offset = offsets.apply(parts.placeOf(layout.apply(vector)));
    for (unsigned bit = 0; unit(bit) < side.access.vectorElements; ++bit)
      if (offset >> bit & 1)
        vector ^= f2::apply(classes.within, side.access.order[unit(bit)]);
  }
  Vectors basis = classes.within;
  basis.insert(basis.end(), classes.between.begin(), classes.between.end());
  side.places = placesOf(layout, parts, basis);
  for (uint64_t number = 0; number < unit(basis.size()); ++number)
    side.registers.push_back(f2::apply(basis, number));
  for (uint64_t index = 0; index < unit(classes.between.size()); ++index)
    side.classRounds.push_back(
        parts.partOf(layout.apply(f2::apply(classes.between, index))));
  side.threadRound = threadRoundsOf(layout, parts);
  side.isUniform = side.threadRound.isZero();
  return side;
}

/// What all warps access of one side.
struct Traffic {
  uint64_t wavefronts = 0, instructions = 0;
};

/// Whether the thread moves class `index` in round `round`.
bool takesPart(const RoundsSide &side, unsigned index, uint64_t round,
               uint64_t lane, uint64_t warp) {
  uint64_t own = f2::apply(side.threadRound.lane, lane) ^
                 f2::apply(side.threadRound.warp, warp);
  return (own ^ side.classRounds[index]) == round;
}

/// `copies`, of the lane and of the warp: those that have one of these bits
/// take no part.
Traffic countTraffic(const RoundsSide &side, const LinearLayout &shared,
                     unsigned elementBits, uint64_t rounds, bool isStore,
                     std::pair<uint64_t, uint64_t> copies) {
  LinearLayout offsets = side.places.compose(*shared.invert());
  unsigned registerBits = offsets.inputBits(Axis::Register);
  unsigned laneBits = offsets.inputBits(Axis::Lane);
  unsigned classSize = side.classSize();
  unsigned bytes = side.access.vectorElements * elementBits / 8;
  Traffic traffic;
  for (uint64_t round = 0; round < rounds; ++round)
    for (unsigned index = 0; index < side.classRounds.size(); ++index) {
      if (!side.moves(index, round))
        continue;
      traffic.instructions += side.access.instructions();
      for (uint64_t warp = 0; warp < unit(offsets.inputBits(Axis::Warp));
           ++warp) {
        LaneStarts starts(unit(laneBits));
        for (uint64_t lane = 0; lane < starts.size(); ++lane)
          if (!isStore || (takesPart(side, index, round, lane, warp) &&
                           !(lane & copies.first) && !(warp & copies.second)))
            starts[lane] = offsets.apply(uint64_t(index) * classSize |
                                         lane << registerBits |
                                         warp << (registerBits + laneBits)) *
                           elementBits / 8;
        // Other vectors are translates (by xor) of the first.
        traffic.wavefronts +=
            side.access.instructions() * instructionWavefronts(starts, bytes);
      }
    }
  return traffic;
}

/// The functionals of 2^count parts. The coordinates on which all of them
/// vanish hold as many of these as there is room for: the lanes and warps of
/// the destination, whose loads would else be thrown away in part; those of the
/// source; the low registers, which are the vectors.
Vectors chooseFunctionals(const LinearLayout &source,
                          const LinearLayout &destination, unsigned count) {
  unsigned bits = source.totalOutputBits();
  f2::Span kept;
  auto keep = [&](uint64_t vector) {
    if (kept.dimension() + count < bits)
      kept.add(vector);
  };
  for (const LinearLayout *layout : {&destination, &source})
    for (Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)})
      for (unsigned bit = 0; bit < layout->inputBits(axis); ++bit)
        keep(layout->column(axis, bit));
  for (unsigned bit = 0; bit < bits; ++bit)
    for (const LinearLayout *layout : {&source, &destination})
      if (bit < layout->inputBits(Axis::Register))
        keep(layout->column(Axis::Register, bit));
  for (unsigned bit = 0; bit < bits; ++bit)
    keep(unit(bit));
  // Their annihilator: row j of the matrix is the vector j that is kept.
  Vectors columns(bits, 0);
  for (size_t row = 0; row < kept.basis().size(); ++row)
    for (unsigned bit = 0; bit < bits; ++bit)
      columns[bit] |= (kept.basis()[row] >> bit & 1) << row;
  return f2::System(columns).kernel();
}

/// A layout for the planner of placements that stands for one round: the
/// registers of a class, or all of them where these do not reach every place.
LinearLayout standIn(const LinearLayout &layout, const Parts &parts) {
  LinearLayout within =
      placesOf(layout, parts, classesOf(layout, parts).within);
  if (within.isSurjective())
    return within;
  Vectors all;
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
    all.push_back(unit(bit));
  return placesOf(layout, parts, all);
}

} // namespace

bool RoundsSide::moves(unsigned index, uint64_t round) const {
  return f2::Span(threadRound.image()).contains(round ^ classRounds[index]);
}

RoundsPlan makeRounds(const LinearLayout &source,
                      const LinearLayout &destination, unsigned elementBits,
                      Vectors functionals, const LinearLayout &shared) {
  Parts parts(std::move(functionals), source.totalOutputBits());
  RoundsPlan plan;
  plan.functionals = parts.list();
  plan.shared = shared;
  plan.elementBits = elementBits;
  plan.store = makeSide(source, parts, shared, elementBits);
  plan.load = makeSide(destination, parts, shared, elementBits);
  Traffic stored = countTraffic(
      plan.store, shared, elementBits, plan.rounds(),
      /*isStore=*/true,
      {source.redundantBits(Axis::Lane), source.redundantBits(Axis::Warp)});
  Traffic loaded = countTraffic(plan.load, shared, elementBits, plan.rounds(),
                                /*isStore=*/false, {0, 0});
  plan.storeWavefronts = stored.wavefronts;
  plan.storeInstructions = stored.instructions;
  plan.loadWavefronts = loaded.wavefronts;
  plan.loadInstructions = loaded.instructions;
  return plan;
}

std::optional<RoundsPlan> planRounds(const LinearLayout &source,
                                     const LinearLayout &destination,
                                     unsigned elementBits, uint64_t bytes) {
  unsigned bits = source.totalOutputBits(), count = 0;
  while (count <= bits && unit(bits - count) * elementBits / 8 > bytes)
    ++count;
  if (count == 0 || count > bits)
    return std::nullopt;
  Vectors functionals = chooseFunctionals(source, destination, count);
  Parts parts(functionals, bits);
  SharedPlan placement = planShared(standIn(source, parts),
                                    standIn(destination, parts), elementBits);
  return makeRounds(source, destination, elementBits, std::move(functionals),
                    placement.shared);
}

} // namespace tilewright::layout
