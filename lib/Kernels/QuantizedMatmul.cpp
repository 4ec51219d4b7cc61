// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with coded weights: each tile of weights is unpacked from its words
// where it is multiplied. With few rows the transposed product is made, so that
// the weights are the matrix instructions' larger operand and little is padded.
// With many rows the weights may be made numbers once, in memory, for a dense
// product.

#include "lib/Kernels/CodedWeights.h"
#include "lib/Kernels/DenseProduct.h"
#include "lib/Kernels/Formula.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// Where in the signature things are.
struct QuantizedParameters {
  unsigned m = 0, n = 0, k = 0;
  unsigned a = 0, c = 0;
  ElementType type = ElementType::F16; ///< of a
  CodedWeights weights;
  std::optional<unsigned> partial; ///< sums of a split product
  ProductEpilogue epilogue;
};

class QuantizedMatmulProblem : public Problem {
public:
  QuantizedMatmulProblem(Signature signature, QuantizedParameters parameters)
      : signature(std::move(signature)), parameters(parameters) {}

  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;
  bool recompute(NamedArrays &tensors) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  Kernel finishing(const Configuration &c, Signature split,
                   const QuantizedParameters &of) const;
  DenseProduct denseProduct() const;
  std::vector<Kernel> dequantizedKernels(const Configuration &c) const;
  void addFused(std::vector<Configuration> &to) const;
  void addDequantized(std::vector<Configuration> &to) const;

  Signature signature;
  QuantizedParameters parameters;
};

} // namespace

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// Up to how many rows of a tile are few: its sums are fewer than its weights,
/// which are the instructions' larger operand, and its depth may be cut into
/// parts for more warps. Prepacked weights leave the rows' tile as it is, and
/// twice as many take less so.
static int64_t fewRows(const CodedWeights &weights) {
  return weights.prepacked ? 32 : 16;
}

/// Whether a tile of the result is made with its columns first. Prepacked
/// weights are the left operand as they are loaded, which groups of four warps
/// take from registers, 64 columns each; as the right one they go through
/// shared memory.
static bool isTransposed(const QuantizedParameters &p, const Configuration &c) {
  bool hasGroups = c.warps % 4 == 0 && c.tile[1] >= 16 * int64_t(c.warps);
  return c.tile[0] <= fewRows(p.weights) || (p.weights.prepacked && hasGroups);
}

/// Whether weights are multiplied as their codes' bits are (loadInPlace): what
/// these lack multiplies an iteration's sums, and zeros the sums of a's rows:
/// three instructions more for a sum, half of one less for a weight.
static bool isInPlace(const QuantizedParameters &p, const Configuration &c) {
  const CodedWeights &w = p.weights;
  // Matrix instructions have 16 elements along k.
  bool isLess = 3 * c.tile[0] <= c.tile[2] / 2;
  return c.tile[0] <= 16 && isLess && w.standInPlace(p.type) &&
         (w.group == 0 || w.group % c.tile[2] == 0) &&
         c.tile[2] >> w.bitsInByte().size() >= 16;
}

/// The bits of an index along k by which a tile is taken apart, so that numbers
/// of one product lack the same power of two.
static std::vector<unsigned> splitBits(const QuantizedParameters &p,
                                       const Configuration &c) {
  return isInPlace(p, c) ? p.weights.bitsInByte() : std::vector<unsigned>();
}

