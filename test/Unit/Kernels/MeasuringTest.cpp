// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations by the clock of the emulator's driver, which counts
// instructions; what is kept of it, and for whom.

#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "runtime/Capture.h"
#include "test/Unit/Kernels/EmulatedPlanTest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class MeasuringTest : public EmulatedPlanTest {
protected:
  void SetUp() override {
    EmulatedPlanTest::SetUp();
    if (HasFatalFailure())
      return;
    // Else each launch is two calls.
    context.emplace(*device);
    problem = std::move(*matmul().prepare(words));
    target = target::lookup("sm_90a");
    candidates = rank(*problem, *target, target::getDefaultDevice(*target));
  }
  void TearDown() override { context.reset(); }
  static const Operator &matmul() { return **findOperator("matmul"); }

  /// Of a new plan with its own call: the configuration that it gets, in words.
  std::string configurationOf(unsigned tuned) {
    PlanOptions options;
    options.tuned = tuned;
    auto made = plan("matmul", {{"type", "f32"}}, options);
    OperatorCall call = makeCall(matmul(), *problem);
    prepare(*made, call);
    auto text = made->explain(call.views());
    EXPECT_TRUE(text) << text.error().message;
    explanation = *text;
    return explanation.substr(0, explanation.find('\n'));
  }
  size_t takeLaunches() {
    auto calls = takeDriverCalls();
    return std::ranges::count_if(calls, [](const std::string &name) {
      return name.starts_with("cuLaunchKernel");
    });
  }
  ChoiceNotes notes() {
    return ChoiceNotes(jit->cache().disk(), *device, *target, matmul());
  }

  Options::Words words = {
      {"m", "40"}, {"n", "48"}, {"k", "64"}, {"type", "f32"}};
  std::optional<runtime::ScopedContext> context;
  std::unique_ptr<Problem> problem;
  const target::Target *target = nullptr;
  std::vector<Candidate> candidates;
  std::string explanation;
};

/// A device that notes the addresses of each launch.
class NotingDevice : public run::ExecutionDevice {
public:
  explicit NotingDevice(run::ExecutionDevice &device) : device(device) {}
  std::string description() const override { return device.description(); }
  Result<uint64_t> allocate(uint64_t size) override {
    return device.allocate(size);
  }
  Result<void> release(uint64_t address) override {
    return device.release(address);
  }
  Result<void> copyIn(uint64_t address,
                      std::span<const uint8_t> bytes) override {
    return device.copyIn(address, bytes);
  }
  Result<void> copyOut(std::span<uint8_t> bytes, uint64_t address) override {
    return device.copyOut(bytes, address);
  }
  Result<std::unique_ptr<run::ExecutionKernel>>
  prepare(const runtime::Artifact &artifact, std::string_view name) override {
    auto kernel = device.prepare(artifact, name);
    if (!kernel)
      return kernel.takeError();
    return std::unique_ptr<run::ExecutionKernel>(
        new NotingKernel(std::move(*kernel), launches));
  }
  Result<void> synchronize() override { return device.synchronize(); }
  Result<double> time(const std::function<Result<void>()> &work) override {
    return device.time(work);
  }

  /// Of each launch, the values of its arguments.
  std::vector<std::vector<uint64_t>> launches;

private:
  struct NotingKernel : run::ExecutionKernel {
    NotingKernel(std::unique_ptr<run::ExecutionKernel> real,
                 std::vector<std::vector<uint64_t>> &launches)
        : real(std::move(real)), launches(launches) {}
    const runtime::Kernel &kernel() const override { return real->kernel(); }
    const runtime::Variant &variant() const override { return real->variant(); }
    std::string image() const override { return real->image(); }
    Result<void> launch(const runtime::Dimensions &grid,
                        std::span<const runtime::Argument> arguments) override {
      auto &values = launches.emplace_back();
      for (const runtime::Argument &argument : arguments)
        values.push_back(argument.bits);
      return real->launch(grid, arguments);
    }
    std::unique_ptr<run::ExecutionKernel> real;
    std::vector<std::vector<uint64_t>> &launches;
  };

