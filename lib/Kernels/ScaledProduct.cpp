// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/ScaledProduct.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::kernels;
using Scaling = ScaledParameters::Scaling;

//===----------------------------------------------------------------------===//
// Where scales are multiplied
//===----------------------------------------------------------------------===//

/// Sums of 8-bit integers have no scales in them; of floats, with few rows, an
/// iteration has fewer sums than weights (QuantizedMatmul.cpp).
Scaling ScaledParameters::weightScaling(bool isFewRows) const {
  if (!coded && !scales)
    return Scaling::None;
  if (group == 0)
    return Scaling::Sums;
  bool isOnSums = !coded || product == ElementType::I8 ||
                  (isFewRows && group % coded->leastRows(16) == 0);
  return isOnSums ? Scaling::Iterations : Scaling::Weights;
}

int64_t ScaledParameters::depthTile(int64_t size, bool isFewRows) const {
  if (coded && coded->prepacked)
    size = std::max(size, coded->prepacked->rows());
  auto isLegal = [&](int64_t tile) {
    if (aGroup && aGroup % tile)
      return false;
    switch (weightScaling(isFewRows)) {
    case Scaling::Iterations:
      return group % tile == 0;
    case Scaling::Weights:
      return coded->fitsGroups(tile);
    case Scaling::None:
    case Scaling::Sums:
      return true;
    }
    return true;
  };
  while (size > (coded ? coded->leastRows(16) : 16) && !isLegal(size))
    size /= 2;
  return size;
}

int64_t ScaledParameters::columnTile(int64_t size) const {
  if (coded && coded->prepacked)
    size = std::max(size, coded->prepacked->columns());
  while (block > 1 && size > 16 && block % size)
    size /= 2;
  return size;
}

//===----------------------------------------------------------------------===//
// A tile of the result
//===----------------------------------------------------------------------===//

namespace {

/// Which tile a program makes, and what of the tensors is meant there.
struct Place {
  /// Counted from the expert's first row on.
  Value row, column;
  /// Where there are experts.
  Value expert, firstRow, rowCount;
};

/// The operands of a tile.
class Operands {
public:
  Operands(Reading &k, const ScaledParameters &p, const Configuration &c,
           const Place &place)
      : k(k), p(p), c(c), place(place) {
    if (p.rows)
      gathered = k.load(ofRows(*p.rows, 0), {Along(place.row, c.tile[0])})
                     .to(ElementType::I32);
  }

  unsigned halves() const { return p.isGated ? 2 : 1; }
  Along rows() const { return {place.row, c.tile[0]}; }
  Along columns() const { return {place.column, c.tile[1]}; }

  /// Of a tensor that has m rows as its dimension `d`, those of the expert.
  Tensor ofRows(unsigned index, unsigned d) const {
    Tensor tensor = k.tensor(index);
    return place.expert ? tensor.slice(d, place.firstRow, place.rowCount)
                        : tensor;
  }
  /// Of a tensor of a's rows those that rowsOfA() counts.
  Tensor ofA(unsigned index) const {
    return p.rows ? k.tensor(index) : ofRows(index, 0);
  }
  Along rowsOfA() const { return p.rows ? Along::gathered(gathered) : rows(); }
  Tensor ofExpert(unsigned index) const {
    Tensor tensor = k.tensor(index);
    return place.expert ? tensor.at(0, place.expert) : tensor;
  }
  /// Of dimension `d`, which has `each` columns in an element, one of the
  /// halves.
  Tensor ofHalf(Tensor tensor, unsigned d, unsigned half,
                int64_t each = 1) const {
    if (!p.isGated)
      return tensor;
    Value count = k.number(p.n) / double(each);
    return tensor.slice(d, count * double(half), count,
                        each == 1 ? p.divisor : 1);
  }

