// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an AxisInfo is made of, and what is claimed of any op by its interface.
// The rules of integer arithmetic are in ArithAxisRules.cpp, those of other ops
// with the ops.

#include "dialects/Interfaces/AxisRules.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::axis {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The size in bytes of what a pointer of type `pointer` points at, or 0 if the
/// analysis cannot tell or it is no power of two.
static int64_t getPointeeBytes(PtrLikeTypeInterface pointer) {
  Type pointee = pointer.getElementType();
  if (isa_and_present<PtrLikeTypeInterface>(pointee))
    return 8;
  if (!pointee || !pointee.isIntOrFloat())
    return 0;
  int64_t bytes = llvm::divideCeil(pointee.getIntOrFloatBitWidth(), 8);
  return llvm::isPowerOf2_64(bytes) ? bytes : 0;
}

std::optional<SmallVector<int64_t>> getAxisShape(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<PtrLikeTypeInterface>(element)) {
    if (getPointeeBytes(pointer) == 0)
      return std::nullopt;
  } else if (!element.isIndex() &&
             !(element.isInteger() && element.getIntOrFloatBitWidth() >= 1 &&
               element.getIntOrFloatBitWidth() <= 64)) {
    return std::nullopt;
  }
  if (element == type)
    return SmallVector<int64_t>{1};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  if (tensor.getRank() == 0)
    return SmallVector<int64_t>{1};
  return llvm::to_vector(tensor.getShape());
}

bool isPointerLike(Type type) {
  return isa<PtrLikeTypeInterface>(getElementTypeOrSelf(type));
}

int64_t getStep(Type type) {
  auto pointer = dyn_cast<PtrLikeTypeInterface>(getElementTypeOrSelf(type));
  return pointer ? getPointeeBytes(pointer) : 1;
}

unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

bool isOverflowExcluded(Type type) { return getWidth(type) >= 32; }

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

int64_t powerOfTwoDivisor(uint64_t value) {
  if (value == 0)
    return maxDivisibility;
  return std::min(maxDivisibility,
                  int64_t(1) << std::min(llvm::countr_zero(value), 30));
}

int64_t getRunDivisor(const AxisInfo &info, unsigned dim, int64_t run,
                      int64_t step) {
  // A longer run starts where a known one starts; a shorter one may start at
  // any multiple of its length within.
  int64_t divisor = info.divisibility[dim];
  return run >= info.contiguity[dim] ? divisor : std::min(divisor, run * step);
}

int64_t getElementDivisor(const AxisInfo &info, int64_t step) {
  int64_t divisor = 1;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
    divisor = std::max(divisor, getRunDivisor(info, dim, 1, step));
  return divisor;
}

AxisInfo getUnknown(Type type) {
  AxisInfo info;
  SmallVector<int64_t> shape = *getAxisShape(type);
  info.contiguity.assign(shape.size(), 1);
  info.divisibility.assign(shape.size(), 1);
  info.constancy.assign(shape.size(), 1);
  info.prefixes.assign(shape.size(), 1);
  for (int64_t size : shape)
    info.spacing.push_back(size == 1 ? maxDivisibility : 1);
  return info;
}

AxisInfo getUniform(Type type, int64_t divisor) {
  AxisInfo info = getUnknown(type);
  for (auto [dim, size] : llvm::enumerate(*getAxisShape(type))) {
    info.divisibility[dim] = divisor;
    info.constancy[dim] = info.prefixes[dim] = powerOfTwoDivisor(size);
    info.spacing[dim] = maxDivisibility;
  }
  return info;
}

AxisInfo getConstant(Type type, int64_t value) {
  AxisInfo info = getUniform(type, powerOfTwoDivisor(value));
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs, int64_t step) {
  AxisInfo result = lhs;
  for (unsigned dim = 0; dim < lhs.contiguity.size(); ++dim) {
    int64_t run = std::min(lhs.contiguity[dim], rhs.contiguity[dim]);
    result.contiguity[dim] = run;
    result.divisibility[dim] = std::min(getRunDivisor(lhs, dim, run, step),
                                        getRunDivisor(rhs, dim, run, step));
    result.constancy[dim] = std::min(lhs.constancy[dim], rhs.constancy[dim]);
    result.prefixes[dim] = std::min(lhs.prefixes[dim], rhs.prefixes[dim]);
    result.spacing[dim] = std::min(lhs.spacing[dim], rhs.spacing[dim]);
  }
  if (lhs.constant != rhs.constant)
    result.constant.reset();
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  result.reliesOnHints = lhs.reliesOnHints || rhs.reliesOnHints;
  return result;
}

