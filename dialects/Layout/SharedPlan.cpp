// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement of a conversion in shared memory. The offset bits are, from the
// lowest: the vector (and what fills a 4-byte word), the bank, the segment of
// 128 bytes. Lanes of one phase conflict where they differ in the segment
// alone, so the segments are chosen to have nothing in common with what one
// phase of either side spans. See "Linear Layouts" (2025), optimal swizzling.
// Two things go beyond it: one side's vector may be longer than the other's,
// and matrix instructions are seen as accesses whose vector is a row of 16
// bytes and whose phase is the eight rows of a matrix.

#include "dialects/Layout/SharedLayout.h"

#include "dialects/Layout/BankTrace.h"
#include "dialects/Layout/F2.h"

#include <algorithm>
#include <cassert>
#include <random>

namespace tilewright::layout {

namespace {

using Vectors = std::vector<uint64_t>;

Vectors columnsOf(const LinearLayout &layout, Axis axis) {
  Vectors result;
  for (unsigned bit = 0; bit < layout.inputBits(axis); ++bit)
    result.push_back(layout.column(axis, bit));
  return result;
}

void append(Vectors &to, std::span<const uint64_t> from) {
  to.insert(to.end(), from.begin(), from.end());
}

Vectors first(const Vectors &vectors, size_t count) {
  return Vectors(vectors.begin(),
                 vectors.begin() + std::min(count, vectors.size()));
}

/// How one side accesses memory whose lowest offset bits are a given prefix.
struct Side {
  /// Prefix vectors that one instruction of one lane accesses.
  unsigned vector;
  /// What the lanes of one phase reach.
  Vectors phase;
  /// What must not move elements within the vector.
  Vectors fixed;
};

/// The vectors along a row of a matrix instruction's 8x8 matrices, and those
/// across.
struct MatrixRow {
  Vectors along, across, others;
};

/// Either side of the conversion, by columns.
struct Columns {
  Columns(const LinearLayout &layout, unsigned elementBits, bool hasMatrices)
      : registers(columnsOf(layout, Axis::Register)),
        lanes(columnsOf(layout, Axis::Lane)),
        warps(columnsOf(layout, Axis::Warp)), registerSpan(registers),
        laneRank(f2::Span(lanes).dimension()) {
    if (!hasMatrices)
      return;
    for (bool transposed : {false, true})
      rows[transposed] = findMatrixRow(elementBits, transposed);
  }

  Vectors registers, lanes, warps;
  /// What one lane holds, and of how many dimensions the lanes are.
  f2::Span registerSpan;
  unsigned laneRank;
  /// By which matrix instructions may access this side: plain, transposed.
  std::optional<MatrixRow> rows[2];

private:
  /// None where the side has no such fragment.
  std::optional<MatrixRow> findMatrixRow(unsigned elementBits,
                                         bool transposed) const;
};

std::optional<MatrixRow> Columns::findMatrixRow(unsigned elementBits,
                                                bool transposed) const {
  if (elementBits > 32 || (transposed && elementBits != 16) ||
      lanes.size() != 5)
    return std::nullopt;
  unsigned wordBits = log2Exact(32 / elementBits);
  if (registers.size() < wordBits)
    return std::nullopt;
  MatrixRow row;
  Vectors word = first(registers, wordBits);
  append(word, first(lanes, 2));
  Vectors eight(lanes.begin() + 2, lanes.end());
  row.along = transposed ? eight : word;
  row.across = transposed ? word : eight;
  row.others = Vectors(registers.begin() + wordBits, registers.end());
  append(row.others, warps);
  if (f2::Span(row.along).dimension() != row.along.size())
    return std::nullopt;
  return row;
}

/// The problem, and one solution for each choice of the lowest offset bits.
class Planner {
public:
  Planner(const LinearLayout &source, const LinearLayout &destination,
          unsigned elementBits, SharedOptions options)
      : sourceLayout(source), destinationLayout(destination),
        storesMatrices(options.stMatrix && mayStoreMatrices(source)),
        source(source, elementBits, storesMatrices),
        destination(destination, elementBits, options.ldMatrix),
        elementBits(elementBits), options(options),
        bits(source.totalOutputBits()),
        wordBits(elementBits < 32 ? log2Exact(32 / elementBits) : 0),
        waveBits(log2Exact(128 * 8 / elementBits)) {}

