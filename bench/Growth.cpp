// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the time of compilation grows with the elements that a thread holds, and
// with the operations of a kernel: of each of our passes, and of LLVM.
//
//   growth [--family=REGEX] [--from=N] [--to=N] [--seconds=N] [--all]
//
// In: kernels that differ in size alone (GrowthKernels.h). Out: for each family
// a table, a row a pass and a column a size, of milliseconds and of the growth
// since the size before: its exponent e, where time goes with n^e. What stays
// clearly above n log n in two steps is marked by '!' and counted at the end,
// our passes apart from LLVM. Passes are measured by the processor's time, LLVM
// by the clock: other programs that run meanwhile show there.

#include "bench/GrowthKernels.h"
#include "lib/Compiler/Compilation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <ctime>

using namespace mlir;
using namespace tilewright;

namespace {

llvm::cl::opt<std::string>
    familyFilter("family", llvm::cl::desc("families whose name this finds"),
                 llvm::cl::value_desc("regex"), llvm::cl::init(".*"));
llvm::cl::opt<int64_t> first("from", llvm::cl::desc("the size to begin with"),
                             llvm::cl::init(2));
llvm::cl::opt<int64_t> last("to", llvm::cl::desc("the size to end with"),
                            llvm::cl::init(8192));
llvm::cl::opt<double>
    patience("seconds",
             llvm::cl::desc("a family ends after a size that took longer"),
             llvm::cl::init(60));
llvm::cl::opt<bool> showAll("all",
                            llvm::cl::desc("passes of less than 1 ms too"));

/// Below this many milliseconds a growth says more of the clock.
constexpr double leastTime = 2;
/// By how much an exponent may lie above that of n log n. Caches that a larger
/// size no longer fits add about 0.2; n^1.5 is above.
constexpr double tolerance = 0.3;
/// What begins the names of the rows of LLVM.
constexpr StringLiteral llvmPrefix = "LLVM: ";

/// The time of each row, in the order in which rows came.
class Milliseconds {
public:
  double &operator[](StringRef name) {
    auto found =
        llvm::find_if(rows, [&](const auto &row) { return row.first == name; });
    return found != rows.end() ? found->second
                               : rows.emplace_back(name.str(), 0.0).second;
  }
  double get(StringRef name) const {
    for (auto &[row, time] : rows)
      if (row == name)
        return time;
    return 0;
  }
  double sum() const {
    double total = 0;
    for (auto &[row, time] : rows)
      total += time;
    return total;
  }
  auto begin() const { return rows.begin(); }
  auto end() const { return rows.end(); }

private:
  std::vector<std::pair<std::string, double>> rows;
};

/// Times every pass of a pass manager; a second run of a pass has a row of its
/// own. By the processor's time, since other programs may want the processor.
class PassTimer : public PassInstrumentation {
public:
  explicit PassTimer(Milliseconds &times) : times(times) {}