  Reading &k;
  const ScaledParameters &p;
  const Configuration &c;
  const Place &place;

private:
  Value gathered;
};

/// Tiles of one half of the weights.
class Weights {
public:
  Weights(const Operands &of, unsigned half);
  /// The rows from `step` on.
  Value load(const Value &step);
  /// What their products are multiplied by; nothing: 1.
  Value scales(const Value &step);
  /// A tile that has the weights' columns last, in the order of products, and
  /// back.
  Value inOrder(const Value &tile) const {
    return order.empty() ? tile
                         : k.reorder(tile, tile.shape().size() - 1, order);
  }
  Value inPlace(const Value &sums) const {
    return order.empty() ? sums : k.reorder(sums, 1, inverseOrder(order));
  }

private:
  Reading &k;
  const ScaledParameters &p;
  const Configuration &c;
  Along columns;
  Scaling scaling;
  Tensor numbers, factors;
  std::optional<WeightLoader> coded;
  std::vector<unsigned> order; ///< of columns; empty: as they are
};

} // namespace

static bool hasFewRows(const Configuration &c) { return c.tile[0] <= 16; }

Weights::Weights(const Operands &of, unsigned half)
    : k(of.k), p(of.p), c(of.c), columns(of.columns()),
      scaling(p.weightScaling(hasFewRows(c))) {
  if (p.w)
    numbers = of.ofHalf(of.ofExpert(*p.w), 1, half);
  if (p.scales) {
    factors = of.ofExpert(*p.scales);
    factors = of.ofHalf(factors, factors.sizes.size() - 1, half, p.block);
  }
  if (!p.coded)
    return;
  WeightPart part;
  part.expert = of.place.expert;
  if (p.isGated) {
    part.columns = k.number(p.n);
    part.firstColumn = part.columns * double(half);
    part.divisor = p.divisor;
  }
  if (p.coded->prepacked)
    order = p.coded->prepacked->columnOrder(c.tile[1]);
  coded.emplace(k, *p.coded, c.tile[2], c.tile[1], columns.start,
                /*isTransposed=*/false, part);
}

Value Weights::load(const Value &step) {
  if (!coded)
    return k.load(numbers, {{step, c.tile[2]}, columns});
  return scaling == Scaling::Weights ? coded->load(step, p.product)
                                     : coded->loadUnscaled(step, p.product);
}

Value Weights::scales(const Value &step) {
  if (scaling == Scaling::None)
    return {};
  if (coded)
    return coded->loadScales(step);
  Along along = p.block > 1 ? Along(columns.start / double(p.block)) : columns;
  Box box = {along};
  if (factors.sizes.size() == 2)
    box.insert(box.begin(), p.group ? step / double(p.group) : k.integer(0));
  Value loaded = k.load(factors, box).to(ElementType::F32);
  return loaded.shape().empty() ? loaded : loaded.expand(0);
}

/// The scales of a's rows for columns from `step` on; nothing: 1.
static Value scalesOfRows(const Operands &of, const Value &step) {
  const ScaledParameters &p = of.p;
  if (!p.aScales)
    return {};
  Box box = {of.rowsOfA()};
  if (p.aGroup)
    box.push_back(step / double(p.aGroup));
  return of.k.load(of.ofA(*p.aScales), box).to(ElementType::F32).expand(1);
}

