// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright run`.

#include "lib/Run/Run.h"
#include "lib/Compiler/Compiler.h"
#include "lib/Run/EmulatorDevice.h"
#include "lib/Run/PtxArtifact.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/CompileFlags.h"
#include "tools/tilewright/Devices.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace tilewright;
using driver::fail;
namespace cl = llvm::cl;

namespace {

/// How the emulator's counts are printed.
enum class StatisticsForm { None, Text, Json };

/// The command line of `tilewright run`.
struct RunCommandLine {
  /// LLVM has an option `stats` of its own, but not in commands.
  cl::SubCommand command{"run", "Runs a kernel on a device."};
  cl::OptionCategory category{"Options of tilewright run"};
  cl::opt<std::string> input{cl::Positional, cl::Required,
                             cl::desc("<kernel.mlir, .ptx or .artifact>"),
                             cl::sub(command), cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::value_desc("name"), cl::sub(command), cl::cat(category),
      cl::desc("Which kernel, where the file has several")};
  /// Of tile IR. A GPU's driver takes PTX too.
  driver::CompileFlags options{category, command, {.machineCode = false}};
  cl::opt<std::string> grid{"grid",
                            cl::value_desc("X[,Y[,Z]]"),
                            cl::init("1"),
                            cl::sub(command),
                            cl::cat(category),
                            cl::desc("Programs to run")};
  cl::list<std::string> arguments{
      "arg", cl::value_desc("[out.npy=]source"), cl::sub(command),
      cl::cat(category),
      cl::desc("The next argument of the kernel: in.npy, zeros:8x4xf32, "
               "random:8x4xf32:SEED, arange:…, poison:…, i32:5, null")};
  cl::list<std::string> expectations{
      "compare", cl::value_desc("INDEX=expected.npy[@rtol[,atol]]"),
      cl::sub(command), cl::cat(category),
      cl::desc("Compare argument INDEX (from 0) after the launch")};
  cl::opt<unsigned> repeat{
      "repeat",          cl::value_desc("N"),
      cl::init(0),       cl::sub(command),
      cl::cat(category), cl::desc("Launch N times more and time them")};
  cl::opt<std::string> device{
      "device",          cl::value_desc("auto|cuda|cuda:N|emulator"),
      cl::init("auto"),  cl::sub(command),
      cl::cat(category), cl::desc("Where to run (default auto)")};
  cl::opt<std::string> checks{
      "check",
      cl::value_desc("all|none|name,..."),
      cl::init("all"),
      cl::sub(command),
      cl::cat(category),
      cl::desc("What the emulator looks for (default all; -name leaves out)")};
  cl::opt<uint64_t> seed{
      "seed",
      cl::value_desc("N"),
      cl::init(0),
      cl::sub(command),
      cl::cat(category),
      cl::desc("Order of the emulator's warps, lanes and copies (default 0: in "
               "turn)")};
  cl::opt<uint64_t> maximumSteps{
      "max-steps",
      cl::value_desc("N"),
      cl::init(0),
      cl::sub(command),
      cl::cat(category),
      cl::desc("Warp instructions after which the emulator calls a launch "
               "endless (default 2^28 of a CTA, 2^34 of all)")};
  cl::opt<uint64_t> maximumMemory{
      "max-memory",
      cl::value_desc("bytes"),
      cl::init(0),
      cl::sub(command),
      cl::cat(category),
      cl::desc("Device memory that the emulator has (default 2^32)")};
  cl::opt<StatisticsForm> statistics{
      "stats",
      cl::ValueOptional,
      cl::init(StatisticsForm::None),
      cl::sub(command),
      cl::cat(category),
      cl::desc("Print the emulator's counts"),
      cl::values(clEnumValN(StatisticsForm::Text, "", "by source line"),
                 clEnumValN(StatisticsForm::Text, "text", "by source line"),
                 clEnumValN(StatisticsForm::Json, "json", "as JSON"))};
  cl::opt<unsigned> sharedBytes{
      "shared-bytes",
      cl::value_desc("N"),
      cl::init(0),
      cl::sub(command),
      cl::cat(category),
      cl::desc("Dynamic shared memory of a CTA, for PTX files")};
};

/// By its name, or by the directive that all PTX begins with; tile IR never
/// begins a line with a dot.
bool isPtx(llvm::StringRef name, llvm::StringRef content) {
  return name.ends_with(".ptx") || content.starts_with(".version") ||
         content.contains("\n.version");
}

/// Options say how tile IR is compiled: of code that is there already they
/// change nothing.
std::optional<runtime::Error> refuseOptions(const RunCommandLine &line,
                                            llvm::StringRef kind) {
  llvm::StringRef given = line.options.firstGiven();
  if (kind != "PTX" && line.sharedBytes.getNumOccurrences())
    return runtime::Error{runtime::ErrorCode::InvalidArgument,
                          "expects --shared-bytes for PTX alone, but got " +
                              kind.str()};
  if (kind == "tile IR" || given.empty())
    return std::nullopt;
  return runtime::Error{runtime::ErrorCode::InvalidArgument,
                        "expects --" + given.str() +
                            " for tile IR alone, but got " + kind.str()};
}

runtime::Result<runtime::Artifact> compileInput(llvm::StringRef content,
                                                CompileOptions options) {
  options.onDiagnostic = driver::printDiagnostic;
  std::optional<runtime::Artifact> artifact =
      compiler::compile(content, options);
  if (!artifact)
    return runtime::Error{runtime::ErrorCode::InvalidArgument,
                          "the kernel does not compile"};
  return std::move(*artifact);
}

runtime::Result<runtime::Artifact> readInput(const RunCommandLine &line,
                                             const CompileOptions &compile) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(line.input);
  if (!buffer)
    return runtime::Error{runtime::ErrorCode::NotFound,
                          "cannot open '" + line.input.getValue() +
                              "': " + buffer.getError().message()};
  llvm::StringRef content = (*buffer)->getBuffer();
  std::span<const uint8_t> bytes(content.bytes_begin(), content.size());
  bool isArtifact = runtime::isArtifact(bytes);
  bool isText = !isArtifact && isPtx(line.input.getValue(), content);
  if (auto problem = refuseOptions(line, isArtifact ? "an artifact"
                                         : isText   ? "PTX"
                                                    : "tile IR"))
    return std::move(*problem);
  if (isArtifact)
    return runtime::parseArtifact(bytes);
  if (isText) {
    run::PtxOptions options;
    options.dynamicSharedBytes = line.sharedBytes;
    return run::artifactFromPtx(content, options);
  }
  return compileInput(content, compile);
}

