// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call's numbers follow from its sizes is found by asking the operator
// for many sizes (Dependence), not written down for each operator.

#include "lib/Kernels/Export.h"

#include "lib/Kernels/Choice.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/ExportSource.h"
#include "lib/Kernels/Launching.h"
#include "lib/Kernels/Refinement.h"
#include "runtime/Artifact.h"

#include <algorithm>
#include <set>

using namespace tilewright;
using namespace tilewright::kernels;

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

//===----------------------------------------------------------------------===//
// What a variant is for
//===----------------------------------------------------------------------===//

namespace {

/// One variant, asked for with any value of its dynamic size.
class Asking {
public:
  Asking(const Operator &of, const Options::Words &words)
      : of(of), words(words) {
    if (auto given = words.find("dynamic"); given != words.end())
      dynamic = given->second;
  }
  bool isDynamic() const { return !dynamic.empty(); }
  /// The largest value of the dynamic size.
  int64_t limit() const { return std::stoll(words.find(dynamic)->second); }

  /// With `value` as the dynamic size; the variant's own problem where it has
  /// none.
  Result<std::unique_ptr<Problem>> with(int64_t value) const {
    Options::Words given = words;
    if (isDynamic())
      given[dynamic] = std::to_string(value);
    return of.prepare(given);
  }
  /// Values of the dynamic size that all numbers of a call are looked at for.
  std::vector<int64_t> samples() const;

private:
  const Operator &of;
  const Options::Words &words;
  std::string dynamic;
};

} // namespace

std::vector<int64_t> Asking::samples() const {
  std::set<int64_t> values;
  int64_t last = limit();
  for (int64_t value = 1; value <= std::min<int64_t>(last, 1100); ++value)
    values.insert(value);
  for (int64_t power = 1024; power <= last; power *= 2)
    for (int64_t value : {power - 1, power, power + 1, power + power / 2 + 1})
      values.insert(std::min(value, last));
  values.insert(last);
  return {values.begin(), values.end()};
}

