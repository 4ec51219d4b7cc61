// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Execution.h"

#include "lib/Kernels/Launching.h"
#include "lib/Run/Arguments.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tilewright;
using namespace tilewright::kernels;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// Between which floats are, and whether they are the ends or one of the three
/// between.
struct Range {
  double low, high;
  bool isCoarse = false;
};
} // namespace

/// A random number that the type holds: a float in `range`, an integer of 8
/// bits, or of the bits that are promised.
static double randomNumber(const TensorParameter &tensor, const Range &range,
                           uint64_t bits) {
  if (tensor.content.kind == Content::Kind::Codes) {
    uint64_t code = bits & tensor.content.limit;
    return tensor.type == ElementType::I8
               ? static_cast<double>(static_cast<int8_t>(code))
               : static_cast<double>(static_cast<int32_t>(code));
  }
  if (!run::isFloat(tensor.type))
    return static_cast<double>(static_cast<int64_t>(bits % 255) - 127);
  double part = static_cast<double>(bits >> 11) * 0x1p-53;
  if (range.isCoarse)
    part = std::nearbyint(4 * part) / 4;
  return range.low + (range.high - range.low) * part;
}

/// Between which a tensor's floats are. Logarithms of decays are mild, or so
/// strong that what was before is gone, and some in between.
static Range rangeOf(const Content &content, const InputStream &stream) {
  static constexpr double depths[] = {0.05, 0.6, 3, 40};
  if (content.kind != Content::Kind::Decays)
    return {content.low, content.high, stream.isCoarse};
  return {-depths[run::randomBits(stream.number, ~0ull) % std::size(depths)],
          0};
}

static bool holdsPromisedIntegers(const Content &content) {
  return content.kind == Content::Kind::Below ||
         content.kind == Content::Kind::Lengths ||
         content.kind == Content::Kind::Offsets ||
         content.kind == Content::Kind::Distinct ||
         content.kind == Content::Kind::Slots;
}

/// The first of the numbers below `limit` in a random order.
static std::vector<double> shuffledIntegers(size_t count, int64_t limit,
                                            uint64_t stream) {
  std::vector<double> all(std::max<size_t>(limit, count));
  std::iota(all.begin(), all.end(), 0);
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[run::randomBits(stream, i) % i]);
  all.resize(count);
  return all;
}

/// Distinct integers below `limit`, and -1 for one of four but the first, so
/// that there always is something to do, and for what is beyond `limit` of them
/// (gaps between rows count too).
static std::vector<double> someSlots(size_t count, int64_t limit,
                                     uint64_t stream) {
  std::vector<double> slots = shuffledIntegers(count, limit, stream);
  if (auto least = std::find(slots.begin(), slots.end(), 0.0);
      least != slots.end() && slots.front() >= double(limit))
    std::swap(*least, slots.front());
  for (size_t i = 0; i < count; ++i)
    if (slots[i] >= double(limit) ||
        (i > 0 && run::randomBits(stream, ~i) % 4 == 0))
      slots[i] = -1;
  return slots;
}

/// Integers that are what is promised of them.
static std::vector<double> promisedIntegers(const TensorParameter &tensor,
                                            uint64_t stream) {
  const Content &content = tensor.content;
  if (content.kind == Content::Kind::Distinct)
    return shuffledIntegers(tensor.elements, content.limit, stream);
  if (content.kind == Content::Kind::Slots)
    return someSlots(tensor.elements, content.limit, stream);
  std::vector<double> values(tensor.elements);
  int64_t count = content.limit + (content.kind != Content::Kind::Below);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(run::randomBits(stream, i) %
                                    std::max<int64_t>(count, 1));
  if (content.kind != Content::Kind::Offsets || values.empty())
    return values;
  std::sort(values.begin(), values.end());
  values.front() = 0;
  values.back() = static_cast<double>(content.limit);
  return values;
}