/// In which order a tile of `size` elements along k is multiplied, of which
/// those are told apart that differ in the bits `split`. Matrix
/// instructions of 16-bit operands give a thread neighbours along k in one
/// register, and the pairs beside them to the three other threads of its four
/// (PTX ISA, "Matrix Fragments for mma.m16n8k16"; those of wgmma and of m16n8k8
/// too). All codes of 32 bits are to be one thread's, so bits 1 and 2 of the
/// index are the lowest ones above theirs. None where tiles are too small.
static std::vector<unsigned> depthOrder(int64_t size,
                                        const CodedWeights &weights,
                                        const std::vector<unsigned> &split) {
  unsigned all = std::countr_zero(uint64_t(size)) - split.size();
  unsigned own = std::countr_zero(32 / weights.coding.bits) - split.size();
  if (own + 2 > all)
    return {};
  unsigned halves = weights.coding.bitAcrossHalves(weights.codes);
  halves -= std::count_if(split.begin(), split.end(),
                          [&](unsigned bit) { return bit < halves; });
  std::vector<unsigned> order = {halves, own, own + 1};
  for (unsigned bit = 0; bit < all; ++bit)
    if (bit != halves && bit != own && bit != own + 1)
      order.push_back(bit);
  return order;
}

/// The same along n, of words of `codes` of its elements. Eight threads have
/// neighbours along n each (same section of the ISA), of 16 rows the upper ones
/// are theirs too, and warps come next: those bits are to be words'.
static std::vector<unsigned> columnOrder(const QuantizedParameters &p,
                                         const Configuration &c,
                                         int64_t codes) {
  unsigned all = std::countr_zero(uint64_t(c.tile[1]));
  unsigned own = std::countr_zero(uint64_t(codes));
  unsigned warps = std::countr_zero(uint64_t(c.warps / c.parts));
  if (own + 3 + warps > all)
    return {};
  unsigned nextOwn = 0, nextWord = own;
  std::vector<unsigned> order;
  for (unsigned bit = 0; bit < all; ++bit) {
    bool isUpper = isTransposed(p, c) && bit == 3;
    bool isOfWords = bit < 3 + warps + (isTransposed(p, c) ? 1 : 0) && !isUpper;
    bool takesWord = nextOwn == own || (isOfWords && nextWord < all);
    order.push_back(takesWord ? nextWord++ : nextOwn++);
  }
  return order;
}

namespace {

/// How the dimensions of a tile of weights are gone through; empty: as they
/// are. With few rows the order of the rows' tile costs less than what it
/// saves.
struct TileOrder {
  std::vector<unsigned> depth, columns;

  TileOrder(const QuantizedParameters &p, const Configuration &c) {
    if (p.weights.prepacked) {
      if (!isTransposed(p, c))
        columns = p.weights.prepacked->columnOrder(c.tile[1]);
      return;
    }
    if (c.tile[0] > 16)
      return;
    if (p.weights.packed == 0)
      depth = depthOrder(c.tile[2], p.weights, splitBits(p, c));
    if (p.weights.packed != 0)
      columns = columnOrder(p, c, p.weights.codes);
    // Words of neighbouring columns are a thread's, which reads up to four at
    // once.
    for (int64_t words : {4, 2})
      if (p.weights.packed == 0 && columns.empty())
        columns = columnOrder(p, c, words);
  }
};

/// What scales are multiplied by.
enum class Scaling : uint8_t {
  Weights,    ///< each weight
  Iterations, ///< what an iteration adds to the sums; its rows are one group
  Sums,       ///< the sums of all iterations; all rows are one group
};

} // namespace

/// With few rows an iteration has fewer sums than weights. With many the next
/// iteration's weights are unpacked while the product runs, which is over only
/// when its sums are read.
static Scaling scalingOf(const QuantizedParameters &p, const Configuration &c) {
  if (isInPlace(p, c))
    return Scaling::Iterations;
  if (p.weights.group == 0)
    return Scaling::Sums;
  bool isOneGroup = p.weights.group % c.tile[2] == 0;
  return isOneGroup && c.tile[0] <= fewRows(p.weights) ? Scaling::Iterations
                                                       : Scaling::Weights;
}

/// Stores the tile `sum` of the result, or of a part of it.
static void finish(Reading &k, const QuantizedParameters &p,
                   const Configuration &c, const Box &box, const Value &sum) {
  p.epilogue.store(k, p.c, box, sum, isTransposed(p, c));
}

