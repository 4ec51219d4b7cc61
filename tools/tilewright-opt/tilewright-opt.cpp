// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-opt: runs passes and pipelines on IR at any level, for tests and
// for looking into the compiler.

#include "lib/Judges/Validation/PassValidation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Pipelines/Pipelines.h"
#include "test/Passes/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tilewright;
namespace cl = llvm::cl;

namespace {

/// The command line of the validation of passes.
struct ValidationCommandLine {
  cl::OptionCategory category{"Validation of passes"};
  cl::opt<bool> isOn{
      "validate-passes", cl::cat(category),
      cl::desc("Interpret every kernel on generated inputs after each pass, "
               "and name the first pass that changes a result")};
  cl::opt<unsigned> numInputs{"validate-inputs", cl::init(3),
                              cl::value_desc("N"), cl::cat(category),
                              cl::desc("Inputs for each kernel (default 3)")};
  cl::opt<uint64_t> seed{
      "validate-seed", cl::init(1), cl::value_desc("N"), cl::cat(category),
      cl::desc("What inputs are generated from (default 1)")};
  cl::opt<double> tolerance{
      "validate-tolerance", cl::init(0.0), cl::value_desc("X"),
      cl::cat(category),
      cl::desc("How far floats may be apart, as X and X times the expected "
               "value. With 0, the default, inputs are small integers; else "
               "they have fractions")};
  cl::opt<bool> report{"validate-report", cl::cat(category),
                       cl::desc("Say, as remarks, what was validated")};

  validation::ValidationOptions get() const {
    return {numInputs, seed, {tolerance, tolerance}, report};
  }
};

} // namespace

/// What MlirOptMain does for files, with an instrumentation.
static LogicalResult runValidated(StringRef inputName, StringRef outputName,
                                  DialectRegistry &registry,
                                  const ValidationCommandLine &line) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return failure();
  }
  bool foundChange = false;
  MlirOptMainConfig plain = MlirOptMainConfig::createFromCLOptions();
  MlirOptMainConfig config = plain;
  config.setPassPipelineSetupFn([&](PassManager &manager) {
    manager.getContext()->disableMultithreading();
    manager.addInstrumentation(
        validation::createPassValidation(line.get(), foundChange));
    return plain.setupPassPipeline(manager);
  });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)) ||
      foundChange)
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  registerPipelines();
  test::registerTestPasses();
  ValidationCommandLine line;
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tilewright's modular optimizer driver\n", registry);
  return asMainReturnCode(
      line.isOn ? runValidated(input, output, registry, line)
                : MlirOptMain(argc, argv, input, output, registry));
}
