// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Longest processing time first: a GPU starts programs in the order of their
// numbers. Where the last have the longest loops most of it would be idle while
// they end. Programs may run in any order, so each takes the number of another.

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ORDERPROGRAMS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Warps of the programs that run at once on a GPU of 128 multiprocessors,
/// about.
static constexpr unsigned warpsAtOnce = 2048;

namespace {

/// Numbers the programs of a function anew along an axis, and along the next
/// one where it is asked for, too.
class Renumbering {
public:
  /// `programs`: how many a section is to have.
  Renumbering(FunctionOpInterface function, tt::ProgramAxis axis,
              unsigned programs)
      : function(function), axis(axis), programs(programs),
        location(function.getLoc()), builder(function.getFunctionBody()) {}

  /// Has the programs with the longest loops start first, which are the last,
  /// or else the first.
  void apply(bool areLast);

private:
  using Numbers = SmallVector<Value>;

  /// Programs' numbers along `along`.
  Numbers find(tt::ProgramAxis along);
  Value getSize(tt::ProgramAxis along) {
    return tt::GetNumProgramsOp::create(builder, location, builder.getI32Type(),
                                        along);
  }
  Value getNumber(tt::ProgramAxis along) {
    return tt::GetProgramIdOp::create(builder, location, builder.getI32Type(),
                                      along);
  }
  Value constant(int32_t value) {
    return arith::ConstantIntOp::create(builder, location, value, 32);
  }
  /// Arithmetic whose result is that of numbers without an end, and not
  /// negative.
  template <typename OpT>
  Value compute(Value left, Value right) {
    return OpT::create(builder, location, left, right,
                       arith::IntegerOverflowFlags::nsw |
                           arith::IntegerOverflowFlags::nuw);
  }
  /// The binary logarithm of the numbers along the next axis that the section
  /// of `along`, one of `alongSize`, has: the most with which it has no more
  /// programs than it is to have, `size` along this axis, and then as many as
  /// are left.
  Value findSectionBits(Value size, Value along, Value alongSize);
  /// Goes through sections, each of several numbers along the next axis and all
  /// along this one: the number along this axis, from the first that starts to
  /// the last, and along the next. With as many programs as run at once a
  /// section's longest ones start together. With fewer, one head of an
  /// attention after the other say, the last longest starts when little else is
  /// left; with more, the L2 holds less of what they share. The first load of a
  /// program waits for this, so sections have powers of two: no division.
  std::pair<Value, Value> numberSections(tt::ProgramAxis next);

  FunctionOpInterface function;
  tt::ProgramAxis axis;
  unsigned programs;
  Location location;
  OpBuilder builder;
};

} // namespace

Renumbering::Numbers Renumbering::find(tt::ProgramAxis along) {
  Numbers numbers;
  function.walk([&](GridOpInterface op) {
    GridQuantity quantity = op.getGridQuantity();
    if (!quantity.isSize && quantity.axis == unsigned(along))
      numbers.push_back(op->getResult(0));
  });
  return numbers;
}

Value Renumbering::findSectionBits(Value size, Value along, Value alongSize) {
  auto countZeros = [&](Value value) -> Value {
    return math::CountLeadingZerosOp::create(builder, location, value);
  };
  // 2^n times `size` are at most 2^m where n <= m - ceil(log2(size)).
  Value above = compute<arith::SubIOp>(size, constant(1));
  Value most = arith::MaxSIOp::create(
      builder, location,
      arith::SubIOp::create(builder, location, countZeros(above),
                            constant(32 - llvm::Log2_32(programs))),
      constant(0));
  // Of what is left, sections of the powers of two that it is the sum of: the
  // first bit that `along` does not have in common with its size is that of its
  // own.
  Value differing = arith::XOrIOp::create(builder, location, along, alongSize);
  Value left = compute<arith::SubIOp>(constant(31), countZeros(differing));
  return arith::MinUIOp::create(builder, location, most, left);
}

std::pair<Value, Value> Renumbering::numberSections(tt::ProgramAxis next) {
  Value size = getSize(axis), along = getNumber(next);
  Value bits = findSectionBits(size, along, getSize(next));
  Value below = compute<arith::SubIOp>(
      compute<arith::ShLIOp>(constant(1), bits), constant(1));
  auto getLowBits = [&](Value value) -> Value {
    return arith::AndIOp::create(builder, location, value, below);
  };
  Value row = getLowBits(along);
  Value begin = compute<arith::SubIOp>(along, row);
  Value inside = compute<arith::AddIOp>(getNumber(axis),
                                        compute<arith::MulIOp>(row, size));
  Value number = arith::ShRUIOp::create(builder, location, inside, bits);
  return {number, compute<arith::AddIOp>(begin, getLowBits(inside))};
}

void Renumbering::apply(bool areLast) {
  Numbers numbers = find(axis), others;
  // The programs of the last axis have none behind them.
  auto next = tt::symbolizeProgramAxis(uint32_t(axis) + 1);
  if (next)
    others = find(*next);
  if (others.empty() && !areLast)
    return;
  Value number, other;
  if (others.empty())
    number = getNumber(axis);
  else
    std::tie(number, other) = numberSections(*next);
  if (areLast)
    number = compute<arith::SubIOp>(
        compute<arith::SubIOp>(getSize(axis), constant(1)), number);
  for (Value own : numbers)
    own.replaceAllUsesWith(number);
  for (Value own : others)
    own.replaceAllUsesWith(other);
}

namespace {

struct OrderPrograms : tilegpu::impl::OrderProgramsBase<OrderPrograms> {
  using OrderProgramsBase::OrderProgramsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      for (StringRef name : {TileGPUDialect::longestFirstAttrName,
                             TileGPUDialect::longestLastAttrName})
        if (auto along = dyn_cast_if_present<StringAttr>(
                function->removeDiscardableAttr(name)))
          order(function, *tt::symbolizeProgramAxis(along.getValue()),
                name == TileGPUDialect::longestLastAttrName);
  }

private:
  void order(FunctionOpInterface function, tt::ProgramAxis axis, bool areLast) {
    // Those of a cluster share what their numbers have them copy, or sum over
    // each other.
    if (lookupCluster(function) > 1)
      return;
    unsigned programs = std::max(warpsAtOnce / numWarps, 1u);
    Renumbering(function, axis, programs).apply(areLast);
  }
};

} // namespace