  run::ExecutionDevice &device;
};

} // namespace

// What one plan measured another gets without measuring, in this process or a
// later one: it is in the folder.
TEST_F(MeasuringTest, IsKeptForLaterPlans) {
  jit = jitIn(testing::TempDir() + "tilewright-measured");
  takeLaunches();
  std::string first = configurationOf(3);
  // Three candidates, 3 to warm up and 10 to time.
  EXPECT_EQ(takeLaunches(), 60u);
  EXPECT_NE(explanation.find("; measured"), std::string::npos) << explanation;
  auto kept = notes().measured(*matmul().classOf(words));
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 3u);
  EXPECT_EQ(configurationOf(3), first);
  EXPECT_EQ(configurationOf(0), first);
  EXPECT_EQ(takeLaunches(), 0u);
  EXPECT_NE(explanation.find("; measured"), std::string::npos) << explanation;

  // It is the note that decides: with other times another one is first.
  (*kept)[2].seconds = 1e-9;
  ASSERT_TRUE(notes().keepMeasured(*matmul().classOf(words), *kept));
  EXPECT_EQ(configurationOf(0), (*kept)[2].configuration.text());
  // One that no longer is a configuration of the problem is passed over.
  (*kept)[2].configuration.tile = {48, 48, 48};
  ASSERT_TRUE(notes().keepMeasured(*matmul().classOf(words), *kept));
  EXPECT_NE(configurationOf(0), (*kept)[2].configuration.text());
}

