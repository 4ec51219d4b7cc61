// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing memories, element by element; see the header.

#include "lib/Judges/Reference/Comparison.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/Diagnostics.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

static bool isClose(double expected, double actual, Tolerance tolerance) {
  if (std::isnan(expected) || std::isnan(actual))
    return std::isnan(expected) && std::isnan(actual);
  if (expected == actual)
    return true;
  if (std::isinf(expected) || std::isinf(actual))
    return false;
  return std::abs(expected - actual) <=
         tolerance.absolute + tolerance.relative * std::abs(expected);
}

/// Diagnoses the first two elements that are not alike, and tells how many are
/// not.
template <typename Number, typename IsAlike>
static LogicalResult compareElements(Location location, StringRef name,
                                     const std::vector<Number> &expected,
                                     const std::vector<Number> &actual,
                                     IsAlike isAlike) {
  std::optional<size_t> first;
  int64_t count = 0;
  for (size_t index = 0; index < expected.size(); ++index) {
    if (isAlike(expected[index], actual[index]))
      continue;
    first = first.value_or(index);
    ++count;
  }
  if (!first)
    return success();
  return emitError(location)
         << "expects " << expected[*first] << " as element " << int64_t(*first)
         << " of '" << name << "', but got " << actual[*first] << " (" << count
         << " such)";
}

/// Diagnoses memories whose buffers do not correspond.
static LogicalResult checkBuffers(Location location, ArrayRef<Buffer> expected,
                                  ArrayRef<Buffer> actual) {
  if (expected.size() != actual.size())
    return emitError(location) << "expects " << expected.size()
                               << " buffers, but got " << actual.size();
  for (auto [one, other] : llvm::zip_equal(expected, actual))
    if (one.elementType != other.elementType ||
        one.getCount() != other.getCount())
      return emitError(location)
             << "expects " << one.getCount() << " elements of "
             << one.elementType << " in '" << one.name << "', but got "
             << other.getCount() << " of " << other.elementType;
  return success();
}

LogicalResult reference::compareMemories(Location location,
                                         const ReferenceMemory &expected,
                                         const ReferenceMemory &actual,
                                         Tolerance tolerance) {
  if (failed(
          checkBuffers(location, expected.getBuffers(), actual.getBuffers())))
    return failure();
  bool isSame = true;
  for (auto [number, buffer] : llvm::enumerate(expected.getBuffers())) {
    LogicalResult result =
        isReal(buffer.elementType)
            ? compareElements(location, buffer.name, expected.getReals(number),
                              actual.getReals(number),
                              [&](double one, double other) {
                                return isClose(one, other, tolerance);
                              })
            : compareElements(
                  location, buffer.name, expected.getIntegers(number),
                  actual.getIntegers(number), std::equal_to<int64_t>());
    isSame &= succeeded(result);
  }
  return success(isSame);
}

LogicalResult reference::compareFunctions(tt::FuncOp before, tt::FuncOp after,
                                          ArrayRef<Argument> arguments,
                                          Grid grid,
                                          const ReferenceMemory &memory,
                                          Tolerance tolerance,
                                          const Options &options) {
  ReferenceMemory expected = memory, actual = memory;
  if (failed(interpret(before, arguments, grid, expected, options)) ||
      failed(interpret(after, arguments, grid, actual, options)))
    return failure();
  return compareMemories(after.getLoc(), expected, actual, tolerance);
}
