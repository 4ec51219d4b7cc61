// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value of tile IR is while it is interpreted.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_VALUE_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_VALUE_H

#include "dialects/Triton/Triton.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright::reference {

/// An integer, a pointer or a float: the type of the MLIR value tells which.
struct Element {
  /// Integers zero-extended; a float as the bits of a float64.
  uint64_t bits = 0;

  static Element fromReal(double value) {
    return {std::bit_cast<uint64_t>(value)};
  }
  double toReal() const { return std::bit_cast<double>(bits); }
};

/// A block pointer, or a tensor descriptor (whose offsets are zeros).
struct BlockView {
  uint64_t base;
  mlir::SmallVector<int64_t, 4> shape, strides, offsets;
  /// What a descriptor's loads give outside; a block pointer's loads say it.
  tt::PaddingOption padding = tt::PaddingOption::PAD_ZERO;
};

using Shape = mlir::SmallVector<int64_t, 4>;

/// A scalar (of rank 0, with one element), a tile with its elements in
/// row-major order, or a view of a tensor in memory (without elements).
struct RuntimeValue {
  Shape shape;
  std::vector<Element> elements;
  std::shared_ptr<const BlockView> view;

  static RuntimeValue scalar(uint64_t bits) { return {{}, {{bits}}, nullptr}; }
  static RuntimeValue uninitialized(mlir::ArrayRef<int64_t> shape) {
    return {Shape(shape), std::vector<Element>(llvm::product_of(shape)),
            nullptr};
  }
  /// A scalar's bits.
  uint64_t getBits() const { return elements[0].bits; }
  /// Element `index`; a value of one element has it everywhere.
  Element at(size_t index) const {
    return elements[elements.size() == 1 ? 0 : index];
  }
};

/// The shape of a type: none for a scalar.
Shape getShape(mlir::Type type);
/// The coordinates of the element with a row-major index, and back.
Shape getCoordinates(mlir::ArrayRef<int64_t> shape, int64_t index);
int64_t getIndex(mlir::ArrayRef<int64_t> shape,
                 mlir::ArrayRef<int64_t> coordinates);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_VALUE_H
