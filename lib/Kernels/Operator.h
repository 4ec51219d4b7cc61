// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library offers by name: an operator; what it is asked for, a problem
// (types, sizes, strides); and how a problem may be computed, configurations.
// An operator turns words into a problem or a diagnostic, and a problem gives
// kernels for any of its configurations.

#ifndef TILEWRIGHT_LIB_KERNELS_OPERATOR_H
#define TILEWRIGHT_LIB_KERNELS_OPERATOR_H

#include "lib/Kernels/Evaluation.h"

#include <map>
#include <span>

namespace tilewright::kernels {

/// How a problem is cut up. What the numbers of `tile` are is the operator's
/// matter: rows, columns and depth of a product's tile; rows and columns of a
/// row-wise one's; queries and keys of attention's.
struct Configuration {
  std::array<int64_t, 3> tile = {1, 1, 1};
  /// Parts that a sum is cut into, each of which has programs of its own.
  int64_t split = 1;
  unsigned warps = 4;
  /// Iterations of a loop whose loads are on their way at once.
  unsigned stages = 3;
  /// Parts that a program's own share of a sum is cut into, each of which has
  /// warps of its own.
  int64_t parts = 1;
  /// Whether coded weights are made numbers in memory by a launch of their own,
  /// which the product's then reads.
  bool isDequantized = false;
  /// Whether it computes the transpose of its tiles, columns first.
  bool isTransposed = false;
  /// Whether the programs that split a sum are a cluster, and add their sums in
  /// it: two, four or eight of them, without a launch of their own.
  bool isClustered = false;

  /// Whether programs leave their sums in memory, for a launch that adds them.
  bool leavesParts() const { return split > 1 && !isClustered; }
  /// Whether each warp has a part of the sum to itself, so that none waits for
  /// another one before the parts are added.
  bool hasFreeWarps() const { return parts > 1 && parts == warps; }
  bool operator==(const Configuration &) const = default;
  /// "128x64x32, 4 warps, 3 stages, split by 2, among warps by 4" (", split by
  /// 2 in clusters"), and ", of dequantized weights" or ", transposed".
  std::string text() const;
  /// The same as one word, which parse() takes: "128x64x32w4s3k2p4", where p1
  /// is left out, "128x64x32w4s3k2c" in clusters, "128x64x32w4s3k1d" of
  /// dequantized weights, "...t" transposed.
  std::string word() const;
  static std::optional<Configuration> parse(std::string_view word);
};

/// Adds `whole` with a sum of `size` terms in four parts, and in eight where
/// `mostParts` says so, each with warps of its own, eight at most together,
/// where a part has at least two iterations (tile[2] terms each) in each of the
/// programs that split it. `divisor` divides the size, whatever it will be.
/// With few rows few programs cover the result; more warps make a tile of it
/// so, whose sums need no launch of their own. Best are parts of one warp,
/// which waits for no other: with 4-bit weights of 14336 x 4096 (k, n) and 16
/// rows eight of them took 11.3 us on an H200, four of two warps 15.2, sums
/// split among clusters 12.4 and among programs 13.5; in tiles of 64 columns
/// 16.8, and eight of two warps (sixteen in all) 21.6. Products of f16 gain
/// nothing from eight.
void addParted(std::vector<Configuration> &to, Configuration whole,
               int64_t size, int64_t divisor, int64_t mostParts);

/// Adds those whose sum is split by two or four once more, with programs that
/// are clusters, where each can finish 8 columns of the tile at least, or 2
/// rows. (Of 59 products on an H200 clusters of eight were the best of none.)
void addClustered(std::vector<Configuration> &configurations);

/// One launch of an operator. Tensors of one name are the same in all of them.
struct Kernel {
  std::string name;
  Signature signature;
  Grid grid;
  unsigned warps = 4, stages = 3;
  std::function<void(Reading &)> text;
  /// Shared memory that it is known to take, beyond what its counts tell.
  int64_t sharedBytes = 0;
  /// Whether it leaves tensors of its signature to other launches: it then
  /// moves no more bytes than it asks for.
  bool touchesSome = false;
  /// Whether a program reads what it has read in a loop again in another one.
  bool readsAgain = false;
};

/// The programs that make `tiles` tiles, whose sums are split as `c` says: of a
/// tile they have consecutive numbers along x in clusters, else along y.
Grid gridOf(const Configuration &c, int64_t tiles);
/// Which of these tiles the program makes.
Value tileNumber(Reading &k, const Configuration &c);
/// The dimension of a tile, rows (0) or columns, of which each program of a
/// cluster finishes a part: one that threads have in registers. Products of 16
/// and 32 rows are computed transposed.
unsigned clusterAxis(const Configuration &c);
/// What the program finishes of the tile at `row` and `column`: rows, columns.
std::pair<Along, Along> clusterPart(Reading &k, const Configuration &c,
                                    const Value &row, const Value &column);

/// Those that have programs: where a size is 0 nothing is launched.
std::vector<Kernel> withPrograms(std::vector<Kernel> kernels);

/// The contents of tensors by their names.
using NamedArrays = std::map<std::string, Array, std::less<>>;

/// What an operator is asked for.
class Problem {
public:
  virtual ~Problem() = default;
  /// Ways to compute it, the plain one, which always can be, first.
  virtual std::vector<Configuration> configurations() const = 0;
  /// Its launches, in order. Those of empty grids are left out.
  virtual std::vector<Kernel> kernels(const Configuration &) const = 0;
  /// Where the operator can: fills the outputs from the inputs by its formula,
  /// in float64, without any kernel's text. It judges the texts.
  virtual bool recompute(NamedArrays &tensors) const;
};

/// A word that an operator takes: `name=value`.
struct OperatorOption {
  enum class Kind : uint8_t {
    Size,   ///< an integer of 0 and more
    Number, ///< a floating-point number
    Choice, ///< one of `choices`
  };
  std::string_view name;
  Kind kind;
  /// What holds where it is not given; none: it must be.
  std::string_view initial;
  std::string_view text;
  /// Of a size: values worth a try, for tests.
  std::vector<std::string_view> choices = {};
};

/// The words that an operator was given, checked against its rows. Beside them
/// each tensor may have `NAME.strides=64,1` (in elements) and
/// `NAME.alignment=BYTES`, and `dynamic=m,n` names sizes whose values kernels
/// must not rely on, so that one serves them all.
class Options {
public:
  using Words = std::map<std::string, std::string, std::less<>>;

