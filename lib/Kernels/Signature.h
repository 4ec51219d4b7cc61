// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel of the library takes: named numbers and tensors, with what is
// known of each when the kernel is written. Plain values, no IR.

#ifndef TILEWRIGHT_LIB_KERNELS_SIGNATURE_H
#define TILEWRIGHT_LIB_KERNELS_SIGNATURE_H

#include "lib/Run/Tensor.h"

namespace tilewright::kernels {

using run::ElementType;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Result;

/// A number that a kernel takes: the size of a dimension, a stride (both in
/// elements), or a factor. Its value decides what the kernel may rely on:
/// integers of 0 and 1 are written into it, others are arguments with the
/// powers of two that divide them.
struct Number {
  std::string name;
  /// F32, I32 or I64.
  ElementType type = ElementType::I32;
  double value = 0;
  /// Written into the kernel whatever it is.
  bool isFixed = false;
  /// Never relied on: the kernel is to serve other values too.
  bool isDynamic = false;

  bool isInteger() const { return !run::isFloat(type); }
  int64_t integer() const { return static_cast<int64_t>(value); }
  /// Whether the kernel has the value itself.
  bool isConstant() const {
    return isFixed || (isInteger() && !isDynamic && (value == 0 || value == 1));
  }
  /// The largest power of two, 4096 at most, that divides an integer: of four
  /// parts of it tiles of 256 and less have no masks then.
  int64_t divisibility() const;
};

/// What becomes of a tensor's elements.
enum class Role : uint8_t {
  Input,
  Output,
  /// Made by one launch of an operator for a later one.
  Workspace,
};

/// What is promised of the elements of an input.
struct Content {
  enum class Kind : uint8_t {
    Any,
    Below,     ///< integers of 0 and more, below `limit`
    Lengths,   ///< integers from 0 to `limit`
    Offsets,   ///< integers that ascend from 0 to `limit`
    Distinct,  ///< integers of 0 and more, below `limit`, none of them twice
    Slots,     ///< as Distinct, or -1 for none
    Decays,    ///< logarithms of factors of 0 to 1
    Codes,     ///< any bits of those that are set in `limit`
    Ascending, ///< floats, each at least the one before
  };
  Kind kind = Kind::Any;
  int64_t limit = 0;
  /// Between which floats of any kind mostly are.
  double low = -1, high = 1;
};

/// A tensor that a kernel takes. Sizes and strides are indices into the
/// signature's numbers.
struct TensorParameter {
  std::string name;
  ElementType type = ElementType::F32;
  Role role = Role::Input;
  std::vector<unsigned> sizes, strides;
  /// Bytes, a power of two up to 16, that divide the address.
  int64_t alignment = 16;
  /// Whether offsets in elements may exceed 31 bits.
  bool isWide = false;
  /// The last element's offset and one, by the numbers' values.
  int64_t elements = 0;
  Content content = {};
};

/// The parameters of a kernel: pointers of all tensors in their order, and the
/// numbers that are not constant in theirs.
struct Signature {
  std::vector<Number> numbers;
  std::vector<TensorParameter> tensors;

  /// Adds a number, or finds the one of that name. Gives its index.
  unsigned add(Number number);
  /// Adds a tensor of these sizes (indices of numbers) and strides in elements,
  /// whose numbers are named after it. Gives its index.
  unsigned addTensor(std::string name, ElementType type, Role role,
                     std::vector<unsigned> sizes, std::vector<int64_t> strides,
                     int64_t alignment = 16);
  /// The same, dense, the last dimension fastest.
  unsigned addTensor(std::string name, ElementType type, Role role,
                     std::vector<unsigned> sizes);
  /// Writes `sizes` into the kernel, indices of numbers, but for dynamic ones,
  /// and the strides that follow.
  void fix(const std::vector<unsigned> &sizes);
  /// Writes those strides into the kernel that depend on no size, in a dense
  /// tensor, but such as are written into it.
  void fixStrides();
  /// The same numbers, and of the tensors those of `indices` alone, each of
  /// which becomes that tensor's in the result.
  Signature withTensors(const std::vector<unsigned *> &indices) const;
  std::vector<int64_t> sizesOf(const TensorParameter &tensor) const;
  std::vector<int64_t> stridesOf(const TensorParameter &tensor) const;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_SIGNATURE_H
