// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Plan.h"

#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "lib/Kernels/Parallel.h"
#include "lib/Kernels/Refinement.h"
#include "runtime/Capture.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::kernels;

/// Dimensions of a tensor, and tensors of an operator.
static constexpr uint32_t maximumRank = 6;
static constexpr size_t maximumTensors = 24;

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

//===----------------------------------------------------------------------===//
// What a call is known by
//===----------------------------------------------------------------------===//

namespace {

/// All that the choice and the code depend on, without allocating: for each
/// tensor whether it is given, its alignment, sizes and strides.
class CallKey {
public:
  explicit CallKey(std::span<const PlanTensor> tensors) {
    for (const PlanTensor &tensor : tensors) {
      // The lowest bit that is set, 16 bytes at the most.
      uint64_t alignment = (tensor.address | 16) & -(tensor.address | 16);
      add(tensor.isGiven ? int64_t(tensor.rank) + 1 : 0);
      if (!tensor.isGiven)
        continue;
      add(alignment);
      for (uint32_t d = 0; d < tensor.rank; ++d) {
        add(tensor.sizes[d]);
        add(tensor.strides[d]);
      }
    }
  }
  std::span<const int64_t> get() const { return {numbers, count}; }
  uint64_t hash() const {
    uint64_t result = 0xcbf29ce484222325;
    for (int64_t number : get())
      result = (result ^ uint64_t(number)) * 0x100000001b3 ^ (result >> 29);
    return result;
  }

private:
  void add(int64_t number) { numbers[count++] = number; }
  int64_t numbers[maximumTensors * (2 + 2 * maximumRank)];
  size_t count = 0;
};

} // namespace

static Result<void> checkTensors(const Operator &known,
                                 std::span<const PlanTensor> tensors) {
  if (tensors.size() != known.tensors.size())
    return refuse("expects " + std::to_string(known.tensors.size()) +
                  " tensors of '" + std::string(known.name) + "', but got " +
                  std::to_string(tensors.size()));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const PlanTensor &tensor = tensors[i];
    if (tensor.isGiven && tensor.rank > maximumRank)
      return refuse("expects '" + std::string(known.tensors[i].name) +
                    "' to have at most " + std::to_string(maximumRank) +
                    " dimensions, but got " + std::to_string(tensor.rank));
    if (tensor.isGiven && tensor.rank && !tensor.strides)
      return refuse("expects strides of '" +
                    std::string(known.tensors[i].name) + "', but got null");
  }
  return runtime::success();
}

//===----------------------------------------------------------------------===//
// From tensors to words
//===----------------------------------------------------------------------===//

namespace {

/// Reads the operator's sizes off the tensors of a call.
class Deduction {
public:
  Deduction(const Operator &known, std::span<const PlanTensor> tensors,
            Options::Words &words)
      : known(known), tensors(tensors), words(words) {}

  Result<void> run() {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].isGiven)
        if (Result<void> fits = readSizes(i); !fits)
          return fits;
    for (size_t i = 0; i < tensors.size(); ++i)
      if (tensors[i].isGiven)
        if (Result<void> fits = writeLayout(i); !fits)
          return fits;
    for (const auto &[name, size] : sizes)
      words[name] = std::to_string(size);
    return runtime::success();
  }

private:
  Result<void> readSizes(size_t i);
  Result<void> writeLayout(size_t i);
  /// Of the operator's dimension `d`: size and stride of the tensor's.
  std::pair<int64_t, int64_t> dimension(size_t i, size_t d) const {
    size_t missing = known.tensors[i].sizes.size() - tensors[i].rank;
    if (d < missing)
      return {1, 0};
    return {tensors[i].sizes[d - missing], tensors[i].strides[d - missing]};
  }

  const Operator &known;
  std::span<const PlanTensor> tensors;
  Options::Words &words;
  std::map<std::string, int64_t> sizes;
};

} // namespace

