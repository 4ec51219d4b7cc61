// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/AtomicOperation.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

template <typename T>
T chooseMinimum(uint64_t a, uint64_t b) {
  return std::min(static_cast<T>(a), static_cast<T>(b));
}
template <typename T>
T chooseMaximum(uint64_t a, uint64_t b) {
  return std::max(static_cast<T>(a), static_cast<T>(b));
}

} // namespace

std::optional<FloatFormat>
tilewright::emulator::getAtomicFormat(DataType type) {
  switch (type) {
  case DataType::F16:
  case DataType::F16x2:
    return FloatFormat::F16;
  case DataType::BF16:
  case DataType::BF16x2:
    return FloatFormat::BF16;
  case DataType::F32:
    return FloatFormat::F32;
  case DataType::F64:
    return FloatFormat::F64;
  default:
    return std::nullopt;
  }
}

namespace {

uint64_t addFloats(DataType type, FloatFormat format, uint64_t a, uint64_t b) {
  FloatFlags flags;
  if (type != DataType::F16x2 && type != DataType::BF16x2)
    return addFloat(a, b, format, flags);
  return addFloat(a & 0xffff, b & 0xffff, format, flags) |
         addFloat(a >> 16 & 0xffff, b >> 16 & 0xffff, format, flags) << 16;
}

uint64_t combineExtreme(DataType type, bool isMinimum, uint64_t a, uint64_t b) {
  // Floats only in bulk reductions, which hand no NaN on.
  if (type == DataType::F16 || type == DataType::BF16)
    return isMinimum ? minimumFloat(a, b, *getAtomicFormat(type), false, false,
                                    FloatFlags())
                     : maximumFloat(a, b, *getAtomicFormat(type), false, false,
                                    FloatFlags());
  switch (type) {
  case DataType::S32:
    return isMinimum ? chooseMinimum<int32_t>(a, b)
                     : chooseMaximum<int32_t>(a, b);
  case DataType::S64:
    return isMinimum ? chooseMinimum<int64_t>(a, b)
                     : chooseMaximum<int64_t>(a, b);
  case DataType::U64:
    return isMinimum ? std::min(a, b) : std::max(a, b);
  default:
    return isMinimum ? chooseMinimum<uint32_t>(a, b)
                     : chooseMaximum<uint32_t>(a, b);
  }
}

} // namespace

uint64_t tilewright::emulator::combineAtomically(AtomicOperation operation,
                                                 DataType type, uint64_t old,
                                                 uint64_t b, uint64_t c) {
  switch (operation) {
  case AtomicOperation::Add:
    if (std::optional<FloatFormat> format = getAtomicFormat(type))
      return addFloats(type, *format, old, b);
    return old + b;
  case AtomicOperation::Min:
  case AtomicOperation::Max:
    return combineExtreme(type, operation == AtomicOperation::Min, old, b);
  case AtomicOperation::And:
    return old & b;
  case AtomicOperation::Or:
    return old | b;
  case AtomicOperation::Xor:
    return old ^ b;
  case AtomicOperation::Exchange:
    return b;
  case AtomicOperation::CompareAndSwap:
    return old == b ? c : old;
  case AtomicOperation::Increment:
    return uint32_t(old) >= uint32_t(b) ? 0 : old + 1;
  case AtomicOperation::Decrement:
    return uint32_t(old) == 0 || uint32_t(old) > uint32_t(b) ? b : old - 1;
  }
  return old;
}
