// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Conversions/Trial.h"

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "lib/Codegen/LLVMToPTX.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Run/Arguments.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipelines/Pipelines.h"

#include <cstring>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::conversions;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;
using layout::Means;
using llvm::formatv;

namespace {

/// What the emulator counted of one kernel.
struct Counts {
  uint64_t wavefronts = 0, shuffles = 0, transpositions = 0;
};

/// The plan that the compiler is to follow.
ConversionPlan planOf(const ConversionCase &conversion) {
  layout::ConversionRules rules =
      tilegpu::getConversionRules(*conversion.target);
  return *(conversion.means
               ? layout::planConversionBy(*conversion.means, conversion.source,
                                          conversion.destination,
                                          conversion.elementBits, rules)
               : layout::planConversion(conversion.source,
                                        conversion.destination,
                                        conversion.elementBits, rules));
}

uint64_t threadCount(const ConversionCase &conversion) {
  return uint64_t(32) << conversion.tensor.warps;
}

/// The bytes of every register of every thread, thread by thread, where the
/// element at flat coordinate c has the bits of randomBits(number, c).
std::vector<uint8_t> fillPlaces(const ConversionCase &conversion,
                                const LinearLayout &map) {
  uint64_t registers = uint64_t(1) << map.inputBits(Axis::Register);
  unsigned bytes = conversion.elementBits / 8;
  std::vector<uint8_t> places(threadCount(conversion) * registers * bytes);
  // Registers are the low bits of flat inputs, threads follow.
  for (uint64_t place = 0; place < threadCount(conversion) * registers;
       ++place) {
    uint64_t value = run::randomBits(conversion.number, map.apply(place));
    std::memcpy(places.data() + place * bytes, &value, bytes);
  }
  return places;
}

/// The kernels of one target.
class Trial {
public:
  explicit Trial(std::vector<ConversionCase> conversions)
      : conversions(std::move(conversions)), owner(/*threads=*/1),
        handler(&owner.get(), [this](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream(messages)
              << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
          return success();
        }) {}

  std::vector<Outcome> run();

private:
  /// What came of each conversion where they do not compile together.
  std::vector<Outcome> runAlone() const;
  /// PTX of all kernels together, and of each the bytes of shared memory.
  FailureOr<std::string> compile();
  Outcome runOne(const ConversionCase &conversion,
                 const emulator::Program &program,
                 emulator::GlobalMemory &memory);
  std::string compare(const ConversionCase &conversion,
                      const std::vector<uint8_t> &actual);

  std::vector<ConversionCase> conversions;
  compiler::CompilerContext owner;
  std::string messages;
  ScopedDiagnosticHandler handler;
  llvm::StringMap<uint32_t> sharedBytes;
};

FailureOr<std::string> Trial::compile() {
  const target::Target &target = *conversions.front().target;
  std::string text =
      formatv("module attributes {{{0} = \"{1}\"} {{\n",
              tilegpu::TileGPUDialect::targetAttrName, StringRef(target.name));
  for (const ConversionCase &conversion : conversions)
    text += writeKernel(conversion);
  text += "}\n";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, &owner.get());
  if (!module)
    return failure();
  PassManager manager(&owner.get());
  buildTileGPUPipeline(manager);
  PipelineOptions options;
  options.lineTables = false;
  buildTileGPUToLLVMPipeline(manager, options);
  if (failed(manager.run(*module)))
    return failure();
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (auto bytes = function->getAttrOfType<IntegerAttr>(
            tilegpu::TileGPUDialect::sharedBytesAttrName))
      sharedBytes[function.getName()] = bytes.getInt();
  FailureOr<codegen::PtxCode> ptx = codegen::translateToPTX(*module, target);
  if (failed(ptx))
    return failure();
  return std::move(ptx->text);
}

std::string Trial::compare(const ConversionCase &conversion,
                           const std::vector<uint8_t> &actual) {
  std::vector<uint8_t> expected =
      fillPlaces(conversion, conversion.destination);
  unsigned bytes = conversion.elementBits / 8, wrong = 0;
  uint64_t registers = uint64_t(1)
                       << conversion.destination.inputBits(Axis::Register);
  std::string problem;
  for (uint64_t place = 0; place < expected.size() / bytes; ++place) {
    if (!std::memcmp(&expected[place * bytes], &actual[place * bytes], bytes))
      continue;
    if (!wrong++)
      problem = formatv("register {0} of thread {1} has another element",
                        place % registers, place / registers);
  }
  return wrong ? problem +
                     formatv(" ({0} of {1})\n", wrong, expected.size() / bytes)
                         .str()
               : problem;
}

/// What was counted beside what the plan says.
std::string compareCounts(const ConversionCase &conversion,
                          const ConversionPlan &plan, const Counts &counts) {
  uint64_t warps = uint64_t(1) << conversion.tensor.warps;
  uint64_t storing =
      warps >> llvm::popcount(conversion.source.redundantBits(Axis::Warp));
  uint64_t wavefronts = 0, shuffles = 0, transpositions = 0;
  if (plan.transpositions)
    transpositions = warps * plan.transpositions->words.size();
  if (plan.shared)
    wavefronts = storing * plan.shared->countStoreWavefronts() +
                 warps * plan.shared->countLoadWavefronts();
  if (plan.rounds)
    wavefronts = plan.rounds->storeWavefronts + plan.rounds->loadWavefronts;
  if (plan.shuffles)
    shuffles = warps * plan.shuffles->countShuffles();
  std::string problem;
  if (counts.wavefronts != wavefronts)
    problem += formatv("expects {0} wavefronts, but got {1} ({2})\n",
                       wavefronts, counts.wavefronts, plan.describe());
  if (counts.shuffles != shuffles)
    problem += formatv("expects {0} shuffles, but got {1} ({2})\n", shuffles,
                       counts.shuffles, plan.describe());
  if (counts.transpositions != transpositions)
    problem += formatv("expects {0} transpositions, but got {1} ({2})\n",
                       transpositions, counts.transpositions, plan.describe());
  return problem;
}