runtime::Result<run::RunOptions> makeOptions(const RunCommandLine &line) {
  run::RunOptions options;
  options.kernel = line.kernel;
  options.repeat = line.repeat;
  runtime::Result<runtime::Dimensions> grid = run::parseDimensions(line.grid);
  if (!grid)
    return grid.takeError();
  options.grid = *grid;
  for (const std::string &text : line.arguments) {
    runtime::Result<run::RunArgument> argument = run::parseArgument(text);
    if (!argument)
      return argument.takeError();
    options.arguments.push_back(std::move(*argument));
  }
  for (const std::string &text : line.expectations) {
    runtime::Result<run::Expectation> expected = run::parseExpectation(text);
    if (!expected)
      return expected.takeError();
    options.expectations.push_back(std::move(*expected));
  }
  return options;
}

/// A line on a terminal that tells how far a launch is, once it takes more than
/// a second; it is gone when the launch is done.
std::function<void(uint64_t, uint64_t)> makeProgressLine() {
  if (!llvm::errs().is_displayed())
    return nullptr;
  auto last = std::chrono::steady_clock::now();
  return [last, isShown = false](uint64_t done, uint64_t total) mutable {
    auto now = std::chrono::steady_clock::now();
    if (done == total && isShown)
      llvm::errs() << "\r\033[K";
    if (done == total || now - last < std::chrono::seconds(1))
      return;
    last = now;
    isShown = true;
    llvm::errs() << "\r" << done << " of " << total << " CTAs";
  };
}

runtime::Result<std::unique_ptr<run::ExecutionDevice>>
openDevice(const RunCommandLine &line, run::AllStatistics *statistics) {
  run::EmulatorOptions emulator;
  emulator.seed = line.seed;
  emulator.maximumSteps = line.maximumSteps;
  emulator.maximumMemory = line.maximumMemory;
  emulator.progress = makeProgressLine();
  auto checks = run::parseChecks(line.checks);
  if (!checks)
    return checks.takeError();
  emulator.checks = *checks;
  return driver::openDevice(line.device, emulator, statistics);
}

} // namespace

int driver::runRun(int argc, const char *const *argv) {
  // LLVM's libraries register options of their own; none is this command's.
  cl::ResetCommandLineParser();
  RunCommandLine line;
  llvm::SmallVector<const char *> words = {"tilewright", "run"};
  words.append(argv + 1, argv + argc);
  if (!cl::ParseCommandLineOptions(words.size(), words.data(), "",
                                   &llvm::errs()))
    return 1;
  std::optional<CompileOptions> compile = line.options.parse(line.input);
  if (!compile)
    return 1;
  runtime::Result<runtime::Artifact> artifact = readInput(line, *compile);
  if (!artifact)
    return fail(line.input + ": " + artifact.error().message);
  runtime::Result<run::RunOptions> options = makeOptions(line);
  if (!options)
    return fail(options.error().message);
  run::AllStatistics statistics;
  auto device = openDevice(line, &statistics);
  if (!device)
    return fail(device.error().message);
  runtime::Result<run::RunReport> report = run::runArtifact(
      *artifact, **device, *options,
      [](std::string_view text) { llvm::outs() << llvm::StringRef(text); });
  if (!report)
    return fail(report.error().message);
  for (const run::KernelStatistics &counted : statistics)
    if (line.statistics != StatisticsForm::None)
      llvm::outs() << (line.statistics == StatisticsForm::Text
                           ? run::formatStatistics(counted)
                           : run::formatStatisticsAsJson(counted));
  return report->matches() ? 0 : 1;
}
