// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax attention, forward: each program has a tile of queries and goes over
// the keys that these see, with an online softmax; or over a part of them,
// where the queries alone cannot fill a GPU, and a second launch joins the
// parts.

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/Pieces.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// Which keys a query sees: all, or up to itself, where the first query stands
/// at the first key or the last one at the last.
enum class Causal : uint8_t { No, TopLeft, BottomRight };

/// Where in the signature things are, and what is written into the kernel.
struct AttentionParameters {
  unsigned batch, heads, kvHeads, queries, keys, dim, valueDim;
  unsigned q, k, v, out, scale;
  std::optional<unsigned> bias, slopes, lse, lengths, queryOffsets, keyOffsets,
      pages;
  /// Of a split: results of each part, and the logarithms of their sums.
  std::optional<unsigned> parts, partSums;
  Causal causal = Causal::No;
  int64_t window = 0, pageSize = 0, group = 1;
  /// Sequences that are packed one behind the other, where they are.
  std::optional<int64_t> sequences;
  double softCap = 0;
  /// Whether the scale is above 0.
  bool scalesUp = true;
  Precision precision = Precision::Full;
  /// One query: the rows of a tile are the heads that share a key's head.
  bool rowsAreHeads = false;
  /// Heads whose tiles of one place come one after the other.
  int64_t section = 1;

  bool masksBeyondEnd() const { return causal != Causal::No || window > 0; }
};

class AttentionProblem : public Problem {
public:
  AttentionProblem(Signature signature, AttentionParameters parameters)
      : signature(std::move(signature)), p(parameters) {}
  std::vector<Configuration> configurations() const override;
  std::vector<Kernel> kernels(const Configuration &c) const override;

private:
  int64_t value(unsigned number) const {
    return signature.numbers[number].integer();
  }
  int64_t rows() const { return p.rowsAreHeads ? p.group : value(p.queries); }
  /// Programs of one tile row for all heads and batches.
  int64_t columns() const {
    int64_t batches = p.sequences.value_or(value(p.batch));
    return batches * value(p.rowsAreHeads ? p.kvHeads : p.heads);
  }

  Signature signature;
  AttentionParameters p;
};

} // namespace

/// How many heads have their longest tiles of a causal attention begun before
/// shorter ones: with one at a time the last head's longest tile begins when
/// little else is left, a sixth of the time of 4096 tokens in tiles of 128 on
/// an H200. As many as have their keys and values in its L2, beside other
/// things.
static int64_t countSection(int64_t bytesOfHead) {
  constexpr int64_t most = 8, cachedBytes = int64_t(32) << 20;
  int64_t section = most;
  while (section > 1 && section * bytesOfHead > cachedBytes)
    section /= 2;
  return section;
}

/// The tile of a dimension that is not cut.
static int64_t wholeTile(int64_t size) {
  return std::max<int64_t>(ceilPowerOfTwo(size), 16);
}

//===----------------------------------------------------------------------===//
// A program's queries
//===----------------------------------------------------------------------===//

namespace {

/// The rows of a program's tile, in all tensors that have them.
class QueryTile {
public:
  QueryTile(Reading &k, const AttentionParameters &p, const Configuration &c);

  /// A tensor of batch x heads x queries [x last], and the box of the rows.
  Tensor rowsOf(unsigned index) const;
  Box box(std::optional<Along> last = std::nullopt) const;
  /// The same of a workspace of parts x batch x heads x queries [x last].
  Tensor partsOf(unsigned index) const;
  Box partBox(const Value &part,
              std::optional<Along> last = std::nullopt) const;
  /// The query of each row: tileM.
  Value query() const;
  Value slope(const AttentionParameters &p) const;

  Reading &k;
  const AttentionParameters &p;
  int64_t tileM;
  Value first; ///< row
  Value head;  ///< of queries, or the first of the group
  Value kvHead;
  Value batch;                ///< in tensors, and of lengths
  Value sequence;             ///< where they are packed
  Value queries, keys;        ///< how many there are
  Value queryBegin, keyBegin; ///< where packed ones begin
};

} // namespace