  SharedPlan plan() {
    preference = order();
    std::vector<Vectors> prefixes = candidates();
    for (const Vectors &prefix : prefixes)
      consider(prefix);
    if (countConflicts(*best))
      search(prefixes);
    return *best;
  }

  SharedPlan planUnder(const LinearLayout &shared) const {
    return evaluate(shared);
  }

  SharedEstimate estimate() const {
    std::optional<SharedEstimate> least;
    for (const Vectors &prefix : candidates()) {
      SharedEstimate store = estimate(source, prefix);
      SharedEstimate load = estimate(destination, prefix);
      SharedEstimate sum = {store.accesses + load.accesses,
                            store.wavefronts + load.wavefronts, store.accesses,
                            store.wavefronts};
      if (!least ||
          sum.accesses + sum.wavefronts < least->accesses + least->wavefronts)
        least = sum;
    }
    return *least;
  }

private:
  /// One side's instructions and wavefronts, without conflicts.
  SharedEstimate estimate(const Columns &columns, const Vectors &prefix) const {
    unsigned registerBits = columns.registerSpan.dimension();
    if (findRow(columns, prefix)) {
      // A register of 32 bits is one matrix, and one wavefront.
      unsigned words = 1u << (registerBits - std::min(registerBits, wordBits));
      return {(words + 3) / 4, words};
    }
    unsigned vectorBits = std::min(vectorOf(columns, prefix), registerBits);
    unsigned accesses = 1u << (registerBits - vectorBits);
    unsigned bytes = (elementBits << (vectorBits + columns.laneRank)) / 8;
    return {accesses, accesses * std::max(1u, bytes / 128)};
  }

  /// Vectors of several lanes' copies must have no conflicts: a row by words
  /// that eight lanes of each of four rows read took 1.07 of a kernel's time by
  /// vectors of 16 bytes on an H200.
  void consider(const Vectors &prefix) {
    SharedPlan plan = evaluate(place(prefix));
    if (options.copyElements && prefix.size() > getCopyBits() &&
        (countConflicts(plan) || readsTwice(prefix)))
      return;
    unsigned price = priceOf(plan);
    if (best && price >= bestPrice)
      return;
    best = std::move(plan);
    bestPrice = price;
  }

  /// Whether different lanes of a warp read the same, which for vectors of 8
  /// bytes and more takes passes that single words do not.
  bool readsTwice(const Vectors &prefix) const {
    return destination.laneRank < destination.lanes.size() &&
           (elementBits << vectorOf(destination, prefix)) > 32;
  }

  /// Layouts that add coordinates to each other leave choices that matter:
  /// tries orders of preference until there is no conflict. Those of hardware
  /// and of its tiles do not come here. The generator's numbers are the same
  /// everywhere.
  void search(const std::vector<Vectors> &prefixes) {
    constexpr unsigned attempts = 6;
    std::mt19937_64 engine;
    for (unsigned attempt = 0; attempt < attempts; ++attempt) {
      preference = order();
      for (size_t left = preference.size(); left > 1; --left)
        std::swap(preference[left - 1], preference[engine() % left]);
      for (const Vectors &prefix : prefixes)
        for (size_t size = prefix.size() + 1; size-- > 0;) {
          if (size < getCopyBits())
            break;
          consider(first(prefix, size));
          if (!countConflicts(*best))
            return;
        }
    }
  }

  /// Wavefronts beyond the fewest that the bytes of accesses by vectors take.
  unsigned countConflicts(const SharedPlan &plan) const {
    auto beyond = [&](const VectorAccess &access, unsigned wavefronts) {
      unsigned bytes = access.vectorElements * elementBits / 8;
      unsigned least = access.instructions() * std::max(1u, bytes / 4);
      return wavefronts > least ? wavefronts - least : 0;
    };
    return (plan.matrixStore ? 0 : beyond(plan.store, plan.storeWavefronts)) +
           (plan.matrixLoad ? 0 : beyond(plan.load, plan.loadWavefronts));
  }

