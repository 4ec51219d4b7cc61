// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for parameters, by their types; see the header.

#include "lib/Judges/Validation/Inputs.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;
using namespace tilewright::validation;

namespace {

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014): the same numbers with every standard library.
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t bits = state += 0x9e3779b97f4a7c15;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }
  /// From `low` to `high`, both included.
  int64_t range(int64_t low, int64_t high) {
    return low + int64_t(next() % uint64_t(high - low + 1));
  }

private:
  uint64_t state;
};

/// What an attempt chooses from.
struct Ranges {
  /// The largest integer that is passed, where nothing divides it.
  int64_t largestScalar;
  /// The largest integer in memory; 0: all bits are random.
  int64_t largestElement;
  uint32_t gridX, gridY, gridZ;
};

} // namespace

/// Small values first, with which most kernels stay inside their buffers. Where
/// only 1 is passed, sizes and strides agree.
static Ranges getRanges(unsigned attempt) {
  static constexpr Ranges table[] = {
      {40, 0, 2, 1, 1},  {40, 3, 2, 1, 1}, {200, 0, 2, 2, 1}, {9, 7, 3, 1, 1},
      {200, 1, 1, 2, 2}, {1, 0, 2, 1, 1},  {1, 1, 1, 1, 1},   {9, 0, 1, 1, 1}};
  return table[attempt % std::size(table)];
}

static int64_t getDivisor(tt::FuncOp kernel, unsigned index) {
  auto promise = kernel.getArgAttrOfType<IntegerAttr>(index, "tt.divisibility");
  int64_t divisor = promise ? promise.getValue().trySExtValue().value_or(1) : 1;
  return std::max<int64_t>(divisor, 1);
}

std::string validation::getParameterName(tt::FuncOp kernel, unsigned index) {
  if (auto name = dyn_cast<NameLoc>(kernel.getArgument(index).getLoc()))
    return name.getName().str();
  return ("argument " + Twine(index)).str();
}

/// The type of the elements that a pointer points at, or null.
static Type getElementType(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  if (!pointer || !isa<FloatType, IntegerType>(pointer.getPointeeType()) ||
      !isSupported(pointer.getPointeeType()))
    return {};
  return pointer.getPointeeType();
}

std::optional<std::string>
validation::findUnsupportedParameter(tt::FuncOp kernel) {
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (getElementType(type) ||
        (isa<FloatType, IntegerType>(type) && isSupported(type)))
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "no value is known for " << getParameterName(kernel, index)
        << " of type " << type;
    return text;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static double makeReal(Generator &generator, bool fractions) {
  return fractions ? double(generator.range(-1024, 1023)) / 512.0
                   : double(generator.range(-4, 4));
}

static unsigned addBuffer(ReferenceMemory &memory, StringRef name, Type type,
                          int64_t count, int64_t largest, bool fractions,
                          Generator generator) {
  if (isReal(type)) {
    std::vector<double> values(count);
    for (double &value : values)
      value = makeReal(generator, fractions);
    return memory.addReals(name, type, values);
  }
  std::vector<int64_t> values(count);
  for (int64_t &value : values)
    value = largest ? generator.range(0, largest) : int64_t(generator.next());
  return memory.addIntegers(name, type, values);
}

/// From 1 to the largest multiple of `divisor` that the attempt and the type
/// allow.
static int64_t makeInteger(Generator &generator, IntegerType type,
                           int64_t divisor, int64_t largest) {
  if (type.getWidth() == 1)
    return generator.range(0, 1);
  int64_t limit = type.getWidth() == 64
                      ? INT64_MAX
                      : (int64_t(1) << (type.getWidth() - 1)) - 1;
  // Three multiples at the least, of which the kernel's tiles may be one.
  if (divisor > 1)
    largest = std::max<int64_t>(largest / divisor, 3);
  largest = std::min(largest, limit / divisor);
  // 0 is the only multiple that the type holds.
  return largest ? divisor * generator.range(1, largest) : 0;
}

KernelInput validation::makeInput(tt::FuncOp kernel, uint64_t seed,
                                  unsigned attempt, int64_t bufferElements,
                                  bool fractions) {
  Generator generator(Generator(seed * 1000003 + attempt).next());
  Ranges ranges = getRanges(attempt);
  KernelInput input;
  input.grid = {uint32_t(generator.range(1, ranges.gridX)),
                uint32_t(generator.range(1, ranges.gridY)),
                uint32_t(generator.range(1, ranges.gridZ))};
  llvm::raw_string_ostream text(input.description);
  text << "grid " << input.grid.x << "x" << input.grid.y << "x" << input.grid.z;
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string name = getParameterName(kernel, index);
    uint64_t contentSeed = generator.next();
    if (Type elementType = getElementType(type)) {
      unsigned number =
          addBuffer(input.memory, name, elementType, bufferElements,
                    ranges.largestElement, fractions, Generator(contentSeed));
      input.arguments.push_back(
          Argument::pointer(input.memory.getAddress(number)));
      text << ", " << name << ": " << bufferElements << " elements";
    } else if (isReal(type)) {
      double value = makeReal(generator, fractions);
      input.arguments.push_back(Argument::real(value));
      text << ", " << name << " = " << llvm::format("%g", value);
    } else {
      int64_t value =
          makeInteger(generator, cast<IntegerType>(type),
                      getDivisor(kernel, index), ranges.largestScalar);
      input.arguments.push_back(Argument::integer(value));
      text << ", " << name << " = " << value;
    }
  }
  return input;
}
