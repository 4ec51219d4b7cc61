// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prepared launch makes exactly one call of the driver, allocates nothing and
// takes no lock: this executable's malloc and pthread_mutex_lock count.

#include "FaultyDevice.h"

#include <cerrno>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif

static thread_local bool isCounting = false;
static thread_local long allocations = 0, locks = 0;

#ifndef HAS_SANITIZER
// Visible, so that the C++ library's operator new comes here too.
#pragma GCC visibility push(default)
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  allocations += isCounting;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  allocations += isCounting;
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  allocations += isCounting;
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  allocations += isCounting;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  allocations += isCounting;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  using Lock = int (*)(pthread_mutex_t *);
  static Lock original =
      reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks += isCounting;
  return original(mutex);
}
}
#pragma GCC visibility pop
#endif

using namespace tilewright;
using namespace tilewright::runtime;
using faultycuda::Entry;

/// addNumber with a tensor map of n x 8 numbers at x.
static Artifact mapArtifact() {
  std::string text = addNumberText;
  text.replace(text.find(".param .u32 n)"), 14,
               ".param .u32 n,\n .param .align 64 .b8 map[128])");
  Artifact artifact = *run::artifactFromPtx(text, {});
  artifact.kernels[0].parameters.pop_back();
  Variant &variant = artifact.variants[0];
  TensorMapRecipe recipe;
  recipe.dataType = 2; // UINT32
  recipe.elementBytes = 4;
  recipe.base = {ValueSource::Argument, 0, 0, 0};
  recipe.shape = {{ValueSource::Constant, 0, 0, 8},
                  {ValueSource::Argument, 2, 0, 0}};
  recipe.strides = {{ValueSource::Constant, 0, 0, 8}};
  recipe.box = {8, 2};
  recipe.elementStrides = {1, 1};
  variant.tensorMaps = {recipe};
  Slot &slot = variant.slots.back();
  slot.kind = SlotKind::TensorMap;
  slot.alignment = tensorMapAlignment;
  slot.offset = 64;
  slot.value = {};
  return artifact;
}

namespace {
/// Counts for its lifetime what this thread does.
struct Counting {
  Counting() {
    allocations = locks = 0;
    isCounting = true;
  }
  ~Counting() { isCounting = false; }
};

class LaunchCostTest : public FaultyDeviceTest {
protected:
  void SetUp() override {
#ifdef HAS_SANITIZER
    GTEST_SKIP() << "the sanitizer's malloc cannot be counted";
#endif
    FaultyDeviceTest::SetUp();
  }
};
} // namespace

TEST_F(LaunchCostTest, TheCountersCount) {
  {
    Counting counting;
    std::vector<int> *volatile kept = new std::vector<int>(100);
    delete kept;
    std::mutex mutex;
    mutex.lock();
    mutex.unlock();
  }
  EXPECT_EQ(allocations, 2);
  EXPECT_EQ(locks, 1);
}

TEST_F(LaunchCostTest, OneCallNoAllocationNoLock) {
  Device device = *openDevice();
  auto program = std::make_shared<Program>(addNumberArtifact());
  LazyKernel lazy(program, device, "");
  auto kernel = *lazy.prepare();
  Worker worker = *Worker::create(device);
  auto views = worker.arguments(1);
  std::vector<Argument> owned = {Argument::pointer(worker.x.address()),
                                 Argument::pointer(worker.y.address()),
                                 Argument::integer(1, 4)};
  BoundLaunch bound = *BoundLaunch::create(kernel, {1, 1, 1}, views);
  ScopedContext scope(device);
  // The emulator behind the launch would allocate.
  control->swallowsLaunches = true;
  auto expectOneCall = [&](const char *what, auto launch) {
    SCOPED_TRACE(what);
    long before = control->allCalls();
    long launchesBefore = control->callsOf(Entry::cuLaunchKernel);
    bool good = true;
    {
      Counting counting;
      for (int i = 0; i < 100; ++i)
        good &= bool(launch());
    }
    EXPECT_TRUE(good);
    EXPECT_EQ(control->allCalls() - before, 100);
    EXPECT_EQ(control->callsOf(Entry::cuLaunchKernel) - launchesBefore, 100);
    EXPECT_EQ(allocations, 0);
    EXPECT_EQ(locks, 0);
  };
  cuda::StreamHandle stream = worker.stream.handle();
  expectOneCall("views",
                [&] { return kernel->launch({1, 1, 1}, views, stream); });
  expectOneCall("owned arguments",
                [&] { return kernel->launch({1, 1, 1}, owned, stream); });
  expectOneCall("lazy", [&] { return lazy.launch({1, 1, 1}, views, stream); });
  expectOneCall("bound", [&] { return bound.launch(stream); });
}

TEST_F(LaunchCostTest, TensorMapsAreMadeOnce) {
  Device device = *openDevice();
  LoadedKernel kernel = *LoadedKernel::load(device, mapArtifact(), "");
  Worker worker = *Worker::create(device);
  ScopedContext scope(device);
  control->swallowsLaunches = true;
  auto launch = [&](uint32_t rows) {
    return bool(kernel.launch({1, 1, 1}, worker.arguments(rows),
                              worker.stream.handle()));
  };
  // One for each number of rows, and one for none of them.
  for (uint32_t rows = 0; rows < 9; ++rows)
    EXPECT_TRUE(launch(rows));
  EXPECT_TRUE(launch(uint32_t(-1)));
  EXPECT_EQ(control->callsOf(Entry::cuTensorMapEncodeTiled), 9);
  long before = control->allCalls();
  {
    Counting counting;
    for (uint32_t i = 0; i < 90; ++i)
      EXPECT_TRUE(launch(i % 9));
  }
  EXPECT_EQ(control->allCalls() - before, 90);
  EXPECT_EQ(control->callsOf(Entry::cuTensorMapEncodeTiled), 9);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(locks, 0);
}

// Memory checkers tell each call that the driver refuses.
TEST_F(LaunchCostTest, WithoutAContextNoTensorMapIsRefused) {
  Device device = *openDevice();
  LoadedKernel kernel = *LoadedKernel::load(device, mapArtifact(), "");
  Worker worker = *Worker::create(device);
  control->swallowsLaunches = true;
  EXPECT_TRUE(bool(
      kernel.launch({1, 1, 1}, worker.arguments(1), worker.stream.handle())));
  EXPECT_EQ(control->callsOf(Entry::cuTensorMapEncodeTiled), 1);
}

TEST_F(LaunchCostTest, ATensorMapThatFailsIsMadeAgain) {
  Device device = *openDevice();
  LoadedKernel kernel = *LoadedKernel::load(device, mapArtifact(), "");
  Worker worker = *Worker::create(device);
  control->swallowsLaunches = true;
  for (Entry entry : {Entry::cuMemAlloc, Entry::cuMemcpyHtoDAsync,
                      Entry::cuTensorMapEncodeTiled}) {
    control->failingEntry = int(entry);
    control->failingCall = control->callsOf(entry) + 1;
    control->failingStatus = 2;
    EXPECT_FALSE(bool(
        kernel.launch({1, 1, 1}, worker.arguments(0), worker.stream.handle())));
  }
  control->failingEntry = -1;
  EXPECT_TRUE(bool(
      kernel.launch({1, 1, 1}, worker.arguments(0), worker.stream.handle())));
}
