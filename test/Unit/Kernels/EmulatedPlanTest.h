// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device of the emulator's driver, which writes down the calls that it gets,
// and calls of any operator with random inputs.

#ifndef TILEWRIGHT_TEST_UNIT_KERNELS_EMULATEDPLANTEST_H
#define TILEWRIGHT_TEST_UNIT_KERNELS_EMULATEDPLANTEST_H

#include "lib/Kernels/Plan.h"
#include "gtest/gtest.h"

namespace tilewright::kernels {

/// A tensor of a call.
struct CallTensor {
  TensorParameter parameter;
  runtime::Buffer memory;
  size_t offset = 0;
  std::vector<int64_t> sizes, strides;
};

/// The tensors of a call of an operator, in its order.
struct OperatorCall {
  std::vector<std::optional<CallTensor>> tensors;
  std::optional<runtime::Buffer> workspace;

  std::vector<PlanTensor> views() const;
  uint64_t workspaceAddress() const {
    return workspace ? workspace->address() : 0;
  }
  uint64_t workspaceSize() const { return workspace ? workspace->size() : 0; }
};

class EmulatedPlanTest : public testing::Test {
protected:
  void SetUp() override;

  std::unique_ptr<Plan> plan(std::string_view name, Options::Words words,
                             PlanOptions options = {});
  /// Memory for what `problem` takes and gives; inputs are random.
  OperatorCall makeCall(const Operator &of, const Problem &problem);
  /// Prepares the call: with the workspace that it needs.
  void prepare(Plan &plan, OperatorCall &call);
  void run(Plan &plan, const OperatorCall &call);
  /// The bytes of all outputs; these are poison afterwards.
  std::vector<std::vector<uint8_t>> takeOutputs(const OperatorCall &call);
  /// The driver's entry points that were called since the last time.
  std::vector<std::string> takeDriverCalls();

  /// A new folder for a cache.
  std::shared_ptr<Jit> jitIn(const std::string &folder);

  std::optional<runtime::Device> device;
  std::optional<runtime::Stream> stream;
  std::shared_ptr<Jit> jit;

private:
  std::streamoff callsRead = 0;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_TEST_UNIT_KERNELS_EMULATEDPLANTEST_H
