// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes tile IR at one location: element by element arithmetic on tiles, and
// their shapes. Constants are tiles of the shape asked for. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILE_TILEBUILDER_H
#define TILEWRIGHT_PASSES_TILE_TILEBUILDER_H

#include "dialects/Triton/Triton.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::tile {

class TileBuilder {
public:
  TileBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(location, builder) {}

  /// Tiles all of whose elements are one number.
  mlir::Value integer(llvm::ArrayRef<int64_t> shape, int64_t value);
  mlir::Value real(llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value splat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);

  /// Shapes.
  mlir::Value expand(mlir::Value tile, unsigned axis);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value tile, llvm::ArrayRef<int32_t> order);
  mlir::Value join(mlir::Value a, mlir::Value b);
  /// Each element `count` times along `axis`.
  mlir::Value repeat(mlir::Value tile, unsigned axis, int64_t count);
  /// The coordinate along `axis`, in i32, of a tile of `shape`.
  mlir::Value coordinates(llvm::ArrayRef<int64_t> shape, unsigned axis);

  /// The same bits as elements of another type.
  mlir::Value bitcast(mlir::Value tile, mlir::Type element);
  /// Integers of i8 as i32, extended by zeros; i32 stays.
  mlir::Value toWords(mlir::Value tile);
  /// Any float as another: exact, or rounded once to nearest even.
  mlir::Value convert(mlir::Value tile, mlir::FloatType element);

  /// Words shifted and masked by constants.
  mlir::Value bitAnd(mlir::Value words, int64_t mask);
  mlir::Value shiftLeft(mlir::Value words, int64_t count);
  mlir::Value shiftRight(mlir::Value words, int64_t count);

  /// The sum along `axis` of floats or integers, from any order.
  mlir::Value sum(mlir::Value tile, unsigned axis);
  /// The bits that any integer along `axis` has.
  mlir::Value bitOr(mlir::Value words, unsigned axis);

  /// The numbers, in f32, that the lowest bits of i32 words encode as a sign,
  /// an exponent with `bias` and `mantissaBits`: all codes stand for numbers.
  mlir::Value decode(mlir::Value words, unsigned bits, unsigned mantissaBits,
                     int bias);

  mlir::ImplicitLocOpBuilder builder;

private:
  mlir::Value
  reduce(mlir::Value tile, unsigned axis,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
};

/// The shape of a tile's type.
llvm::SmallVector<int64_t> getShape(mlir::Value tile);

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_TILEBUILDER_H
