// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs PTX of a few lines for the tests of this folder.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H

#include "lib/Emulator/Machine/Launch.h"

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

  bool found(Check check) const {
    for (const Fault &fault : faults)
      if (fault.check == check)
        return true;
    return false;
  }
};

/// How it is launched.
struct SmallLaunch {
  uint32_t threads = 32, ctas = 1;
  uint32_t sharedBytes = 256;
  /// Whether the buffer has content.
  bool isFilled = true;
  uint64_t seed = 0;
  unsigned hostThreads = 1;
  uint64_t maximumSteps = 100000;
};

/// Runs `body`. It has the address of a buffer with a word for each thread of a
/// CTA in %out, the thread's number in %t, the address of its word in %mine,
/// registers %r0..%r31, %d0..%d31, %p0..%p7, and shared memory, `tile`.
inline SmallRun runSmall(const std::string &body, const SmallLaunch &how) {
  const uint32_t threads = how.threads;
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                     ".visible .entry k(.param .u64 buffer)\n{\n"
                     ".shared .align 16 .b8 tile[" +
                     std::to_string(how.sharedBytes) +
                     "];\n"
                     ".reg .b32 %r<32>, %t;\n.reg .b64 %d<32>, %out, %mine;\n"
                     ".reg .pred %p<8>;\n"
                     "ld.param.u64 %out, [buffer];\nmov.u32 %t, %tid.x;\n"
                     "mad.wide.u32 %mine, %t, 4, %out;\n" +
                     body + "\nret;\n}\n";
  SmallRun run;
  GlobalMemory memory;
  SyntaxError error;
  auto program = Program::create(text, memory, error);
  if (!program) {
    run.error = std::to_string(error.location.line) + ": " + error.message;
    return run;
  }
  run.words.assign(threads, 7);
  uint64_t address = memory.allocate(4 * threads);
  if (how.isFilled)
    memory.write(address, run.words.data(), 4 * threads);
  std::vector<uint8_t> parameters(8);
  std::memcpy(parameters.data(), &address, 8);
  LaunchOptions options;
  options.grid = {how.ctas, 1, 1};
  options.block = {threads, 1, 1};
  options.seed = how.seed;
  options.hostThreads = how.hostThreads;
  options.maximumSteps = how.maximumSteps;
  LaunchResult result =
      launch(*program->find("k"), parameters, memory, options);
  run.faults = std::move(result.faults);
  run.counts = std::move(result.counts);
  memory.read(address, run.words.data(), 4 * threads);
  return run;
}

inline SmallRun runSmall(const std::string &body, uint32_t threads = 32,
                         uint32_t sharedBytes = 256, bool isFilled = true,
                         uint64_t seed = 0, uint32_t ctas = 1) {
  SmallLaunch how;
  how.threads = threads;
  how.sharedBytes = sharedBytes;
  how.isFilled = isFilled;
  how.seed = seed;
  how.ctas = ctas;
  return runSmall(body, how);
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_MACHINE_SMALLKERNEL_H
