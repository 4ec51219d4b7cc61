// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that uses a cache, for CacheProcessTest.cpp.
//
//   tilewright_cache_worker FOLDER LOG THREADS KEYS PAUSE PATIENCE FIRST ROUNDS
//
// Each thread asks for KEYS keys in an order of its own, ROUNDS times with new
// keys, those of round FIRST first. Compiling takes PAUSE milliseconds and
// appends the key to LOG. The exit status is 1 if a call failed or gave another
// key's artifact.

#include "SampleArtifact.h"

#include "runtime/Cache/Cache.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;

int main(int count, char **values) {
  if (count != 9)
    return 2;
  int log = ::open(values[2], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  auto number = [&](int index) { return std::atoi(values[index]); };
  const int threads = number(3), keys = number(4), pause = number(5),
            first = number(7), rounds = number(8);
  CacheOptions options;
  options.folder = values[1];
  options.lockPatience = std::chrono::milliseconds(number(6));
  Cache cache(options);
  std::atomic<bool> isRight = true;

  auto ask = [&](const std::string &name) {
    Result<std::shared_ptr<const Artifact>> artifact = cache.get(
        KeyBuilder().add("name", name).finish(), [&]() -> Result<Artifact> {
          std::string line = name + "\n";
          if (::write(log, line.data(), line.size()) < 0)
            return Error{ErrorCode::InputOutput, "no log"};
          std::this_thread::sleep_for(std::chrono::milliseconds(pause));
          Artifact made = sampleArtifact();
          made.producer = name;
          // Large enough to be killed while it is written.
          made.images[0].bytes.assign(100000, 'x');
          return made;
        });
    if (!artifact || (*artifact)->producer != name)
      isRight = false;
  };
  auto run = [&](int thread) {
    for (int round = first; round < first + rounds; ++round)
      for (int key = 0; key < keys; ++key)
        ask(std::to_string(round) + "." +
            std::to_string((key + 7 * thread) % keys));
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  return isRight ? 0 : 1;
}
