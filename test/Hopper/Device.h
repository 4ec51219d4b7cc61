// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs programs: the emulator, or a GPU by CUDA's driver.

#ifndef TILEWRIGHT_TEST_HOPPER_DEVICE_H
#define TILEWRIGHT_TEST_HOPPER_DEVICE_H

#include "test/Hopper/Program.h"

#include <memory>
#include <span>

namespace tilewright::hopper {

/// What became of a program.
struct Outcome {
  /// What the device says is wrong, or "".
  std::string problem;
  /// Of the emulator: the names of the checks that have found something.
  std::vector<std::string> checks;
  std::vector<uint8_t> output;
};

class Device {
public:
  virtual ~Device() = default;
  /// Loads a module; what is wrong, or "". `image`: PTX, or where assembled is
  /// not empty the cubin of the same.
  virtual std::string load(const std::string &ptx,
                           const std::vector<uint8_t> &assembled) = 0;
  /// Runs a program of the module. `seed`: of the emulator's order of things.
  virtual Outcome run(const HopperProgram &program, uint64_t seed) = 0;
};

std::unique_ptr<Device> makeEmulator();
/// The GPU of the driver library at `path`, or of the default one (""). Null
/// with `problem` where there is none.
std::unique_ptr<Device> makeGpu(const std::string &path, std::string &problem);

/// ptxas on a module for sm_90a; what it says against it, or "". Remarks that
/// it repairs or serialises a program count too.
std::string assemble(const std::string &ptxas, const std::string &ptx,
                     std::vector<uint8_t> &assembled);

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_DEVICE_H
