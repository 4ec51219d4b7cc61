// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-hopper: sm_90a's instructions, one program each, on the emulator
// or on a GPU, against plain computations.
//
//   tilewright-hopper                           every program, on the emulator
//   tilewright-hopper --device=cuda             on a GPU
//   tilewright-hopper --ptxas=/usr/local/cuda/bin/ptxas
//                                               assembles them too (a GPU runs
//                                               what comes of it)
//   tilewright-hopper --family=swizzles --only=bf16 --seeds=4
//   tilewright-hopper --print=NAME              its PTX
//   tilewright-hopper --family=mistakes --verbose
//                                               what the emulator says against
//                                               programs with mistakes
//
// The result is bit for bit what is expected, or it is a failure. Exit status
// 1: there were some.

#include "test/Hopper/Clusters.h"
#include "test/Hopper/Copies.h"
#include "test/Hopper/Device.h"
#include "test/Hopper/Mistakes.h"
#include "test/Hopper/Pipelines.h"
#include "test/Hopper/Products.h"
#include "test/Hopper/RegisterLoops.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

using namespace tilewright;
using namespace tilewright::hopper;

namespace {

struct Options {
  std::string device = "emulator", driver, ptxas, family, only, print;
  uint64_t seeds = 1;
  bool isVerbose = false;
};

bool parse(std::string_view argument, Options &options) {
  std::pair<std::string_view, std::string *> texts[] = {
      {"--device=", &options.device}, {"--driver=", &options.driver},
      {"--ptxas=", &options.ptxas},   {"--family=", &options.family},
      {"--only=", &options.only},     {"--print=", &options.print}};
  for (auto [name, text] : texts)
    if (argument.starts_with(name)) {
      *text = argument.substr(name.size());
      return true;
    }
  if (argument == "--verbose")
    return options.isVerbose = true;
  if (!argument.starts_with("--seeds="))
    return false;
  options.seeds = std::strtoull(argument.data() + 8, nullptr, 10);
  return options.seeds > 0;
}

struct Family {
  const char *name;
  std::vector<HopperProgram> programs;
};

std::vector<HopperProgram> makePrograms(const std::vector<Product> &products) {
  std::vector<HopperProgram> programs;
  for (const Product &product : products)
    programs.push_back(makeProgram(product, programs.size() + 1));
  return programs;
}

std::vector<Family> makeFamilies(const Options &options) {
  std::vector<Family> families;
  auto add = [&](const char *name, auto make) {
    if (options.family.empty() || options.family == name)
      families.push_back({name, make()});
  };
  add("products", [] { return makePrograms(allProducts()); });
  add("swizzles", [] { return makePrograms(allSwizzles()); });
  add("base-offsets", [] { return makePrograms(allBaseOffsets()); });
  add("box-loads", boxLoads);
  add("nan-fill", boxLoadsWithNan);
  add("made-maps", boxLoadsByMadeMaps);
  add("box-stores", boxStores);
  add("ranges", rangeCopies);
  add("pipelines", allPipelines);
  add("register-loops", allRegisterLoops);
  add("clusters", allClusters);
  return families;
}

/// "byte 16 is 3 instead of 4", or "".
std::string compare(const std::vector<uint8_t> &output,
                    const std::vector<uint8_t> &expected) {
  auto [left, right] =
      std::mismatch(output.begin(), output.end(), expected.begin());
  if (left == output.end())
    return "";
  unsigned wrong = 0;
  for (size_t i = 0; i < output.size(); ++i)
    wrong += output[i] != expected[i];
  return "expects " + std::to_string(*right) + " in byte " +
         std::to_string(left - output.begin()) + " of the output, but got " +
         std::to_string(*left) + " (" + std::to_string(wrong) + " of " +
         std::to_string(output.size()) + " differ)";
}

/// Runs some programs as one module; the failures.
unsigned runModule(Device &device, const Options &options,
                   const std::vector<const HopperProgram *> &programs) {
  std::string text = moduleHead;
  for (const HopperProgram *program : programs)
    text += program->text;
  std::vector<uint8_t> assembled;
  std::string problem;
  if (!options.ptxas.empty())
    problem = assemble(options.ptxas, text, assembled);
  if (problem.empty())
    problem = device.load(text, assembled);
  if (!problem.empty()) {
    std::printf("module of %s: %s\n", programs.front()->name.c_str(),
                problem.c_str());
    return programs.size();
  }
  unsigned failures = 0;
  for (const HopperProgram *program : programs) {
    problem.clear();
    for (uint64_t seed = 0; seed < options.seeds && problem.empty(); ++seed) {
      Outcome outcome = device.run(*program, seed);
      problem = outcome.problem.empty()
                    ? compare(outcome.output, program->expected)
                    : outcome.problem;
    }
    if (problem.empty())
      continue;
    std::printf("%s: %s\n", program->name.c_str(), problem.c_str());
    ++failures;
  }
  return failures;
}

/// Programs in modules of many, which is faster to assemble.
unsigned runFamily(Device &device, const Options &options,
                   const Family &family) {
  constexpr size_t most = 32;
  std::vector<const HopperProgram *> chosen;
  for (const HopperProgram &program : family.programs)
    if (program.name.find(options.only) != std::string::npos)
      chosen.push_back(&program);
  unsigned failures = 0;
  for (size_t first = 0; first < chosen.size(); first += most)
    failures +=
        runModule(device, options,
                  {chosen.begin() + first,
                   chosen.begin() + std::min(first + most, chosen.size())});
  std::printf("%s: %zu programs, %u failures\n", family.name, chosen.size(),
              failures);
  std::fflush(stdout);
  return failures;
}

/// Runs a mistake on the emulator; whether it tells of it, by the right check.
bool isFound(Device &device, const Options &options,
             const MistakenProgram &mistake) {
  std::string name = mistake.mistake + " (" + mistake.variant + ")";
  std::string text = moduleHead + mistake.program.text;
  std::vector<uint8_t> assembled;
  if (!options.ptxas.empty()) {
    // It may say what it thinks of the program, as long as it takes it.
    std::string said = assemble(options.ptxas, text, assembled);
    if (assembled.empty()) {
      std::printf("%s: %s\n", name.c_str(), said.c_str());
      return false;
    }
  }
  if (std::string problem = device.load(text, {}); !problem.empty()) {
    std::printf("%s: %s\n", name.c_str(), problem.c_str());
    return false;
  }
  bool isGood = true;
  for (uint64_t seed = 0; seed < options.seeds; ++seed) {
    Outcome outcome = device.run(mistake.program, seed);
    bool isNamed = false;
    for (const std::string &check : outcome.checks)
      isNamed |= (" " + mistake.checks + " ").find(" " + check + " ") !=
                 std::string::npos;
    if (isNamed && !options.isVerbose)
      continue;
    isGood &= isNamed;
    std::printf("%s, seed %llu: expects one of '%s', but got '%s'\n",
                name.c_str(), (unsigned long long)seed, mistake.checks.c_str(),
                outcome.problem.c_str());
  }
  return isGood;
}

unsigned runMistakes(const Options &options) {
  std::unique_ptr<Device> device = makeEmulator();
  unsigned count = 0, missed = 0;
  std::set<std::string> kinds;
  for (const auto &programs : {pipelineMistakes(), registerLoopMistakes(),
                               copyMistakes(), clusterMistakes()})
    for (const MistakenProgram &mistake : programs) {
      if ((mistake.mistake + " " + mistake.variant).find(options.only) ==
          std::string::npos)
        continue;
      kinds.insert(mistake.program.name.substr(0, 4) + mistake.mistake);
      ++count;
      missed += !isFound(*device, options, mistake);
    }
  std::printf("mistakes: %u programs with %zu kinds of mistakes, %u failures\n",
              count, kinds.size(), missed);
  return missed;
}

int print(const std::vector<Family> &families, const std::string &name) {
  for (const Family &family : families)
    for (const HopperProgram &program : family.programs)
      if (program.name == name) {
        std::printf("%s%s", moduleHead, program.text.c_str());
        return 0;
      }
  std::fprintf(stderr, "expects the name of a program, but got '%s'\n",
               name.c_str());
  return 1;
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i)
    if (!parse(arguments[i], options)) {
      std::fprintf(stderr,
                   "expects --device=, --driver=, --ptxas=, --family=, "
                   "--only=, --print=, --seeds= or --verbose, but got '%s'\n",
                   arguments[i]);
      return 1;
    }
  std::vector<Family> families = makeFamilies(options);
  if (!options.print.empty())
    return print(families, options.print);
  std::string problem;
  std::unique_ptr<Device> device = options.device == "emulator"
                                       ? makeEmulator()
                                       : makeGpu(options.driver, problem);
  if (!device) {
    std::fprintf(stderr, "no GPU: %s\n", problem.c_str());
    return 1;
  }
  unsigned failures = 0;
  for (const Family &family : families)
    failures += runFamily(*device, options, family);
  bool hasMistakes = options.family.empty() || options.family == "mistakes";
  if (options.device == "emulator" && hasMistakes)
    failures += runMistakes(options);
  return failures != 0;
}
