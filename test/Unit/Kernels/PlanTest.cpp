// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans on the emulator's driver: what they launch, refuse, and do not do
// twice.

#include "lib/Kernels/Plan.h"
#include "runtime/Cache/Note.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <thread>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// A dense tensor of a call, with its numbers.
struct View {
  runtime::Buffer memory;
  std::vector<int64_t> sizes, strides;
  PlanTensor get() const {
    return {true, memory.address(), uint32_t(sizes.size()), sizes.data(),
            strides.data()};
  }
};

class PlanTest : public testing::Test {
protected:
  void SetUp() override {
    auto driver = runtime::Driver::open(TILEWRIGHT_EMULATED_CUDA);
    ASSERT_TRUE(driver) << driver.error().message;
    auto opened = runtime::Device::open(*driver, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    device.emplace(std::move(*opened));
    auto made = runtime::Stream::create(*device);
    ASSERT_TRUE(made);
    stream.emplace(std::move(*made));
    runtime::CacheOptions options;
    jit = std::make_shared<Jit>(options);
  }

  View make(std::vector<int64_t> sizes, float value) {
    View view{*runtime::Buffer::allocate(*device, 4 * count(sizes)), sizes,
              std::vector<int64_t>(sizes.size(), 1)};
    for (size_t d = sizes.size(); d-- > 1;)
      view.strides[d - 1] = view.strides[d] * sizes[d];
    std::vector<float> numbers(count(sizes), value);
    EXPECT_TRUE(view.memory.copyIn(
        {reinterpret_cast<uint8_t *>(numbers.data()), 4 * numbers.size()},
        *stream));
    return view;
  }
  std::vector<float> read(const View &view) {
    std::vector<float> numbers(count(view.sizes));
    EXPECT_TRUE(view.memory.copyOut(
        {reinterpret_cast<uint8_t *>(numbers.data()), 4 * numbers.size()},
        *stream));
    return numbers;
  }
  static int64_t count(const std::vector<int64_t> &sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product *= size;
    return product;
  }
  std::unique_ptr<Plan> plan(Options::Words words, PlanOptions options = {}) {
    options.machineCode = false;
    words.emplace("type", "f32");
    auto made = Plan::create(jit, *device, "matmul", words, options);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  std::optional<runtime::Device> device;
  std::optional<runtime::Stream> stream;
  std::shared_ptr<Jit> jit;
};

} // namespace

TEST_F(PlanTest, Multiplies) {
  View a = make({17, 40}, 0.5), b = make({40, 9}, 2), c = make({17, 9}, -1);
  PlanTensor tensors[] = {a.get(), b.get(), c.get(), {}, {}};
  auto product = plan({});
  auto done = product->run(tensors, stream->handle(), 0, 0);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read(c), std::vector<float>(17 * 9, 40));
}

// Sizes that are dynamic share their code up to the next power of two.
TEST_F(PlanTest, DynamicSizesCompileOnce) {
  auto product = plan({{"dynamic", "m"}});
  View b = make({32, 16}, 1);
  for (int64_t m : {5, 6, 7, 8}) {
    View a = make({m, 32}, 1), c = make({m, 16}, -1);
    PlanTensor tensors[] = {a.get(), b.get(), c.get(), {}, {}};
    ASSERT_TRUE(product->run(tensors, stream->handle(), 0, 0));
    EXPECT_EQ(read(c), std::vector<float>(m * 16, 32));
  }
  EXPECT_EQ(jit->cache().counts().compilations, 1u);
}

TEST_F(PlanTest, SplitSumsHaveAWorkspace) {
  PlanOptions options;
  options.configuration = "16x16x32w1s2k4";
  auto product = plan({}, options);
  View a = make({16, 512}, 1), b = make({512, 16}, 0.25), c = make({16, 16}, 0);
  PlanTensor tensors[] = {a.get(), b.get(), c.get(), {}, {}};
  auto bytes = product->workspaceBytes(tensors);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ(*bytes, 4u * 16 * 16 * 4);
  auto refused = product->run(tensors, stream->handle(), 0, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "expects a workspace of 4096 bytes, but got 0");
  View workspace = make({1024}, 7);
  ASSERT_TRUE(product->run(tensors, stream->handle(),
                           workspace.memory.address(), 4096));
  EXPECT_EQ(read(c), std::vector<float>(256, 128));
}