  int64_t size(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string &choice(std::string_view name) const;
  bool flag(std::string_view name) const { return choice(name) == "yes"; }
  ElementType type(std::string_view name) const;
  /// A size as a number of a signature.
  Number sizeNumber(std::string_view name) const;
  /// Of a tensor of these sizes; dense where no strides are given.
  std::vector<int64_t> strides(std::string_view tensor,
                               const std::vector<int64_t> &sizes) const;
  int64_t alignment(std::string_view tensor) const;

private:
  friend struct Operator;
  Words words;
};

/// Adds a tensor of these sizes (indices of numbers) with the strides and the
/// alignment that the options have for its name. Where they have another number
/// of strides, `problem` says so, if nothing is wrong yet, and the tensor is
/// there nevertheless.
unsigned addTensor(const Options &options, Signature &signature,
                   const char *name, ElementType type, Role role,
                   std::vector<unsigned> dimensions, Result<void> &problem);

/// Checks a size that follows from others by `formula`: what the options give
/// for it, if that is not 0, is to be the same, and an i32 holds it.
Result<void> checkDerived(const Options &options, const char *name,
                          int64_t size, const std::string &formula);

/// Checks such a size, and adds it.
Result<unsigned> addDerived(const Options &options, Signature &signature,
                            const char *name, int64_t size,
                            const std::string &formula, bool isDynamic = false);

/// A tensor that an operator takes or gives.
struct OperatorTensor {
  std::string_view name;
  /// The size option that each dimension has; "": none.
  std::vector<std::string_view> sizes;
};

struct Operator {
  std::string_view name;
  /// A line.
  std::string_view summary;
  /// What it computes, as a formula, and the tensors' shapes.
  std::string_view description;
  std::vector<OperatorOption> options;
  /// All tensors that it may take or give.
  std::vector<OperatorTensor> tensors;
  /// The problem, or what is wrong with it.
  Result<std::unique_ptr<Problem>> (*make)(const Options &);

  /// The problem that `words` ask for. An error says which word is wrong, what
  /// is expected, and what came.
  Result<std::unique_ptr<Problem>> prepare(const Options::Words &words) const;
  /// All of `words` that a choice depends on, as text: the same however they
  /// are worded (what has a default may be left out, and so may dense strides).
  /// Fails as prepare() does.
  Result<std::string> classOf(const Options::Words &words) const;

private:
  Result<void> check(Options &options) const;
};

/// All operators, by name.
std::span<const Operator> allOperators();
/// The operator of that name, or an error that lists the names.
Result<const Operator *> findOperator(std::string_view name);

// The operators, each in a file of its own.
Operator makeAttention();
Operator makeDequantize();
Operator makeMatmul();
Operator makePrepack();
Operator makeQuantize();
Operator makeQuantizedMatmul();
Operator makeScaledMatmul();
Operator makeGroupedMatmul();
Operator makeSoftmax();
Operator makeLayerNorm();
Operator makeRmsNorm();
std::vector<Operator> makeLinearAttention();

/// The smallest power of two that is at least `value`.
int64_t ceilPowerOfTwo(int64_t value);
inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_OPERATOR_H
