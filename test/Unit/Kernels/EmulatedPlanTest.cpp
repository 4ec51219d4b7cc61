// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/Kernels/EmulatedPlanTest.h"

#include "lib/Kernels/Execution.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::kernels;

/// The file of the driver's calls, of this process. The driver reads the
/// variable when it is opened, which no test may have done before.
static const std::string callsFile = [] {
  std::string name = testing::TempDir() + "tilewright-driver-calls-" +
                     std::to_string(getpid());
  std::filesystem::remove(name);
  setenv("TILEWRIGHT_EMULATOR_CALLS", name.c_str(), /*overwrite=*/1);
  return name;
}();

std::vector<PlanTensor> OperatorCall::views() const {
  std::vector<PlanTensor> result;
  for (const std::optional<CallTensor> &tensor : tensors)
    result.push_back(
        tensor ? PlanTensor{true, tensor->memory.address() + tensor->offset,
                            uint32_t(tensor->sizes.size()),
                            tensor->sizes.data(), tensor->strides.data()}
               : PlanTensor());
  return result;
}

void EmulatedPlanTest::SetUp() {
  auto driver = runtime::Driver::open(TILEWRIGHT_EMULATED_CUDA);
  ASSERT_TRUE(driver) << driver.error().message;
  auto opened = runtime::Device::open(*driver, 0);
  ASSERT_TRUE(opened) << opened.error().message;
  device.emplace(std::move(*opened));
  auto made = runtime::Stream::create(*device);
  ASSERT_TRUE(made);
  stream.emplace(std::move(*made));
  jit = std::make_shared<Jit>(runtime::CacheOptions());
}

std::shared_ptr<Jit> EmulatedPlanTest::jitIn(const std::string &folder) {
  std::filesystem::remove_all(folder);
  runtime::CacheOptions kept;
  kept.folder = folder;
  auto made = std::make_shared<Jit>(kept);
  EXPECT_TRUE(made->cache().problems().empty());
  return made;
}

std::unique_ptr<Plan> EmulatedPlanTest::plan(std::string_view name,
                                             Options::Words words,
                                             PlanOptions options) {
  options.machineCode = false;
  auto made = Plan::create(jit, *device, name, std::move(words), options);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

OperatorCall EmulatedPlanTest::makeCall(const Operator &of,
                                        const Problem &problem) {
  OperatorCall call;
  std::vector<Kernel> kernels =
      problem.kernels(problem.configurations().front());
  for (size_t i = 0; i < of.tensors.size(); ++i) {
    std::optional<CallTensor> &made = call.tensors.emplace_back();
    const Signature &signature = kernels.front().signature;
    for (const TensorParameter &parameter : signature.tensors) {
      if (parameter.name != of.tensors[i].name)
        continue;
      size_t offset = parameter.alignment < 16 ? parameter.alignment : 0;
      std::vector<uint8_t> bytes(offset, 0);
      std::vector<uint8_t> content = initialContent(parameter, {i, false});
      bytes.insert(bytes.end(), content.begin(), content.end());
      bytes.resize(bytes.size() + 16);
      made.emplace(CallTensor{
          parameter, *runtime::Buffer::allocate(*device, bytes.size()), offset,
          signature.sizesOf(parameter), signature.stridesOf(parameter)});
      EXPECT_TRUE(made->memory.copyIn(bytes, *stream));
    }
  }
  return call;
}

void EmulatedPlanTest::prepare(Plan &plan, OperatorCall &call) {
  auto bytes = plan.workspaceBytes(call.views());
  ASSERT_TRUE(bytes) << bytes.error().message;
  if (*bytes)
    call.workspace.emplace(*runtime::Buffer::allocate(*device, *bytes));
}

void EmulatedPlanTest::run(Plan &plan, const OperatorCall &call) {
  auto done = plan.run(call.views(), stream->handle(), call.workspaceAddress(),
                       call.workspaceSize());
  ASSERT_TRUE(done) << done.error().message;
}

std::vector<std::vector<uint8_t>>
EmulatedPlanTest::takeOutputs(const OperatorCall &call) {
  std::vector<std::vector<uint8_t>> results;
  for (const std::optional<CallTensor> &tensor : call.tensors) {
    if (!tensor || tensor->parameter.role != Role::Output)
      continue;
    std::vector<uint8_t> bytes(tensor->memory.size());
    EXPECT_TRUE(tensor->memory.copyOut(bytes, *stream));
    results.push_back(bytes);
    std::ranges::fill(bytes, 0xff);
    EXPECT_TRUE(tensor->memory.copyIn(bytes, *stream));
  }
  return results;
}

std::vector<std::string> EmulatedPlanTest::takeDriverCalls() {
  std::ifstream file(callsFile);
  file.seekg(callsRead);
  std::vector<std::string> calls;
  for (std::string line; std::getline(file, line);) {
    callsRead += line.size() + 1;
    calls.push_back(line);
  }
  return calls;
}