  // Passes within passes (of the inliner) are part of them.
  void runBeforePass(Pass *, Operation *) override {
    if (depth++ == 0)
      begin = std::clock();
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (--depth == 0)
      add(pass, 1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  void runAfterPassFailed(Pass *, Operation *) override { --depth; }

private:
  void add(Pass *pass, double time) {
    unsigned count = ++counts[pass->getArgument()];
    std::string name = pass->getArgument().str();
    if (count > 1)
      name += " (" + std::to_string(count) + ")";
    times[name] = time;
  }

  unsigned depth = 0;
  std::clock_t begin = 0;
  llvm::StringMap<unsigned> counts;
  Milliseconds &times;
};

/// Compiles a kernel to PTX once; the time of each pass and of LLVM, or the
/// diagnostic.
llvm::Expected<Milliseconds> compileOnce(const bench::Family &family,
                                         const std::string &text) {
  compiler::CompilerContext owner(/*threads=*/1);
  MLIRContext &context = owner.get();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  auto fail = [&] {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &context, "kernel");
  if (!module)
    return fail();
  CompileOptions options;
  options.numWarps = bench::numWarps;
  Milliseconds times;
  auto configure = [&](PassManager &manager) {
    manager.addInstrumentation(std::make_unique<PassTimer>(times));
    return success();
  };
  compiler::Compilation compilation(*module, *target::lookup(family.target),
                                    options, configure);
  if (failed(compilation.lower(Emit::LLVMDialect)) ||
      failed(compilation.emitPTX()))
    return fail();
  const codegen::CodegenTimings &codegen = compilation.stageTimes().codegen;
  times["LLVM: translation"] = 1e3 * codegen.translation;
  times["LLVM: optimisation"] = 1e3 * codegen.optimization;
  times["LLVM: emission"] = 1e3 * codegen.emission;
  return times;
}

/// The least time of each row in several compilations: of a few more where they
/// are short, whose times are the least certain.
llvm::Expected<Milliseconds> measure(const bench::Family &family,
                                     const std::string &text) {
  constexpr unsigned maxRuns = 5;
  constexpr double enough = 300; // ms
  llvm::Expected<Milliseconds> least = compileOnce(family, text);
  if (!least)
    return least;
  double spent = least->sum();
  for (unsigned run = 1; run < maxRuns && spent < enough; ++run) {
    llvm::Expected<Milliseconds> times = compileOnce(family, text);
    if (!times)
      return times;
    spent += times->sum();
    for (auto &[name, time] : *times)
      (*least)[name] = std::min((*least)[name], time);
  }
  return least;
}

/// The rows of one family: times by size.
struct Table {
  std::vector<int64_t> sizes;
  std::vector<Milliseconds> columns;
  /// Why there are no more sizes.
  std::string end;

  double get(StringRef row, size_t column) const {
    return columns[column].get(row);
  }
  /// The exponent of the growth from the column before, where that can be said.
  std::optional<double> growth(StringRef row, size_t column) const {
    if (column == 0 || get(row, column - 1) < leastTime)
      return std::nullopt;
    return std::log2(get(row, column) / get(row, column - 1));
  }
  /// Whether the row grows clearly faster than n log n in this step and the one
  /// before, taken together: one alone may be where a cache ends.
  bool isTooFast(StringRef row, size_t column) const {
    if (column < 2 || get(row, column - 2) < leastTime)
      return false;
    double growth = get(row, column) / get(row, column - 2);
    double logarithm = std::log2(double(sizes[column]));
    double most = 2 + std::log2(logarithm / (logarithm - 2));
    return std::log2(growth) > most + 2 * tolerance;
  }
};

Table measureFamily(const bench::Family &family) {
  Table table;
  for (int64_t size = first; size <= last; size *= 2) {
    llvm::Expected<Milliseconds> times = measure(family, family.write(size));
    if (!times) {
      table.end = std::to_string(size) +
                  " elements per thread: " + llvm::toString(times.takeError());
      break;
    }
    table.sizes.push_back(size);
    table.columns.push_back(*times);
    if (times->sum() > 1e3 * patience) {
      table.end = "the next size would take longer than --seconds";
      break;
    }
  }
  return table;
}

/// The rows to show, in the order of passes.
std::vector<StringRef> rowsOf(const Table &table) {
  std::vector<StringRef> rows;
  if (table.columns.empty())
    return rows;
  for (auto &[name, time] : table.columns.back())
    if (showAll || time >= 1)
      rows.push_back(name);
  return rows;
}

/// Counts of steps from one size to the next that are clearly too fast.
struct Verdict {
  unsigned ours = 0, llvms = 0;
};

void printRow(StringRef row, const Table &table, Verdict &verdict) {
  llvm::outs() << llvm::left_justify(row, 32);
  for (size_t column = 0; column < table.sizes.size(); ++column) {
    llvm::outs() << llvm::format("%9.1f", table.get(row, column));
    std::optional<double> exponent = table.growth(row, column);
    bool isTooFast = table.isTooFast(row, column);
    if (exponent)
      llvm::outs() << llvm::format(" %4.1f", *exponent)
                   << (isTooFast ? '!' : ' ');
    else
      llvm::outs() << "      ";
    (row.starts_with(llvmPrefix) ? verdict.llvms : verdict.ours) += isTooFast;
  }
  llvm::outs() << "\n";
}

void print(const bench::Family &family, const Table &table, Verdict &verdict) {
  llvm::outs() << family.name << ", " << family.target << ", "
               << bench::numWarps << " warps: ms and exponent by "
               << family.unit << "\n"
               << llvm::left_justify("", 32);
  for (int64_t size : table.sizes)
    llvm::outs() << llvm::format("%9ld      ", long(size));
  llvm::outs() << "\n";
  for (StringRef row : rowsOf(table))
    printRow(row, table, verdict);
  if (!table.end.empty())
    llvm::outs() << table.end << "\n";
  llvm::outs() << "\n";
  llvm::outs().flush();
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "growth of compile time\n");
  llvm::Regex filter(familyFilter);
  std::string error;
  if (!filter.isValid(error)) {
    llvm::errs() << "growth: error: expects a regular expression, but got '"
                 << familyFilter << "': " << error << "\n";
    return 1;
  }
  if (first < 1 || !llvm::isPowerOf2_64(first)) {
    llvm::errs() << "growth: error: expects a power of two for --from, but got "
                 << first << "\n";
    return 1;
  }
  Verdict verdict;
  for (const bench::Family &family : bench::families())
    if (filter.match(family.name))
      print(family, measureFamily(family), verdict);
  llvm::outs() << "clearly faster than n log n: " << verdict.ours
               << " steps of our passes, " << verdict.llvms << " of LLVM\n";
  return 0;
}
