// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-judge: whether PTX computes what a kernel of tile IR says. Runs
// one launch in the reference, and on the emulator by what is compiled for each
// target and by other compilers' PTX, and compares.
//
// In: a case (LaunchCase.h), from a file. Out: one JSON object on stdout: how
// many elements the oracle judges, and for each image whether it agrees, its
// largest error in units of the tolerance, and the emulator's counts. The exit
// status is 0 whenever that could be said, whatever it says.

#include "lib/Compiler/Compilation.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/ForeignKernels/Oracle.h"
#include "test/ForeignKernels/Trial.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

#include <chrono>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::foreign;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {

double getSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Judge {
public:
  explicit Judge(LaunchCase launch)
      : launch(std::move(launch)), owner(/*threads=*/1),
        handler(&owner.get(), [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += diagnostic.str() + "\n";
          return success();
        }) {}

  json::Object run();

private:
  /// Runs an image and says what came of it.
  json::Object judge(const Oracle &oracle, tt::FuncOp kernel, StringRef name,
                     const runtime::Result<runtime::Artifact> &artifact);

  LaunchCase launch;
  compiler::CompilerContext owner;
  std::string messages;
  ScopedDiagnosticHandler handler;
};

} // namespace

/// JSON has no number for what is not finite.
static json::Value toJSON(double number) {
  return std::isfinite(number) ? json::Value(number) : nullptr;
}

/// The sums over all instructions. Conflicts are the wavefronts beyond those
/// that the bytes alone need.
static json::Object summarize(const run::KernelStatistics &statistics) {
  emulator::InstructionCounts total;
  uint64_t barriers = 0, conflicts = 0, matrix = 0;
  for (const run::InstructionStatistics &each : statistics.instructions) {
    StringRef name = each.name;
    total += each.counts;
    if (name.starts_with("bar.sync") || name.starts_with("barrier.sync") ||
        name.starts_with("barrier.cta.sync"))
      barriers += each.counts.warps;
    if (name.starts_with("mma."))
      matrix += each.counts.warps;
    uint64_t needed =
        std::max(each.counts.warps, (each.counts.bytes + 127) / 128);
    if (each.counts.wavefronts > needed)
      conflicts += each.counts.wavefronts - needed;
  }
  return json::Object{
      {"instructions", total.warps}, {"wavefronts", total.wavefronts},
      {"conflicts", conflicts},      {"sectors", total.sectors},
      {"barriers", barriers},        {"matrix", matrix}};
}

json::Object Judge::judge(const Oracle &oracle, tt::FuncOp kernel,
                          StringRef name,
                          const runtime::Result<runtime::Artifact> &artifact) {
  json::Object report{{"image", name.str()}};
  auto say = [&](StringRef status, StringRef message) {
    report["status"] = status.str();
    report["message"] = message.rtrim().str();
    return std::move(report);
  };
  if (!artifact)
    return say("rejected", artifact.error().message);
  double begin = getSeconds();
  reference::ReferenceMemory memory = oracle.input.memory;
  run::AllStatistics statistics;
  if (auto done = foreign::launch(*artifact, kernel, launch, oracle.input,
                                  memory, statistics);
      !done)
    return say("faulted", done.error().message);
  report["seconds"] = getSeconds() - begin;
  report["counts"] = summarize(statistics.front());
  double worst = 0.0;
  std::string differences = findDifferences(oracle, memory, worst);
  report["worst"] = toJSON(worst);
  return differences.empty() ? say("agrees", "") : say("differs", differences);
}

json::Object Judge::run() {
  ParserConfig config(&owner.get());
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(launch.kernel, config);
  if (!module)
    return json::Object{{"status", "unreadable"}, {"message", messages}};
  auto kernels = module->getOps<tt::FuncOp>();
  auto kernel = llvm::find_if(
      kernels, [](tt::FuncOp function) { return function.isPublic(); });
  if (kernel == kernels.end())
    return json::Object{{"status", "unreadable"},
                        {"message", "expects a kernel"}};
  double begin = getSeconds();
  llvm::Expected<Oracle> oracle = makeOracle(*kernel, launch);
  if (!oracle)
    return json::Object{
        {"status", "no input"},
        {"message", llvm::toString(oracle.takeError()) + "\n" + messages}};
  const OracleCounts &counts = oracle->counts;
  json::Object report{{"status", counts.isGood() ? "judged" : "vague"},
                      {"style", oracle->style},
                      {"written", counts.written},
                      {"judged", counts.judged},
                      {"undefined", counts.undefined},
                      {"undecided", counts.undecided},
                      {"notFinite", counts.notFinite},
                      {"tolerance", toJSON(oracle->medianTolerance)},
                      {"referenceSeconds", getSeconds() - begin}};
  json::Array images;
  for (const std::string &target : launch.targets) {
    messages.clear();
    images.push_back(judge(*oracle, *kernel, target,
                           compileFor(*module, launch, target, messages)));
  }
  for (const ForeignImage &image : launch.images)
    images.push_back(judge(*oracle, *kernel, image.name, readImage(image)));
  report["images"] = std::move(images);
  return report;
}

int main(int argc, char **argv) {
  cl::OptionCategory category{"Options of tilewright-judge"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("<case.json>"), cl::cat(category)};
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Whether PTX computes what a kernel of tile IR says.\n");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (!text) {
    llvm::errs() << "tilewright-judge: error: cannot read " << file << ": "
                 << text.getError().message() << "\n";
    return 2;
  }
  llvm::Expected<LaunchCase> launch = parseCase((*text)->getBuffer());
  if (!launch) {
    llvm::errs() << "tilewright-judge: error: " << file << ": "
                 << llvm::toString(launch.takeError()) << "\n";
    return 2;
  }
  llvm::outs() << json::Value(Judge(std::move(*launch)).run()) << "\n";
  return 0;
}