static std::string readFile(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void writeFile(const std::filesystem::path &path,
                      const std::string &content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// A note that is cut off, has a bit changed, or that another version wrote is
// as none: the plan gets what is predicted, or measures.
TEST_F(MeasuringTest, DamagedNotesAreAsNone) {
  std::string folder = testing::TempDir() + "tilewright-damaged-notes";
  jit = jitIn(folder);
  std::string predicted = configurationOf(0);
  configurationOf(3);
  auto kept = notes().measured(*matmul().classOf(words));
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 3u);
  // One other than the predicted is the fastest: whoever reads it tells.
  auto other = std::ranges::find_if(*kept, [&](const Measurement &each) {
    return each.configuration.text() != predicted;
  });
  ASSERT_NE(other, kept->end());
  other->seconds = 1e-9;
  std::string noted = other->configuration.text();
  ASSERT_TRUE(notes().keepMeasured(*matmul().classOf(words), *kept));
  EXPECT_EQ(configurationOf(0), noted);

  std::filesystem::path file;
  std::string whole;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (std::string content = readFile(entry.path());
        content.find("TWNOTE1\nmeasured") != content.npos)
      file = entry.path(), whole = content;
  ASSERT_FALSE(file.empty());
  auto expectNone = [&](const std::string &content) {
    writeFile(file, content);
    EXPECT_FALSE(notes().measured(*matmul().classOf(words)));
  };
  for (size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    expectNone(whole.substr(0, at));
    std::string flipped = whole;
    flipped[at] ^= 1 << at % 8;
    expectNone(flipped);
    if (at % 64 == 0)
      EXPECT_EQ(configurationOf(0), predicted);
  }
  writeFile(file, whole);
  EXPECT_EQ(configurationOf(0), noted);
  // And it is measured anew where that is asked for.
  writeFile(file, whole.substr(0, whole.size() / 2));
  takeLaunches();
  configurationOf(3);
  EXPECT_EQ(takeLaunches(), 60u);
}

// Whole notes of what the problem does not have, by another version's rules.
TEST_F(MeasuringTest, NotesOfOtherVersionsAreAsNone) {
  jit = jitIn(testing::TempDir() + "tilewright-other-notes");
  std::string predicted = configurationOf(0), text = *matmul().classOf(words);
  unsigned refined = PlanOptions().refined;
  Configuration strange[3];
  std::ranges::fill(strange, candidates[0].configuration);
  strange[0].tile = {48, 48, 48};
  strange[1].stages = 7;
  strange[2].split = 5;
  for (const Configuration &configuration : strange) {
    notes().keepPredicted(text, refined, configuration);
    EXPECT_EQ(notes().predicted(text, refined), configuration);
    EXPECT_EQ(configurationOf(0), predicted) << configuration.word();
    ASSERT_TRUE(notes().keepMeasured(
        text, std::vector<Measurement>{{configuration, 1e-9, ""}}));
    EXPECT_EQ(configurationOf(0), predicted) << configuration.word();
  }
}

// The fastest by the device's clock is taken, whatever was predicted.
TEST_F(MeasuringTest, TheFastestIsTaken) {
  jit = jitIn(testing::TempDir() + "tilewright-fastest");
  std::string chosen = configurationOf(6);
  auto kept = notes().measured(*matmul().classOf(words));
  ASSERT_TRUE(kept);
  auto fastest =
      std::ranges::min_element(*kept, [](const auto &a, const auto &b) {
        return a.seconds < b.seconds;
      });
  EXPECT_EQ(chosen, fastest->configuration.text());
}

// While somebody captures nothing is measured: a prediction has to do.
TEST_F(MeasuringTest, NothingIsMeasuredInACapture) {
  runtime::CaptureScope scope(*device);
  takeLaunches();
  configurationOf(2);
  EXPECT_EQ(takeLaunches(), 0u);
  EXPECT_NE(explanation.find("not measured: a capture is going on"),
            std::string::npos)
      << explanation;
}

TEST_F(MeasuringTest, NothingIsMeasuredUnasked) {
  takeLaunches();
  configurationOf(0);
  EXPECT_EQ(takeLaunches(), 0u);
  EXPECT_EQ(explanation.find("; measured"), std::string::npos) << explanation;
}

// A candidate that fails is passed over, with its reason.
TEST_F(MeasuringTest, FailuresAreSkipped) {
  auto execution = run::openCudaDevice(*device);
  ASSERT_TRUE(execution);
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.machineCode = false;
  Configuration bad = candidates[0].configuration;
  MeasuringOptions measuring;
  measuring.most = 2;
  measuring.repeat = 1;
  auto measured = measure(
      candidates, *problem, **execution,
      [&](const Kernel &kernel)
          -> Result<std::shared_ptr<const runtime::Artifact>> {
        if (kernel.warps == bad.warps && kernel.stages == bad.stages)
          return Error{ErrorCode::Unsupported, "not today\nnor tomorrow"};
        return jit->compile(emit(kernel.name, kernel.signature, kernel.text),
                            optionsOf(kernel, options));
      },
      measuring);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->front().configuration, bad);
  EXPECT_EQ(measured->front().failure, "not today");
  size_t ran = std::ranges::count_if(
      *measured, [](const Measurement &m) { return m.failure.empty(); });
  EXPECT_EQ(ran, 2u);

  applyMeasurements(*measured, candidates);
  EXPECT_TRUE(candidates[0].measured);
  EXPECT_TRUE(candidates[1].measured);
  EXPECT_LE(*candidates[0].measured, *candidates[1].measured);
  EXPECT_FALSE(candidates[2].measured);
  EXPECT_NE(explain(candidates, 12).find("on the device: not today"),
            std::string::npos);
  auto refused = choose(candidates, bad);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, bad.word() + ": on the device: not today");
}

// Inputs are read from other memory each time, until so many bytes are read;
// the output stays where it is.
TEST_F(MeasuringTest, InputsAreTakenInTurns) {
  auto real = run::openCudaDevice(*device);
  ASSERT_TRUE(real);
  NotingDevice noting(**real);
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.machineCode = false;
  MeasuringOptions measuring;
  measuring.most = 1;
  measuring.repeat = 4;
  // Of a and b, which have 22,528 bytes, two copies more.
  measuring.coldBytes = uint64_t(3) * 22528 - 1;
  auto measured = measure(
      candidates, *problem, noting,
      [&](const Kernel &kernel) {
        return jit->compile(emit(kernel.name, kernel.signature, kernel.text),
                            optionsOf(kernel, options));
      },
      measuring);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_GE(noting.launches.size(), 4u);
  const auto &launches = noting.launches;
  for (size_t tensor : {0, 1, 2}) {
    std::set<uint64_t> addresses;
    for (const auto &launch : launches)
      addresses.insert(launch[tensor]);
    EXPECT_EQ(addresses.size(), tensor < 2 ? 3u : 1u);
  }
  for (size_t i = 1; i < launches.size(); ++i)
    EXPECT_NE(launches[i][0], launches[i - 1][0]);
}

