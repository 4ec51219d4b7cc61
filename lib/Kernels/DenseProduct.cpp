// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/DenseProduct.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;

static ElementType sumType(ElementType operand) {
  return operand == ElementType::I8 ? ElementType::I32 : ElementType::F32;
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

namespace {

/// One launch of a product: what a program of it computes.
class ProductText {
public:
  /// `partial`: sums of the parts of a split one. `isSingle`: of no batch, or
  /// of one product always.
  ProductText(const DenseProduct &product, const Configuration &c,
              std::optional<unsigned> partial, bool isSingle)
      : p(product), c(c), partial(partial), isSingle(isSingle) {}

  /// c = epilogue(a b), or a part of the sum.
  void multiply(Reading &k) const;
  /// c = epilogue(sum of the parts), in their order.
  void addParts(Reading &k, int64_t parts) const;

private:
  struct Place {
    Value batch, row, column;
  };
  Place findTile(Reading &k, int64_t group) const;
  /// A box of that product of the batch.
  Box boxOf(const Place &place, Along rows, Along columns) const {
    Box box = {std::move(rows), std::move(columns)};
    if (p.batch)
      box.insert(box.begin(), place.batch);
    return box;
  }
  Box resultBox(const Place &place) const {
    return boxOf(place, {place.row, c.tile[0]}, {place.column, c.tile[1]});
  }
  Value sum(Reading &k, const Place &place, const Value &part) const;

  DenseProduct p;
  Configuration c;
  std::optional<unsigned> partial;
  bool isSingle;
};

} // namespace

/// The tile of this program, and which of the batch's products it is of.
ProductText::Place ProductText::findTile(Reading &k, int64_t group) const {
  Place place;
  Value program = tileNumber(k, c);
  place.batch = k.integer(0);
  if (!isSingle) {
    Value tiles =
        tilesOf(k.number(p.m), c.tile[0]) * tilesOf(k.number(p.n), c.tile[1]);
    place.batch = program / tiles;
    program = program % tiles;
  }
  std::tie(place.row, place.column) = programTile(
      program, k.number(p.m), k.number(p.n), c.tile[0], c.tile[1], group);
  return place;
}

/// Of the tile at `place`, over that part of k.
Value ProductText::sum(Reading &k, const Place &place,
                       const Value &part) const {
  Tensor a = k.tensor(p.a), b = k.tensor(p.b);
  Value first = k.integer(0), last = k.number(p.k);
  Shape shape = {c.tile[0], c.tile[1]};
  if (c.parts > 1) {
    unsigned rows = p.batch ? 1 : 0;
    a = a.parted(rows + 1, c.parts);
    b = b.parted(rows, c.parts);
    last = last / double(c.parts);
    shape.insert(shape.begin(), c.parts);
  }
  if (c.split > 1)
    std::tie(first, last) = partOf(last, c.tile[2], c.split, part);
  Value zeros = k.constant(0, sumType(a.type), shape);
  Value sum = k.forEach(
      first, last, c.tile[2], {zeros},
      [&](Value step, const std::vector<Value> &carried) {
        Along depth(step, c.tile[2]);
        Box left = boxOf(place, {place.row, c.tile[0]}, depth);
        Box right = boxOf(place, depth, {place.column, c.tile[1]});
        if (c.parts > 1)
          for (Box *box : {&left, &right})
            box->insert(box->begin(), Along(k.integer(0), c.parts));
        return std::vector<Value>{
            k.dot(k.load(a, left), k.load(b, right), carried[0], p.precision)};
      })[0];
  return c.parts > 1 ? k.reduce(sum, 0, Combination::Sum) : sum;
}

void ProductText::multiply(Reading &k) const {
  Place place = findTile(k, 8);
  if (c.isClustered) {
    Value own = k.reduceScatter(c.split, clusterAxis(c), [&](Value part) {
      return sum(k, place, part);
    });
    auto [rows, columns] = clusterPart(k, c, place.row, place.column);
    return p.epilogue.store(k, p.c, boxOf(place, rows, columns), own);
  }
  Value part = k.program(1);
  Value total = sum(k, place, part);
  Box box = resultBox(place);
  if (!partial)
    return p.epilogue.store(k, p.c, box, total);
  box.insert(box.begin(), Along(part));
  k.store(k.tensor(*partial), box, total);
}

void ProductText::addParts(Reading &k, int64_t parts) const {
  Box box = resultBox(findTile(k, 1));
  p.epilogue.store(k, p.c, box, sumOfParts(k, k.tensor(*partial), box, parts));
}

//===----------------------------------------------------------------------===//
// The launches
//===----------------------------------------------------------------------===//

static int64_t batchesOf(const DenseProduct &p, const Signature &signature) {
  return p.batch ? signature.numbers[*p.batch].integer() : 1;
}

std::vector<Kernel> DenseProduct::kernels(const std::string &name,
                                          const Signature &signature,
                                          const Configuration &c) const {
  Signature all = signature;
  auto value = [&](unsigned number) { return all.numbers[number].integer(); };
  int64_t batches = batchesOf(*this, all), rows = value(m), columns = value(n);
  bool isSingle = !batch || (all.numbers[*batch].isConstant() && batches == 1);
  std::optional<unsigned> partial;
  if (c.leavesParts()) {
    unsigned parts =
        all.add({"parts", ElementType::I32, double(c.split), true});
    std::vector<unsigned> sizes = {parts, m, n};
    if (batch)
      sizes.insert(sizes.begin() + 1, *batch);
    partial = all.addTensor("partial", sumType(all.tensors[a].type),
                            Role::Workspace, std::move(sizes));
  }
  auto tiles = [&](int64_t tileM, int64_t tileN) {
    return ceilDivide(rows, tileM) * ceilDivide(columns, tileN) * batches;
  };
  std::vector<Kernel> result;
  Kernel product{name, all, {}, c.warps, c.stages, {}};
  product.grid = gridOf(c, tiles(c.tile[0], c.tile[1]));
  product.text = [text = ProductText(*this, c, partial, isSingle)](Reading &k) {
    text.multiply(k);
  };
  result.push_back(std::move(product));
  if (c.leavesParts()) {
    Configuration smaller = c;
    smaller.tile = {16, 64, 1};
    Kernel adding{name + "_add_parts", std::move(all), {}, 4, 1, {}};
    adding.grid = {tiles(16, 64)};
    adding.text = [text = ProductText(*this, smaller, partial, isSingle),
                   parts = c.split](Reading &k) { text.addParts(k, parts); };
    result.push_back(std::move(adding));
  }
  return withPrograms(std::move(result));
}

/// Tiles from the smallest up to what the result fills, warps by their size,
/// and splits where the tiles are too few for a large GPU.
std::vector<Configuration>
DenseProduct::configurations(const Signature &signature) const {
  auto value = [&](unsigned number) {
    return signature.numbers[number].integer();
  };
  int64_t rows = value(m), columns = value(n), depth = value(k);
  int64_t batches = batchesOf(*this, signature);
  int64_t bytes = run::byteSize(signature.tensors[a].type);
  bool isFull = precision == Precision::Full && bytes == 4;
  std::vector<Configuration> result = {{{16, 16, 32}, 1, 1, 1}};
  auto fits = [](int64_t tile, int64_t size) {
    return tile == 16 || tile < 2 * size;
  };
  for (int64_t tileM : {16, 32, 64, 128, 256})
    for (int64_t tileN : {16, 32, 64, 128, 256})
      for (int64_t tileK : {32, 64, 128}) {
        int64_t area = tileM * tileN;
        if (!fits(tileM, rows) || !fits(tileN, columns) || area > 128 * 256 ||
            tileK * bytes > 256 || tileK * bytes < 64 ||
            (tileK > 32 && tileK >= 2 * depth) || (isFull && tileK > 32))
          continue;
        for (unsigned warps : {1, 2, 4, 8}) {
          // From 8 to 128 sums in a thread; from 16 on where warp groups may
          // multiply, as fewer columns of each are copied in narrow atoms.
          if (area < (tileM < 64 ? 256 : 512) * warps ||
              area > 128 * 32 * warps)
            continue;
          int64_t tiles =
              ceilDivide(rows, tileM) * ceilDivide(columns, tileN) * batches;
          for (int64_t split : {1, 2, 4, 8, 16}) {
            if (split > 1 &&
                (tiles * split > 1024 || depth < tileK * 4 * split))
              break;
            for (unsigned stages : {2, 3, 4, 6, 8}) {
              result.push_back({{tileM, tileN, tileK}, split, warps, stages});
              if (tileM <= 32)
                addParted(result, result.back(), depth,
                          signature.numbers[k].divisibility(), /*mostParts=*/4);
            }
          }
        }
      }
  addClustered(result);
  return result;
}