/// A size is what any tensor has there that is not 1.
Result<void> Deduction::readSizes(size_t i) {
  const OperatorTensor &of = known.tensors[i];
  if (tensors[i].rank > of.sizes.size())
    return refuse("expects '" + std::string(of.name) + "' to have at most " +
                  std::to_string(of.sizes.size()) + " dimensions, but got " +
                  std::to_string(tensors[i].rank));
  for (size_t d = 0; d < of.sizes.size(); ++d) {
    if (of.sizes[d].empty())
      continue;
    int64_t size = dimension(i, d).first;
    auto [place, isNew] = sizes.emplace(of.sizes[d], size);
    if (!isNew && place->second == 1)
      place->second = size;
    if (size != place->second && size != 1)
      return refuse("expects dimension " + std::to_string(d) + " of '" +
                    std::string(of.name) + "', " + std::string(of.sizes[d]) +
                    ", to be " + std::to_string(place->second) + ", but got " +
                    std::to_string(size));
  }
  return runtime::success();
}

Result<void> Deduction::writeLayout(size_t i) {
  const OperatorTensor &of = known.tensors[i];
  std::string strides;
  for (size_t d = 0; d < of.sizes.size(); ++d) {
    auto [size, stride] = dimension(i, d);
    bool repeats = false;
    if (!of.sizes[d].empty())
      repeats = size != sizes[std::string(of.sizes[d])];
    if (stride < 0)
      return refuse("expects strides of '" + std::string(of.name) +
                    "' of 0 and more, but got " + std::to_string(stride));
    strides += (d ? "," : "") + std::to_string(repeats ? 0 : stride);
  }
  std::string name(of.name);
  words[name + ".strides"] = strides;
  uint64_t bits = tensors[i].address | 16;
  words[name + ".alignment"] = std::to_string(bits & -bits);
  return runtime::success();
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

/// The same with its dynamic sizes rounded up, so that sizes that are near each
/// other share a configuration, and with it code.
static Options::Words roundDynamic(const Operator &known,
                                   Options::Words words) {
  auto dynamic = words.find("dynamic");
  if (dynamic == words.end())
    return words;
  for (const OperatorOption &row : known.options) {
    bool isNamed =
        ("," + dynamic->second + ",").find("," + std::string(row.name) + ",") !=
        std::string::npos;
    if (isNamed && words.count(row.name)) {
      std::string &size = words.find(row.name)->second;
      size = std::to_string(ceilPowerOfTwo(std::stoll(size)));
    }
  }
  return words;
}

/// What a call with such tensors asks for.
Result<Plan::Asked> Plan::ask(std::span<const PlanTensor> tensors) const {
  Options::Words all = words;
  if (Result<void> fits = Deduction(*known, tensors, all).run(); !fits)
    return fits.takeError();
  Asked asked;
  Options::Words typical = roundDynamic(*known, all);
  // Sizes that follow from each other may not be rounded by themselves.
  if (!known->prepare(typical))
    typical = all;
  for (auto [problem, of] :
       {std::pair(&asked.problem, &all), std::pair(&asked.typical, &typical)}) {
    auto made = known->prepare(*of);
    if (!made)
      return made.takeError();
    *problem = std::move(*made);
  }
  Result<std::string> name = known->classOf(typical);
  if (!name)
    return name.takeError();
  asked.problemClass = std::move(*name);
  return asked;
}

Result<std::shared_ptr<const runtime::Artifact>>
Plan::compile(const Kernel &kernel) const {
  CompileOptions compile;
  compile.targets = {std::string(target->name)};
  compile.machineCode = options.machineCode;
  return jit->compile(emit(kernel.name, kernel.signature, kernel.text),
                      optionsOf(kernel, compile));
}

/// What loaded kernels are found by.
static std::string keyOf(const Kernel &kernel) {
  return std::to_string(kernel.warps) + " " + std::to_string(kernel.stages) +
         " " + emit(kernel.name, kernel.signature, kernel.text);
}

std::shared_ptr<const runtime::LoadedKernel>
Plan::findLoaded(const std::string &key) {
  std::shared_lock lock(mutex);
  auto found = loaded.find(key);
  return found == loaded.end() ? nullptr : found->second;
}

Result<std::vector<std::shared_ptr<const runtime::LoadedKernel>>>
Plan::load(const std::vector<Kernel> &kernels) {
  std::vector<std::shared_ptr<const runtime::LoadedKernel>> result;
  std::vector<std::string> keys;
  std::vector<size_t> missing;
  for (const Kernel &kernel : kernels) {
    keys.push_back(keyOf(kernel));
    result.push_back(findLoaded(keys.back()));
    if (!result.back())
      missing.push_back(keys.size() - 1);
  }
  // Compiling them takes half of a first call or more.
  std::vector<std::optional<Result<std::shared_ptr<const runtime::Artifact>>>>
      artifacts(missing.size());
  forEachInParallel(missing.size(), [&](size_t i) {
    artifacts[i].emplace(compile(kernels[missing[i]]));
  });
  for (auto [i, artifact] : llvm::zip_equal(missing, artifacts)) {
    if (!*artifact)
      return artifact->takeError();
    auto kernel = runtime::LoadedKernel::load(device, ***artifact, "");
    if (!kernel)
      return kernel.takeError();
    auto made =
        std::make_shared<const runtime::LoadedKernel>(std::move(*kernel));
    std::unique_lock lock(mutex);
    result[i] = loaded.emplace(keys[i], std::move(made)).first->second;
  }
  return result;
}

Plan::Launch Plan::makeLaunch(
    const Kernel &kernel, std::shared_ptr<const runtime::LoadedKernel> ready,
    Prepared &prepared, std::map<std::string, uint64_t> &offsets) const {
  Launch launch;
  launch.kernel = std::move(ready);
  launch.grid = {uint32_t(kernel.grid.x), uint32_t(kernel.grid.y),
                 uint32_t(kernel.grid.z)};
  for (const TensorParameter &tensor : kernel.signature.tensors) {
    launch.arguments.push_back(runtime::Argument::pointer(0));
    auto of = std::find_if(known->tensors.begin(), known->tensors.end(),
                           [&](const OperatorTensor &operand) {
                             return operand.name == tensor.name;
                           });
    if (of != known->tensors.end()) {
      launch.pointers.push_back({int(of - known->tensors.begin()), 0});
      continue;
    }
    auto [offset, isNew] =
        offsets.emplace(tensor.name, prepared.workspaceBytes);
    if (isNew)
      prepared.workspaceBytes +=
          ceilDivide(tensor.elements * run::byteSize(tensor.type), 256) * 256;
    launch.pointers.push_back({-1, offset->second});
  }
  for (runtime::Argument &argument : numberArguments(kernel.signature))
    launch.arguments.push_back(std::move(argument));
  return launch;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

ChoiceNotes Plan::notes() const {
  return ChoiceNotes(wanted ? nullptr : jit->cache().disk(), device, *target,
                     *known);
}

/// Whether `problem` can be computed so. What a note says was right for whoever
/// wrote it.
static bool hasConfiguration(const Problem &problem,
                             const Configuration &configuration) {
  return std::ranges::count(problem.configurations(), configuration) > 0;
}

/// The fastest that ran, if the problem still has it.
static std::optional<Configuration>
fastestOf(std::span<const Measurement> measurements, const Problem &problem) {
  const Measurement *fastest = nullptr;
  for (const Measurement &measurement : measurements)
    if (measurement.failure.empty() &&
        (!fastest || measurement.seconds < fastest->seconds))
      fastest = &measurement;
  if (!fastest || !hasConfiguration(problem, fastest->configuration))
    return std::nullopt;
  return fastest->configuration;
}

std::optional<Configuration> Plan::findNoted(const Asked &asked,
                                             Prepared &prepared) const {
  if (wanted)
    return std::nullopt;
  if (auto measured = notes().measured(asked.problemClass))
    if (auto fastest = fastestOf(*measured, *asked.typical)) {
      prepared.measurements = std::move(*measured);
      return fastest;
    }
  if (*options.tuned)
    return std::nullopt;
  auto predicted = notes().predicted(asked.problemClass, options.refined);
  if (predicted && !hasConfiguration(*asked.typical, *predicted))
    return std::nullopt;
  return predicted;
}

target::Device Plan::modelled() const {
  return modelDevice(device.name(), device.multiprocessorCount(), *target);
}

std::vector<Candidate> Plan::rankFor(const Problem &problem) const {
  target::Device modelled = this->modelled();
  std::vector<Candidate> candidates = rank(problem, *target, modelled);
  if (!wanted)
    refine(candidates, problem, *target, modelled, options.refined);
  return candidates;
}

Result<std::vector<Measurement>>
Plan::measureFor(const Problem &problem,
                 std::span<const Candidate> candidates) const {
  if (runtime::isCaptureKnown(device))
    return Error{ErrorCode::NotPrepared, "a capture is going on"};
  // Others may begin one meanwhile; what happens here is on a stream of its
  // own.
  runtime::RelaxedCaptureMode relaxed(device.driver());
  auto execution = run::openCudaDevice(device);
  if (!execution)
    return execution.takeError();
  MeasuringOptions measuring;
  measuring.most = *options.tuned;
  measuring.passL2(modelled());
  return measure(
      candidates, problem, **execution,
      [this](const Kernel &kernel) { return compile(kernel); }, measuring);
}

std::vector<Candidate> Plan::candidatesFor(const Asked &asked,
                                           Prepared &prepared) const {
  std::vector<Candidate> candidates = rankFor(*asked.typical);
  if (!wanted && *options.tuned && prepared.measurements.empty() &&
      candidates.front().refusal.empty()) {
    auto measured = measureFor(*asked.typical, candidates);
    if (measured) {
      prepared.measurements = std::move(*measured);
      (void)notes().keepMeasured(asked.problemClass, prepared.measurements);
    } else {
      prepared.unmeasured = measured.error().message;
    }
  }
  applyMeasurements(prepared.measurements, candidates);
  return candidates;
}

/// Whether another configuration may do better: not where the fault is the
/// caller's moment, or memory's.
static bool isOfConfiguration(ErrorCode code) {
  return code != ErrorCode::NotPrepared && code != ErrorCode::OutOfMemory &&
         code != ErrorCode::InputOutput;
}

/// The first candidate that compiles and loads; what does not is noted. After
/// many of those the plain one, which takes so little that it does.
Result<void> Plan::fillBest(Prepared &prepared, const Asked &asked) {
  std::vector<Candidate> candidates = candidatesFor(asked, prepared);
  Result<Configuration> first = choose(candidates, wanted);
  if (!first)
    return first.takeError();
  if (wanted)
    return fill(prepared, *asked.problem, *wanted);
  unsigned left = 8;
  for (const Candidate &candidate : candidates) {
    if (!candidate.refusal.empty() || left-- == 0)
      break;
    Result<void> filled =
        fill(prepared, *asked.problem, candidate.configuration);
    if (filled) {
      if (!candidate.measured)
        notes().keepPredicted(asked.problemClass, options.refined,
                              candidate.configuration);
      return filled;
    }
    if (!isOfConfiguration(filled.error().code))
      return filled;
    prepared.measurements.push_back(
        {candidate.configuration, 0, filled.error().message});
  }
  return fill(prepared, *asked.problem, asked.typical->configurations()[0]);
}

//===----------------------------------------------------------------------===//
// Finding what is ready
//===----------------------------------------------------------------------===//

Result<void> Plan::fill(Prepared &prepared, const Problem &problem,
                        const Configuration &configuration) {
  prepared.configuration = configuration;
  prepared.launches.clear();
  prepared.workspaceBytes = 0;
  std::vector<Kernel> kernels = problem.kernels(configuration);
  auto ready = load(kernels);
  if (!ready)
    return ready.takeError();
  std::map<std::string, uint64_t> offsets;
  for (auto [kernel, itself] : llvm::zip_equal(kernels, *ready))
    prepared.launches.push_back(
        makeLaunch(kernel, std::move(itself), prepared, offsets));
  return runtime::success();
}

/// Whether all tensors are there that the problem has.
static Result<void> checkGiven(const Operator &known, const Problem &problem,
                               std::span<const PlanTensor> tensors) {
  for (const Kernel &kernel : problem.kernels(problem.configurations().front()))
    for (const TensorParameter &tensor : kernel.signature.tensors)
      for (size_t i = 0; i < tensors.size(); ++i)
        if (known.tensors[i].name == tensor.name && !tensors[i].isGiven)
          return refuse("expects a tensor '" + tensor.name + "' (" +
                        std::string(run::name(tensor.type)) +
                        "), but it is missing");
  return runtime::success();
}

Result<std::unique_ptr<Plan::Prepared>>
Plan::makePrepared(std::span<const PlanTensor> tensors) {
  Result<Asked> asked = ask(tensors);
  if (!asked)
    return asked.takeError();
  if (auto given = checkGiven(*known, *asked->problem, tensors); !given)
    return given.takeError();
  auto result = std::make_unique<Prepared>();
  if (auto noted = findNoted(*asked, *result)) {
    Result<void> filled = fill(*result, *asked->problem, *noted);
    if (filled)
      return result;
    if (!isOfConfiguration(filled.error().code))
      return filled.takeError();
  }
  if (Result<void> filled = fillBest(*result, *asked); !filled)
    return filled.takeError();
  return result;
}

Result<const Plan::Prepared *> Plan::find(std::span<const PlanTensor> tensors) {
  if (Result<void> fits = checkTensors(*known, tensors); !fits)
    return fits.takeError();
  CallKey key(tensors);
  uint64_t hash = key.hash();
  auto lookUp = [&]() -> const Prepared * {
    auto [begin, end] = prepared.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry)
      if (std::ranges::equal(entry->second.first, key.get()))
        return entry->second.second.get();
    return nullptr;
  };
  {
    std::shared_lock lock(mutex);
    if (const Prepared *found = lookUp())
      return found;
  }
  Result<std::unique_ptr<Prepared>> made = makePrepared(tensors);
  if (!made)
    return made.takeError();
  std::unique_lock lock(mutex);
  if (const Prepared *found = lookUp())
    return found;
  std::vector<int64_t> numbers(key.get().begin(), key.get().end());
  auto place =
      prepared.emplace(hash, std::pair(std::move(numbers), std::move(*made)));
  return place->second.second.get();
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// What TILEWRIGHT_TUNE says; 0 where it is not set.
static Result<unsigned> tunedByEnvironment() {
  const char *text = std::getenv("TILEWRIGHT_TUNE");
  std::string_view value = text ? text : "";
  unsigned tuned = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), tuned);
  if (!value.empty() &&
      (error != std::errc() || end != value.data() + value.size()))
    return refuse("expects TILEWRIGHT_TUNE to be how many candidates to "
                  "measure, but got '" +
                  std::string(value) + "'");
  return tuned;
}