/// `a` as the product takes it: k first where that is transposed, and before
/// both dimensions which part of k it is.
static Tensor viewRows(Reading &k, const QuantizedParameters &p,
                       const Configuration &c) {
  Tensor a = k.tensor(p.a);
  if (isTransposed(p, c))
    a = a.transposed();
  return c.parts > 1 ? a.parted(isTransposed(p, c) ? 0 : 1, c.parts) : a;
}

/// How many rows `a` has in a tile's place: no more than all, where their
/// number is known. The others repeat them.
static int64_t rowsOf(Reading &k, const QuantizedParameters &p,
                      const Configuration &c) {
  const Number &m = k.signature().numbers[p.m];
  return isTransposed(p, c) && !m.isDynamic
             ? std::min<int64_t>(c.tile[0], ceilPowerOfTwo(m.integer()))
             : c.tile[0];
}

/// Its tile from `row` and, in each part, from `step` on. Matrix instructions
/// have eight columns at least: with fewer rows each has several, of which the
/// first ones are stored, so that none is loaded for nothing.
static Value loadRows(Reading &k, const QuantizedParameters &p,
                      const Tensor &view, const Configuration &c,
                      const Value &row, const Value &step) {
  int64_t rows = rowsOf(k, p, c);
  Box box = {{row, rows}, {step, c.tile[2]}};
  if (isTransposed(p, c))
    std::swap(box[0], box[1]);
  if (c.parts > 1)
    box.insert(box.begin(), Along(k.integer(0), c.parts));
  Value loaded = k.load(view, box);
  if (rows == c.tile[0])
    return loaded;
  Shape shape = loaded.shape(), repeated = shape;
  repeated.insert(repeated.end() - 1, c.tile[0] / rows);
  shape.back() = c.tile[0];
  return k.reshape(k.broadcast(loaded.expand(shape.size() - 1), repeated),
                   shape);
}

namespace {

/// The sums of one tile of the result: weights are dot operands with their
/// columns first or last, in what order they are best unpacked.
class TileSums {
public:
  TileSums(Reading &k, const QuantizedParameters &p, const Configuration &c,
           const Value &row, const Value &column)
      : k(k), p(p), c(c), row(row), transposed(isTransposed(p, c)),
        scaling(scalingOf(p, c)), a(viewRows(k, p, c)),
        weights(k, p.weights, c.tile[2], c.tile[1], column, transposed,
                partsOf(c)),
        order(p, c), rowAxis(c.parts > 1 ? 1 : 0),
        depthAxis(rowAxis + (transposed ? 1 : 0)),
        columnAxis(rowAxis + (transposed ? 0 : 1)) {
    Shape shape = {c.tile[0], c.tile[1]};
    if (transposed)
      std::swap(shape[0], shape[1]);
    if (c.parts > 1)
      shape.insert(shape.begin(), c.parts);
    none = k.constant(0, ElementType::F32, shape);
  }

  /// Over the steps from `first` to `last`, scaled, of all parts.
  Value sum(const Value &first, const Value &last);

private:
  static WeightPart partsOf(const Configuration &c) {
    WeightPart all;
    all.depths = c.parts;
    return all;
  }
  static Value inOrder(const Value &tile, unsigned axis,
                       const std::vector<unsigned> &along) {
    return along.empty() ? tile : tile.reading().reorder(tile, axis, along);
  }
  /// A tile that has the weights' columns in their dimension.
  Value columnsInOrder(const Value &tile) const {
    bool isOfColumns = tile.shape()[columnAxis] != 1;
    return isOfColumns ? inOrder(tile, columnAxis, order.columns) : tile;
  }
  /// Scales and the like of one group for all rows are not by parts.
  Value byParts(const Value &tile) const {
    return tile.shape().size() > rowAxis + 1 ? tile : tile.expand(0);
  }
  Value dot(const Value &rows, const Value &numbers, const Value &sum) const {
    return transposed ? k.dot(numbers, rows, sum, Precision::Full)
                      : k.dot(rows, numbers, sum, Precision::Full);
  }
  Value multiply(const Value &step, const Value &sum);
  Value addScaled(const Value &step, const Value &to);
  Value addInPlace(const Value &step, const Value &to);