// What was chosen is kept in the cache, and taken from there.
TEST_F(PlanTest, ChoicesAreNoted) {
  std::string folder = testing::TempDir() + "tilewright-choices";
  std::filesystem::remove_all(folder);
  runtime::CacheOptions kept;
  kept.folder = folder;
  jit = std::make_shared<Jit>(kept);
  ASSERT_TRUE(jit->cache().problems().empty());
  View a = make({64, 64}, 1), b = make({64, 64}, 1), c = make({64, 64}, 0);
  PlanTensor tensors[] = {a.get(), b.get(), c.get(), {}, {}};
  ASSERT_TRUE(plan({})->prepare(tensors));
  // The note of another choice than any that would be made.
  unsigned notes = 0;
  for (const runtime::EntryInfo &entry : jit->cache().disk()->list())
    if (auto content = jit->cache().disk()->find(entry.key))
      if (runtime::readNote(*content)) {
        ++notes;
        ASSERT_TRUE(jit->cache().disk()->publish(
            entry.key, runtime::makeNote("16x16x32w1s2k1")));
      }
  EXPECT_EQ(notes, 1u);
  EXPECT_EQ(jit->cache().counts().compilations, 1u);
  ASSERT_TRUE(plan({})->prepare(tensors));
  EXPECT_EQ(jit->cache().counts().compilations, 2u);
  ASSERT_TRUE(plan({})->prepare(tensors));
  EXPECT_EQ(jit->cache().counts().compilations, 2u);
}

TEST_F(PlanTest, ThreadsShareIt) {
  auto product = plan({});
  View a = make({16, 16}, 1), b = make({16, 16}, 1);
  std::vector<View> results;
  for (int i = 0; i < 4; ++i)
    results.push_back(make({16, 16}, 0));
  std::vector<std::thread> threads;
  for (View &c : results)
    threads.emplace_back([&] {
      auto own = runtime::Stream::create(*device);
      PlanTensor tensors[] = {a.get(), b.get(), c.get(), {}, {}};
      EXPECT_TRUE(product->run(tensors, own->handle(), 0, 0));
      EXPECT_TRUE(own->synchronize());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const View &c : results)
    EXPECT_EQ(read(c), std::vector<float>(256, 16));
}

TEST_F(PlanTest, SaysWhatIsWrong) {
  auto refusal = [&](Options::Words words, PlanOptions options) {
    auto made = Plan::create(jit, *device, "matmul", words, options);
    return made ? "" : made.error().message;
  };
  EXPECT_EQ(refusal({{"type", "f12"}}, {}).find("expects type=one of f16"), 0u);
  PlanOptions odd;
  odd.configuration = "huge";
  EXPECT_EQ(refusal({}, odd),
            "expects a configuration as 128x64x32w4s3k1, but got 'huge'");
  PlanOptions nowhere;
  nowhere.target = "sm_1";
  EXPECT_EQ(refusal({}, nowhere).find("expects one of the targets"), 0u);

  auto product = plan({{"bias", "f32"}});
  View a = make({4, 5}, 0), b = make({6, 7}, 0), c = make({4, 7}, 0);
  auto problem = [&](std::vector<PlanTensor> tensors) {
    auto done = product->run(tensors, stream->handle(), 0, 0);
    return done ? "" : done.error().message;
  };
  EXPECT_EQ(problem({a.get(), b.get(), c.get()}),
            "expects 5 tensors of 'matmul', but got 3");
  EXPECT_EQ(problem({a.get(), b.get(), c.get(), {}, {}}),
            "expects dimension 1 of 'b', k, to be 5, but got 6");
  b = make({5, 7}, 0);
  EXPECT_EQ(problem({a.get(), b.get(), c.get(), {}, {}}),
            "expects a tensor 'bias' (f32), but it is missing");
  PlanTensor deep = a.get();
  std::vector<int64_t> ones(7, 1);
  deep.rank = 7;
  deep.sizes = deep.strides = ones.data();
  EXPECT_EQ(problem({deep, b.get(), c.get(), {}, {}}),
            "expects 'a' to have at most 6 dimensions, but got 7");
  deep.rank = 4;
  EXPECT_EQ(problem({deep, b.get(), c.get(), {}, {}}),
            "expects 'a' to have at most 3 dimensions, but got 4");
  std::vector<int64_t> backwards = {5, -1};
  PlanTensor reversed = a.get();
  reversed.strides = backwards.data();
  EXPECT_EQ(problem({reversed, b.get(), c.get(), {}, {}}),
            "expects strides of 'a' of 0 and more, but got -1");
  reversed.strides = nullptr;
  EXPECT_EQ(problem({reversed, b.get(), c.get(), {}, {}}),
            "expects strides of 'a', but got null");
}
