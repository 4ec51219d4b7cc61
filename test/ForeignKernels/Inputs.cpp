// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/ForeignKernels/Inputs.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Validation/Inputs.h"
#include "lib/Run/Arguments.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::foreign;

namespace {
/// From `low` to `high`, in 256ths, which f16 and (as it rounds) bf16 hold.
struct RealRange {
  int low, high;
};
} // namespace

static constexpr RealRange realRanges[numStyles] = {
    {-256, 256}, {16, 256}, {-32, 32}, {-256, -16}};

static double makeReal(unsigned style, uint64_t bits) {
  RealRange range = realRanges[style];
  int number = range.low + int(bits % uint64_t(range.high - range.low + 1));
  return (number ? number : range.high) / 256.0;
}

/// An index: some of a few, the first, ascending, the second.
static int64_t makeIndex(unsigned style, uint64_t bits, int64_t place) {
  switch (style) {
  case 0:
    return int64_t(bits % 4);
  case 1:
    return 0;
  case 2:
    return place;
  default:
    return 1;
  }
}

static unsigned addBuffer(reference::ReferenceMemory &memory, StringRef name,
                          Type type, const LaunchArgument &argument,
                          unsigned style, uint64_t seed) {
  int64_t count = argument.before + argument.elements;
  if (reference::isReal(type)) {
    std::vector<double> values(count);
    for (auto [index, value] : llvm::enumerate(values))
      value = makeReal(style, run::randomBits(seed, index));
    return memory.addReals(name, type, values);
  }
  std::vector<int64_t> values(count);
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t place = int64_t(index) - argument.before;
    bool isGiven = place >= 0 && place < int64_t(argument.values.size());
    value = isGiven ? argument.values[place]
                    : makeIndex(style, run::randomBits(seed, index), place);
  }
  return memory.addIntegers(name, type, values);
}

llvm::Expected<Input> foreign::makeInput(tt::FuncOp kernel,
                                         const LaunchCase &launch,
                                         unsigned style) {
  ArrayRef<Type> types = kernel.getArgumentTypes();
  if (types.size() != launch.arguments.size())
    return llvm::createStringError("expects %zu arguments, but got %zu",
                                   types.size(), launch.arguments.size());
  Input input;
  for (auto [index, type] : llvm::enumerate(types)) {
    const LaunchArgument &argument = launch.arguments[index];
    auto pointer = dyn_cast<tt::PointerType>(type);
    if (bool(pointer) != argument.isBuffer)
      return llvm::createStringError(
          "expects a %s as argument %zu, but got a %s",
          pointer ? "buffer" : "number", index,
          argument.isBuffer ? "buffer" : "number");
    if (!pointer) {
      input.arguments.push_back(
          reference::isReal(type)
              ? reference::Argument::real(argument.real)
              : reference::Argument::integer(argument.integer));
      continue;
    }
    Type elementType = pointer.getPointeeType();
    if (!reference::isSupported(elementType))
      return llvm::createStringError("expects no buffer like argument %zu",
                                     index);
    unsigned number = addBuffer(
        input.memory, validation::getParameterName(kernel, index), elementType,
        argument, style, run::randomBits(1 + style, index));
    input.arguments.push_back(reference::Argument::pointer(
        input.memory.getAddress(number) +
        argument.before * reference::getElementBytes(elementType)));
  }
  return input;
}