QueryTile::QueryTile(Reading &k, const AttentionParameters &p,
                     const Configuration &c)
    : k(k), p(p), tileM(c.tile[0]) {
  Value rows = p.rowsAreHeads ? k.integer(p.group) : k.number(p.queries);
  Value heads = k.number(p.rowsAreHeads ? p.kvHeads : p.heads);
  Value tiles = tilesOf(rows, tileM), program = k.program(0);
  Value tile = program % tiles, rest = program / tiles;
  if (p.section > 1) {
    Value batches = p.sequences ? k.integer(*p.sequences) : k.number(p.batch);
    Value programs = tiles * double(p.section), inside = program % programs;
    Value begin = program / programs * double(p.section);
    Value width = minimum(heads * batches - begin, k.integer(p.section));
    tile = inside / width;
    rest = begin + inside % width;
  }
  // The last tiles, which see most where attention is causal, come first.
  first = (tiles - 1.0 - tile) * double(tileM);
  head = rest % heads;
  batch = rest / heads;
  kvHead = p.rowsAreHeads ? head : head / double(p.group);
  if (p.rowsAreHeads)
    head = head * double(p.group);
  queries = k.number(p.queries);
  keys = k.number(p.keys);
  if (p.lengths)
    keys = k.load(k.tensor(*p.lengths), {batch}).to(ElementType::I32);
  if (!p.sequences)
    return;
  sequence = batch;
  batch = k.integer(0);
  auto bounds = [&](unsigned offsets, Value &begin, Value &length) {
    Tensor tensor = k.tensor(offsets);
    begin = k.load(tensor, {sequence}).to(ElementType::I32);
    length = k.load(tensor, {sequence + 1.0}).to(ElementType::I32) - begin;
  };
  bounds(*p.queryOffsets, queryBegin, queries);
  bounds(*p.keyOffsets, keyBegin, keys);
}

Tensor QueryTile::rowsOf(unsigned index) const {
  Tensor tensor = k.tensor(index);
  if (p.rowsAreHeads)
    return tensor.slice(1, head, k.integer(p.group), p.group & -p.group);
  return p.sequences ? tensor.slice(2, queryBegin, queries) : tensor;
}

Box QueryTile::box(std::optional<Along> last) const {
  Along rows(first, tileM);
  Box box =
      p.rowsAreHeads ? Box{batch, rows, k.integer(0)} : Box{batch, head, rows};
  if (last)
    box.push_back(*last);
  return box;
}

Tensor QueryTile::partsOf(unsigned index) const {
  Tensor tensor = k.tensor(index);
  return p.rowsAreHeads
             ? tensor.slice(2, head, k.integer(p.group), p.group & -p.group)
             : tensor;
}

Box QueryTile::partBox(const Value &part, std::optional<Along> last) const {
  Box rows = box(last);
  rows.insert(rows.begin(), Along(part));
  return rows;
}

Value QueryTile::query() const {
  return p.rowsAreHeads ? k.integer(0) : first + k.range(tileM);
}

/// What a key's distance is multiplied by, for each row: tileM x 1, or one for
/// all.
Value QueryTile::slope(const AttentionParameters &p) const {
  Tensor slopes = k.tensor(*p.slopes);
  if (!p.rowsAreHeads)
    return k.load(slopes, {head});
  return k
      .load(slopes.slice(0, head, k.integer(p.group), p.group & -p.group),
            {{first, tileM}})
      .expand(1);
}

//===----------------------------------------------------------------------===//
// The keys that they see
//===----------------------------------------------------------------------===//

namespace {

/// Keys [begin, end), of which all rows see those before `open`, a multiple of
/// the tile's.
struct KeyRange {
  Value begin, open, end;
  /// How far queries stand behind keys.
  Value shift;
};

} // namespace