/// The Dependence that gives values[i] for samples[i].
static std::optional<Dependence> fit(const std::vector<int64_t> &samples,
                                     const std::vector<int64_t> &values) {
  for (int64_t step = 1; step <= 1024; step *= 2) {
    Dependence found;
    found.step = step;
    if (samples.size() > 1 && values.front() != values.back()) {
      int64_t first = ceilDivide(samples.front(), step);
      int64_t last = ceilDivide(samples.back(), step);
      if (first == last || (values.back() - values.front()) % (last - first))
        continue;
      found.factor = (values.back() - values.front()) / (last - first);
    }
    found.base = values.front() - found.factor * ceilDivide(samples[0], step);
    bool fits = true;
    for (size_t i = 0; i < samples.size() && fits; ++i)
      fits = found.at(samples[i]) == values[i];
    if (fits)
      return found;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {

/// Makes the variants and gathers their code.
class Exporter {
public:
  Exporter(const ExportRequest &request, Jit &jit)
      : request(request), jit(jit) {}

  Result<ExportedSources> run();

private:
  Result<void> checkWords() const;
  Result<ExportedVariant> makeVariant(const Options::Words &words,
                                      const target::Target &target);
  Result<void> addSamples(const Asking &asking, const Configuration &c,
                          ExportedVariant &variant) const;
  Result<std::string> addCode(const Kernel &kernel,
                              const target::Target &target);
  void describeTensors(const Signature &signature);

  const ExportRequest &request;
  Jit &jit;
  ExportedOperator exported;
  /// The names of kernels in the artifact, by their text and target.
  std::map<std::string, std::string> names;
  runtime::Artifact artifact;
};

} // namespace

/// Variants may differ in sizes alone, and of these one may be dynamic.
Result<void> Exporter::checkWords() const {
  const Options::Words &first = request.variants.front();
  std::string dynamic;
  if (auto given = first.find("dynamic"); given != first.end())
    dynamic = given->second;
  if (dynamic.find(',') != dynamic.npos)
    return refuse("expects at most one dynamic size to export, but got '" +
                  dynamic + "'");
  for (const Options::Words &words : request.variants)
    for (const auto &[name, value] : words) {
      bool isSize = std::ranges::count(exported.sizes, name) != 0;
      auto same = first.find(name);
      if (!isSize && same != first.end() && same->second != value)
        return refuse("expects variants that differ in sizes alone, but got " +
                      name + "=" + same->second + " and " + name + "=" + value +
                      "; export each to a file of its own");
    }
  if (!dynamic.empty() && std::ranges::count(exported.sizes, dynamic) == 0)
    return refuse("expects " + dynamic +
                  "=..., the largest that the code is "
                  "for, as it is dynamic");
  return runtime::success();
}

/// The kernel's name in the artifact, with its code.
Result<std::string> Exporter::addCode(const Kernel &kernel,
                                      const target::Target &target) {
  std::string text = emit(kernel.name, kernel.signature, kernel.text);
  std::string &name =
      names[std::string(target.name) + " " + std::to_string(kernel.warps) +
            " " + std::to_string(kernel.stages) + " " + text];
  if (!name.empty())
    return name;
  CompileOptions options;
  options.targets = {std::string(target.name)};
  options.machineCode = request.machineCode;
  auto compiled = jit.compile(text, optionsOf(kernel, options));
  if (!compiled)
    return compiled.takeError();
  name = kernel.name + "_" + std::string(target.name) + "_" +
         std::to_string(artifact.kernels.size());
  runtime::Artifact part = **compiled;
  for (runtime::Variant &variant : part.variants) {
    variant.kernel += artifact.kernels.size();
    variant.image += artifact.images.size();
    artifact.variants.push_back(std::move(variant));
  }
  part.kernels.front().name = name;
  std::ranges::move(part.kernels, std::back_inserter(artifact.kernels));
  std::ranges::move(part.images, std::back_inserter(artifact.images));
  artifact.producer = part.producer;
  return name;
}

void Exporter::describeTensors(const Signature &signature) {
  for (const OperatorTensor &known : request.of->tensors)
    for (const TensorParameter &tensor : signature.tensors)
      if (tensor.name == known.name)
        exported.tensors.push_back(
            {tensor.name, std::string(run::name(tensor.type)), known.sizes,
             tensor.role == Role::Output, tensor.alignment});
}

/// The number of that name; nothing where the signature has none.
static std::optional<int64_t> numberOf(const Signature &signature,
                                       const std::string &name) {
  for (const Number &number : signature.numbers)
    if (number.name == name)
      return number.integer();
  return std::nullopt;
}

/// Grids and numbers for all values of the dynamic size.
Result<void> Exporter::addSamples(const Asking &asking, const Configuration &c,
                                  ExportedVariant &variant) const {
  std::vector<int64_t> samples =
      asking.isDynamic() ? asking.samples() : std::vector<int64_t>{0};
  // For each launch: grid, then the integers among the arguments.
  std::vector<std::vector<std::vector<int64_t>>> values(
      variant.launches.size());
  for (int64_t sample : samples) {
    auto problem = asking.with(sample);
    if (!problem)
      return problem.takeError();
    std::vector<Kernel> kernels = (*problem)->kernels(c);
    if (kernels.size() != variant.launches.size())
      return refuse("expects as many launches for all sizes, but got " +
                    std::to_string(kernels.size()) + " at " +
                    std::to_string(sample) + "; leave dynamic out");
    for (size_t i = 0; i < kernels.size(); ++i) {
      std::vector<int64_t> row = {kernels[i].grid.x, kernels[i].grid.y,
                                  kernels[i].grid.z};
      for (const ExportedArgument &argument : variant.launches[i].arguments)
        if (argument.kind == ExportedArgument::Kind::Integer)
          row.push_back(
              numberOf(kernels[i].signature, argument.name).value_or(0));
      values[i].resize(row.size());
      for (size_t j = 0; j < row.size(); ++j)
        values[i][j].push_back(row[j]);
    }
  }
  for (size_t i = 0; i < values.size(); ++i) {
    ExportedLaunch &launch = variant.launches[i];
    std::vector<Dependence *> places = {&launch.grid[0], &launch.grid[1],
                                        &launch.grid[2]};
    for (ExportedArgument &argument : launch.arguments)
      if (argument.kind == ExportedArgument::Kind::Integer)
        places.push_back(&argument.integer);
    for (size_t j = 0; j < places.size(); ++j) {
      std::optional<Dependence> found = fit(samples, values[i][j]);
      if (!found)
        return refuse("expects grids and numbers that grow in equal steps with "
                      "the dynamic size, but " +
                      std::string(request.of->name) +
                      "'s do not; leave dynamic out");
      *places[j] = *found;
    }
  }
  return runtime::success();
}

/// The problem that code is written for. Where a size is dynamic, an odd one
/// above all others: then nothing that holds for the code's numbers, such as
/// what divides them, fails to hold for any.
static int64_t writtenFor(const Asking &asking) {
  return asking.isDynamic() ? std::max<int64_t>(asking.limit() | 1, 3) : 0;
}

/// Whether the code of a configuration is the same for another dynamic size
/// that is odd: then nothing of its value is in it.
static Result<void> checkServesAll(const Asking &asking,
                                   const Configuration &c) {
  if (!asking.isDynamic())
    return runtime::success();
  std::string texts[2];
  for (int i : {0, 1}) {
    auto problem = asking.with(writtenFor(asking) + 2 * i);
    if (!problem)
      return problem.takeError();
    for (const Kernel &kernel : (*problem)->kernels(c))
      texts[i] += emit(kernel.name, kernel.signature, kernel.text);
  }
  if (texts[0] != texts[1])
    return refuse(
        "expects code that serves all values of the dynamic size, but "
        "that of " +
        c.word() + " depends on it; leave dynamic out");
  return runtime::success();
}

Result<ExportedVariant> Exporter::makeVariant(const Options::Words &words,
                                              const target::Target &target) {
  Asking asking(*request.of, words);
  auto typical = asking.with(asking.isDynamic() ? asking.limit() : 0);
  auto written = asking.with(writtenFor(asking));
  if (!typical || !written)
    return (typical ? written : typical).takeError();
  const target::Device &device = target::getDefaultDevice(target);
  std::vector<Candidate> candidates = rank(**typical, target, device);
  if (request.refined)
    refine(candidates, **typical, target, device, request.refined);
  Result<Configuration> chosen = choose(candidates, std::nullopt);
  if (!chosen)
    return chosen.takeError();
  if (Result<void> fits = checkServesAll(asking, *chosen); !fits)
    return fits.takeError();
  ExportedVariant variant;
  variant.configuration = chosen->word();
  for (const std::string &size : exported.sizes)
    variant.sizes.push_back(std::stoll(words.find(size)->second));
  // (The plain configuration has one launch, which takes all tensors.)
  if (exported.tensors.empty())
    for (const Kernel &kernel :
         (*written)->kernels((*written)->configurations().front()))
      describeTensors(kernel.signature);
  std::map<std::string, uint64_t> offsets;
  for (const Kernel &kernel : (*written)->kernels(*chosen)) {
    Result<std::string> code = addCode(kernel, target);
    if (!code)
      return code.takeError();
    ExportedLaunch &launch = variant.launches.emplace_back();
    launch.kernel = *code;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      launch.arguments.push_back(
          exported.pointerTo(tensor, offsets, variant.workspaceBytes));
    for (const Number &number : kernel.signature.numbers)
      if (!number.isConstant())
        launch.arguments.push_back(ExportedArgument::of(number));
  }
  if (Result<void> done = addSamples(asking, *chosen, variant); !done)
    return done.takeError();
  return variant;
}

Result<ExportedSources> Exporter::run() {
  exported.name = request.name;
  exported.operatorName = request.of->name;
  const Options::Words &first = request.variants.front();
  for (const OperatorOption &row : request.of->options)
    if (row.kind == OperatorOption::Kind::Size && first.count(row.name))
      exported.sizes.emplace_back(row.name);
    else if (auto given = first.find(row.name); given != first.end())
      exported.options.emplace_back(given->first + "=" + given->second);
  if (Result<void> fits = checkWords(); !fits)
    return fits.takeError();
  if (auto given = first.find("dynamic"); given != first.end())
    exported.dynamicSize = std::ranges::find(exported.sizes, given->second) -
                           exported.sizes.begin();
  for (const target::Target *target : request.targets) {
    ExportedTarget &made = exported.targets.emplace_back();
    made.name = target->name;
    for (const Options::Words &words : request.variants) {
      if (request.onProgress)
        request.onProgress(made.name);
      Result<ExportedVariant> variant = makeVariant(words, *target);
      if (!variant)
        return variant.takeError();
      made.variants.push_back(std::move(*variant));
    }
    // A call takes the first that is large enough.
    std::ranges::sort(made.variants, {}, &ExportedVariant::sizes);
  }
  auto bytes = runtime::serializeArtifact(artifact);
  if (!bytes)
    return bytes.takeError();
  return ExportedSources{makeExportHeader(exported),
                         makeExportSource(exported, *bytes)};
}

Result<ExportedSources> kernels::exportOperator(const ExportRequest &request,
                                                Jit &jit) {
  return Exporter(request, jit).run();
}