  Reading &k;
  const QuantizedParameters &p;
  const Configuration &c;
  Value row;
  bool transposed;
  Scaling scaling;
  Tensor a;
  WeightLoader weights;
  TileOrder order;
  unsigned rowAxis, depthAxis, columnAxis;
  Value none;
};

} // namespace

/// sum + the products of one iteration.
Value TileSums::multiply(const Value &step, const Value &sum) {
  Value numbers = scaling == Scaling::Weights
                      ? weights.load(step, a.type)
                      : weights.loadUnscaled(step, a.type);
  numbers = inOrder(numbers, depthAxis, order.depth);
  // k is where the weights have their columns.
  Value rows =
      inOrder(loadRows(k, p, a, c, row, step), columnAxis, order.depth);
  return dot(rows, columnsInOrder(numbers), sum);
}

/// to + the scaled products of one iteration, which has one group.
Value TileSums::addScaled(const Value &step, const Value &to) {
  return to + multiply(step, none) * columnsInOrder(weights.loadScales(step));
}

/// The parts of a tile that `bits` of an index along `axis` tell apart: the
/// bits' values as indices of the words' elements, and the parts.
static std::vector<std::pair<unsigned, Value>>
takeApart(const Value &tile, unsigned axis, std::vector<unsigned> bits) {
  std::vector<std::pair<unsigned, Value>> parts = {{0, tile}};
  for (; !bits.empty(); bits.pop_back()) {
    std::vector<std::pair<unsigned, Value>> halves;
    for (auto &[index, part] : parts) {
      auto [clear, set] = part.reading().halve(part, axis, bits.back());
      halves.push_back({index, clear});
      halves.push_back({index | 1u << bits.back(), set});
    }
    parts = std::move(halves);
  }
  return parts;
}

/// The same: sum of a (value - offset) is (sum of a u) 2^24 - (sum of a)
/// offset, where u are the codes' bits in f16. Products of f16 without an
/// exponent are exact in matrix instructions, as others are (M. Fasi et al.,
/// "Numerical behavior of NVIDIA tensor cores", 2021).
Value TileSums::addInPlace(const Value &step, const Value &to) {
  std::vector<unsigned> bits = splitBits(p, c);
  auto numbers = takeApart(weights.loadInPlace(step), depthAxis, bits);
  auto rows = takeApart(loadRows(k, p, a, c, row, step), columnAxis, bits);
  Value offsets = weights.loadOffsets(step), sum, total;
  auto add = [](Value &to, const Value &x) { to = to ? to + x : x; };
  // Not one chain, whose products would wait for each other.
  for (size_t i = 0; i < numbers.size(); ++i) {
    auto &[index, part] = numbers[i];
    Value left = inOrder(rows[i].second, columnAxis, order.depth);
    Value right = columnsInOrder(inOrder(part, depthAxis, order.depth));
    add(sum, dot(left, right, none) *
                 std::ldexp(1.0, 24 - int(p.weights.placeInByte(index))));
    // All rows of ones are alike, and one product.
    if (offsets)
      add(total, dot(left, k.constant(1, right.type(), right.shape()), none));
  }
  if (offsets)
    sum = sum - total * columnsInOrder(byParts(offsets));
  return to + sum * columnsInOrder(byParts(weights.loadScales(step)));
}

Value TileSums::sum(const Value &first, const Value &last) {
  Value sum =
      k.forEach(first, last, c.tile[2], {none},
                [&](Value step, const std::vector<Value> &carried) {
                  if (scaling != Scaling::Iterations)
                    return std::vector<Value>{multiply(step, carried[0])};
                  return std::vector<Value>{isInPlace(p, c)
                                                ? addInPlace(step, carried[0])
                                                : addScaled(step, carried[0])};
                })[0];
  unsigned axis = transposed ? 0 : 1;
  if (c.parts > 1)
    sum = k.reduce(sum, 0, Combination::Sum);
  if (scaling == Scaling::Sums)
    sum = sum * inOrder(weights.loadScales(first), axis, order.columns);
  return order.columns.empty()
             ? sum
             : k.reorder(sum, axis, inverseOrder(order.columns));
}