Result<std::unique_ptr<Plan>>
Plan::create(std::shared_ptr<Jit> jit, runtime::Device device,
             std::string_view name, Options::Words words, PlanOptions options) {
  std::unique_ptr<Plan> plan(new Plan(std::move(jit), std::move(device)));
  Result<const Operator *> known = findOperator(name);
  if (!known)
    return known.takeError();
  plan->known = *known;
  const runtime::Architecture &architecture = plan->device.facts().architecture;
  plan->target = options.target.empty()
                     ? target::lookupForDevice(10 * architecture.major +
                                               architecture.minor)
                     : target::lookup(options.target);
  if (!plan->target)
    return refuse(options.target.empty()
                      ? "expects a device of a target, but got " +
                            plan->device.description()
                      : target::unknownTargetMessage(options.target));
  if (!options.configuration.empty()) {
    plan->wanted = Configuration::parse(options.configuration);
    if (!plan->wanted)
      return refuse("expects a configuration as 128x64x32w4s3k1, but got '" +
                    options.configuration + "'");
  }
  // What is wrong whatever the sizes are is said at once.
  Options::Words sample = words;
  for (const OperatorOption &row : (*known)->options)
    if (row.kind == OperatorOption::Kind::Size && row.initial.empty())
      sample.emplace(row.name, "1");
  if (auto problem = (*known)->prepare(sample); !problem)
    return problem.takeError();
  if (!options.tuned) {
    Result<unsigned> tuned = tunedByEnvironment();
    if (!tuned)
      return tuned.takeError();
    options.tuned = *tuned;
  }
  plan->words = std::move(words);
  plan->options = std::move(options);
  return plan;
}