static KeyRange findKeys(const QueryTile &rows, const AttentionParameters &p,
                         const Configuration &c) {
  Reading &k = rows.k;
  double tileN = double(c.tile[1]);
  Value zero = k.integer(0);
  KeyRange range{zero, rows.keys / tileN * tileN, rows.keys, zero};
  if (p.causal == Causal::BottomRight)
    range.shift = rows.keys - rows.queries;
  Value place = range.shift + (p.rowsAreHeads ? zero : rows.first);
  if (p.causal != Causal::No) {
    double count = p.rowsAreHeads ? 1 : double(c.tile[0]);
    range.end = minimum(range.end, place + count);
    range.open = minimum(range.open, (place + 1.0) / tileN * tileN);
  }
  if (p.window) {
    range.begin = maximum(place - double(p.window - 1), zero) / tileN * tileN;
    range.open = zero;
  }
  if (c.split > 1) {
    Value part = k.program(1);
    Value size = tilesOf(tilesOf(rows.keys, c.tile[1]), c.split) * tileN;
    range.begin = maximum(range.begin, part * size);
    range.end = minimum(range.end, part * size + size);
  }
  range.open = maximum(range.begin, minimum(range.open, range.end));
  return range;
}

namespace {

/// Keys, or values.
class KeyTiles {
public:
  KeyTiles(const QueryTile &rows, unsigned index, int64_t tileN, int64_t last)
      : rows(rows), tensor(rows.k.tensor(index)), tileN(tileN), last(last) {
    if (rows.p.sequences)
      tensor = tensor.slice(2, rows.keyBegin, rows.keys);
  }

  /// From `start` on: tileN x the whole of the last dimension. `isInside`: all
  /// of them are there.
  Value load(const Value &start, bool isInside) const {
    Reading &k = rows.k;
    Along whole(k.integer(0), last);
    if (rows.p.pageSize)
      return k.load(tensor, {page(start),
                             rows.kvHead,
                             {start % double(rows.p.pageSize), tileN},
                             whole});
    Tensor part = tensor;
    if (isInside)
      part.divisibility[2] = tileN;
    return k.load(part, {rows.batch, rows.kvHead, {start, tileN}, whole});
  }

private:
  Value page(const Value &start) const {
    Reading &k = rows.k;
    return k
        .load(k.tensor(*rows.p.pages),
              {rows.batch, start / double(rows.p.pageSize)})
        .to(ElementType::I32);
  }

  const QueryTile &rows;
  Tensor tensor;
  int64_t tileN, last;
};

} // namespace

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Minus infinity where a row does not see a key.
static Value maskScores(const QueryTile &rows, const AttentionParameters &p,
                        const KeyRange &range, const Value &start,
                        int64_t tileN, const Value &scores) {
  Reading &k = rows.k;
  Value key = (start + k.range(tileN)).expand(0);
  Value sees = key < range.end;
  Value query = rows.query() + range.shift;
  query = p.rowsAreHeads ? query : query.expand(1);
  if (p.causal != Causal::No)
    sees = sees & (key <= query);
  if (p.window)
    sees = sees & (query - double(p.window) < key);
  return select(sees, scores, -INFINITY);
}

/// Whether nothing but the scale is applied to q k, which the softmax can do.
static bool isPlain(const AttentionParameters &p) {
  return !p.softCap && !p.bias && !p.slopes && p.scalesUp;
}

/// What scores are multiplied by for the softmax in powers of 2.
static Value factorOf(Reading &k, const AttentionParameters &p) {
  return isPlain(p) ? k.number(p.scale) * log2e
                    : k.constant(1, ElementType::F32);
}

