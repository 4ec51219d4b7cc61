// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, their inputs and results, from pass to pass; see the header.

#include "lib/Judges/Validation/PassValidation.h"
#include "lib/Judges/Validation/Inputs.h"
#include "lib/Judges/Validation/TileGPUReading.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;
using namespace tilewright::validation;

/// Buffers grow from the first to the last of these numbers of elements until a
/// kernel stays inside, so that an access too far is likely to be seen.
static constexpr int64_t smallestBuffer = 64, largestBuffer = int64_t(1) << 18,
                         bufferGrowth = 4;
/// Scalars and contents that are tried for each input that is asked for.
static constexpr unsigned attemptsPerInput = 16;
/// Operations that a run may take. Tiles make operations slow, and an input is
/// easily replaced.
static constexpr uint64_t maximumSteps = 50'000;

namespace {

/// An input with what a kernel made of it before the first pass.
struct ExpectedRun {
  KernelInput input;
  ReferenceMemory result;
  /// The results where undefined elements have the other patterns: what differs
  /// between them is not compared.
  std::array<ReferenceMemory, undefinedPatterns.size() - 1> otherResults;
};

/// What is known of a kernel.
struct KernelState {
  std::vector<ExpectedRun> runs;
  /// No longer followed: changed, or lowered to what cannot be interpreted.
  bool isDone = false;
  unsigned numPasses = 0;
  std::string lastPass;
};

/// Keeps diagnostics from the user and holds the first error.
class QuietScope {
public:
  explicit QuietScope(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (firstError.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            firstError = diagnostic.str();
          return success();
        }) {}

  const std::string &getFirstError() const { return firstError; }

private:
  std::string firstError;
  ScopedDiagnosticHandler handler;
};

class PassValidation : public PassInstrumentation {
public:
  PassValidation(const ValidationOptions &options, bool &foundChange)
      : options(options), foundChange(foundChange) {}

  ~PassValidation() override {
    if (options.report)
      report();
  }
  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    passDepth -= isPass(pass);
  }

private:
  /// The pass manager's own adaptors, which only run pipelines on nested
  /// operations, have no argument.
  static bool isPass(Pass *pass) { return !pass->getArgument().empty(); }

  void begin(Operation *op);
  void findRuns(tt::FuncOp kernel, KernelState &state);
  std::optional<ExpectedRun> tryInput(tt::FuncOp kernel, unsigned attempt,
                                      std::string &reason);
  void check(StringRef pass, StringRef name, KernelState &state);
  /// Why a kernel's run is no longer what was expected; nothing where it is.
  std::optional<std::string> findChange(tt::FuncOp kernel,
                                        const ExpectedRun &run);
  void report();

