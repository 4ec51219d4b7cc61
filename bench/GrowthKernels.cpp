// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench/GrowthKernels.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using llvm::formatv;
using llvm::StringRef;

namespace {

/// A matrix in memory, row after row, and its tile.
struct Matrix {
  int64_t rows, columns;
  StringRef element;

  std::string tile(StringRef of) const {
    return formatv("tensor<{0}x{1}x{2}>", rows, columns, of);
  }
  std::string tile() const { return tile(element); }
  std::string pointer() const { return formatv("!tt.ptr<{0}>", element); }
};

/// The text of a kernel, operation by operation.
class KernelText {
public:
  /// A kernel of the name `kernel` with these pointers as arguments.
  explicit KernelText(
      llvm::ArrayRef<std::pair<StringRef, StringRef>> arguments) {
    text = "tt.func @kernel(";
    StringRef separator;
    for (auto [name, element] : arguments) {
      text += formatv("{0}%{1}: !tt.ptr<{2}> {{tt.divisibility = 16 : i32}",
                      separator, name, element);
      separator = ", ";
    }
    text += ") {\n";
  }

  /// Adds a line.
  void add(const std::string &line) { text += "  " + line + "\n"; }

  /// Pointers to every element of the matrix at argument `name`; their value.
  std::string addPointers(StringRef name, const Matrix &matrix) {
    std::string rows = addIndices(name, "r", matrix.rows, /*axis=*/1);
    std::string columns = addIndices(name, "c", matrix.columns, /*axis=*/0);
    std::string column = formatv("tensor<{0}x1xi32>", matrix.rows);
    std::string row = formatv("tensor<1x{0}xi32>", matrix.columns);
    std::string all = matrix.tile("i32");
    add(formatv("%{0}_s = arith.constant dense<{1}> : {2}", name,
                matrix.columns, column));
    add(formatv("%{0}_m = arith.muli {1}, %{0}_s : {2}", name, rows, column));
    add(formatv("%{0}_rb = tt.broadcast %{0}_m : {1} -> {2}", name, column,
                all));
    add(formatv("%{0}_cb = tt.broadcast {1} : {2} -> {3}", name, columns, row,
                all));
    add(formatv("%{0}_o = arith.addi %{0}_rb, %{0}_cb : {1}", name, all));
    std::string pointers = matrix.tile(matrix.pointer());
    add(formatv("%{0}_p = tt.splat %{0} : {1} -> {2}", name, matrix.pointer(),
                pointers));
    add(formatv("%{0}_a = tt.addptr %{0}_p, %{0}_o : {1}, {2}", name, pointers,
                all));
    return formatv("%{0}_a", name);
  }

  /// Loads the matrix at argument `name`; its value.
  std::string addLoad(StringRef name, const Matrix &matrix) {
    std::string pointers = addPointers(name, matrix);
    add(formatv("%{0}_t = tt.load {1} : {2}", name, pointers,
                matrix.tile(matrix.pointer())));
    return formatv("%{0}_t", name);
  }

  /// Stores `value` to the matrix at argument `name`.
  void addStore(StringRef name, const Matrix &matrix, StringRef value) {
    std::string pointers = addPointers(name, matrix);
    add(formatv("tt.store {0}, {1} : {2}", pointers, value,
                matrix.tile(matrix.pointer())));
  }

  /// The whole text.
  std::string finish() { return text + "  tt.return\n}\n"; }

private:
  /// The numbers from 0 to `count` along the other axis than `axis`.
  std::string addIndices(StringRef name, StringRef which, int64_t count,
                         unsigned axis) {
    std::string range = formatv("tensor<{0}xi32>", count);
    add(formatv("%{0}_{1} = tt.make_range {{start = 0 : i32, end = {2} : i32}"
                " : {3}",
                name, which, count, range));
    add(formatv("%{0}_{1}e = tt.expand_dims %{0}_{1} {{axis = {2} : i32} : {3}"
                " -> tensor<{4}xi32>",
                name, which, axis, range,
                axis == 1 ? formatv("{0}x1", count).str()
                          : formatv("1x{0}", count).str()));
    return formatv("%{0}_{1}e", name, which);
  }

