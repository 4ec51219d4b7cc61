// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/SharedLayout.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace tilewright::layout {

namespace {

constexpr unsigned bankCount = 32, bankBytes = 4;
constexpr unsigned matrixRowBytes = 16;

[[maybe_unused]] bool isElementWidth(unsigned bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// registers -> offset.
LinearLayout offsets(const LinearLayout &registers,
                     const LinearLayout &shared) {
  assert(shared.isBijective() && "a shared layout is a bijection");
  return registers.compose(*shared.invert());
}

/// All sums of `basis`, the first vector in the lowest bit of the index.
std::vector<unsigned> sums(std::span<const uint64_t> basis) {
  std::vector<unsigned> result = {0};
  for (uint64_t vector : basis) {
    size_t size = result.size();
    for (size_t i = 0; i < size; ++i)
      result.push_back(result[i] ^ static_cast<unsigned>(vector));
  }
  return result;
}

/// For each register the one in `order` at the same offset.
std::vector<unsigned> representatives(const LinearLayout &map,
                                      std::span<const unsigned> order) {
  std::map<uint64_t, unsigned> holder;
  for (unsigned index : order)
    holder.emplace(map.apply(index), index);
  std::vector<unsigned> result;
  for (uint64_t index = 0; index < uint64_t(1) << map.inputBits(Axis::Register);
       ++index)
    result.push_back(holder.at(map.apply(index)));
  return result;
}

/// Register vectors whose offsets are 1, 2, 4, …, as many as can be one vector:
/// no lane or warp may move the elements within it, since the place in a vector
/// is a register's number.
std::vector<uint64_t> vectorBasis(const LinearLayout &map, unsigned limit) {
  unsigned registerBits = map.inputBits(Axis::Register);
  std::span<const uint64_t> columns(map.columns());
  f2::System registers(columns.first(registerBits));
  uint64_t threads = 0;
  for (uint64_t column : columns.subspan(registerBits))
    threads |= column;
  std::vector<uint64_t> basis;
  while (basis.size() < limit) {
    uint64_t unit = uint64_t(1) << basis.size();
    std::optional<uint64_t> vector = registers.solve(unit);
    if (!vector || (threads & unit))
      break;
    basis.push_back(*vector);
  }
  return basis;
}

/// Wavefronts of one phase, of which each lane accesses `bytes`.
unsigned phaseWavefronts(std::span<const std::optional<uint64_t>> starts,
                         unsigned bytes) {
  std::set<uint64_t> words;
  for (std::optional<uint64_t> start : starts)
    for (unsigned byte = 0; start && byte < bytes; ++byte)
      words.insert((*start + byte) / bankBytes);
  unsigned load[bankCount] = {};
  unsigned worst = 0;
  for (uint64_t word : words)
    worst = std::max(worst, ++load[word % bankCount]);
  return worst;
}

/// Whether each lane has the address of its neighbour `step` away, if both take
/// part.
bool sharesWithNeighbour(std::span<const std::optional<uint64_t>> starts,
                         size_t step) {
  for (size_t lane = 0; lane < starts.size(); ++lane) {
    size_t other = lane ^ step;
    if (other < starts.size() && starts[lane] && starts[other] &&
        *starts[lane] != *starts[other])
      return false;
  }
  return true;
}

} // namespace

unsigned instructionWavefronts(const LaneStarts &starts, unsigned bytes) {
  std::span<const std::optional<uint64_t>> all(starts);
  if (bytes <= 4)
    return phaseWavefronts(all, bytes);
  size_t lanes = 128 / bytes, pair = 2 * lanes;
  unsigned total = 0;
  for (size_t first = 0; first < all.size(); first += pair) {
    auto both = all.subspan(first, std::min(pair, all.size() - first));
    if (both.size() <= lanes || sharesWithNeighbour(both, 1) ||
        sharesWithNeighbour(both, 2))
      total += phaseWavefronts(both, bytes);
    else
      total += phaseWavefronts(both.first(lanes), bytes) +
               phaseWavefronts(both.subspan(lanes), bytes);
  }
  return total;
}

VectorAccess accessVector(const LinearLayout &registers,
                          const LinearLayout &shared, unsigned elementBits,
                          unsigned maxBits) {
  assert(isElementWidth(elementBits) && maxBits >= elementBits &&
         "an element must fit the widest access");
  LinearLayout map = offsets(registers, shared)
                         .reorderInputs(std::vector<Axis>{
                             Axis::Register, Axis::Lane, Axis::Warp});
  std::vector<uint64_t> basis =
      vectorBasis(map, log2Exact(maxBits / elementBits));
  VectorAccess access;
  access.vectorElements = 1u << basis.size();

  // The other registers, each moved to the start of its vector.
  std::vector<uint64_t> within = basis;
  f2::Span seen;
  for (uint64_t vector : within)
    seen.add(map.apply(vector));
  for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit) {
    uint64_t vector = uint64_t(1) << bit;
    if (!seen.add(map.apply(vector)))
      continue;
    for (size_t i = 0; i < within.size(); ++i)
      if (map.apply(uint64_t(1) << bit) >> i & 1)
        vector ^= within[i];
    basis.push_back(vector);
  }
  access.order = sums(basis);
  access.representative = representatives(map, access.order);
  return access;
}

