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