/// The first row and column of this program's tile. Where one has all rows, no
/// division stands before its first load.
static std::pair<Value, Value>
findTile(Reading &k, const QuantizedParameters &p, const Configuration &c) {
  Value program = tileNumber(k, c);
  const Number &m = k.signature().numbers[p.m];
  if (!m.isDynamic && m.integer() <= c.tile[0])
    return {k.integer(0), program * double(c.tile[1])};
  return programTile(program, k.number(p.m), k.number(p.n), c.tile[0],
                     c.tile[1], 8);
}

/// The sum of the tile at `row` and `column`, over that part of k.
static Value sumPart(Reading &k, const QuantizedParameters &p,
                     const Configuration &c, const Value &row,
                     const Value &column, const Value &part) {
  Value first = k.integer(0), last = k.number(p.k);
  if (c.parts > 1)
    last = last / double(c.parts);
  if (c.split > 1)
    std::tie(first, last) = partOf(last, c.tile[2], c.split, part);
  return TileSums(k, p, c, row, column).sum(first, last);
}

/// c = epilogue(a dequantized(words)), or a part of the sum.
static void quantizedMatmul(Reading &k, const QuantizedParameters &p,
                            const Configuration &c) {
  auto [row, column] = findTile(k, p, c);
  auto sum = [&, row = row, column = column](Value part) {
    return sumPart(k, p, c, row, column, part);
  };
  if (c.isClustered) {
    unsigned axis = clusterAxis(c);
    Value own =
        k.reduceScatter(c.split, isTransposed(p, c) ? 1 - axis : axis, sum);
    auto [rows, columns] = clusterPart(k, c, row, column);
    return finish(k, p, c, {rows, columns}, own);
  }
  Value part = k.program(1), total = sum(part);
  Along rows(row, c.tile[0]), columns(column, c.tile[1]);
  if (!p.partial)
    return finish(k, p, c, {rows, columns}, total);
  Tensor partial = k.tensor(*p.partial);
  if (!isTransposed(p, c))
    return k.store(partial, {part, rows, columns}, total);
  std::swap(partial.sizes[1], partial.sizes[2]);
  std::swap(partial.strides[1], partial.strides[2]);
  std::swap(partial.divisibility[1], partial.divisibility[2]);
  k.store(partial, {part, columns, rows}, total);
}

