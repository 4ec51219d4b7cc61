// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reading of kernels by which emit() writes tile IR: its state, and what
// its files share. Private to Emission*.cpp: Emission.cpp has values, control
// flow and the function itself, EmissionAccesses.cpp what is loaded and stored,
// EmissionCodes.cpp what is packed in words.

#ifndef TILEWRIGHT_LIB_KERNELS_EMISSIONREADING_H
#define TILEWRIGHT_LIB_KERNELS_EMISSIONREADING_H

#include "lib/Kernels/Notation.h"

#include "dialects/Tile/Tile.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::kernels {

/// A loop whose body is being written: a block of its own, which moves into the
/// loop once it is known what is carried.
struct OpenLoop {
  mlir::Block body;
  Value begin, index;
  int64_t step;
  /// Where what the loop needs before it is written.
  mlir::Block *before;
  /// Pointers that move: from where, and by what.
  struct Moved {
    mlir::Value initial, argument, distance;
  };
  llvm::SmallVector<Moved> moved;
};

/// Makes a module of one kernel: each operation of the notation is an op of
/// tile IR, each value the opaque pointer of an mlir::Value.
class Emission : public Reading {
public:
  Emission(const Signature &signature, mlir::MLIRContext &context)
      : Reading(signature), builder(&context),
        location(builder.getUnknownLoc()) {}

  mlir::OwningOpRef<mlir::ModuleOp>
  run(llvm::StringRef name, const std::function<void(Reading &)> &text);

  Value number(unsigned index) override { return numbers[index]; }
  Value program(unsigned axis) override;
  Value constant(double value, ElementType type, Shape shape) override;
  Value range(int64_t size) override;
  Value unary(Unary operation, const Value &a) override;
  Value binary(Binary operation, const Value &a, const Value &b) override;
  Value select(const Value &condition, const Value &a, const Value &b) override;
  Value convert(const Value &a, ElementType type) override;
  Value expand(const Value &a, unsigned axis) override;
  Value broadcast(const Value &a, const Shape &shape) override;
  Value transpose(const Value &a) override;
  Value reorder(const Value &a, unsigned axis,
                const std::vector<unsigned> &order) override;
  std::array<Value, 2> halve(const Value &a, unsigned axis,
                             unsigned bit) override;
  Value reshape(const Value &a, const Shape &shape) override {
    return wrap(create<tt::ReshapeOp>(toType(a.type(), shape), unwrap(a)),
                a.type(), shape);
  }
  Value reduce(const Value &a, unsigned axis, Combination how) override;
  Value sumsAlong(const Value &a, unsigned axis) override;
  Value reduceScatter(int64_t programs, unsigned axis,
                      const std::function<Value(Value)> &part) override;
  Value gatherRows(const Value &a, const Value &rows) override;
  Value dot(const Value &a, const Value &b, const Value &sum,
            Precision precision) override;
  Value dequantize(const CodedTile &coded, ElementType type) override;
  Value invertUnitLower(const Value &lower, Precision precision) override;
  Value load(const Tensor &tensor, const Box &box) override;
  void store(const Tensor &tensor, const Box &box, const Value &value) override;
  std::vector<Value> forEach(const Value &begin, const Value &end, int64_t step,
                             std::vector<Value> carried,
                             const Iteration &iteration) override;
  void when(const Value &condition, const std::function<void()> &then) override;
  std::vector<Value> choose(const Value &condition, const Way &then,
                            const Way &otherwise) override;

private:
  // Types and handles.
  mlir::Type toType(ElementType type);
  mlir::Type toType(ElementType type, const Shape &shape);
  Value wrap(mlir::Value value, ElementType type, Shape shape) {
    return {*this, type, std::move(shape),
            std::shared_ptr<void>(std::shared_ptr<void>(),
                                  value.getAsOpaquePointer())};
  }
  static mlir::Value unwrap(const Value &value) {
    return mlir::Value::getFromOpaquePointer(value.content().get());
  }

  Value unpack(const CodedTile &coded);
  Value shiftApart(const Value &a, unsigned along, unsigned size, int first,
                   int step, bool isEvenFirst);
  Value subtractBytes(const Value &x, const Value &bytes);

  // Addresses.
  mlir::Value pointers(const Tensor &tensor, const Box &box);
  /// How a box moves with a loop: its start along one dimension is the loop's
  /// index, or the quotient of that and a divisor of the loop's step; or what
  /// is left of a number by either.
  struct Motion {
    unsigned dimension;
    int64_t divisor;
    Value minuend;
  };
  mlir::Value movingPointers(OpenLoop &loop, const Tensor &tensor,
                             const Box &box, const Motion &motion);
  mlir::Value accessPointers(const Tensor &tensor, const Box &box);
  Value rangeAlong(const Value &start, int64_t size, unsigned axis,
                   unsigned rank);
  Value mask(const Tensor &tensor, const Box &box);
  std::optional<int64_t> findDivisor(const OpenLoop &loop, mlir::Value start);
  std::optional<Motion> findMotion(const OpenLoop &loop, const Along &along,
                                   unsigned dimension);
  std::optional<Motion> findMotion(const Tensor &tensor, const Box &box);
  bool isInside(const OpenLoop &loop, mlir::Value value) const;
  void declare(mlir::FunctionOpInterface function);
  mlir::Value scalarPointer(const Tensor &tensor, const Box &box);
  Value scaled(const Value &index, const Value &stride);

  template <typename Op, typename... Arguments>
  mlir::Value create(Arguments &&...arguments) {
    return Op::create(builder, location, std::forward<Arguments>(arguments)...)
        ->getResult(0);
  }

  mlir::OpBuilder builder;
  mlir::Location location;
  std::vector<Value> numbers;
  std::vector<mlir::Value> bases;
  /// The numbers that are constants, by the opaque value.
  llvm::DenseMap<void *, int64_t> constants;
  llvm::DenseMap<mlir::Attribute, mlir::Value> knownConstants;
  /// The kernel's first block, which begins with constants.
  mlir::Block *entry = nullptr;
  mlir::Operation *lastConstant = nullptr;
  llvm::SmallVector<OpenLoop *> loops;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EMISSIONREADING_H