void shortenRun(AxisInfo &info, unsigned dim, int64_t run, int64_t step) {
  if (run >= info.contiguity[dim])
    return;
  info.divisibility[dim] = getRunDivisor(info, dim, run, step);
  info.contiguity[dim] = run;
}

void normalize(AxisInfo &info, Type type) {
  int64_t step = getStep(type);
  unsigned width = getWidth(type);
  if (width < 32)
    // Narrow integers wrap in earnest, so only such runs are claimed as can
    // cross neither the signed nor the unsigned end: those that start at
    // multiples of their length.
    for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
      shortenRun(info, dim,
                 std::min(info.divisibility[dim], int64_t(1) << (width - 1)),
                 step);
  for (auto [prefix, run] : llvm::zip_equal(info.prefixes, info.constancy))
    prefix = width == 1 ? std::max(prefix, run) : run;
  // What divides every element holds in each dimension whose runs are single
  // elements, and divides their differences.
  int64_t divisor = getElementDivisor(info, step);
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    if (info.contiguity[dim] == 1)
      info.divisibility[dim] = divisor;
    info.spacing[dim] = std::max(info.spacing[dim], divisor);
  }
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// The numbers of a hint for `rank` dimensions, each made a power of two; or
/// nothing if `attribute` is no such hint.
static std::optional<SmallVector<int64_t>> readHint(Attribute attribute,
                                                    size_t rank) {
  SmallVector<int64_t> values;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute)) {
    if (integer.getValue().getSignificantBits() > 64)
      return std::nullopt;
    values.push_back(integer.getValue().getSExtValue());
  } else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute)) {
    if (dense.getNumElements() != static_cast<int64_t>(rank))
      return std::nullopt;
    for (const APInt &value : dense.getValues<APInt>()) {
      if (value.getSignificantBits() > 64)
        return std::nullopt;
      values.push_back(value.getSExtValue());
    }
  } else if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  }
  if (values.size() != rank ||
      llvm::any_of(values, [](int64_t value) { return value <= 0; }))
    return std::nullopt;
  for (int64_t &value : values)
    value = powerOfTwoDivisor(value);
  return values;
}

void applyHints(AxisInfo &info, Type type,
                function_ref<Attribute(StringRef)> getAttribute) {
  SmallVector<int64_t> shape = *getAxisShape(type);
  size_t rank = shape.size();
  auto contiguity = readHint(getAttribute("tt.contiguity"), rank);
  auto divisibility = readHint(getAttribute("tt.divisibility"), rank);
  auto constancy = readHint(getAttribute("tt.constancy"), rank);
  if (!contiguity && !divisibility && !constancy)
    return;
  int64_t step = getStep(type);
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t size = powerOfTwoDivisor(shape[dim]);
    if (contiguity) {
      int64_t run = std::min(size, (*contiguity)[dim]);
      if (run > info.contiguity[dim]) {
        info.divisibility[dim] = getRunDivisor(info, dim, run, step);
        info.contiguity[dim] = run;
      }
    }
    // Promised of the runs that the author had in mind; those known here are as
    // long or longer, and start where such runs start.
    if (divisibility)
      info.divisibility[dim] =
          std::max(info.divisibility[dim], (*divisibility)[dim]);
    if (constancy)
      info.constancy[dim] =
          std::max(info.constancy[dim], std::min(size, (*constancy)[dim]));
  }
  normalize(info, type);
}

AxisInfo getInductionVariable(Type type, const AxisInfo &lowerBound,
                              const AxisInfo &step) {
  AxisInfo info = getUniform(type, std::min(getElementDivisor(lowerBound, 1),
                                            getElementDivisor(step, 1)));
  info.nonNegative = lowerBound.nonNegative;
  info.reliesOnHints = lowerBound.reliesOnHints || step.reliesOnHints;
  return info;
}

