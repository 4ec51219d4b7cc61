// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random calls of every operator on the emulator's driver: what a warm plan
// asks of the driver, that a graph gives the same bits, and that every run
// does.

#include "test/Kernels/RandomProblem.h"
#include "test/Unit/Kernels/EmulatedPlanTest.h"

#include <algorithm>
#include <dlfcn.h>

using namespace tilewright;
using namespace tilewright::kernels;
using runtime::cuda::Status;
using runtime::cuda::StreamHandle;

namespace {

class CaptureTest : public EmulatedPlanTest,
                    public testing::WithParamInterface<std::string> {
protected:
  /// Calls `body` with plans of the operator that are prepared, and their
  /// calls.
  void forEachCall(const std::function<void(Plan &, OperatorCall &)> &body);
};

/// The driver's graphs, which the runtime has no use for.
template <typename Signature>
Signature *entry(const char *symbol) {
  void *library = dlopen(TILEWRIGHT_EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Signature *>(dlsym(library, symbol));
}

/// What `capture` asked for on the stream, launched; the number of its nodes.
size_t replay(const runtime::Stream &stream, unsigned times,
              const std::function<void()> &capture,
              const std::function<void()> &afterEach) {
  auto *begin = entry<Status(StreamHandle, int)>("cuStreamBeginCapture_v2");
  auto *end = entry<Status(StreamHandle, void **)>("cuStreamEndCapture");
  auto *nodes = entry<Status(void *, void **, size_t *)>("cuGraphGetNodes");
  auto *instantiate =
      entry<Status(void **, void *, uint64_t)>("cuGraphInstantiateWithFlags");
  auto *launch = entry<Status(void *, StreamHandle)>("cuGraphLaunch");
  EXPECT_EQ(begin(stream.handle(), 0), 0);
  capture();
  void *graph = nullptr, *executable = nullptr;
  size_t count = 0;
  EXPECT_EQ(end(stream.handle(), &graph), 0);
  EXPECT_EQ(nodes(graph, nullptr, &count), 0);
  EXPECT_EQ(instantiate(&executable, graph, 0), 0);
  for (unsigned i = 0; i < times; ++i) {
    EXPECT_EQ(launch(executable, stream.handle()), 0);
    afterEach();
  }
  entry<Status(void *)>("cuGraphExecDestroy")(executable);
  entry<Status(void *)>("cuGraphDestroy")(graph);
  return count;
}

} // namespace

/// The options that a plan is made of: those that no tensor of a call tells.
static Options::Words wordsOfPlan(const trials::RandomProblem &made) {
  Options::Words words;
  for (const auto &[name, value] : made.words) {
    bool isTold = name.find('.') != name.npos;
    for (const OperatorTensor &tensor : made.of->tensors)
      isTold |= std::ranges::count(tensor.sizes, name) != 0;
    if (!isTold)
      words[name] = value;
  }
  return words;
}

/// Whether anything is sure to be written. States that are kept after each
/// token are not where there are no tokens, and of packed sequences the one
/// that has tokens may be padding by its slots.
static bool hasOutput(const Problem &problem) {
  for (const Kernel &kernel :
       problem.kernels(problem.configurations().front())) {
    const std::vector<TensorParameter> &tensors = kernel.signature.tensors;
    auto has = [&](const char *name) {
      return std::ranges::count(tensors, name, &TensorParameter::name) != 0;
    };
    bool hasDrafts = has("after");
    if (hasDrafts && has("offsets"))
      return false;
    for (const TensorParameter &tensor : tensors)
      if (tensor.role == Role::Output && tensor.elements > 0 &&
          !(hasDrafts && tensor.name == "final"))
        return true;
  }
  return false;
}

void CaptureTest::forEachCall(
    const std::function<void(Plan &, OperatorCall &)> &body) {
  const Operator *of = *findOperator(GetParam());
  const target::Target *target = target::lookup("sm_90a");
  unsigned calls = 0;
  for (uint64_t seed = 1; calls < 5; ++seed) {
    trials::RandomProblem made = trials::makeRandomProblem(
        seed, {1 << 15, 1 << 13}, std::span(&target, 1), std::span(&of, 1));
    if (!hasOutput(*made.problem))
      continue;
    SCOPED_TRACE(made.command());
    auto ready = plan(of->name, wordsOfPlan(made));
    OperatorCall call = makeCall(*of, *made.problem);
    prepare(*ready, call);
    if (HasFatalFailure())
      return;
    ++calls;
    body(*ready, call);
  }
}

TEST_P(CaptureTest, WarmCallsOnlyLaunch) {
  runtime::ScopedContext context(*device);
  forEachCall([&](Plan &plan, OperatorCall &call) {
    // The first one makes tensor maps of the operands.
    run(plan, call);
    takeDriverCalls();
    run(plan, call);
    std::vector<std::string> calls = takeDriverCalls();
    size_t launches = std::ranges::count_if(calls, [](const std::string &name) {
      return name.starts_with("cuLaunchKernel");
    });
    EXPECT_GE(launches, 1u);
    for (const std::string &name : calls)
      EXPECT_TRUE(name.starts_with("cuLaunchKernel") ||
                  name == "cuCtxGetCurrent" || name == "cuCtxGetId")
          << name;
  });
}

TEST_P(CaptureTest, GraphsAndRunsGiveTheSameBits) {
  runtime::ScopedContext context(*device);
  forEachCall([&](Plan &plan, OperatorCall &call) {
    takeOutputs(call);
    auto poison = takeOutputs(call);
    run(plan, call);
    auto eager = takeOutputs(call);
    EXPECT_TRUE(eager != poison);
    run(plan, call);
    EXPECT_TRUE(takeOutputs(call) == eager);
    size_t nodes = replay(
        *stream, 2, [&] { run(plan, call); },
        [&] { EXPECT_TRUE(takeOutputs(call) == eager); });
    EXPECT_GE(nodes, 1u);
    EXPECT_TRUE(takeOutputs(call) == poison);
  });
}

static std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  for (const Operator &known : allOperators())
    names.emplace_back(known.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operators, CaptureTest,
                         testing::ValuesIn(operatorNames()),
                         [](const auto &info) { return info.param; });