/// Wavefronts beyond the fewest that so many bytes take.
unsigned countConflicts(const ConversionPlan &plan) {
  if (!plan.shared)
    return 0;
  const layout::SharedPlan &shared = *plan.shared;
  auto beyond = [&](unsigned wavefronts, unsigned instructions,
                    unsigned bytes) {
    unsigned least = instructions * std::max(1u, bytes / 4);
    return wavefronts > least ? wavefronts - least : 0;
  };
  unsigned bytes = shared.elementBits / 8;
  unsigned conflicts = 0;
  if (!shared.matrixStore)
    conflicts += beyond(shared.storeWavefronts, shared.store.instructions(),
                        shared.store.vectorElements * bytes);
  if (!shared.matrixLoad)
    conflicts += beyond(shared.loadWavefronts, shared.load.instructions(),
                        shared.load.vectorElements * bytes);
  return conflicts;
}

/// Whether an instruction of that name moves or picks elements.
bool isPartOfConversion(StringRef name) {
  for (StringRef part : {"shfl", "ldmatrix", "stmatrix", "movmatrix", "selp",
                         "prmt", "ld.shared", "st.shared"})
    if (name.starts_with(part))
      return true;
  return false;
}

/// The names and counts of Outcome::instructions.
std::map<std::string, unsigned>
tallyInstructions(const ConversionCase &conversion,
                  const emulator::Kernel &kernel,
                  const emulator::LaunchResult &result) {
  std::map<std::string, unsigned> tally;
  for (size_t index = 0; index < result.counts.size(); ++index)
    if (isPartOfConversion(kernel.names[index]))
      tally[kernel.names[index]] += result.counts[index].warps;
  for (auto &[name, count] : tally)
    count >>= conversion.tensor.warps;
  return tally;
}

Outcome Trial::runOne(const ConversionCase &conversion,
                      const emulator::Program &program,
                      emulator::GlobalMemory &memory) {
  Outcome outcome;
  ConversionPlan plan = planOf(conversion);
  outcome.means = plan.means;
  outcome.conflicts = countConflicts(plan);
  std::string name = formatv("case_{0}", conversion.number);
  const emulator::Kernel *kernel = program.find(name);
  std::vector<uint8_t> input = fillPlaces(conversion, conversion.source);
  std::vector<uint8_t> output(
      fillPlaces(conversion, conversion.destination).size());
  uint64_t addresses[] = {memory.allocate(input.size()),
                          memory.allocate(output.size())};
  memory.write(addresses[0], input.data(), input.size());
  std::vector<uint8_t> parameters(kernel->parameterBytes);
  for (unsigned index = 0; index < 2; ++index)
    std::memcpy(parameters.data() + kernel->parameters[index].offset,
                &addresses[index], sizeof(uint64_t));
  emulator::LaunchOptions options;
  options.block[0] = threadCount(conversion);
  options.dynamicSharedBytes = sharedBytes.lookup(name);
  emulator::LaunchResult result =
      emulator::launch(*kernel, parameters, memory, options);
  for (const emulator::Fault &fault : result.faults)
    outcome.problem += describe(fault, program.files()) + "\n";
  memory.read(addresses[1], output.data(), output.size());
  for (uint64_t address : addresses)
    memory.free(address);
  outcome.problem += compare(conversion, output);
  Counts counts;
  for (size_t index = 0; index < result.counts.size(); ++index) {
    counts.wavefronts += result.counts[index].wavefronts;
    if (StringRef(kernel->names[index]).starts_with("shfl"))
      counts.shuffles += result.counts[index].warps;
    if (StringRef(kernel->names[index]).starts_with("movmatrix"))
      counts.transpositions += result.counts[index].warps;
  }
  outcome.problem += compareCounts(conversion, plan, counts);
  outcome.instructions = tallyInstructions(conversion, *kernel, result);
  return outcome;
}

Outcome makeFailure(std::string problem) {
  Outcome outcome;
  outcome.problem = std::move(problem);
  return outcome;
}

std::vector<Outcome> Trial::runAlone() const {
  if (conversions.size() == 1)
    return {makeFailure("does not compile: " + messages)};
  std::vector<Outcome> outcomes;
  for (const ConversionCase &conversion : conversions)
    outcomes.push_back(Trial({conversion}).run().front());
  return outcomes;
}

std::vector<Outcome> Trial::run() {
  FailureOr<std::string> ptx = compile();
  if (failed(ptx))
    return runAlone();
  emulator::GlobalMemory memory;
  emulator::SyntaxError error;
  auto program = emulator::Program::create(*ptx, memory, error);
  if (!program)
    return std::vector<Outcome>(
        conversions.size(),
        makeFailure("the emulator does not read the PTX: " + error.message));
  std::vector<Outcome> outcomes;
  for (const ConversionCase &conversion : conversions)
    outcomes.push_back(runOne(conversion, *program, memory));
  return outcomes;
}

} // namespace

std::vector<Outcome>
conversions::runTrial(const std::vector<ConversionCase> &conversions) {
  return Trial(conversions).run();
}
