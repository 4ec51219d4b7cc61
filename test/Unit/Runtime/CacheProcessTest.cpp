// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that share a cache folder, and are killed.

#include "TemporaryFolder.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

/// How a worker is called; see CacheWorker.cpp.
struct Work {
  int threads = 1, keys = 1, pause = 0, patience = 60000, first = 0, rounds = 1;
};

class CacheProcess : public testing::Test {
protected:
  pid_t start(const Work &work) {
    std::vector<std::string> texts = {CACHE_WORKER,
                                      folder.path() + "/cache",
                                      log(),
                                      std::to_string(work.threads),
                                      std::to_string(work.keys),
                                      std::to_string(work.pause),
                                      std::to_string(work.patience),
                                      std::to_string(work.first),
                                      std::to_string(work.rounds)};
    std::vector<char *> values;
    for (std::string &text : texts)
      values.push_back(text.data());
    values.push_back(nullptr);
    pid_t process = -1;
    EXPECT_EQ(::posix_spawn(&process, CACHE_WORKER, nullptr, nullptr,
                            values.data(), environ),
              0);
    return process;
  }
  /// Its exit status, or the negated signal that ended it.
  static int wait(pid_t process) {
    int status = 0;
    EXPECT_EQ(::waitpid(process, &status, 0), process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void SetUp() override { std::ofstream create(log()); }
  std::string log() const { return folder.path() + "/log"; }
  /// How often each key was compiled.
  std::map<std::string, int> compilations() const {
    std::map<std::string, int> counts;
    std::ifstream in(log());
    for (std::string line; std::getline(in, line);)
      ++counts[line];
    return counts;
  }
  void waitForCompilation() const {
    while (compilations().empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  TemporaryFolder folder;
};

TEST_F(CacheProcess, EachKeyIsCompiledOnce) {
  std::vector<pid_t> processes;
  for (int i = 0; i < 8; ++i)
    processes.push_back(start({.threads = 64, .keys = 20, .pause = 5}));
  for (pid_t process : processes)
    EXPECT_EQ(wait(process), 0);
  std::map<std::string, int> counts = compilations();
  EXPECT_EQ(counts.size(), 20u);
  for (const auto &[key, count] : counts)
    EXPECT_EQ(count, 1) << key;
}

TEST_F(CacheProcess, AKilledHolderStallsNobody) {
  pid_t holder = start({.pause = 60000});
  waitForCompilation();
  std::vector<pid_t> others;
  for (int i = 0; i < 4; ++i)
    others.push_back(start({}));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_EQ(::kill(holder, SIGKILL), 0);
  EXPECT_EQ(wait(holder), -SIGKILL);
  for (pid_t process : others)
    EXPECT_EQ(wait(process), 0);
  EXPECT_EQ(compilations()["0.0"], 2);
}

TEST_F(CacheProcess, AStoppedHolderIsNotWaitedForForEver) {
  pid_t holder = start({.pause = 60000});
  waitForCompilation();
  ASSERT_EQ(::kill(holder, SIGSTOP), 0);
  EXPECT_EQ(wait(start({.patience = 100})), 0);
  ASSERT_EQ(::kill(holder, SIGKILL), 0);
  EXPECT_EQ(wait(holder), -SIGKILL);
}

/// 1,000 processes are killed while they publish; what they leave is read by
/// the next ones, which check it.
TEST_F(CacheProcess, KilledWhilePublishing) {
  constexpr int count = 1000, rounds = 3;
  std::mt19937 random(1);
  unsigned killed = 0;
  for (int i = 0; i < count; ++i) {
    auto before = std::filesystem::file_size(log());
    pid_t process = start({.keys = 2, .first = rounds * i, .rounds = rounds});
    while (std::filesystem::file_size(log()) == before)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    ASSERT_EQ(::kill(process, SIGKILL), 0);
    int status = wait(process);
    EXPECT_TRUE(status == 0 || status == -SIGKILL) << status;
    killed += status == -SIGKILL;
  }
  EXPECT_GT(killed, 500u);
  EXPECT_EQ(wait(start({.keys = 2, .rounds = rounds * count})), 0);
  // Some were killed while they wrote. Nothing was damaged: files have their
  // names when they are whole.
  unsigned unfinished = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder.path() + "/cache")) {
    EXPECT_NE(entry.path().extension(), ".damaged");
    unfinished += entry.path().extension() == ".new";
  }
  EXPECT_GT(unfinished, 0u);
}

} // namespace
