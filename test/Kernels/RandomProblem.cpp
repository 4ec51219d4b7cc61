// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Kernels/RandomProblem.h"

#include "lib/Kernels/Counting.h"
#include "lib/Run/Arguments.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::trials;

namespace {

class Random {
public:
  explicit Random(uint64_t seed) : seed(seed) {}
  uint64_t below(uint64_t limit) {
    return run::randomBits(seed, index++) % limit;
  }
  template <typename Values>
  auto pick(const Values &values) {
    return values[below(std::size(values))];
  }

private:
  uint64_t seed, index = 0;
};

} // namespace

std::string RandomProblem::command() const {
  std::string text(of->name);
  for (const auto &[name, value] : words)
    text += " " + name + "=" + value;
  return text + " --target=" + std::string(target->name) +
         " --config=" + configuration.word();
}

static std::string randomValue(const OperatorOption &row, bool isLarge,
                               Random &random) {
  static constexpr int largeSizes[] = {512,  1000, 1024,  2048,  4096,
                                       4097, 8192, 11008, 14336, 32768};
  static constexpr int sizes[] = {
      0,  1,  2,  3,  7,  8,   15,  16,  17,  31,  32,  33,  48,  61,
      63, 64, 65, 96, 97, 127, 128, 129, 131, 160, 255, 256, 257, 300};
  switch (row.kind) {
  case OperatorOption::Kind::Size:
    // What has a default, such as batches, mostly is small.
    if (!row.initial.empty())
      return random.below(2)       ? std::string(row.initial)
             : row.choices.empty() ? std::to_string(random.below(4))
                                   : std::string(random.pick(row.choices));
    if (isLarge && random.below(2) && row.name.find("dim") == row.name.npos)
      return std::to_string(random.pick(largeSizes));
    if (!row.choices.empty())
      return std::string(random.pick(row.choices));
    return std::to_string(random.pick(sizes));
  case OperatorOption::Kind::Number:
    return random.below(2) ? std::string(row.initial) : "0.375";
  case OperatorOption::Kind::Choice:
    return std::string(random.pick(row.choices));
  }
  return "";
}

static std::string join(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// Dimensions in any order, each with room to spare.
static std::string randomStrides(const std::vector<int64_t> &sizes,
                                 Random &random) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1 + (random.below(8) == 0);
  for (size_t d : order) {
    strides[d] = stride;
    int64_t spare[] = {0, 0, 1, 5, 8, 16};
    stride *= std::max<int64_t>(sizes[d], 1) + random.pick(spare);
  }
  return join(strides);
}

/// Strides and alignments of tensors that the operator lets be given.
static void addLayouts(RandomProblem &made, Random &random) {
  std::vector<Kernel> kernels =
      made.problem->kernels(made.problem->configurations().front());
  if (kernels.empty())
    return;
  const Signature &signature = kernels.front().signature;
  for (const TensorParameter &tensor : signature.tensors) {
    bool isGiven = std::any_of(
        made.of->tensors.begin(), made.of->tensors.end(),
        [&](const OperatorTensor &known) { return known.name == tensor.name; });
    if (!isGiven || random.below(2))
      continue;
    std::vector<int64_t> sizes = signature.sizesOf(tensor);
    if (sizes.size() > 1)
      made.words[tensor.name + ".strides"] = randomStrides(sizes, random);
    int64_t bytes = run::byteSize(tensor.type);
    made.words[tensor.name + ".alignment"] =
        std::to_string(std::min<int64_t>(bytes << random.below(5), 16));
  }
}

static bool isWithin(const Problem &problem, const ProblemLimits &limits) {
  double multiplyAdds = 0, elements = 0;
  for (const Kernel &kernel : problem.kernels(problem.configurations()[0])) {
    Counts counts =
        count(kernel.signature, kernel.grid, kernel.warps, kernel.text);
    multiplyAdds += counts.multiplyAdds + counts.fullMultiplyAdds;
    for (const TensorParameter &tensor : kernel.signature.tensors)
      elements += double(tensor.elements);
  }
  return multiplyAdds <= limits.multiplyAdds && elements <= limits.elements;
}

static RandomProblem draw(Random &random, const ProblemLimits &limits,
                          std::span<const target::Target *const> targets,
                          std::span<const Operator *const> operators) {
  RandomProblem made;
  made.of = random.pick(operators);
  made.target = random.pick(targets);
  while (true) {
    made.words.clear();
    for (const OperatorOption &row : made.of->options)
      made.words[std::string(row.name)] =
          randomValue(row, limits.multiplyAdds > 1e15, random);
    auto prepare = [&] {
      auto problem = made.of->prepare(made.words);
      if (problem)
        made.problem = std::move(*problem);
      return bool(problem);
    };
    // Words that contradict each other are an operator's to refuse.
    if (!prepare() || !isWithin(*made.problem, limits))
      continue;
    addLayouts(made, random);
    std::string_view size = random.pick(made.of->options).name;
    if (random.below(4) == 0 && made.of->options.front().name != size)
      size = made.of->options.front().name;
    if (random.below(2))
      made.words["dynamic"] = size;
    if (!prepare())
      made.words.erase("dynamic");
    if (prepare() && isWithin(*made.problem, limits))
      return made;
  }
}

RandomProblem
trials::makeRandomProblem(uint64_t seed, const ProblemLimits &limits,
                          std::span<const target::Target *const> targets,
                          std::span<const Operator *const> operators) {
  Random random(seed);
  RandomProblem made = draw(random, limits, targets, operators);
  std::vector<Candidate> candidates =
      rank(*made.problem, *made.target, target::getDefaultDevice(*made.target));
  if (candidates.empty() || !candidates.front().refusal.empty()) {
    std::fprintf(stderr, "no configuration: %s\n", made.command().c_str());
    std::abort();
  }
  std::erase_if(candidates,
                [](const Candidate &c) { return !c.refusal.empty(); });
  bool isBest = limits.isBest || random.below(2);
  made.configuration =
      candidates[isBest ? 0 : random.below(candidates.size())].configuration;
  return made;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

std::vector<std::string> PairCover::listPairs(const RandomProblem &problem) {
  std::vector<std::string> settings = {" " + std::string(problem.target->name)};
  for (const OperatorOption &row : problem.of->options)
    if (auto word = problem.words.find(row.name); word != problem.words.end())
      settings.push_back(" " + word->first + "=" + word->second);
  std::vector<std::string> pairs;
  for (size_t i = 0; i < settings.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      pairs.push_back(std::string(problem.of->name) + settings[j] +
                      settings[i]);
  return pairs;
}

uint64_t PairCover::chooseSeed(uint64_t first, uint64_t count,
                               const ProblemLimits &limits,
                               std::span<const target::Target *const> targets,
                               std::span<const Operator *const> operators) {
  uint64_t best = first;
  std::vector<std::string> ofBest;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    std::vector<std::string> pairs =
        listPairs(draw(random, limits, targets, operators));
    std::erase_if(pairs, [&](const std::string &p) { return seen.count(p); });
    if (pairs.size() <= ofBest.size())
      continue;
    best = seed;
    ofBest = std::move(pairs);
  }
  seen.insert(ofBest.begin(), ofBest.end());
  return best;
}