  std::string text;
};

constexpr int64_t threads = 32 * bench::numWarps;
/// Rows of tiles that are no operands of dots.
constexpr int64_t numRows = 16;

Matrix makeMatrix(int64_t perThread, StringRef element) {
  return {numRows, perThread * threads / numRows, element};
}

std::string writeElementwise(int64_t perThread, StringRef element) {
  Matrix matrix = makeMatrix(perThread, element);
  KernelText kernel({{"x", element}, {"y", element}, {"out", element}});
  std::string x = kernel.addLoad("x", matrix), y = kernel.addLoad("y", matrix);
  kernel.add(formatv("%0 = arith.mulf {0}, {1} : {2}", x, y, matrix.tile()));
  kernel.add(formatv("%1 = arith.addf %0, {0} : {1}", x, matrix.tile()));
  kernel.add(formatv("%2 = arith.maximumf %1, {0} : {1}", y, matrix.tile()));
  kernel.addStore("out", matrix, "%2");
  return kernel.finish();
}

/// A function of each element: `op` is of the dialect `math`.
std::string writeFunction(int64_t perThread, StringRef op) {
  Matrix matrix = makeMatrix(perThread, "f32");
  KernelText kernel({{"x", "f32"}, {"out", "f32"}});
  std::string x = kernel.addLoad("x", matrix);
  kernel.add(formatv("%0 = math.{0} {1} : {2}", op, x, matrix.tile()));
  kernel.addStore("out", matrix, "%0");
  return kernel.finish();
}

/// A reduction or a scan of rows by sums: `op` is its name, `result` what it
/// leaves of them.
void addSums(KernelText &kernel, StringRef op, StringRef attributes,
             StringRef value, const Matrix &matrix, StringRef result) {
  StringRef element = matrix.element;
  kernel.add(formatv("%sums = \"{0}\"({1}) <{{axis = 1 : i32{2}}> ({{", op,
                     value, attributes));
  kernel.add(formatv("^bb0(%a: {0}, %b: {0}):", element));
  kernel.add(formatv("  %s = arith.addf %a, %b : {0}", element));
  kernel.add(formatv("  {0}.return %s : {1}", op, element));
  kernel.add(formatv("}) : ({0}) -> {1}", matrix.tile(), result));
}

std::string writeReduction(int64_t perThread, StringRef element) {
  Matrix matrix = makeMatrix(perThread, element);
  Matrix column = {numRows, 1, element};
  KernelText kernel({{"x", element}, {"out", element}});
  std::string x = kernel.addLoad("x", matrix);
  std::string sums = formatv("tensor<{0}x{1}>", numRows, element);
  addSums(kernel, "tt.reduce", "", x, matrix, sums);
  kernel.add(formatv("%column = tt.expand_dims %sums {{axis = 1 : i32} : {0} "
                     "-> {1}",
                     sums, column.tile()));
  kernel.addStore("out", column, "%column");
  return kernel.finish();
}

std::string writeScan(int64_t perThread, StringRef element) {
  Matrix matrix = makeMatrix(perThread, element);
  KernelText kernel({{"x", element}, {"out", element}});
  std::string x = kernel.addLoad("x", matrix);
  addSums(kernel, "tt.scan", ", reverse = false", x, matrix, matrix.tile());
  kernel.addStore("out", matrix, "%sums");
  return kernel.finish();
}

/// A dot whose result grows; the work is its elements times a constant.
std::string writeDot(int64_t perThread, StringRef element,
                     StringRef precision) {
  constexpr int64_t depth = 16;
  unsigned exponent = llvm::countr_zero(uint64_t(perThread * threads));
  int64_t rows = int64_t(1) << exponent / 2;
  int64_t columns = perThread * threads / rows;
  Matrix a = {rows, depth, element}, b = {depth, columns, element};
  Matrix c = {rows, columns, "f32"};
  KernelText kernel({{"x", element}, {"y", element}, {"out", "f32"}});
  std::string x = kernel.addLoad("x", a), y = kernel.addLoad("y", b);
  kernel.add(formatv("%zero = arith.constant dense<0.0> : {0}", c.tile()));
  kernel.add(formatv("%dot = tt.dot {0}, {1}, %zero, inputPrecision = {2} : "
                     "{3} * {4} -> {5}",
                     x, y, precision, a.tile(), b.tile(), c.tile()));
  kernel.addStore("out", c, "%dot");
  return kernel.finish();
}

/// Steps of a loop over tiles, unrolled: pointers move on, what they point to
/// is loaded and added, or multiplied by itself (`isDot`).
std::string writeSteps(int64_t steps, bool isDot) {
  Matrix matrix = {32, 32, "f16"}, sum = {32, 32, "f32"};
  std::string pointers = matrix.tile(matrix.pointer());
  KernelText kernel({{"x", "f16"}, {"out", "f32"}});
  std::string address = kernel.addPointers("x", matrix);
  kernel.add(
      formatv("%far = arith.constant dense<1024> : {0}", matrix.tile("i32")));
  kernel.add(formatv("%sum0 = arith.constant dense<0.0> : {0}", sum.tile()));
  for (int64_t step = 0; step < steps; ++step) {
    kernel.add(formatv("%x{0} = tt.load {1} : {2}", step, address, pointers));
    if (isDot)
      kernel.add(formatv("%sum{0} = tt.dot %x{1}, %x{1}, %sum{1} : {2} * {2} "
                         "-> {3}",
                         step + 1, step, matrix.tile(), sum.tile()));
    else
      kernel.add(formatv("%w{0} = arith.extf %x{0} : {2} to {3}\n"
                         "  %sum{1} = arith.addf %sum{0}, %w{0} : {3}",
                         step, step + 1, matrix.tile(), sum.tile()));
    std::string next = formatv("%p{0}", step);
    kernel.add(formatv("{0} = tt.addptr {1}, %far : {2}, {3}", next, address,
                       pointers, matrix.tile("i32")));
    address = next;
  }
  kernel.addStore("out", sum, formatv("%sum{0}", steps).str());
  return kernel.finish();
}

constexpr const char *perThread = "elements per thread";

// sm_70 has no matrix instruction for bf16, no GPU one for exact f32.
constexpr bench::Family all[] = {
    {"elementwise f16", "sm_80", perThread,
     [](int64_t n) { return writeElementwise(n, "f16"); }},
    {"elementwise f32", "sm_80", perThread,
     [](int64_t n) { return writeElementwise(n, "f32"); }},
    {"function sin", "sm_80", perThread,
     [](int64_t n) { return writeFunction(n, "sin"); }},
    {"function erf", "sm_80", perThread,
     [](int64_t n) { return writeFunction(n, "erf"); }},
    {"reduction f16", "sm_80", perThread,
     [](int64_t n) { return writeReduction(n, "f16"); }},
    {"reduction f32", "sm_80", perThread,
     [](int64_t n) { return writeReduction(n, "f32"); }},
    {"scan f16", "sm_80", perThread,
     [](int64_t n) { return writeScan(n, "f16"); }},
    {"scan f32", "sm_80", perThread,
     [](int64_t n) { return writeScan(n, "f32"); }},
    {"dot f16, matrix instructions", "sm_80", perThread,
     [](int64_t n) { return writeDot(n, "f16", "ieee"); }},
    {"dot tf32, matrix instructions", "sm_80", perThread,
     [](int64_t n) { return writeDot(n, "f32", "tf32"); }},
    {"dot bf16, multiply-adds", "sm_70", perThread,
     [](int64_t n) { return writeDot(n, "bf16", "ieee"); }},
    {"dot f32, multiply-adds", "sm_80", perThread,
     [](int64_t n) { return writeDot(n, "f32", "ieee"); }},
    {"unrolled sums", "sm_80", "steps",
     [](int64_t n) { return writeSteps(n, /*isDot=*/false); }},
    {"unrolled dots", "sm_80", "steps",
     [](int64_t n) { return writeSteps(n, /*isDot=*/true); }},
};

} // namespace

llvm::ArrayRef<bench::Family> bench::families() { return all; }