Result<void> Plan::prepare(std::span<const PlanTensor> tensors) {
  Result<const Prepared *> found = find(tensors);
  return found ? runtime::success() : Result<void>(found.takeError());
}

Result<uint64_t> Plan::workspaceBytes(std::span<const PlanTensor> tensors) {
  Result<const Prepared *> found = find(tensors);
  if (!found)
    return found.takeError();
  return (*found)->workspaceBytes;
}

Result<std::string> Plan::explain(std::span<const PlanTensor> tensors) {
  Result<const Prepared *> found = find(tensors);
  if (!found)
    return found.takeError();
  Result<Asked> asked = ask(tensors);
  if (!asked)
    return asked.takeError();
  const Prepared &ready = **found;
  std::vector<Candidate> candidates = rankFor(*asked->typical);
  applyMeasurements(ready.measurements, candidates);
  std::string text = ready.configuration.text() + "\n";
  if (!ready.unmeasured.empty())
    text += "not measured: " + ready.unmeasured + "\n";
  return text + kernels::explain(candidates, 12);
}

Result<void> Plan::launchOne(const Launch &launch,
                             std::span<const PlanTensor> tensors,
                             runtime::cuda::StreamHandle stream,
                             uint64_t workspace) const {
  runtime::ArgumentViews views(launch.arguments);
  std::array<runtime::ArgumentView, 256> filled;
  size_t count = launch.arguments.size();
  if (count > filled.size())
    return refuse("expects at most 256 parameters, but got " +
                  std::to_string(count));
  std::copy_n(views.get().begin(), count, filled.begin());
  for (size_t i = 0; i < launch.pointers.size(); ++i) {
    auto [tensor, offset] = launch.pointers[i];
    filled[i].bits = tensor < 0 ? workspace + offset : tensors[tensor].address;
  }
  return launch.kernel->launch(launch.grid, std::span(filled).first(count),
                               stream);
}

Result<void> Plan::run(std::span<const PlanTensor> tensors,
                       runtime::cuda::StreamHandle stream, uint64_t workspace,
                       uint64_t workspaceSize) {
  Result<const Prepared *> found = find(tensors);
  if (!found)
    return found.takeError();
  if (workspaceSize < (*found)->workspaceBytes)
    return refuse("expects a workspace of " +
                  std::to_string((*found)->workspaceBytes) +
                  " bytes, but got " + std::to_string(workspaceSize));
  for (const Launch &launch : (*found)->launches)
    if (Result<void> done = launchOne(launch, tensors, stream, workspace);
        !done)
      return done;
  return runtime::success();
}
