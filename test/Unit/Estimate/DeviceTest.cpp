// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of devices beside that of targets.

#include "dialects/Target/Device.h"

#include <gtest/gtest.h>

using namespace tilewright::target;

namespace {

TEST(Device, everyTargetHasOne) {
  for (const Target &target : allTargets())
    EXPECT_EQ(getDefaultDevice(target).computeCapability,
              target.computeCapability)
        << target.name;
}

TEST(Device, hasALimitsRow) {
  for (const Device &device : allDevices()) {
    const Target *target = lookupForDevice(device.computeCapability);
    // What is specific to an architecture has rows of its own.
    ASSERT_TRUE(target || lookup("sm_90a")->runsOn(device.computeCapability))
        << device.name;
  }
}

TEST(Device, namesInEitherCase) {
  EXPECT_EQ(lookupDevice("h200")->name, "H200");
  EXPECT_EQ(lookupDevice("H20"), nullptr);
  EXPECT_EQ(lookupDevice(""), nullptr);
}

/// A target's matrix instructions have a rate on the device of its own, and the
/// device no rate without an instruction.
TEST(Device, ratesOfMatrixInstructions) {
  for (const Target &target : allTargets()) {
    const Throughput &rates = getDefaultDevice(target).throughput;
    for (const MatrixInstruction *row : target.matrixInstructions()) {
      const MatrixRates &matrix =
          row->asynchronous ? rates.asynchronousMatrix : rates.matrix;
      bool isKnown = matrix.of(row->a) > 0;
      // A100's f64 instruction is the first.
      if (row->a != ElementType::F64 || target.computeCapability == 80 ||
          target.computeCapability == 90) {
        EXPECT_TRUE(isKnown) << target.name << " " << row->name;
      }
    }
  }
}

/// The peaks that data sheets state, in TFLOP/s.
TEST(Device, peaks) {
  auto peak = [](const char *name) {
    const Device &device = *lookupDevice(name);
    return 2e-6 * device.throughput.matrix.f16 * device.multiprocessors *
           device.clock;
  };
  EXPECT_NEAR(peak("V100"), 125, 1);
  EXPECT_NEAR(peak("T4"), 65, 1);
  EXPECT_NEAR(peak("A100"), 312, 1);
  EXPECT_NEAR(peak("A10"), 125, 1);
  EXPECT_NEAR(peak("L4"), 121, 1);
  const Device &hopper = *lookupDevice("H200");
  EXPECT_NEAR(2e-6 * hopper.throughput.asynchronousMatrix.f16 *
                  hopper.multiprocessors * hopper.clock,
              989, 1);
}

} // namespace