/// Random floats, one in each of as many equal parts of their range.
static std::vector<uint8_t> ascendingFloats(const TensorParameter &tensor,
                                            uint64_t stream) {
  size_t size = run::byteSize(tensor.type);
  std::vector<uint8_t> bytes(tensor.elements * size);
  const Content &content = tensor.content;
  double part = (content.high - content.low) / double(tensor.elements);
  for (int64_t i = 0; i < tensor.elements; ++i) {
    double within = double(run::randomBits(stream, i) >> 11) * 0x1p-53;
    run::fromDouble(tensor.type, content.low + part * (double(i) + within),
                    &bytes[i * size]);
  }
  return bytes;
}

std::vector<uint8_t> kernels::initialContent(const TensorParameter &tensor,
                                             const InputStream &stream) {
  size_t size = run::byteSize(tensor.type);
  std::vector<uint8_t> bytes(tensor.elements * size, 0xff);
  if (tensor.role != Role::Input)
    return bytes;
  if (holdsPromisedIntegers(tensor.content)) {
    std::vector<double> promised = promisedIntegers(tensor, stream.number);
    for (size_t i = 0; i < promised.size(); ++i)
      run::fromDouble(tensor.type, promised[i], &bytes[i * size]);
    return bytes;
  }
  if (tensor.content.kind == Content::Kind::Ascending)
    return ascendingFloats(tensor, stream.number);
  Range range = rangeOf(tensor.content, stream);
  // Large tensors repeat their first elements, as random numbers take time.
  size_t fresh = std::min<size_t>(tensor.elements, size_t(1) << 20);
  for (size_t i = 0; i < fresh; ++i)
    run::fromDouble(
        tensor.type,
        randomNumber(tensor, range, run::randomBits(stream.number, i)),
        &bytes[i * size]);
  for (size_t from = fresh * size; from < bytes.size(); from += fresh * size)
    std::copy_n(bytes.begin(), std::min(fresh * size, bytes.size() - from),
                bytes.begin() + from);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Execution::~Execution() {
  for (const DeviceTensor &buffer : buffers)
    release(buffer);
}

void Execution::release(const DeviceTensor &buffer) {
  (void)device.release(buffer.address);
  for (uint64_t copy : buffer.copies)
    (void)device.release(copy);
}

/// A tensor's bytes in its allocation, and what stands before them.
static std::vector<uint8_t> makeAllocation(const DeviceTensor &tensor) {
  std::vector<uint8_t> bytes(tensor.offset, 0);
  std::vector<uint8_t> content =
      initialContent(tensor.parameter, tensor.stream);
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

static Result<uint64_t> allocate(run::ExecutionDevice &device,
                                 std::span<const uint8_t> bytes) {
  Result<uint64_t> address =
      device.allocate(std::max<size_t>(bytes.size(), 16));
  if (address)
    if (Result<void> copied = device.copyIn(*address, bytes); !copied) {
      (void)device.release(*address);
      return copied.takeError();
    }
  return address;
}

Result<void> Execution::provide(const TensorParameter &tensor) {
  auto known = std::find_if(buffers.begin(), buffers.end(),
                            [&](const DeviceTensor &buffer) {
                              return buffer.parameter.name == tensor.name;
                            });
  if (known != buffers.end()) {
    if (known->parameter.elements == tensor.elements)
      return runtime::success();
    release(*known);
    buffers.erase(known);
  }
  DeviceTensor made;
  made.parameter = tensor;
  made.stream = {seed * 1000 + buffers.size(), seed % 2 != 0};
  made.offset = tensor.alignment < 16 ? size_t(tensor.alignment) : 0;
  Result<uint64_t> address = allocate(device, makeAllocation(made));
  if (!address)
    return address.takeError();
  made.address = *address;
  buffers.push_back(std::move(made));
  return runtime::success();
}

size_t Execution::countCopies() const {
  uint64_t bytes = 0;
  for (const DeviceTensor &buffer : buffers)
    if (buffer.parameter.role == Role::Input)
      bytes += buffer.parameter.elements * run::byteSize(buffer.parameter.type);
  // Of a few bytes as many as it would take are not worth their time.
  static constexpr uint64_t most = 32;
  return bytes ? std::min(most, coldBytes / bytes) : 0;
}

Result<void> Execution::copyInputs() {
  size_t count = countCopies();
  for (DeviceTensor &buffer : buffers) {
    if (buffer.parameter.role != Role::Input || buffer.copies.size() >= count)
      continue;
    std::vector<uint8_t> bytes = makeAllocation(buffer);
    while (buffer.copies.size() < count) {
      Result<uint64_t> address = allocate(device, bytes);
      if (!address)
        return address.takeError();
      buffer.copies.push_back(*address);
    }
  }
  return runtime::success();
}

Result<std::vector<uint8_t>> Execution::read(const DeviceTensor &tensor) {
  std::vector<uint8_t> bytes(tensor.parameter.elements *
                                 run::byteSize(tensor.parameter.type) +
                             tensor.offset);
  if (Result<void> copied = device.copyOut(bytes, tensor.address); !copied)
    return copied.takeError();
  bytes.erase(bytes.begin(), bytes.begin() + tensor.offset);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Result<void> Execution::load(const std::vector<Kernel> &kernels,
                             const CompileKernel &compile) {
  launches.clear();
  for (const Kernel &kernel : kernels) {
    auto artifact = compile(kernel);
    if (!artifact)
      return artifact.takeError();
    Result<std::unique_ptr<run::ExecutionKernel>> prepared =
        device.prepare(**artifact, "");
    if (!prepared)
      return prepared.takeError();
    launches.push_back({std::move(*prepared),
                        {static_cast<uint32_t>(kernel.grid.x),
                         static_cast<uint32_t>(kernel.grid.y),
                         static_cast<uint32_t>(kernel.grid.z)},
                        {}});
    for (const TensorParameter &tensor : kernel.signature.tensors)
      if (Result<void> provided = provide(tensor); !provided)
        return provided;
  }
  if (Result<void> copied = copyInputs(); !copied)
    return copied;
  for (size_t i = 0; i < kernels.size(); ++i)
    for (size_t copy = 0; copy <= countCopies(); ++copy)
      launches[i].arguments.push_back(argumentsOf(kernels[i], copy));
  return runtime::success();
}

/// Those of copy number `copy`, or, of 0 and of what has none, the tensors
/// themselves.
std::vector<runtime::Argument> Execution::argumentsOf(const Kernel &kernel,
                                                      size_t copy) const {
  std::vector<runtime::Argument> arguments;
  for (const TensorParameter &tensor : kernel.signature.tensors) {
    const DeviceTensor &buffer = *std::find_if(
        buffers.begin(), buffers.end(), [&](const DeviceTensor &buffer) {
          return buffer.parameter.name == tensor.name;
        });
    bool isCopy = copy > 0 && copy <= buffer.copies.size();
    arguments.push_back(runtime::Argument::pointer(
        (isCopy ? buffer.copies[copy - 1] : buffer.address) + buffer.offset));
  }
  for (runtime::Argument &argument : numberArguments(kernel.signature))
    arguments.push_back(std::move(argument));
  return arguments;
}

Result<void> Execution::enqueue() {
  for (const Launch &launch : launches)
    if (Result<void> done = launch.kernel->launch(
            launch.grid, launch.arguments[turn % launch.arguments.size()]);
        !done)
      return done;
  return runtime::success();
}

Result<void> Execution::launch() {
  Result<void> done = enqueue();
  return done ? device.synchronize() : done;
}

Result<double> Execution::timeCalls(unsigned calls) {
  Result<double> time = device.time([&]() -> Result<void> {
    for (unsigned i = 0; i < calls; ++i) {
      ++turn;
      if (Result<void> good = enqueue(); !good)
        return good;
    }
    return runtime::success();
  });
  return time ? *time / calls : std::move(time);
}

Result<double> Execution::time(unsigned repeat) {
  constexpr unsigned together = 5;
  unsigned calls = std::clamp(repeat, 1u, together);
  std::vector<double> times;
  for (unsigned left = std::max(repeat, 1u); left >= calls; left -= calls) {
    Result<double> time = timeCalls(calls);
    if (!time)
      return time;
    times.push_back(*time);
  }
  std::sort(times.begin(), times.end());
  return times[(times.size() - 1) / 2];
}