/// (scale q k + bias) log2 e, or q k where it is plain: tileM x tileN.
static Value score(const QueryTile &rows, const AttentionParameters &p,
                   const KeyRange &range, const Value &start, const Value &q,
                   const Value &keys) {
  Reading &k = rows.k;
  int64_t tileN = keys.shape()[0];
  Value zeros = k.constant(0, ElementType::F32, {rows.tileM, tileN});
  Value products = k.dot(q, keys.transpose(), zeros, p.precision);
  if (isPlain(p))
    return products;
  Value x =
      products * (k.number(p.scale) * (p.softCap ? 1 / p.softCap : log2e));
  if (p.softCap)
    x = hyperbolicTangent(x) * (p.softCap * log2e);
  if (p.bias)
    x = x + k.load(rows.rowsOf(*p.bias), rows.box(Along(start, tileN)))
                    .to(ElementType::F32) *
                log2e;
  if (p.slopes) {
    Value query = rows.query() + range.shift;
    Value distance = (start + k.range(tileN)).expand(0) -
                     (p.rowsAreHeads ? query : query.expand(1));
    x = x + distance.to(ElementType::F32) * (rows.slope(p) * log2e);
  }
  return x;
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// Sums over keys, and the softmax' state behind them.
struct Attended {
  Value sum;
  OnlineSoftmax softmax;
};

static Attended attend(const QueryTile &rows, const AttentionParameters &p,
                       const Configuration &c, int64_t dim, int64_t valueDim) {
  Reading &k = rows.k;
  int64_t tileN = c.tile[1], lastK = wholeTile(dim),
          lastV = wholeTile(valueDim);
  KeyRange range = findKeys(rows, p, c);
  Value q = k.load(rows.rowsOf(p.q), rows.box(Along(k.integer(0), lastK)));
  Value factor = factorOf(k, p);
  KeyTiles keys(rows, p.k, tileN, lastK), values(rows, p.v, tileN, lastV);
  auto over = [&](bool isOpen) {
    return [&, isOpen](Value start, const std::vector<Value> &carried) {
      Value x = score(rows, p, range, start, q, keys.load(start, isOpen));
      if (!isOpen)
        x = maskScores(rows, p, range, start, tileN, x);
      OnlineSoftmax softmax = OnlineSoftmax{carried[0], carried[1], {}, {}}.add(
          x, factor, !isOpen || p.bias);
      Value tile = values.load(start, isOpen);
      Value sum = k.dot(softmax.weights.to(tile.type()), tile,
                        carried[2] * softmax.correction.expand(1), p.precision);
      return std::vector<Value>{softmax.largest, softmax.sum, sum};
    };
  };
  OnlineSoftmax begin = OnlineSoftmax::begin(k, rows.tileM);
  std::vector<Value> state = {
      begin.largest, begin.sum,
      k.constant(0, ElementType::F32, {rows.tileM, lastV})};
  bool isEven = !p.lengths && !p.sequences &&
                !k.tensor(p.k).mayExceed(2, tileN) && !p.pageSize;
  if (!p.window)
    state = k.forEach(range.begin, range.open, tileN, state, over(true));
  if (p.masksBeyondEnd() || !isEven)
    state = k.forEach(range.open, range.end, tileN, state, over(false));
  // In units of the powers.
  return {state[2], {state[0] * factor, state[1], {}, {}}};
}

/// The results of rows, and the logarithms of their sums.
static void storeRows(const QueryTile &rows, const AttentionParameters &p,
                      int64_t valueDim, const Attended &attended) {
  Reading &k = rows.k;
  Value sum = attended.softmax.sum;
  // Rows that see nothing are 0.
  Value divisor =
      select(sum == 0.0, k.constant(1, sum.type(), sum.shape()), sum);
  Value result = attended.sum / divisor.expand(1);
  Along whole(k.integer(0), wholeTile(valueDim));
  Value logarithm =
      select(sum == 0.0, k.constant(-INFINITY, sum.type(), sum.shape()),
             attended.softmax.largest + log2(divisor));
  if (p.parts) {
    k.store(rows.partsOf(*p.parts), rows.partBox(k.program(1), whole), result);
    return k.store(rows.partsOf(*p.partSums), rows.partBox(k.program(1)),
                   logarithm);
  }
  Tensor out = rows.rowsOf(p.out);
  k.store(out, rows.box(whole), toStored(result, out.type));
  if (p.lse)
    k.store(rows.rowsOf(*p.lse), rows.box(), logarithm * (1 / log2e));
}

static void attention(Reading &k, const AttentionParameters &p,
                      const Configuration &c, int64_t dim, int64_t valueDim) {
  QueryTile rows(k, p, c);
  auto compute = [&] {
    storeRows(rows, p, valueDim, attend(rows, p, c, dim, valueDim));
  };
  if (p.sequences)
    k.when(rows.first < rows.queries, compute);
  else
    compute();
}

/// Joins the parts of a split.
static void joinParts(Reading &k, AttentionParameters p, const Configuration &c,
                      int64_t valueDim) {
  unsigned parts = *p.parts, partSums = *p.partSums;
  p.parts = p.partSums = std::nullopt;
  QueryTile rows(k, p, c);
  int64_t last = wholeTile(valueDim);
  Along whole(k.integer(0), last);
  Value one = k.constant(1, ElementType::F32);
  OnlineSoftmax begin = OnlineSoftmax::begin(k, rows.tileM);
  std::vector<Value> state = k.forEach(
      k.integer(0), k.integer(c.split), 1,
      {begin.largest, begin.sum,
       k.constant(0, ElementType::F32, {rows.tileM, last})},
      [&](Value part, const std::vector<Value> &carried) {
        Value logarithm = k.load(rows.partsOf(partSums), rows.partBox(part));
        OnlineSoftmax softmax =
            OnlineSoftmax{carried[0], carried[1], {}, {}}.add(
                logarithm.expand(1), one, true);
        Value sum = carried[2] * softmax.correction.expand(1) +
                    k.load(rows.partsOf(parts), rows.partBox(part, whole)) *
                        softmax.weights;
        return std::vector<Value>{softmax.largest, softmax.sum, sum};
      });
  storeRows(rows, p, valueDim, {state[2], {state[0], state[1], {}, {}}});
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::vector<Kernel> AttentionProblem::kernels(const Configuration &c) const {
  AttentionParameters of = p;
  Signature all = signature;
  int64_t dim = value(p.dim), valueDim = value(p.valueDim);
  if (c.split > 1) {
    unsigned parts =
        all.add({"parts", ElementType::I32, double(c.split), true});
    std::vector<unsigned> sizes = {parts, p.batch, p.heads, p.queries};
    of.partSums =
        all.addTensor("part_sums", ElementType::F32, Role::Workspace, sizes);
    sizes.push_back(p.valueDim);
    of.parts =
        all.addTensor("part_results", ElementType::F32, Role::Workspace, sizes);
  }
  int64_t programs = ceilDivide(rows(), c.tile[0]) * columns();
  Kernel main{"attention", all, {programs, c.split}, c.warps, c.stages, {}};
  main.text = [of, c, dim, valueDim](Reading &k) {
    attention(k, of, c, dim, valueDim);
  };
  std::vector<Kernel> result = {std::move(main)};
  if (c.split > 1) {
    Configuration joining = c;
    joining.tile[0] = 16;
    Kernel join{"attention_join", std::move(all), {}, 4, 1, {}};
    join.grid = {ceilDivide(rows(), 16) * columns()};
    join.text = [of, joining, valueDim](Reading &k) {
      joinParts(k, of, joining, valueDim);
    };
    result.push_back(std::move(join));
  }
  return withPrograms(std::move(result));
}

/// Tiles of queries and keys, warps by the rows, and splits of the keys where
/// there are few programs.
std::vector<Configuration> AttentionProblem::configurations() const {
  std::vector<Configuration> result = {{{16, 16, 1}, 1, 1, 1}};
  int64_t keys = value(p.keys);
  int64_t last = wholeTile(std::max(value(p.dim), value(p.valueDim)));
  for (int64_t tileM : {16, 32, 64, 128})
    for (int64_t tileN : {16, 32, 64, 128}) {
      if ((tileM > 16 && tileM >= 2 * rows()) ||
          (tileN > 16 && tileN >= 2 * keys) || tileM * last > 128 * 128 ||
          (p.pageSize && tileN > p.pageSize))
        continue;
      for (unsigned warps : {1, 2, 4, 8}) {
        // From 16 rows of a warp on, but for the smallest tiles.
        if ((warps * 16 > tileM && (tileM > 16 || warps > 4)) ||
            tileM * (tileN + last) > 160 * 32 * warps)
          continue;
        int64_t programs = ceilDivide(rows(), tileM) * columns();
        for (int64_t split : {1, 2, 4, 8, 16, 32}) {
          if (split > 1 && (p.sequences || programs * split > 2048 ||
                            keys < tileN * 4 * split))
            break;
          for (unsigned stages : {1, 2, 3})
            result.push_back({{tileM, tileN, 1}, split, warps, stages});
        }
      }
    }
  return result;
}

//===----------------------------------------------------------------------===//
// From words
//===----------------------------------------------------------------------===//

namespace {

/// Makes the signature; stops at the first thing that is wrong.
class AttentionMaker {
public:
  explicit AttentionMaker(const Options &options) : options(options) {}
  Result<std::unique_ptr<Problem>> run();

private:
  void addSizes();
  void addTensors();
  void addMasks();
  void addIndices();
  unsigned add(const char *name, ElementType type, Role role,
               std::vector<unsigned> dimensions) {
    return addTensor(options, s, name, type, role, std::move(dimensions),
                     problem);
  }
  void expect(bool holds, std::string text) {
    if (!holds && problem)
      problem = Error{ErrorCode::InvalidArgument, std::move(text)};
  }

  const Options &options;
  Signature s;
  AttentionParameters p;
  Result<void> problem = runtime::success();
};

} // namespace

void AttentionMaker::addSizes() {
  p.batch = s.add(options.sizeNumber("batch"));
  p.heads = s.add(options.sizeNumber("heads"));
  p.kvHeads = s.add(options.sizeNumber("kv_heads"));
  p.queries = s.add(options.sizeNumber("queries"));
  Number keys = options.sizeNumber("keys");
  if (p.pageSize)
    keys.value = double(options.size("pages_per_sequence") * p.pageSize);
  p.keys = s.add(keys);
  p.dim = s.add(options.sizeNumber("dim"));
  p.valueDim = s.add(options.sizeNumber("value_dim"));
  int64_t heads = options.size("heads"), kvHeads = options.size("kv_heads");
  expect(kvHeads > 0 && heads % kvHeads == 0,
         "expects heads to be a multiple of kv_heads=" +
             std::to_string(kvHeads) + ", but got " + std::to_string(heads));
  p.group = kvHeads ? heads / kvHeads : 1;
  p.rowsAreHeads = options.size("queries") == 1 && p.group > 1 &&
                   !s.numbers[p.queries].isDynamic && !p.sequences;
  for (const char *name : {"dim", "value_dim"})
    expect(options.size(name) >= 1 && options.size(name) <= 256,
           std::string("expects ") + name + "=1 to 256, but got " +
               std::to_string(options.size(name)));
  double scale = options.number("scale");
  if (scale == 0)
    scale = 1 / std::sqrt(double(std::max<int64_t>(options.size("dim"), 1)));
  p.scale = s.add({"scale", ElementType::F32, scale});
  p.scalesUp = scale > 0;
  p.softCap = options.number("soft_cap");
  expect(p.softCap >= 0, "expects soft_cap of 0 and more, but got " +
                             options.choice("soft_cap"));
}

void AttentionMaker::addTensors() {
  ElementType type = options.type("type");
  p.q = add("q", type, Role::Input, {p.batch, p.heads, p.queries, p.dim});
  unsigned rows = p.keys, blocks = p.batch;
  if (p.pageSize) {
    rows = s.add({"page_size", ElementType::I32, double(p.pageSize), true});
    blocks = s.add(options.sizeNumber("page_count"));
  }
  p.k = add(p.pageSize ? "k_pages" : "k", type, Role::Input,
            {blocks, p.kvHeads, rows, p.dim});
  p.v = add(p.pageSize ? "v_pages" : "v", type, Role::Input,
            {blocks, p.kvHeads, rows, p.valueDim});
  p.out =
      add("out", type, Role::Output, {p.batch, p.heads, p.queries, p.valueDim});
  if (options.flag("lse"))
    p.lse = add("lse", ElementType::F32, Role::Output,
                {p.batch, p.heads, p.queries});
}

void AttentionMaker::addMasks() {
  const std::string &causal = options.choice("causal");
  p.causal = causal == "top-left"       ? Causal::TopLeft
             : causal == "bottom-right" ? Causal::BottomRight
                                        : Causal::No;
  if (p.causal != Causal::No && !p.rowsAreHeads)
    p.section = countSection(options.size("keys") *
                             (options.size("dim") + options.size("value_dim")) *
                             run::byteSize(options.type("type")) /
                             std::max<int64_t>(p.group, 1));
  p.window = options.size("window");
  if (options.choice("bias") != "no") {
    p.bias = add("bias", options.type("bias"), Role::Input,
                 {p.batch, p.heads, p.queries, p.keys});
    expect(!p.sequences, "expects bounds=0 or bias=no, but got both");
  }
  if (options.flag("alibi"))
    p.slopes = add("slopes", ElementType::F32, Role::Input, {p.heads});
}

/// Lengths, offsets of packed sequences, pages.
void AttentionMaker::addIndices() {
  ElementType type = options.type("index_type");
  if (options.flag("lengths")) {
    p.lengths = add("lengths", type, Role::Input, {p.batch});
    s.tensors.back().content = {Content::Kind::Lengths,
                                s.numbers[p.keys].integer()};
    expect(!p.sequences, "expects bounds=0 or lengths=no, but got both");
  }
  if (p.sequences) {
    unsigned count = s.add(options.sizeNumber("bounds"));
    p.queryOffsets = add("query_offsets", type, Role::Input, {count});
    s.tensors.back().content = {Content::Kind::Offsets,
                                options.size("queries")};
    p.keyOffsets = add("key_offsets", type, Role::Input, {count});
    s.tensors.back().content = {Content::Kind::Offsets, options.size("keys")};
    expect(options.size("batch") == 1,
           "expects batch=1 of packed sequences, but got " +
               std::to_string(options.size("batch")));
  }
  if (!p.pageSize)
    return;
  expect(p.pageSize >= 16 && (p.pageSize & (p.pageSize - 1)) == 0,
         "expects page_size=0, 16 or a larger power of two, but got " +
             std::to_string(p.pageSize));
  expect(!p.sequences, "expects bounds=0 or page_size=0, but got both");
  expect(options.size("page_count") > 0, "expects page_count of 1 and more");
  unsigned perSequence = s.add(options.sizeNumber("pages_per_sequence"));
  p.pages = add("pages", type, Role::Input, {p.batch, perSequence});
  s.tensors.back().content = {Content::Kind::Below, options.size("page_count")};
}

Result<std::unique_ptr<Problem>> AttentionMaker::run() {
  if (int64_t bounds = options.size("bounds"))
    p.sequences = bounds - 1;
  p.pageSize = options.size("page_size");
  addSizes();
  addTensors();
  addMasks();
  addIndices();
  p.precision =
      options.choice("precision") == "tf32" ? Precision::TF32 : Precision::Full;
  if (!problem)
    return problem.takeError();
  return std::unique_ptr<Problem>(new AttentionProblem(std::move(s), p));
}

static std::vector<OperatorOption> attentionOptions() {
  using Kind = OperatorOption::Kind;
  return {
      {"batch", Kind::Size, "1", "independent problems"},
      {"heads", Kind::Size, "", "heads of q", {"1", "2", "4", "6"}},
      {"kv_heads",
       Kind::Size,
       "",
       "heads of k and v, each for as many of q",
       {"1", "2"}},
      {"queries", Kind::Size, "", "of each head; packed ones together"},
      {"keys",
       Kind::Size,
       "0",
       "of each head; packed ones together; of pages as many as these hold",
       {"0", "1", "5", "16", "31", "64", "65", "97", "128", "200"}},
      {"dim",
       Kind::Size,
       "",
       "of a query and a key, up to 256",
       {"16", "32", "64", "80", "96", "128", "256", "1"}},
      {"value_dim",
       Kind::Size,
       "",
       "of a value, up to 256",
       {"16", "32", "64", "40", "96", "128", "256"}},
      {"type",
       Kind::Choice,
       "f16",
       "of q, k, v and out",
       {"f16", "bf16", "f32"}},
      {"precision",
       Kind::Choice,
       "full",
       "whether f32 operands may be rounded to tf32",
       {"full", "tf32"}},
      {"scale", Kind::Number, "0", "factor of scores; 0: 1 / sqrt(dim)"},
      {"causal",
       Kind::Choice,
       "no",
       "whether queries see no keys behind theirs: the first query stands at "
       "the first key, or the last at the last",
       {"no", "top-left", "bottom-right"}},
      {"window",
       Kind::Size,
       "0",
       "how many keys up to its own a query sees; 0: all",
       {"1", "20", "64"}},
      {"soft_cap", Kind::Number, "0",
       "c: scores are c tanh(score / c); 0: as they are"},
      {"bias",
       Kind::Choice,
       "no",
       "type of a tensor added to scores",
       {"no", "f16", "bf16", "f32"}},
      {"alibi",
       Kind::Choice,
       "no",
       "whether slopes[head] (key - query) is added",
       {"no", "yes"}},
      {"lse",
       Kind::Choice,
       "no",
       "whether the logarithms of the sums are stored",
       {"no", "yes"}},
      {"lengths",
       Kind::Choice,
       "no",
       "whether each batch has its own number "
       "of keys",
       {"no", "yes"}},
      {"bounds",
       Kind::Size,
       "0",
       "of packed sequences in query_offsets and key_offsets, one more than "
       "these; 0: not packed",
       {"2", "4", "5"}},
      {"page_size",
       Kind::Size,
       "0",
       "keys of a page of k and v; 0: no pages",
       {"16", "64"}},
      {"page_count", Kind::Size, "0", "pages that there are", {"1", "9"}},
      {"pages_per_sequence",
       Kind::Size,
       "0",
       "pages of each batch",
       {"0", "1", "3"}},
      {"index_type",
       Kind::Choice,
       "i32",
       "of lengths, offsets and pages",
       {"i32", "i64"}}};
}

Operator kernels::makeAttention() {
  std::vector<std::string_view> rows = {"batch", "heads", "queries"};
  auto with = [&](std::string_view last) {
    std::vector<std::string_view> sizes = rows;
    sizes.push_back(last);
    return sizes;
  };
  return {
      "attention",
      "Softmax attention, forward",
      "out[b, h, x] = sum over y of softmax over y(scale * q[b, h, x] . "
      "k[b, g, y]) * v[b, g, y], g = h / (heads / kv_heads)\n"
      "q: batch x heads x queries x dim; k, v: batch x kv_heads x keys x dim, "
      "value_dim;\nk_pages, v_pages in their place: page_count x kv_heads x "
      "page_size x dim, value_dim,\nwith pages[b, y / page_size]; out: batch x "
      "heads x queries x value_dim; "
      "bias: batch x heads x queries x keys;\nslopes: heads; lse: batch x "
      "heads x queries, f32, natural. Rows that see no key are 0.",
      attentionOptions(),
      {{"q", with("dim")},
       {"k", {"batch", "kv_heads", "keys", "dim"}},
       {"v", {"batch", "kv_heads", "keys", "value_dim"}},
       {"out", with("value_dim")},
       {"bias", with("keys")},
       {"slopes", {"heads"}},
       {"lse", rows},
       {"lengths", {"batch"}},
       {"query_offsets", {"bounds"}},
       {"key_offsets", {"bounds"}},
       {"k_pages", {"page_count", "kv_heads", "page_size", "dim"}},
       {"v_pages", {"page_count", "kv_heads", "page_size", "value_dim"}},
       {"pages", {"batch", "pages_per_sequence"}}},
      [](const Options &options) { return AttentionMaker(options).run(); }};
}
