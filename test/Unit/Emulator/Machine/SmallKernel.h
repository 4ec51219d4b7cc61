// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs PTX of a few lines for the tests of this folder.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H

#include "lib/Judges/Emulator/Machine/Launch.h"

#include <cstring>

namespace tilewright::emulator {

/// What a small kernel did.
struct SmallRun {
  /// Why it does not load, or "".
  std::string error;
  std::vector<Fault> faults;
  /// The buffer behind its only parameter.
  std::vector<uint32_t> words;
  std::vector<InstructionCounts> counts;
  /// The place of each instruction that `counts` has.
  std::vector<TextLocation> locations;
  std::string printed;

  bool found(Check check) const {
    for (const Fault &fault : faults)
      if (fault.check == check)
        return true;
    return false;
  }
};

/// How a small kernel runs.
struct SmallLaunch {
  uint32_t threads = 32, ctas = 1;
  /// Whether the buffer's words are 7 or were never written.
  bool isFilled = true;
  uint64_t seed = 0;
  std::bitset<numChecks> checks = std::bitset<numChecks>().set();
  unsigned hostThreads = 1;
  uint64_t maximumSteps = 100000, maximumLaunchSteps = 1 << 30;
  /// Of runSmall's `tile`.
  uint32_t sharedBytes = 256;
  /// As LaunchOptions::isDependent.
  bool isDependent = false;
  /// As LaunchOptions::progress.
  std::function<void(uint64_t, uint64_t)> progress = {};
};

/// Runs kernel `k` of a text, whose only parameter is a buffer with a word for
/// each thread.
inline SmallRun runText(const std::string &text, const SmallLaunch &how = {}) {
  SmallRun run;
  GlobalMemory memory;
  SyntaxError error;
  auto program = Program::create(text, memory, error);
  if (!program) {
    run.error = std::to_string(error.location.line) + ": " + error.message;
    return run;
  }
  run.words.assign(how.threads, 7);
  uint64_t address = memory.allocate(4 * how.threads);
  if (how.isFilled)
    memory.write(address, run.words.data(), 4 * how.threads);
  std::vector<uint8_t> parameters(8);
  std::memcpy(parameters.data(), &address, 8);
  LaunchOptions options;
  options.grid = {how.ctas, 1, 1};
  options.block = {how.threads, 1, 1};
  options.seed = how.seed;
  options.checks = how.checks;
  options.hostThreads = how.hostThreads;
  options.maximumSteps = how.maximumSteps;
  options.maximumLaunchSteps = how.maximumLaunchSteps;
  options.progress = how.progress;
  options.isDependent = how.isDependent;
  const Kernel &kernel = *program->find("k");
  LaunchResult result = launch(kernel, parameters, memory, options);
  run.faults = std::move(result.faults);
  run.counts = std::move(result.counts);
  run.printed = std::move(result.printed);
  run.locations = kernel.locations;
  memory.read(address, run.words.data(), 4 * how.threads);
  return run;
}

/// What stands before the body of runSmall, up to its registers.
inline std::string smallKernelHead(uint32_t sharedBytes = 256) {
  return ".visible .entry k(.param .u64 buffer)\n{\n"
         ".shared .align 16 .b8 tile[" +
         std::to_string(sharedBytes) +
         "];\n"
         ".reg .b32 %r<32>, %t;\n.reg .b64 %d<32>, %out, %mine;\n"
         ".reg .pred %p<8>;\n"
         "ld.param.u64 %out, [buffer];\nmov.u32 %t, %tid.x;\n"
         "mad.wide.u32 %mine, %t, 4, %out;\n";
}
constexpr const char *smallTextHead =
    ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Runs `body`. It has the address of a buffer with a word for each thread of a
/// CTA in %out, the thread's number in %t, the address of its word in %mine,
/// registers %r0..%r31, %d0..%d31, %p0..%p7, and shared memory, `tile`.
inline SmallRun runSmall(const std::string &body, const SmallLaunch &how) {
  return runText(smallTextHead + smallKernelHead(how.sharedBytes) + body +
                     "\nret;\n}\n",
                 how);
}

inline SmallRun runSmall(const std::string &body, uint32_t threads = 32,
                         uint32_t sharedBytes = 256, bool isFilled = true,
                         uint64_t seed = 0, uint32_t ctas = 1) {
  SmallLaunch how = {threads, ctas, isFilled, seed};
  how.sharedBytes = sharedBytes;
  return runSmall(body, how);
}

/// The same with `declarations`, of a line each, before the kernel.
inline SmallRun runSmallModule(const std::string &declarations,
                               const std::string &body,
                               const SmallLaunch &how = {}) {
  return runText(smallTextHead + declarations + "\n" + smallKernelHead() +
                     body + "\nret;\n}\n",
                 how);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H
