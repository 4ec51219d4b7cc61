// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Device.h"

#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

#include <algorithm>
#include <cstring>

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::emulator;

namespace {

/// What is wrong with the map, or "".
std::string encodeMap(const TensorMapParameter &parameter, uint64_t address,
                      uint8_t *object) {
  TensorMap map;
  map.dataType = parameter.dataType;
  map.rank = parameter.rank;
  map.address = address;
  map.swizzle = parameter.swizzle;
  map.fill = parameter.fill;
  std::copy_n(parameter.shape, 5, map.shape.begin());
  std::copy_n(parameter.strides, 4, map.strides.begin());
  std::copy_n(parameter.box, 5, map.box.begin());
  std::copy_n(parameter.elementStrides, 5, map.elementStrides.begin());
  std::string problem = map.verify();
  if (problem.empty())
    encodeTensorMap(map, object);
  return problem;
}

class EmulatorDevice : public Device {
public:
  std::string load(const std::string &ptx,
                   const std::vector<uint8_t> &) override;
  Outcome run(const HopperProgram &how, uint64_t seed) override;

private:
  GlobalMemory memory;
  std::unique_ptr<Program> module;
};

std::string EmulatorDevice::load(const std::string &ptx,
                                 const std::vector<uint8_t> &) {
  SyntaxError error;
  module = Program::create(ptx, memory, error);
  return module ? ""
                : std::to_string(error.location.line) + ": " + error.message;
}

Outcome EmulatorDevice::run(const HopperProgram &how, uint64_t seed) {
  Outcome outcome;
  const Kernel *kernel = module->find(how.name);
  uint64_t addresses[2] = {memory.allocate(how.input.size()),
                           memory.allocate(how.expected.size())};
  outcome.output.assign(how.expected.size(), outputFill);
  memory.write(addresses[0], how.input.data(), how.input.size());
  memory.write(addresses[1], outcome.output.data(), outcome.output.size());
  // The two addresses, and the maps where the kernel has them.
  std::vector<uint8_t> parameters(kernel->parameterBytes);
  std::memcpy(parameters.data(), addresses, 16);
  for (size_t i = 0; i < how.maps.size(); ++i) {
    const TensorMapParameter &map = how.maps[i];
    alignas(64) uint8_t bytes[TensorMap::bytes];
    outcome.problem =
        encodeMap(map, addresses[map.isOfOutput] + map.offset, bytes);
    if (!outcome.problem.empty())
      return outcome;
    std::memcpy(parameters.data() + kernel->parameters[2 + i].offset, bytes,
                TensorMap::bytes);
  }
  LaunchOptions options;
  options.grid = {how.ctas, 1, 1};
  options.block = {how.threads, 1, 1};
  options.seed = seed;
  options.maximumSteps = 1000000;
  LaunchResult result = launch(*kernel, parameters, memory, options);
  memory.read(addresses[1], outcome.output.data(), outcome.output.size());
  for (const Fault &fault : result.faults) {
    if (outcome.problem.empty())
      outcome.problem = describe(fault, module->files());
    outcome.checks.push_back(checkName(fault.check));
  }
  for (uint64_t address : addresses)
    memory.free(address);
  return outcome;
}

} // namespace

std::unique_ptr<Device> hopper::makeEmulator() {
  return std::make_unique<EmulatorDevice>();
}