  /// The lowest offset bits that what a copy moves at a time takes.
  unsigned getCopyBits() const {
    return options.copyElements ? log2Exact(options.copyElements) : 0;
  }

  /// The lowest offset bits to try, the plainest first.
  std::vector<Vectors> candidates() const {
    unsigned limit = log2Exact(128 / elementBits);
    if (options.copyElements) {
      // Vectors of readers may take several lanes' copies, and not several of
      // one's, which would seem to be one.
      Vectors copied = first(source.registers, getCopyBits());
      f2::Span ofWarp(copied);
      for (uint64_t lane : source.lanes)
        ofWarp.add(lane);
      Vectors longer = copied;
      for (uint64_t vector : f2::extension(copied, destination.registers)) {
        if (!ofWarp.contains(vector))
          break;
        longer.push_back(vector);
      }
      return {copied, first(longer, limit)};
    }
    Vectors shared;
    for (uint64_t column : source.registers)
      if (destination.registerSpan.contains(column))
        shared.push_back(column);
    append(shared, f2::intersection(source.registers, destination.registers));
    Vectors common = first(f2::extension({}, shared), limit);

    std::vector<Vectors> result = {common};
    auto include = [&](Vectors prefix) {
      if (std::find(result.begin(), result.end(), prefix) == result.end())
        result.push_back(std::move(prefix));
    };
    for (const Vectors *registers :
         {&source.registers, &destination.registers}) {
      Vectors longer = common;
      append(longer, f2::extension(common, *registers));
      include(first(longer, limit));
    }
    for (bool transposed : {false, true})
      for (const Columns *side : {&destination, &source})
        if (const auto &row = side->rows[transposed])
          include(row->along);
    return result;
  }

  /// The row of matrix instructions that `prefix` is for `columns`, or null.
  static const MatrixRow *findRow(const Columns &columns,
                                  const Vectors &prefix) {
    for (const std::optional<MatrixRow> &row : columns.rows)
      if (row && row->along == prefix)
        return &*row;
    return nullptr;
  }

  /// How many vectors of the prefix one lane of `columns` holds.
  static unsigned vectorOf(const Columns &columns, const Vectors &prefix) {
    unsigned vector = 0;
    while (vector < prefix.size() &&
           columns.registerSpan.contains(prefix[vector]))
      ++vector;
    return vector;
  }

  /// How `columns` accesses memory with the lowest offset bits `prefix`.
  Side sideOf(const Columns &columns, const Vectors &prefix) const {
    if (const MatrixRow *row = findRow(columns, prefix)) {
      Vectors fixed = row->across;
      append(fixed, row->others);
      return {static_cast<unsigned>(prefix.size()), row->across, fixed};
    }
    unsigned vector = vectorOf(columns, prefix);
    // Accesses of 8 and 16 bytes run in halves and quarters of the warp.
    unsigned bytes = (elementBits << vector) / 8;
    unsigned phaseBits = bytes <= 4 ? 5 : 5 - log2Exact(bytes / 4);
    Vectors fixed = columns.lanes;
    append(fixed, columns.warps);
    // A copy's other elements stay out of the one that it moves at a time, too:
    // within it they would be apart in memory.
    if (options.copyElements && &columns == &source)
      append(fixed, Vectors(columns.registers.begin() + vector,
                            columns.registers.end()));
    return {vector, first(columns.lanes, phaseBits), fixed};
  }

  /// All columns of both sides: a generating set in the order of preference for
  /// banks. What a warp copies together comes to one line of 128 bytes where it
  /// can: a copy takes a pass for each line.
  Vectors order() const {
    Vectors result;
    if (options.copyElements)
      append(result, source.lanes);
    for (const Vectors *part :
         {&destination.lanes, &source.lanes, &destination.registers,
          &source.registers, &destination.warps, &source.warps})
      append(result, *part);
    append(result, f2::complement({}, bits));
    return result;
  }

  const Vectors &generators() const { return preference; }

