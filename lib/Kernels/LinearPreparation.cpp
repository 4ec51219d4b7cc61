// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch that makes what is made of each chunk's tokens alone, by programs
// of one chunk and value head.

#include "lib/Kernels/LinearChunks.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// Some channels at a time
//===----------------------------------------------------------------------===//

/// Over all channels, `few` at a time; what meets the state is stored on the
/// way, and what W is made of in its place. Where they are all at once that is
/// left in `inner`.
static std::vector<Value> addAllProducts(const Part &part, const Along &rows,
                                         int64_t few, Operand &inner) {
  const Parameters &p = part.p;
  auto add = [&](const Along &channels, const std::vector<Value> &sums) {
    Chunk chunk(part, rows, channels);
    if (few < p.dimTile)
      return chunk.addProducts(sums, [&](const Prepared &made) {
        Prepared operands = made;
        operands.stateWeights = made.inner.tile;
        store(part, rows, channels, operands);
      });
    Prepared operands;
    std::vector<Value> results = chunk.addProducts(sums, operands);
    inner = operands.inner;
    store(part, rows, channels, operands);
    return results;
  };
  std::vector<Value> none = noProducts(part, rows.size);
  if (few == p.dimTile)
    return add(part.whole(), none);
  return part.k.forEach(part.k.integer(0), part.k.number(p.dim), few, none,
                        [&](Value first, const std::vector<Value> &sums) {
                          return add({first, few}, sums);
                        });
}

/// Stores W, whose place has what it is made of, unless that is given.
static void storeStateWeights(const Part &part, const Along &rows, int64_t few,
                              const Value &innerWeights, const Operand &inner) {
  const Parameters &p = part.p;
  auto storeOf = [&](const Along &channels, const Operand &made) {
    part.storePrepared(*p.stateWeights, rows, channels,
                       makeStateWeights(part, innerWeights, made));
  };
  if (few == p.dimTile)
    return storeOf(part.whole(), inner);
  part.k.forEach(
      part.k.integer(0), part.k.number(p.dim), few, {},
      [&](Value first, const std::vector<Value> &) {
        Along channels(first, few);
        storeOf(channels,
                {part.loadPrepared(*p.stateWeights, rows, channels), {}});
        return std::vector<Value>{};
      });
}

//===----------------------------------------------------------------------===//
// By blocks of rows
//===----------------------------------------------------------------------===//

/// Stores P or N of a block of rows with the block `column` of the chunk.
static void storePair(const Part &part, unsigned workspace, const Chunk &block,
                      size_t column, const Value &pair) {
  int64_t size = block.rows().size;
  part.storePrepared(workspace, block.rows(),
                     {part.k.integer(column * size), size}, pair);
}

/// N of the block of rows below those in `above`, which it is stored beside, as
/// P is: N of the block itself, and left of it
///   N_ij = -N_ii sum_k L_ik N_kj.
static std::vector<Value>
prepareBlock(const Part &part, const std::vector<Chunk> &blocks,
             const std::vector<std::vector<Value>> &above) {
  const Parameters &p = part.p;
  const Chunk &block = blocks[above.size()];
  std::vector<Value> none = noProducts(part, block.rows().size);
  std::vector<Value> sums(above.size(), none[0]), weights;
  for (size_t k = 0; k < above.size(); ++k) {
    std::vector<Value> products = block.productsWith(blocks[k], none);
    storePair(part, *p.scores, block, k, products[0]);
    for (size_t j = 0; j <= k; ++j)
      sums[j] = part.k.dot(products[1], above[k][j], sums[j],
                           precisionOfDecayed(part));
  }
  Prepared own;
  finishPairs(part, block.rows(), block.productsWith(block, none), own);
  for (const Value &sum : sums)
    weights.push_back(
        -part.k.dot(own.valueWeights, sum, none[0], precisionOfDecayed(part)));
  weights.push_back(own.valueWeights);
  storePair(part, *p.scores, block, above.size(), own.scores);
  for (size_t j = 0; j < weights.size(); ++j)
    storePair(part, *p.valueWeights, block, j, weights[j]);
  for (size_t j = weights.size(); j < blocks.size(); ++j)
    for (unsigned workspace : {*p.valueWeights, *p.scores})
      storePair(part, workspace, block, j, none[0]);
  return weights;
}

/// What a rule that corrects has of a chunk whose channels have no decays of
/// their own, by blocks of `size` rows. Beyond what a warp has room for, blocks
/// cost less than more warps, which would meet at barriers all the way.
static void prepareBlocks(const Part &part, const Along &rows, int64_t size) {
  std::vector<Chunk> blocks;
  Value decay;
  for (int64_t begin = 0; begin < rows.size; begin += size) {
    blocks.emplace_back(part, Along(rows.start + double(begin), size),
                        part.whole(), decay);
    decay = blocks.back().decayUntilEnd();
  }
  std::vector<std::vector<Value>> weights;
  for (const Chunk &block : blocks) {
    weights.push_back(prepareBlock(part, blocks, weights));
    Prepared operands;
    block.makeOperands(operands, decay);
    store(part, block.rows(), part.whole(), operands);
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void linear::prepareChunks(Reading &k, const Parameters &p,
                           const Configuration &c, const Preparation &by) {
  Value program = k.program(0), heads = k.number(p.valueHeads);
  Value place = program / heads, head = program % heads;
  auto prepare = [&](const Value &sequence, const Value &chunk) {
    Part part(k, p, sequence, head);
    Along rows(chunk * double(c.tile[0]), c.tile[0]);
    if (by.rows < c.tile[0])
      return prepareBlocks(part, rows, by.rows);
    Operand inner;
    std::vector<Value> products =
        addAllProducts(part, rows, by.channels, inner);
    Prepared prepared;
    finishPairs(part, rows, std::move(products), prepared);
    store(part, rows, part.whole(), prepared);
    if (prepared.innerWeights)
      storeStateWeights(part, rows, by.channels, prepared.innerWeights, inner);
  };
  if (!p.sequences) {
    Value chunks = tilesOf(k.number(p.tokens), c.tile[0]);
    return prepare(place / chunks, place % chunks);
  }
  // There are programs for as many chunks as there can be.
  PackedPlace found = findPacked(k, k.tensor(*p.offsets), *p.sequences, place,
                                 c.tile[0], p.updates);
  k.when(found.sequence < double(*p.sequences),
         [&] { prepare(found.sequence, found.tile); });
}