unsigned getVectorElements(Type pointers, const AxisInfo *info,
                           std::optional<const AxisInfo *> mask, unsigned dim,
                           MaskedVectors masked) {
  // The widest access of every target: ld.global.v4.b32, 16 bytes.
  constexpr int64_t maxVectorBytes = 16;
  if (!info || dim >= info->contiguity.size() || !isPointerLike(pointers))
    return 1;
  int64_t bytes = getStep(pointers);
  int64_t elements =
      std::min({info->contiguity[dim], info->divisibility[dim] / bytes,
                maxVectorBytes / bytes});
  if (mask) {
    if (!*mask || dim >= (*mask)->constancy.size())
      return 1;
    bool isWhole = masked == MaskedVectors::Whole || info->reliesOnHints;
    elements = std::min(elements, isWhole ? (*mask)->constancy[dim]
                                          : (*mask)->prefixes[dim]);
  }
  return std::max<int64_t>(elements, 1);
}

//===----------------------------------------------------------------------===//
// Rules that several ops share
//===----------------------------------------------------------------------===//

std::vector<Operand> makeOperands(Operation *op,
                                  ArrayRef<const AxisInfo *> infos) {
  std::vector<Operand> operands;
  operands.reserve(infos.size());
  for (auto [value, info] : llvm::zip_equal(op->getOperands(), infos))
    operands.emplace_back(*info, value.getType());
  return operands;
}

AxisInfo getOfElements(Type type, const Operand &source) {
  if (source.info.constant)
    return getConstant(type, *source.info.constant);
  AxisInfo info = getUnknown(type);
  info.nonNegative = source.info.nonNegative;
  info.divisibility.assign(info.divisibility.size(), source.getDivisor());
  return info;
}

AxisInfo getRetyped(Type type, const Operand &source) {
  AxisInfo info = source.info;
  if (isPointerLike(type)) {
    info.constant.reset();
    info.nonNegative = false;
  }
  if (getStep(type) == source.step && getWidth(type) == source.width)
    return info;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
    shortenRun(info, dim, 1, source.step);
  normalize(info, type);
  return info;
}

AxisInfo getOfEqualOperands(Type type, ArrayRef<Operand> operands) {
  AxisInfo info = getUnknown(type);
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    info.constancy[dim] = operands.front().getConstancy(dim);
    for (const Operand &operand : operands)
      info.constancy[dim] =
          std::min(info.constancy[dim], operand.getConstancy(dim));
  }
  normalize(info, type);
  return info;
}

static AxisInfo infer(Operation *op, unsigned result,
                      ArrayRef<const AxisInfo *> operands) {
  Type type = op->getResult(result).getType();
  if (llvm::is_contained(operands, nullptr))
    return getUnknown(type);
  if (auto rule = dyn_cast<AxisInfoOpInterface>(op))
    return rule.inferAxisInfo(result, operands);
  if (isElementwise(op) && isMemoryEffectFree(op) && !operands.empty())
    return getOfEqualOperands(type, makeOperands(op, operands));
  return getUnknown(type);
}

AxisInfo getResult(Operation *op, unsigned result,
                   ArrayRef<const AxisInfo *> operands) {
  Type type = op->getResult(result).getType();
  AxisInfo info = infer(op, result, operands);
  // Tensors without dimensions count as one dimension, so that the number of
  // dimensions may differ from what the op's rule made.
  if (info.contiguity.size() != getAxisShape(type)->size())
    return getUnknown(type);
  info.reliesOnHints = llvm::any_of(operands, [](const AxisInfo *operand) {
    return operand && operand->reliesOnHints;
  });
  return info;
}

} // namespace tilewright::axis

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printList(raw_ostream &os, StringRef name,
                      ArrayRef<int64_t> values) {
  os << name << " = [";
  llvm::interleaveComma(values, os);
  os << "]";
}

void AxisInfo::print(raw_ostream &os) const {
  printList(os, "contiguity", contiguity);
  printList(os, ", divisibility", divisibility);
  printList(os, ", constancy", constancy);
  if (prefixes != constancy)
    printList(os, ", prefixes", prefixes);
  bool isSpaced =
      llvm::any_of(llvm::seq<size_t>(0, spacing.size()), [&](size_t dim) {
        return constancy[dim] == 1 && spacing[dim] > divisibility[dim] &&
               spacing[dim] < axis::maxDivisibility;
      });
  if (isSpaced)
    printList(os, ", spacing", spacing);
  if (constant)
    os << ", constant = " << *constant;
  if (nonNegative)
    os << ", non-negative";
  if (reliesOnHints)
    os << ", by hints";
}