  /// For each vector of the prefix the hyperplane of what has no part in it.
  /// Which one decides whether lanes stay out of a vector that their own
  /// registers fill, and whether they spread over the places within one that
  /// they do not.
  std::vector<f2::Span> hyperplanes(const Vectors &prefix,
                                    std::span<const Side> sides) const {
    std::vector<f2::Span> planes;
    Vectors spread;
    for (size_t i = 0; i < prefix.size(); ++i) {
      f2::Span plane;
      for (size_t j = 0; j < prefix.size(); ++j)
        if (j != i)
          plane.add(prefix[j]);
      auto include = [&](uint64_t vector) {
        f2::Span larger = plane;
        larger.add(vector);
        if (larger.contains(prefix[i]))
          return false;
        plane = std::move(larger);
        return true;
      };
      for (const Side &side : sides)
        if (i < side.vector)
          std::for_each(side.fixed.begin(), side.fixed.end(), include);
      for (const Side &side : sides) {
        if (i < std::max(side.vector, wordBits) ||
            f2::Span(side.phase).contains(prefix[i]))
          continue;
        for (uint64_t lane : side.phase)
          if (lane &&
              std::find(spread.begin(), spread.end(), lane) == spread.end() &&
              !plane.contains(lane) && include(lane ^ prefix[i])) {
            spread.push_back(lane);
            break;
          }
      }
      for (uint64_t vector : generators())
        include(vector);
      planes.push_back(std::move(plane));
    }
    return planes;
  }

  /// The bijection offset -> coordinates whose lowest bits are `prefix`.
  LinearLayout place(Vectors prefix) const {
    Side sides[] = {sideOf(source, prefix), sideOf(destination, prefix)};
    // A word is never shared by two vectors of the prefix's complement: fill it
    // first.
    append(prefix, first(f2::extension(prefix, generators()),
                         wordBits - std::min<size_t>(wordBits, prefix.size())));

    // Everything else is chosen from the intersection of the hyperplanes, a
    // complement of the prefix.
    std::vector<f2::Span> planes = hyperplanes(prefix, sides);
    Vectors rest;
    for (uint64_t vector : generators()) {
      uint64_t projected = vector;
      for (size_t i = 0; i < prefix.size(); ++i)
        if (!planes[i].contains(vector))
          projected ^= prefix[i];
      if (projected)
        rest.push_back(projected);
    }
    Vectors segments = chooseSegments(prefix, sides, rest);
    Vectors low = prefix;
    append(low, segments);
    Vectors banks = f2::extension(low, rest);

    Vectors columns = prefix;
    append(columns, banks);
    append(columns, segments);
    return LinearLayout({{Axis::Offset, bits}}, sourceLayout.outputs(),
                        std::move(columns));
  }

  /// The segment bits, out of the span of `rest`.
  Vectors chooseSegments(const Vectors &prefix, std::span<const Side> sides,
                         const Vectors &rest) const {
    size_t count = bits > waveBits ? bits - waveBits : 0;
    // What a phase spans together with the vector or word, within `rest`.
    Vectors reach[2];
    for (unsigned i = 0; i < 2; ++i) {
      Vectors spanned = first(prefix, std::max(sides[i].vector, wordBits));
      append(spanned, sides[i].phase);
      reach[i] = f2::intersection(spanned, rest);
    }
    Vectors both = f2::intersection(reach[0], reach[1]);
    auto own = [&](const Vectors &space) {
      f2::Span span(space);
      Vectors preferred;
      for (uint64_t vector : rest)
        if (span.contains(vector))
          preferred.push_back(vector);
      append(preferred, space);
      return f2::extension(both, preferred);
    };
    Vectors e = own(reach[0]), f = own(reach[1]);

    // Outside of both; then sums of a vector of either side alone, which are in
    // neither.
    Vectors either = reach[0];
    append(either, reach[1]);
    Vectors segments = f2::extension(either, rest);
    for (size_t i = 0; i < std::min(e.size(), f.size()); ++i)
      segments.push_back(e[i] ^ f[i]);
    // What is left conflicts on one side, or on both.
    for (const Vectors *more :
         std::initializer_list<const Vectors *>{&e, &f, &both})
      append(segments, f2::extension(segments, *more));
    return first(segments, count);
  }