TEST_F(MeasuringTest, TextGoesBothWays) {
  std::vector<Measurement> some = {
      {candidates[0].configuration, 1.25e-6, ""},
      {candidates[1].configuration, 0, "why: not"}};
  auto parsed = parseMeasurements(toText(some));
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 2u);
  EXPECT_EQ((*parsed)[0].configuration, some[0].configuration);
  EXPECT_EQ((*parsed)[0].seconds, 1.25e-6);
  EXPECT_EQ((*parsed)[1].failure, "why: not");
  for (const char *bad :
       {"", "measured 2\n", "measured 1\n16x16w1s1k1", "measured 1\n16 1e-6\n",
        "measured 1\n16x16w1s1k1 fast\n", "measured 1\n16x16w1s1k1 -1\n"})
    EXPECT_FALSE(parseMeasurements(bad)) << bad;
}

// The class of a problem does not depend on how it is worded.
TEST_F(MeasuringTest, ClassesAreOfProblems) {
  auto classOf = [&](Options::Words more) {
    more.insert(words.begin(), words.end());
    auto text = matmul().classOf(more);
    return text ? *text : text.error().message;
  };
  std::string plain = classOf({});
  EXPECT_EQ(plain, classOf({{"scale", "1.0"}, {"batch", "1"}}));
  EXPECT_EQ(plain, classOf({{"a.strides", "99,64,1"}, {"a.alignment", "16"}}));
  EXPECT_NE(plain, classOf({{"a.strides", "99,72,1"}}));
  EXPECT_NE(plain, classOf({{"a.alignment", "4"}}));
  EXPECT_NE(plain, classOf({{"activation", "gelu"}}));
  EXPECT_NE(plain, classOf({{"dynamic", "m"}}));
  EXPECT_EQ(classOf({{"dynamic", "m,n"}}), classOf({{"dynamic", "n,m"}}));
  EXPECT_EQ(classOf({{"activation", "tan"}}).find("expects activation="), 0u);
}

TEST_F(MeasuringTest, EnvironmentAsksForIt) {
  setenv("TILEWRIGHT_TUNE", "2", 1);
  auto made = plan("matmul", {{"type", "f32"}});
  OperatorCall call = makeCall(matmul(), *problem);
  takeLaunches();
  prepare(*made, call);
  EXPECT_EQ(takeLaunches(), 40u);
  setenv("TILEWRIGHT_TUNE", "yes", 1);
  auto refused = Plan::create(jit, *device, "matmul", {{"type", "f32"}}, {});
  unsetenv("TILEWRIGHT_TUNE");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "expects TILEWRIGHT_TUNE to be how many candidates to measure, but "
            "got 'yes'");
}

// A plan whose choice does not load on the device takes the next one, and says
// why: here code for GPUs with more shared memory than this one.
TEST_F(MeasuringTest, PlansPassOverWhatDoesNotLoad) {
  if (device->sharedBytesLimit() >=
      int(target::lookup("sm_80")->sharedMemoryLimit))
    GTEST_SKIP() << "expects a device with less shared memory than sm_80's";
  // Warps that share a sum hold the tiles of four.
  words = {{"m", "16"}, {"n", "4096"}, {"k", "4096"}, {"type", "f16"}};
  problem = std::move(*matmul().prepare(words));
  PlanOptions options;
  options.target = "sm_80";
  auto made = plan("matmul", {{"type", "f16"}}, options);
  OperatorCall call = makeCall(matmul(), *problem);
  prepare(*made, call);
  auto text = made->explain(call.views());
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("on the device: kernel 'matmul' expects"),
            std::string::npos)
      << *text;
}