  ValidationOptions options;
  bool &foundChange;
  ModuleOp module;
  llvm::MapVector<StringAttr, KernelState> kernels;
  /// Passes that are running, within each other.
  unsigned passDepth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static LogicalResult runKernel(tt::FuncOp kernel, const KernelInput &input,
                               ReferenceMemory &memory,
                               uint64_t bitsOfUndefined) {
  TileGPUReading reading;
  Options options;
  options.maximumSteps = maximumSteps;
  options.undefinedBits = bitsOfUndefined;
  options.extension = &reading;
  memory = input.memory;
  return interpret(kernel, input.arguments, input.grid, memory, options);
}

/// Runs the kernel with every pattern of undefined elements.
static LogicalResult runKernel(tt::FuncOp kernel, ExpectedRun &run) {
  if (failed(runKernel(kernel, run.input, run.result, undefinedPatterns[0])))
    return failure();
  for (auto [index, other] : llvm::enumerate(run.otherResults))
    if (failed(
            runKernel(kernel, run.input, other, undefinedPatterns[index + 1])))
      return failure();
  return success();
}

static bool isSame(const ReferenceMemory &one, const ReferenceMemory &other) {
  return llvm::equal(one.getBuffers(), other.getBuffers(),
                     [](const Buffer &one, const Buffer &other) {
                       return one.bytes == other.bytes;
                     });
}

std::optional<ExpectedRun> PassValidation::tryInput(tt::FuncOp kernel,
                                                    unsigned attempt,
                                                    std::string &reason) {
  bool fractions = options.tolerance.absolute || options.tolerance.relative;
  for (int64_t elements = smallestBuffer; elements <= largestBuffer;
       elements *= bufferGrowth) {
    QuietScope quiet(kernel.getContext());
    ExpectedRun run{
        makeInput(kernel, options.seed, attempt, elements, fractions), {}, {}};
    if (failed(runKernel(kernel, run))) {
      reason = quiet.getFirstError();
      continue;
    }
    if (!isSame(run.input.memory, run.result))
      return run;
    reason = "it leaves memory as it was";
    return std::nullopt;
  }
  return std::nullopt;
}

void PassValidation::findRuns(tt::FuncOp kernel, KernelState &state) {
  std::optional<std::string> reason = findUnsupportedParameter(kernel);
  unsigned attempts = reason ? 0 : attemptsPerInput * options.numInputs;
  std::string lastReason;
  for (unsigned attempt = 0;
       attempt < attempts && state.runs.size() < options.numInputs; ++attempt)
    if (std::optional<ExpectedRun> run = tryInput(kernel, attempt, lastReason))
      state.runs.push_back(std::move(*run));
  if (!state.runs.empty())
    return;
  state.isDone = true;
  InFlightDiagnostic remark = emitRemark(kernel.getLoc())
                              << "'" << kernel.getSymName()
                              << "' is not validated: ";
  if (reason)
    remark << *reason;
  else
    remark << "none of " << attempts << " inputs can be used; with the last, "
           << lastReason;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Sets the elements of `actual` that depended on undefined ones to what is
/// expected.
static void forgetUndefined(const ReferenceMemory &result,
                            const ReferenceMemory &otherResult,
                            ReferenceMemory &actual) {
  for (auto [number, buffer] : llvm::enumerate(result.getBuffers())) {
    const std::vector<uint8_t> &one = buffer.bytes;
    const std::vector<uint8_t> &other = otherResult.getBuffers()[number].bytes;
    if (one == other || buffer.getCount() == 0)
      continue;
    size_t width = one.size() / buffer.getCount();
    std::vector<uint8_t> &bytes = actual.getBuffer(number).bytes;
    for (size_t at = 0; at < one.size(); at += width)
      if (!std::equal(&one[at], &one[at] + width, &other[at]))
        std::copy_n(&one[at], width, &bytes[at]);
  }
}

std::optional<std::string> PassValidation::findChange(tt::FuncOp kernel,
                                                      const ExpectedRun &run) {
  QuietScope quiet(kernel.getContext());
  ReferenceMemory actual;
  if (failed(runKernel(kernel, run.input, actual, undefinedPatterns[0])))
    return quiet.getFirstError();
  for (const ReferenceMemory &other : run.otherResults)
    forgetUndefined(run.result, other, actual);
  if (failed(compareMemories(kernel.getLoc(), run.result, actual,
                             options.tolerance)))
    return quiet.getFirstError();
  return std::nullopt;
}

/// Whether every operation of a kernel has a meaning without threads.
static bool canInterpret(tt::FuncOp kernel) {
  TileGPUReading reading;
  auto isKnown = [&](Operation *op) {
    return op == kernel || reading.getOps().lookup(op->getName()) ||
           Interpreter::knows(op->getName());
  };
  return !kernel
              .walk([&](Operation *op) {
                return isKnown(op) ? WalkResult::advance()
                                   : WalkResult::interrupt();
              })
              .wasInterrupted();
}

void PassValidation::check(StringRef pass, StringRef name, KernelState &state) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, name);
  if (!symbol) {
    foundChange = state.isDone = true;
    emitError(module.getLoc())
        << "pass '" << pass << "' removes kernel '" << name << "'";
    return;
  }
  auto kernel = dyn_cast<tt::FuncOp>(symbol);
  if (!kernel || !canInterpret(kernel)) {
    state.isDone = true;
    return;
  }
  ++state.numPasses;
  state.lastPass = pass;
  for (const ExpectedRun &run : state.runs) {
    std::optional<std::string> change = findChange(kernel, run);
    if (!change)
      continue;
    foundChange = state.isDone = true;
    InFlightDiagnostic error = emitError(kernel.getLoc())
                               << "pass '" << pass << "' changes what '" << name
                               << "' computes: " << *change;
    error.attachNote() << "with seed " << options.seed << ", "
                       << run.input.description;
    return;
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void PassValidation::begin(Operation *op) {
  while (Operation *parent = op->getParentOp())
    op = parent;
  module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  for (auto function : module.getOps<tt::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      findRuns(function, kernels[function.getSymNameAttr()]);
}

void PassValidation::runBeforePass(Pass *pass, Operation *op) {
  if (!module)
    begin(op);
  passDepth += isPass(pass);
}

void PassValidation::runAfterPass(Pass *pass, Operation *op) {
  passDepth -= isPass(pass);
  // Within another pass a kernel may be half done.
  if (passDepth != 0 || !isPass(pass))
    return;
  auto function = dyn_cast<tt::FuncOp>(op);
  for (auto &[name, state] : kernels) {
    bool isTouched =
        !function || function.isPrivate() || function.getSymNameAttr() == name;
    if (!state.isDone && isTouched)
      check(pass->getArgument(), name, state);
  }
}

void PassValidation::report() {
  for (auto &[name, state] : kernels) {
    Operation *symbol = SymbolTable::lookupSymbolIn(module, name);
    if (!symbol || state.runs.empty())
      continue;
    InFlightDiagnostic remark = emitRemark(symbol->getLoc())
                                << "'" << name.getValue() << "' was run on "
                                << state.runs.size() << " inputs after each of "
                                << state.numPasses << " passes";
    if (state.numPasses)
      remark << ", the last of them '" << state.lastPass << "'";
    for (const ExpectedRun &run : state.runs)
      remark.attachNote() << run.input.description;
  }
}

std::unique_ptr<PassInstrumentation>
validation::createPassValidation(const ValidationOptions &options,
                                 bool &foundChange) {
  return std::make_unique<PassValidation>(options, foundChange);
}