  SharedPlan evaluate(LinearLayout shared) const {
    SharedPlan plan;
    plan.elementBits = elementBits;
    plan.store = accessVector(sourceLayout, shared, elementBits);
    plan.load = accessVector(destinationLayout, shared, elementBits);
    plan.storeWavefronts =
        wavefronts(sourceLayout, shared, elementBits, plan.store.vectorElements,
                   /*ownersOnly=*/true);
    plan.loadWavefronts = wavefronts(destinationLayout, shared, elementBits,
                                     plan.load.vectorElements);
    if (storesMatrices)
      plan.matrixStore =
          findCheaperMatrices(sourceLayout, shared, {}, elementBits,
                              plan.store.instructions() + plan.storeWavefronts);
    if (options.ldMatrix)
      plan.matrixLoad =
          findCheaperMatrices(destinationLayout, shared, {}, elementBits,
                              plan.load.instructions() + plan.loadWavefronts);
    plan.shared = std::move(shared);
    return plan;
  }

  /// All lanes take part in stmatrix: it cannot leave copies out.
  static bool mayStoreMatrices(const LinearLayout &source) {
    return !source.redundantBits(Axis::Lane) &&
           !source.redundantBits(Axis::Warp);
  }

  unsigned priceOf(const MatrixAccess &access) const {
    return access.instructions() + wavefronts(access, elementBits);
  }

  unsigned priceOf(const SharedPlan &plan) const {
    unsigned store = plan.matrixStore
                         ? priceOf(*plan.matrixStore)
                         : plan.store.instructions() + plan.storeWavefronts;
    unsigned load = plan.matrixLoad
                        ? priceOf(*plan.matrixLoad)
                        : plan.load.instructions() + plan.loadWavefronts;
    return store + load;
  }

  const LinearLayout &sourceLayout, &destinationLayout;
  /// Whether stmatrix may store the source.
  bool storesMatrices;
  Columns source, destination;
  unsigned elementBits;
  SharedOptions options;
  /// All offset bits; those of a 4-byte word; those of one wavefront of 128
  /// bytes.
  unsigned bits, wordBits, waveBits;
  /// What is chosen for banks first.
  Vectors preference;
  /// The cheapest plan so far.
  std::optional<SharedPlan> best;
  unsigned bestPrice = 0;
};

} // namespace

unsigned SharedPlan::countStoreWavefronts() const {
  return matrixStore ? wavefronts(*matrixStore, elementBits) : storeWavefronts;
}

unsigned SharedPlan::countLoadWavefronts() const {
  return matrixLoad ? wavefronts(*matrixLoad, elementBits) : loadWavefronts;
}

/// `destination` with its coordinates in the order of `source`.
static LinearLayout alignTo(const LinearLayout &source,
                            const LinearLayout &destination) {
  assert(source.isSurjective() && destination.isSurjective() &&
         "a register layout reaches every element");
  std::vector<Axis> outputs;
  for (const AxisBits &output : source.outputs()) {
    assert(destination.outputBits(output.axis) == output.bits &&
           "a conversion keeps the tensor");
    outputs.push_back(output.axis);
  }
  return destination.reorderOutputs(outputs);
}

SharedPlan planShared(const LinearLayout &source,
                      const LinearLayout &destination, unsigned elementBits,
                      SharedOptions options) {
  LinearLayout aligned = alignTo(source, destination);
  return Planner(source, aligned, elementBits, options).plan();
}

SharedPlan planSharedUnder(const LinearLayout &shared,
                           const LinearLayout &source,
                           const LinearLayout &destination,
                           unsigned elementBits, SharedOptions options) {
  LinearLayout aligned = alignTo(source, destination);
  std::vector<Axis> outputs;
  for (const AxisBits &output : source.outputs())
    outputs.push_back(output.axis);
  return Planner(source, aligned, elementBits, options)
      .planUnder(shared.reorderOutputs(outputs));
}

SharedEstimate estimateShared(const LinearLayout &source,
                              const LinearLayout &destination,
                              unsigned elementBits, SharedOptions options) {
  LinearLayout aligned = alignTo(source, destination);
  return Planner(source, aligned, elementBits, options).estimate();
}

} // namespace tilewright::layout