unsigned wavefronts(const LinearLayout &registers, const LinearLayout &shared,
                    unsigned elementBits, unsigned vectorElements,
                    bool ownersOnly) {
  VectorAccess access = accessVector(registers, shared, elementBits,
                                     vectorElements * elementBits);
  assert(access.vectorElements == vectorElements &&
         "the layouts do not allow vectors of this width");
  LinearLayout map = offsets(registers, shared);
  uint64_t copies = ownersOnly ? registers.redundantBits(Axis::Lane) : 0;
  // Every other vector of the warp is a translate (by xor) of the first, which
  // moves banks and words one to one.
  LaneStarts starts;
  for (uint64_t lane = 0; lane < uint64_t(1) << map.inputBits(Axis::Lane);
       ++lane) {
    AxisValue input = {Axis::Lane, lane};
    starts.push_back(map.apply(std::span(&input, 1))[0].value * elementBits /
                     8);
    if (lane & copies)
      starts.back() = std::nullopt;
  }
  return access.instructions() *
         instructionWavefronts(starts, vectorElements * elementBits / 8);
}

std::optional<MatrixAccess> matchLdMatrix(const LinearLayout &registers,
                                          const LinearLayout &shared,
                                          unsigned elementBits,
                                          bool transposed) {
  if (elementBits > 32 || (transposed && elementBits != 16) ||
      registers.inputBits(Axis::Lane) != 5)
    return std::nullopt;
  LinearLayout map = offsets(registers, shared)
                         .reorderInputs(std::vector<Axis>{
                             Axis::Register, Axis::Lane, Axis::Warp});
  unsigned registerBits = map.inputBits(Axis::Register);
  unsigned wordBits = log2Exact(32 / elementBits);
  unsigned rowBits = log2Exact(matrixRowBytes * 8 / elementBits);
  if (registerBits < wordBits)
    return std::nullopt;

  // The bits that run along a row in memory, ascending.
  std::vector<unsigned> along;
  if (transposed)
    along = {registerBits + 2, registerBits + 3, registerBits + 4};
  else {
    for (unsigned bit = 0; bit < wordBits; ++bit)
      along.push_back(bit);
    along.insert(along.end(), {registerBits, registerBits + 1});
  }
  for (unsigned bit = 0; bit < map.totalInputBits(); ++bit) {
    auto it = std::find(along.begin(), along.end(), bit);
    uint64_t column = map.columns()[bit];
    if (it != along.end() ? column != uint64_t(1) << (it - along.begin())
                          : (column & ((uint64_t(1) << rowBits) - 1)) != 0)
      return std::nullopt;
  }

  // Registers beyond the word: first those that are matrices of one
  // instruction, then one instruction after another.
  std::vector<uint64_t> basis;
  f2::Span seen;
  for (unsigned bit = 0; bit < registerBits; ++bit)
    if (seen.add(map.columns()[bit]) || bit < wordBits)
      basis.push_back(uint64_t(1) << bit);
  unsigned matrixBits = std::min<unsigned>(2, basis.size() - wordBits);

  MatrixAccess access = {
      transposed, 1u << matrixBits, 1u << wordBits, sums(basis), {}, {}};
  access.representative = representatives(map, access.order);
  auto offsetOf = [&](size_t index) { return map.apply(basis[index]); };
  std::vector<uint64_t> columns;
  for (size_t i = wordBits + matrixBits; i < basis.size(); ++i)
    columns.push_back(offsetOf(i));
  unsigned instructionBits = columns.size();
  std::vector<uint64_t> rows =
      transposed ? std::vector<uint64_t>{map.column(Axis::Register, 0),
                                         map.column(Axis::Lane, 0),
                                         map.column(Axis::Lane, 1)}
                 : std::vector<uint64_t>{map.column(Axis::Lane, 2),
                                         map.column(Axis::Lane, 3),
                                         map.column(Axis::Lane, 4)};
  columns.insert(columns.end(), rows.begin(), rows.end());
  for (unsigned bit = 0; bit < 2; ++bit)
    columns.push_back(bit < matrixBits ? offsetOf(wordBits + bit) : 0);
  for (unsigned bit = 0; bit < map.inputBits(Axis::Warp); ++bit)
    columns.push_back(map.column(Axis::Warp, bit));
  access.address = LinearLayout({{Axis::Register, instructionBits},
                                 {Axis::Lane, 5},
                                 {Axis::Warp, map.inputBits(Axis::Warp)}},
                                map.outputs(), std::move(columns));
  return access;
}

unsigned wavefronts(const MatrixAccess &access, unsigned elementBits) {
  LaneStarts starts;
  for (uint64_t lane = 0; lane < 8u * access.matrices; ++lane) {
    AxisValue input = {Axis::Lane, lane};
    starts.push_back(access.address.apply(std::span(&input, 1))[0].value *
                     elementBits / 8);
  }
  return access.instructions() * instructionWavefronts(starts, matrixRowBytes);
}

} // namespace tilewright::layout