/// Nothing stands for 1.
static Value multiply(const Value &x, const Value &factor) {
  return factor ? x * factor : x;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// In which order a tile's depth is multiplied; empty: as it is. Matrix
/// instructions of 8-bit operands give a thread four neighbours along k in one
/// register, and the next ones to the three other threads of its four (PTX ISA,
/// "Matrix Fragments for mma.m16n8k32"). So the codes in the four bytes of a
/// word that are as far above the bytes' lowest bits are to be neighbours, and
/// the word's others the same thread's. With few rows the order of the rows'
/// tile costs less than what it saves.
static std::vector<unsigned> depthOrder(const ScaledParameters &p,
                                        const Configuration &c) {
  if (!p.coded || p.product != ElementType::I8 || !hasFewRows(c) ||
      p.coded->packed != 0)
    return {};
  const Coding &coding = p.coded->coding;
  unsigned codes = p.coded->codes;
  unsigned own = std::countr_zero(codes);
  unsigned all = std::countr_zero(uint64_t(c.tile[2]));
  if (codes * coding.bits != 32 || coding.bits == 8 || own + 2 > all)
    return {};
  std::vector<unsigned> order;
  for (int distance : {8, 16})
    for (unsigned bit = 0; bit < own; ++bit)
      if (std::abs(int(coding.bitOf(1u << bit, codes)) -
                   int(coding.bitOf(0, codes))) == distance)
        order.push_back(bit);
  order.push_back(own);
  order.push_back(own + 1);
  for (unsigned bit = 0; bit < all; ++bit)
    if (std::find(order.begin(), order.end(), bit) == order.end())
      order.push_back(bit);
  return order;
}

/// The tile's sums over k from `first` to `last`, for each half, without what
/// multiplies sums of all iterations.
static std::vector<Value> addUp(const Operands &of, std::vector<Weights> &right,
                                const Value &first, const Value &last) {
  Reading &k = of.k;
  const ScaledParameters &p = of.p;
  const Configuration &c = of.c;
  bool isFewRows = hasFewRows(c);
  bool addsScaled = p.addsScaled(isFewRows);
  bool scalesWeights = p.weightScaling(isFewRows) == Scaling::Iterations;
  Shape shape = {c.tile[0], c.tile[1]};
  Value none = k.constant(0, p.dotType(), shape);
  std::vector<Value> zeros(right.size(), k.constant(0, p.sumType(), shape));
  Tensor a = of.ofA(p.a);
  std::vector<unsigned> order = depthOrder(p, c);
  auto inOrder = [&](const Value &tile, unsigned axis) {
    return order.empty() ? tile : k.reorder(tile, axis, order);
  };
  std::vector<Value> sums = k.forEach(
      first, last, c.tile[2], zeros,
      [&](Value step, const std::vector<Value> &carried) {
        std::vector<Value> next = carried;
        Value left = k.load(a, {of.rowsOfA(), {step, c.tile[2]}}).to(p.product);
        left = inOrder(left, 1);
        Value rowScales = p.aGroup ? scalesOfRows(of, step) : Value();
        for (unsigned half = 0; half < right.size(); ++half) {
          Value weights =
              right[half].inOrder(inOrder(right[half].load(step), 0));
          if (!addsScaled) {
            next[half] = k.dot(left, weights, carried[half], Precision::Full);
            continue;
          }
          Value added =
              k.dot(left, weights, none, Precision::Full).to(ElementType::F32);
          added = multiply(added, rowScales);
          if (scalesWeights)
            added =
                multiply(added, right[half].inOrder(right[half].scales(step)));
          next[half] = carried[half] + added;
        }
        return next;
      });
  for (unsigned half = 0; half < right.size(); ++half)
    sums[half] = right[half].inPlace(sums[half]);
  return sums;
}

/// What one half's sums stand for: zeros, the scales of all iterations, bias.
static Value complete(const Operands &of, Weights &weights, unsigned half,
                      Value sum) {
  Reading &k = of.k;
  const ScaledParameters &p = of.p;
  Value first = k.integer(0);
  auto ofColumns = [&](unsigned index) {
    Tensor tensor = of.ofExpert(index);
    unsigned last = tensor.sizes.size() - 1;
    return k.load(of.ofHalf(tensor, last, half), {of.columns()}).expand(0);
  };
  if (p.aZeros) {
    Value zeros = k.load(of.ofA(*p.aZeros), {of.rowsOfA()});
    sum = sum - zeros.to(ElementType::I32).expand(1) * ofColumns(*p.sums);
  }
  sum = sum.to(ElementType::F32);
  if (!p.aGroup)
    sum = multiply(sum, scalesOfRows(of, first));
  if (p.weightScaling(true) == Scaling::Sums)
    sum = multiply(sum, weights.scales(first));
  return p.bias ? sum + ofColumns(*p.bias).to(ElementType::F32) : sum;
}

/// Stores the tile of c whose sums are given.
static void finish(const Operands &of, std::vector<Weights> &weights,
                   const std::vector<Value> &sums) {
  Reading &k = of.k;
  const ScaledParameters &p = of.p;
  Value x = activate(complete(of, weights[0], 0, sums[0]), p.activation);
  if (p.isGated)
    x = x * complete(of, weights[1], 1, sums[1]);
  Box box = {of.rows(), of.columns()};
  if (p.residual)
    x = x + k.load(of.ofRows(*p.residual, 0), box).to(ElementType::F32);
  Tensor to = of.ofRows(p.c, 0);
  k.store(to, box, toStored(x, to.type));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Does something for the tile that this program has, if there is one: of
/// experts there are programs for as many tiles as there can be.
static void atPlace(
    Reading &k, const ScaledParameters &p, const Configuration &c,
    int64_t group,
    const std::function<void(const Operands &, std::vector<Weights> &)> &make) {
  auto run = [&](const Place &place) {
    Operands of(k, p, c, place);
    std::vector<Weights> weights;
    for (unsigned half = 0; half < of.halves(); ++half)
      weights.emplace_back(of, half);
    make(of, weights);
  };
  Value m = k.number(p.m), n = k.number(p.n);
  if (!p.experts) {
    auto [row, column] =
        programTile(k.program(0), m, n, c.tile[0], c.tile[1], group);
    return run({row, column, {}, {}, {}});
  }
  double tile = double(c.tile[0]);
  Value tiles = (m + minimum(m, double(p.experts)) * (tile - 1)) / tile;
  auto [row, column] =
      programTile(k.program(0), tiles * tile, n, c.tile[0], c.tile[1], group);
  Tensor offsets = k.tensor(*p.offsets);
  PackedPlace found = findPacked(k, offsets, p.experts, row / tile, c.tile[0]);
  k.when(found.sequence < double(p.experts), [&, column = column] {
    Value begin = k.load(offsets, {found.sequence}).to(ElementType::I32);
    Value end = k.load(offsets, {found.sequence + 1.0}).to(ElementType::I32);
    run({found.tile * tile, column, found.sequence, begin, end - begin});
  });
}

/// Of the parts' tensor the tile of one half.
static Tensor partsOf(const Operands &of, unsigned half) {
  return of.ofHalf(of.ofRows(*of.p.partial, 1), 2, half);
}

void kernels::scaledProduct(Reading &k, const ScaledParameters &p,
                            const Configuration &c) {
  Value part = k.program(1);
  Value first = k.integer(0), last = k.number(p.k);
  if (c.split > 1)
    std::tie(first, last) = partOf(last, c.tile[2], c.split, part);
  atPlace(k, p, c, 8, [&](const Operands &of, std::vector<Weights> &weights) {
    std::vector<Value> sums = addUp(of, weights, first, last);
    if (!p.partial)
      return finish(of, weights, sums);
    for (unsigned half = 0; half < sums.size(); ++half)
      k.store(partsOf(of, half), {part, of.rows(), of.columns()}, sums[half]);
  });
}

void kernels::addScaledParts(Reading &k, const ScaledParameters &p,
                             const Configuration &c, int64_t parts) {
  atPlace(k, p, c, 1, [&](const Operands &of, std::vector<Weights> &weights) {
    std::vector<Value> sums;
    for (unsigned half = 0; half < of.halves(); ++half)
      sums.push_back(
          sumOfParts(k, partsOf(of, half), {of.rows(), of.columns()}, parts));
    finish(of, weights, sums);
  });
}