/// c = epilogue(sum of the parts), in their order.
static void addParts(Reading &k, const QuantizedParameters &p,
                     const Configuration &c, int64_t parts) {
  auto [row, column] = programTile(k.program(0), k.number(p.m), k.number(p.n),
                                   c.tile[0], c.tile[1], 1);
  Box box = {{row, c.tile[0]}, {column, c.tile[1]}};
  p.epilogue.store(k, p.c, box,
                   sumOfParts(k, k.tensor(*p.partial), box, parts));
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::vector<Kernel>
QuantizedMatmulProblem::kernels(const Configuration &c) const {
  if (c.isDequantized)
    return dequantizedKernels(c);
  QuantizedParameters p = parameters;
  Signature all = signature;
  int64_t m = value(p.m), n = value(p.n);
  if (c.leavesParts()) {
    unsigned parts =
        all.add({"parts", ElementType::I32, double(c.split), true});
    p.partial = all.addTensor("partial", ElementType::F32, Role::Workspace,
                              {parts, p.m, p.n});
    all.fixStrides();
  }
  Kernel product{"quantized_matmul", all, {}, c.warps, c.stages, {}};
  product.grid = gridOf(c, ceilDivide(m, c.tile[0]) * ceilDivide(n, c.tile[1]));
  product.text = [p, c](Reading &k) { quantizedMatmul(k, p, c); };
  std::vector<Kernel> result = {std::move(product)};
  if (c.leavesParts())
    result.push_back(finishing(c, std::move(all), p));
  return withPrograms(std::move(result));
}

Kernel QuantizedMatmulProblem::finishing(const Configuration &c,
                                         Signature split,
                                         const QuantizedParameters &of) const {
  Configuration smaller = c;
  smaller.tile = {std::min<int64_t>(ceilPowerOfTwo(value(of.m)), 16), 64, 1};
  Kernel kernel{"quantized_matmul_add_parts", std::move(split), {}, 1, 1, {}};
  kernel.grid = {ceilDivide(value(of.m), smaller.tile[0]) *
                 ceilDivide(value(of.n), 64)};
  kernel.warps = smaller.tile[0] < 8 ? 1 : 4;
  kernel.text = [of, smaller, parts = c.split](Reading &k) {
    addParts(k, of, smaller, parts);
  };
  return kernel;
}

/// The product of dequantized weights, which are still to be put into the
/// signature.
DenseProduct QuantizedMatmulProblem::denseProduct() const {
  const QuantizedParameters &p = parameters;
  DenseProduct product;
  product.m = p.m;
  product.n = p.n;
  product.k = p.k;
  product.a = p.a;
  product.c = p.c;
  product.epilogue = p.epilogue;
  return product;
}

/// How a launch cuts up weights that it makes numbers in memory: 64 for a
/// thread, most along the words' dimension, in which they are neighbours there.
static Configuration dequantization(const CodedWeights &weights) {
  Configuration c{{128, 64, 1}, 1, 4, 1};
  if (weights.packed == 1)
    std::swap(c.tile[0], c.tile[1]);
  for (; !weights.fits(c.tile[0], c.tile[1]); c.tile[0] /= 2)
    c.tile[1] *= 2;
  return c;
}

/// Adds the weights as numbers of `type` to a signature. Codes of a word are
/// neighbours, and rows (or columns) of them begin with a line of 128 bytes, so
/// that copies may take whole ones whatever the sizes are.
static unsigned addDequantizedWeights(Signature &to, const CodedWeights &w,
                                      ElementType type) {
  int64_t size = to.numbers[w.packed == 0 ? w.k : w.n].integer();
  int64_t line = 128 / run::byteSize(type);
  int64_t stride = ceilDivide(std::max<int64_t>(size, 1), line) * line;
  std::vector<int64_t> strides = {stride, 1};
  if (w.packed == 0)
    std::swap(strides[0], strides[1]);
  return to.addTensor("dequantized", type, Role::Workspace, {w.k, w.n},
                      std::move(strides));
}

/// Each launch takes no more tensors than it needs, as what it is predicted to
/// take counts them.
std::vector<Kernel>
QuantizedMatmulProblem::dequantizedKernels(const Configuration &c) const {
  CodedWeights weights = parameters.weights;
  DenseProduct product = denseProduct();
  Signature all = signature;
  product.b = addDequantizedWeights(all, weights, parameters.type);
  all.fixStrides();
  unsigned numbers = product.b;
  std::vector<unsigned *> made = weights.tensors();
  made.push_back(&numbers);
  Signature ofWeights = all.withTensors(made);
  std::vector<Kernel> result = {makeDequantization(
      std::move(ofWeights), weights, numbers, dequantization(weights))};
  std::vector<unsigned *> taken = {&product.a, &product.b, &product.c};
  for (std::optional<unsigned> *index :
       {&product.epilogue.bias, &product.epilogue.residual})
    if (*index)
      taken.push_back(&**index);
  Signature ofProduct = all.withTensors(taken);
  for (Kernel &kernel : product.kernels("quantized_matmul", ofProduct, c))
    result.push_back(std::move(kernel));
  return withPrograms(std::move(result));
}

/// The rows of the largest tile whose weights are unpacked where they are
/// multiplied.
static constexpr int64_t mostRows = 256;

std::vector<Configuration> QuantizedMatmulProblem::configurations() const {
  // The smallest depth of matrix instructions, or of words.
  const CodedWeights &w = parameters.weights;
  std::vector<Configuration> result = {
      {{16, w.leastColumns(), w.leastRows(32)}, 1, 1, 1}};
  addFused(result);
  addClustered(result);
  addDequantized(result);
  return result;
}

/// One tile of all rows unpacks each weight once, and so does the launch that
/// dequantizes, beside what goes through memory.
void QuantizedMatmulProblem::addDequantized(
    std::vector<Configuration> &to) const {
  if (value(parameters.m) <= mostRows)
    return;
  DenseProduct product = denseProduct();
  for (Configuration c : product.configurations(signature)) {
    c.isDequantized = true;
    to.push_back(c);
  }
}

/// Rows up to what the problem has; columns and depth, warps by the tile's
/// size, and splits where the tiles are too few for a large GPU.
void QuantizedMatmulProblem::addFused(
    std::vector<Configuration> &result) const {
  int64_t m = value(parameters.m), n = value(parameters.n);
  int64_t k = value(parameters.k);
  int64_t rows = std::max<int64_t>(ceilPowerOfTwo(m), 1);
  for (int64_t tileM = 8; tileM <= mostRows; tileM *= 2)
    for (int64_t tileN : {16, 32, 64, 128, 256})
      for (int64_t tileK : {16, 32, 64, 128, 256}) {
        int64_t area = tileM * tileN;
        bool isSmall = tileM < 16;
        if (isSmall ? m > tileM : tileM < std::min<int64_t>(rows, 32))
          continue;
        if ((tileM > 16 && tileM >= 2 * m) || (tileN > 16 && tileN >= 2 * n) ||
            (tileK > 32 && tileK >= 2 * k) || area > 128 * 256 ||
            !parameters.weights.fits(tileK, tileN) ||
            (tileK == 16 && parameters.weights.leastRows(32) > 16))
          continue;
        for (unsigned warps : {1, 2, 4, 8}) {
          // From 4 or 8 to 128 sums in a thread, and at most 128 weights, or
          // 256 of 8 or 16 rows.
          if (area < (isSmall ? 128 : 256) * warps || area > 128 * 32 * warps ||
              tileN * tileK > (tileM <= 16 ? 256 : 128) * 32 * int64_t(warps))
            continue;
          int64_t tiles = ceilDivide(m, tileM) * ceilDivide(n, tileN);
          for (int64_t split : {1, 2, 4, 8, 16, 32}) {
            if (split > 1 && (tiles * split > 1024 || k < tileK * 2 * split))
              break;
            for (unsigned stages : {2, 3, 4, 6}) {
              result.push_back({{tileM, tileN, tileK}, split, warps, stages});
              if (tileM <= fewRows(parameters.weights))
                addParted(result, result.back(), k,
                          parameters.weights.mostParts(k), /*mostParts=*/8);
            }
          }
        }
      }
}

bool QuantizedMatmulProblem::recompute(NamedArrays &tensors) const {
  const QuantizedParameters &p = parameters;
  WeightFormula weights(signature, p.weights, tensors);
  Elements a(signature, p.a, tensors), c(signature, p.c, tensors);
  int64_t k = value(p.k);
  std::vector<double> column(k);
  for (int64_t y = 0; y < value(p.n); ++y) {
    for (int64_t z = 0; z < k; ++z)
      column[z] = weights.at(0, z, y);
    for (int64_t x = 0; x < value(p.m); ++x) {
      double sum = 0;
      for (int64_t z = 0; z < k; ++z)
        sum += a.at({x, z}) * column[z];
      c.at({x, y}) =
          overflown(finished(sum, p.epilogue, signature, tensors, x, y),
                    signature.tensors[p.c].type);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

/// All but the rows of a.
static std::vector<unsigned> modelSizes(const Signature &s, unsigned m) {
  std::vector<unsigned> result;
  for (const TensorParameter &tensor : s.tensors)
    for (unsigned size : tensor.sizes)
      if (size != m)
        result.push_back(size);
  return result;
}

static Result<std::unique_ptr<Problem>> makeProblem(const Options &options) {
  Signature s;
  QuantizedParameters p;
  p.m = s.add(options.sizeNumber("m"));
  p.n = s.add(options.sizeNumber("n"));
  p.k = s.add(options.sizeNumber("k"));
  Result<void> problem = runtime::success();
  auto add = [&](const char *name, ElementType type, Role role,
                 std::vector<unsigned> dimensions) {
    return addTensor(options, s, name, type, role, std::move(dimensions),
                     problem);
  };
  ElementType type = options.type("type");
  ElementType out =
      options.choice("out") == "same" ? type : options.type("out");
  p.type = type;
  p.a = add("a", type, Role::Input, {p.m, p.k});
  Result<CodedWeights> weights = CodedWeights::read(options, s, p.k, p.n);
  if (!weights)
    return weights.takeError();
  p.weights = *weights;
  p.c = add("c", out, Role::Output, {p.m, p.n});
  if (options.choice("bias") != "no")
    p.epilogue.bias = add("bias", options.type("bias"), Role::Input, {p.n});
  if (options.flag("residual"))
    p.epilogue.residual = add("residual", out, Role::Input, {p.m, p.n});
  if (!problem)
    return problem.takeError();
  p.epilogue.activation = activationFromName(options.choice("activation"));
  // A model keeps its weights: sizes and strides that are known take no
  // registers, and bulk copies may bring to threads what they read.
  s.fix(modelSizes(s, p.m));
  return std::unique_ptr<Problem>(new QuantizedMatmulProblem(std::move(s), p));
}

Operator kernels::makeQuantizedMatmul() {
  using Kind = OperatorOption::Kind;
  Operator made = {
      "quantized_matmul",
      "Product with weights of 2, 4 or 8 bits",
      "c[x, y] = activation(sum over z of a[x, z] * w[z, y] + bias[y]) + "
      "residual[x, y]\n"
      "w[z, y] = (value of the code at (z, y) - zeros[z / group, y]) * "
      "scales[z / group, y],\n            rounded to a's type, or before "
      "the scale is multiplied\n"
      "a: m x k; words: codes packed along k or n, in the dimensions' order k, "
      "n;\nscales and zeros: groups x n; book: what codes stand for; c and "
      "residual: m x n;\nbias: n. Strides in any order; 0 repeats a dimension "
      "of an input. Sums are in\nf32. Codes beyond k are to stand for finite "
      "numbers.",
      {{"m", Kind::Size, "", "rows of a and c"},
       {"n", Kind::Size, "", "columns of w and c"},
       {"k", Kind::Size, "", "columns of a, rows of w"},
       {"type", Kind::Choice, "f16", "of a", {"f16", "bf16"}},
       {"out",
        Kind::Choice,
        "same",
        "type of c",
        {"same", "f16", "bf16", "f32"}},
       {"bias",
        Kind::Choice,
        "no",
        "type of a row to add",
        {"no", "f16", "bf16", "f32"}},
       {"activation", Kind::Choice, "none", "what each element goes through",
        activationNames()},
       {"residual",
        Kind::Choice,
        "no",
        "whether to add a tensor of c's shape and type",
        {"no", "yes"}}},
      {{"a", {"m", "k"}}},
      makeProblem};
  for (OperatorOption &option : codedWeightOptions(/*mayBePrepacked=*/true))
    made.options.push_back(std::move(option));
  for (OperatorTensor &tensor : codedWeightTensors())
    made.tensors.push_back(std::move(tensor));
  made.tensors.push_back({"c", {"m", "n"}});
  made.tensors.push_back({"bias", {"n"}});
  made.tensors.push_back({"residual", {"m", "n"}});
  return made;
}
