// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Emission.h"

#include "dialects/Tile/Tile.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using kernels::Along;
using kernels::Binary;
using kernels::Box;
using kernels::CodedTile;
using kernels::Coding;
using kernels::Combination;
using kernels::ElementType;
using kernels::Iteration;
using kernels::Number;
using kernels::Precision;
using kernels::Reading;
using kernels::Shape;
using kernels::Signature;
using kernels::Tensor;
using kernels::TensorParameter;
using kernels::Unary;
using mlir::OpBuilder;
using mlir::RankedTensorType;
using mlir::Type;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

namespace {

/// A loop whose body is being written: a block of its own, which moves into the
/// loop once it is known what is carried.
struct OpenLoop {
  mlir::Block body;
  kernels::Value begin, index;
  int64_t step;
  /// Where what the loop needs before it is written.
  mlir::Block *before;
  /// Pointers that move: from where, and by what.
  struct Moved {
    mlir::Value initial, argument, distance;
  };
  llvm::SmallVector<Moved> moved;
};

class Emission : public Reading {
public:
  Emission(const Signature &signature, mlir::MLIRContext &context)
      : Reading(signature), builder(&context),
        location(builder.getUnknownLoc()) {}

  mlir::OwningOpRef<mlir::ModuleOp>
  run(llvm::StringRef name, const std::function<void(Reading &)> &text);

  kernels::Value number(unsigned index) override { return numbers[index]; }
  kernels::Value program(unsigned axis) override;
  kernels::Value constant(double value, ElementType type, Shape shape) override;
  kernels::Value range(int64_t size) override;
  kernels::Value unary(Unary operation, const kernels::Value &a) override;
  kernels::Value binary(Binary operation, const kernels::Value &a,
                        const kernels::Value &b) override;
  kernels::Value select(const kernels::Value &condition,
                        const kernels::Value &a,
                        const kernels::Value &b) override;
  kernels::Value convert(const kernels::Value &a, ElementType type) override;
  kernels::Value expand(const kernels::Value &a, unsigned axis) override;
  kernels::Value broadcast(const kernels::Value &a,
                           const Shape &shape) override;
  kernels::Value transpose(const kernels::Value &a) override;
  kernels::Value reorder(const kernels::Value &a, unsigned axis,
                         const std::vector<unsigned> &order) override;
  std::array<kernels::Value, 2> halve(const kernels::Value &a, unsigned axis,
                                      unsigned bit) override;
  kernels::Value reshape(const kernels::Value &a, const Shape &shape) override {
    return wrap(create<tt::ReshapeOp>(toType(a.type(), shape), unwrap(a)),
                a.type(), shape);
  }
  kernels::Value reduce(const kernels::Value &a, unsigned axis,
                        Combination how) override;
  kernels::Value sumsAlong(const kernels::Value &a, unsigned axis) override;
  kernels::Value gatherRows(const kernels::Value &a,
                            const kernels::Value &rows) override;
  kernels::Value dot(const kernels::Value &a, const kernels::Value &b,
                     const kernels::Value &sum, Precision precision) override;
  kernels::Value dequantize(const CodedTile &coded, ElementType type) override;
  kernels::Value invertUnitLower(const kernels::Value &lower,
                                 Precision precision) override;
  kernels::Value load(const Tensor &tensor, const Box &box) override;
  void store(const Tensor &tensor, const Box &box,
             const kernels::Value &value) override;
  std::vector<kernels::Value> forEach(const kernels::Value &begin,
                                      const kernels::Value &end, int64_t step,
                                      std::vector<kernels::Value> carried,
                                      const Iteration &iteration) override;
  void when(const kernels::Value &condition,
            const std::function<void()> &then) override;
  std::vector<kernels::Value> choose(const kernels::Value &condition,
                                     const Way &then,
                                     const Way &otherwise) override;

private:
  // Types and handles.
  Type toType(ElementType type);
  Type toType(ElementType type, const Shape &shape);
  kernels::Value wrap(mlir::Value value, ElementType type, Shape shape) {
    return {*this, type, std::move(shape),
            std::shared_ptr<void>(std::shared_ptr<void>(),
                                  value.getAsOpaquePointer())};
  }
  static mlir::Value unwrap(const kernels::Value &value) {
    return mlir::Value::getFromOpaquePointer(value.content().get());
  }

  kernels::Value unpack(const CodedTile &coded);
  kernels::Value shiftApart(const kernels::Value &a, unsigned along,
                            unsigned size, int first, int step,
                            bool isEvenFirst);
  kernels::Value subtractBytes(const kernels::Value &x,
                               const kernels::Value &bytes);

  // Addresses.
  mlir::Value pointers(const Tensor &tensor, const Box &box);
  /// How a box moves with a loop: its start along one dimension is the loop's
  /// index, or the quotient of that and a divisor of the loop's step.
  struct Motion {
    unsigned dimension;
    int64_t divisor;
  };
  mlir::Value movingPointers(OpenLoop &loop, const Tensor &tensor,
                             const Box &box, Motion motion);
  mlir::Value accessPointers(const Tensor &tensor, const Box &box);
  kernels::Value rangeAlong(const kernels::Value &start, int64_t size,
                            unsigned axis, unsigned rank);
  kernels::Value mask(const Tensor &tensor, const Box &box);
  std::optional<int64_t> findDivisor(const OpenLoop &loop, mlir::Value start);
  std::optional<Motion> findMotion(const Tensor &tensor, const Box &box);
  bool isInside(const OpenLoop &loop, mlir::Value value) const;
  void declare(mlir::FunctionOpInterface function);
  mlir::Value scalarPointer(const Tensor &tensor, const Box &box);
  kernels::Value scaled(const kernels::Value &index,
                        const kernels::Value &stride);

  template <typename Op, typename... Arguments>
  mlir::Value create(Arguments &&...arguments) {
    return Op::create(builder, location, std::forward<Arguments>(arguments)...)
        ->getResult(0);
  }

  OpBuilder builder;
  mlir::Location location;
  std::vector<kernels::Value> numbers;
  std::vector<mlir::Value> bases;
  /// The numbers that are constants, by the opaque value.
  llvm::DenseMap<void *, int64_t> constants;
  llvm::DenseMap<mlir::Attribute, mlir::Value> knownConstants;
  /// The kernel's first block, which begins with constants.
  mlir::Block *entry = nullptr;
  mlir::Operation *lastConstant = nullptr;
  llvm::SmallVector<OpenLoop *> loops;
};

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type Emission::toType(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return builder.getI1Type();
  case ElementType::I8:
  case ElementType::U8:
    return builder.getI8Type();
  case ElementType::I16:
  case ElementType::U16:
    return builder.getI16Type();
  case ElementType::I32:
  case ElementType::U32:
    return builder.getI32Type();
  case ElementType::I64:
  case ElementType::U64:
    return builder.getI64Type();
  case ElementType::F8E4M3:
    return builder.getType<mlir::Float8E4M3FNType>();
  case ElementType::F8E5M2:
    return builder.getType<mlir::Float8E5M2Type>();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F64:
    return builder.getF64Type();
  }
  llvm_unreachable("all types are named");
}

Type Emission::toType(ElementType type, const Shape &shape) {
  Type element = toType(type);
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

static Type getPointerType(Type pointee) {
  return tt::PointerType::get(pointee, 1);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Arguments, what is promised of them, and the numbers that are constants.
void Emission::declare(mlir::FunctionOpInterface function) {
  unsigned argument = 0;
  auto promise = [&](int64_t divisibility) {
    if (divisibility > 1)
      function.setArgAttr(
          argument, "tt.divisibility",
          builder.getI32IntegerAttr(std::min<int64_t>(divisibility, 16)));
  };
  for (const TensorParameter &tensor : signature().tensors) {
    promise(tensor.alignment);
    bases.push_back(entry->getArgument(argument++));
  }
  for (const Number &number : signature().numbers) {
    if (number.isConstant()) {
      kernels::Value value = constant(number.value, number.type, {});
      if (number.isInteger())
        constants[value.content().get()] = number.integer();
      numbers.push_back(value);
      continue;
    }
    if (number.isInteger())
      promise(number.divisibility());
    numbers.push_back(wrap(entry->getArgument(argument++), number.type, {}));
  }
}

/// Where an argument comes from names it in the text.
static mlir::Location locationOf(OpBuilder &builder, const std::string &name) {
  return mlir::NameLoc::get(builder.getStringAttr(name));
}

mlir::OwningOpRef<mlir::ModuleOp>
Emission::run(llvm::StringRef name,
              const std::function<void(Reading &)> &text) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(builder, location);
  llvm::SmallVector<Type> types;
  llvm::SmallVector<mlir::Location> locations;
  for (const TensorParameter &tensor : signature().tensors) {
    types.push_back(getPointerType(toType(tensor.type)));
    locations.push_back(locationOf(builder, tensor.name));
  }
  for (const Number &number : signature().numbers)
    if (!number.isConstant()) {
      types.push_back(toType(number.type));
      locations.push_back(locationOf(builder, number.name));
    }
  builder.setInsertionPointToEnd(module->getBody());
  mlir::OperationState state(location, tt::FuncOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type",
                     mlir::TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("sym_visibility", builder.getStringAttr("public"));
  mlir::Region *body = state.addRegion();
  body->emplaceBlock().addArguments(types, locations);
  auto function = llvm::cast<mlir::FunctionOpInterface>(builder.create(state));
  entry = &function.getFunctionBody().front();
  builder.setInsertionPointToEnd(entry);
  declare(function);
  text(*this);
  tt::ReturnOp::create(builder, location, mlir::ValueRange());
  return module;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

kernels::Value Emission::program(unsigned axis) {
  return wrap(create<tt::GetProgramIdOp>(builder.getI32Type(),
                                         static_cast<tt::ProgramAxis>(axis)),
              ElementType::I32, {});
}

kernels::Value Emission::constant(double value, ElementType type, Shape shape) {
  Type element = toType(type);
  mlir::TypedAttr attribute;
  if (run::isFloat(type))
    attribute = builder.getFloatAttr(element, value);
  else
    attribute = builder.getIntegerAttr(element, static_cast<int64_t>(value));
  if (!shape.empty())
    attribute = mlir::DenseElementsAttr::get(
        RankedTensorType::get(shape, element), mlir::Attribute(attribute));
  // Each stands once, at the kernel's begin.
  mlir::Value &known = knownConstants[attribute];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastConstant)
      builder.setInsertionPointAfter(lastConstant);
    else
      builder.setInsertionPointToStart(entry);
    known = create<arith::ConstantOp>(attribute);
    lastConstant = known.getDefiningOp();
  }
  return wrap(known, type, std::move(shape));
}

kernels::Value Emission::range(int64_t size) {
  Type type = toType(ElementType::I32, {size});
  return wrap(create<tt::MakeRangeOp>(type, 0, static_cast<int32_t>(size)),
              ElementType::I32, {size});
}

kernels::Value Emission::unary(Unary operation, const kernels::Value &a) {
  mlir::Value x = unwrap(a);
  auto make = [&]() -> mlir::Value {
    switch (operation) {
    case Unary::Negate:
      return create<arith::NegFOp>(x);
    case Unary::Absolute:
      return create<math::AbsFOp>(x);
    case Unary::Exp2:
      return create<math::Exp2Op>(x);
    case Unary::Log2:
      return create<math::Log2Op>(x);
    case Unary::SquareRoot:
      return create<math::SqrtOp>(x);
    case Unary::ReciprocalSquareRoot:
      return create<math::RsqrtOp>(x);
    case Unary::Erf:
      return create<math::ErfOp>(x);
    case Unary::Round: {
      // Adding 1.5 * 2^23 leaves the nearest integer in the lowest bits, for
      // magnitudes below 2^22.
      kernels::Value shift = constant(0x1.8p23, a.type(), a.shape());
      return unwrap((a + shift) - shift);
    }
    }
    llvm_unreachable("all operations are named");
  };
  return wrap(make(), a.type(), a.shape());
}

static std::optional<arith::CmpIPredicate> integerPredicate(Binary operation) {
  switch (operation) {
  case Binary::Less:
    return arith::CmpIPredicate::slt;
  case Binary::LessOrEqual:
    return arith::CmpIPredicate::sle;
  case Binary::Equal:
    return arith::CmpIPredicate::eq;
  default:
    return std::nullopt;
  }
}

static std::optional<arith::CmpFPredicate> floatPredicate(Binary operation) {
  switch (operation) {
  case Binary::Less:
    return arith::CmpFPredicate::OLT;
  case Binary::LessOrEqual:
    return arith::CmpFPredicate::OLE;
  case Binary::Equal:
    return arith::CmpFPredicate::OEQ;
  default:
    return std::nullopt;
  }
}

kernels::Value Emission::binary(Binary operation, const kernels::Value &a,
                                const kernels::Value &b) {
  mlir::Value x = unwrap(a), y = unwrap(b);
  bool isFloat = run::isFloat(a.type());
  if (auto predicate = floatPredicate(operation); predicate && isFloat)
    return wrap(create<arith::CmpFOp>(*predicate, x, y), ElementType::I1,
                a.shape());
  if (auto predicate = integerPredicate(operation))
    return wrap(create<arith::CmpIOp>(*predicate, x, y), ElementType::I1,
                a.shape());
  auto make = [&]() -> mlir::Value {
    switch (operation) {
    case Binary::Add:
      return isFloat ? create<arith::AddFOp>(x, y)
                     : create<arith::AddIOp>(x, y);
    case Binary::Subtract:
      return isFloat ? create<arith::SubFOp>(x, y)
                     : create<arith::SubIOp>(x, y);
    case Binary::Multiply:
      return isFloat ? create<arith::MulFOp>(x, y)
                     : create<arith::MulIOp>(x, y);
    case Binary::Divide:
      return isFloat ? create<arith::DivFOp>(x, y)
                     : create<arith::DivSIOp>(x, y);
    case Binary::Remainder:
      return create<arith::RemSIOp>(x, y);
    case Binary::Minimum:
      return isFloat ? create<arith::MinNumFOp>(x, y)
                     : create<arith::MinSIOp>(x, y);
    case Binary::Maximum:
      return isFloat ? create<arith::MaxNumFOp>(x, y)
                     : create<arith::MaxSIOp>(x, y);
    case Binary::And:
      return create<arith::AndIOp>(x, y);
    case Binary::Or:
      return create<arith::OrIOp>(x, y);
    default:
      llvm_unreachable("comparisons are above");
    }
  };
  return wrap(make(), a.type(), a.shape());
}

kernels::Value Emission::select(const kernels::Value &condition,
                                const kernels::Value &a,
                                const kernels::Value &b) {
  return wrap(create<arith::SelectOp>(unwrap(condition), unwrap(a), unwrap(b)),
              a.type(), a.shape());
}

kernels::Value Emission::convert(const kernels::Value &a, ElementType type) {
  if (a.type() == type)
    return a;
  mlir::Value x = unwrap(a);
  Type to = toType(type, a.shape());
  bool fromFloat = run::isFloat(a.type()), toFloat = run::isFloat(type);
  unsigned fromBits = toType(a.type()).getIntOrFloatBitWidth();
  unsigned toBits = toType(type).getIntOrFloatBitWidth();
  auto make = [&]() -> mlir::Value {
    if (fromFloat && toFloat) {
      if (toBits >= 16 && fromBits >= 16 && toBits != fromBits)
        return toBits > fromBits ? create<arith::ExtFOp>(to, x)
                                 : create<arith::TruncFOp>(to, x);
      tt::RoundingModeAttr rounding;
      if (toBits < fromBits)
        rounding = tt::RoundingModeAttr::get(builder.getContext(),
                                             tt::RoundingMode::RTNE);
      return create<tt::FpToFpOp>(to, x, mlir::Value(), rounding);
    }
    if (fromFloat)
      return create<arith::FPToSIOp>(to, x);
    if (toFloat)
      return a.type() == ElementType::I1 ? create<arith::UIToFPOp>(to, x)
                                         : create<arith::SIToFPOp>(to, x);
    if (toBits < fromBits)
      return create<arith::TruncIOp>(to, x);
    return a.type() == ElementType::I1 ? create<arith::ExtUIOp>(to, x)
                                       : create<arith::ExtSIOp>(to, x);
  };
  return wrap(make(), type, a.shape());
}

kernels::Value Emission::expand(const kernels::Value &a, unsigned axis) {
  Shape shape = a.shape();
  shape.insert(shape.begin() + axis, 1);
  if (a.shape().empty())
    return wrap(create<tt::SplatOp>(toType(a.type(), shape), unwrap(a)),
                a.type(), shape);
  return wrap(
      create<tt::ExpandDimsOp>(toType(a.type(), shape), unwrap(a), axis),
      a.type(), shape);
}

kernels::Value Emission::broadcast(const kernels::Value &a,
                                   const Shape &shape) {
  Type type = toType(a.type(), shape);
  mlir::Value x = unwrap(a);
  return wrap(a.shape().empty() ? create<tt::SplatOp>(type, x)
                                : create<tt::BroadcastOp>(type, x),
              a.type(), shape);
}

kernels::Value Emission::transpose(const kernels::Value &a) {
  Shape shape(a.shape().rbegin(), a.shape().rend());
  return wrap(create<tt::TransOp>(toType(a.type(), shape), unwrap(a),
                                  llvm::ArrayRef<int32_t>{1, 0}),
              a.type(), shape);
}

/// As a tile with a dimension for each run of bits that stay together, whose
/// dimensions are exchanged.
kernels::Value Emission::reorder(const kernels::Value &a, unsigned axis,
                                 const std::vector<unsigned> &order) {
  // Runs of the result, from its highest bits down: the lowest bit in `a`, and
  // how many.
  llvm::SmallVector<std::pair<unsigned, unsigned>> runs;
  for (size_t bit = order.size(); bit-- > 0;) {
    if (!runs.empty() && runs.back().first == order[bit] + 1)
      runs.back() = {order[bit], runs.back().second + 1};
    else
      runs.push_back({order[bit], 1});
  }
  llvm::SmallVector<unsigned> descending =
      llvm::to_vector(llvm::seq<unsigned>(0, runs.size()));
  llvm::sort(descending, [&](unsigned x, unsigned y) {
    return runs[x].first > runs[y].first;
  });
  Shape split(a.shape().begin(), a.shape().begin() + axis), moved = split;
  llvm::SmallVector<int32_t> permutation =
      llvm::to_vector(llvm::seq<int32_t>(0, axis));
  for (size_t run = 0; run < runs.size(); ++run) {
    split.push_back(int64_t(1) << runs[descending[run]].second);
    moved.push_back(int64_t(1) << runs[run].second);
    permutation.push_back(
        int32_t(axis + (llvm::find(descending, run) - descending.begin())));
  }
  for (size_t d = axis + 1; d < a.shape().size(); ++d) {
    permutation.push_back(int32_t(split.size()));
    split.push_back(a.shape()[d]);
    moved.push_back(a.shape()[d]);
  }
  mlir::Value parts = create<tt::ReshapeOp>(toType(a.type(), split), unwrap(a));
  parts = create<tt::TransOp>(toType(a.type(), moved), parts, permutation);
  return wrap(create<tt::ReshapeOp>(toType(a.type(), a.shape()), parts),
              a.type(), a.shape());
}

/// The bit becomes a dimension of its own, and the last one.
std::array<kernels::Value, 2> Emission::halve(const kernels::Value &a,
                                              unsigned axis, unsigned bit) {
  Shape split = a.shape(), half = a.shape();
  half[axis] /= 2;
  int64_t below = int64_t(1) << bit;
  split[axis] = half[axis] / below;
  split.insert(split.begin() + axis + 1, 2);
  if (below > 1)
    split.insert(split.begin() + axis + 2, below);
  llvm::SmallVector<int32_t> permutation;
  Shape moved;
  for (unsigned d = 0; d < split.size(); ++d)
    if (d != axis + 1) {
      permutation.push_back(int32_t(d));
      moved.push_back(split[d]);
    }
  permutation.push_back(int32_t(axis + 1));
  moved.push_back(2);
  mlir::Value parts = create<tt::ReshapeOp>(toType(a.type(), split), unwrap(a));
  parts = create<tt::TransOp>(toType(a.type(), moved), parts, permutation);
  moved.pop_back();
  Type type = toType(a.type(), moved);
  auto both = tt::SplitOp::create(builder, location, type, type, parts);
  auto shaped = [&](mlir::Value part) {
    return wrap(create<tt::ReshapeOp>(toType(a.type(), half), part), a.type(),
                half);
  };
  return {shaped(both.getResult(0)), shaped(both.getResult(1))};
}

kernels::Value Emission::reduce(const kernels::Value &a, unsigned axis,
                                Combination how) {
  Shape shape = a.shape();
  shape.erase(shape.begin() + axis);
  Type type = toType(a.type(), shape);
  auto reduction = tt::ReduceOp::create(
      builder, location, mlir::TypeRange(type), mlir::ValueRange(unwrap(a)),
      static_cast<int32_t>(axis));
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block &block = reduction.getCombineOp().emplaceBlock();
  Type element = toType(a.type());
  block.addArguments({element, element}, {location, location});
  builder.setInsertionPointToEnd(&block);
  kernels::Value x = wrap(block.getArgument(0), a.type(), {});
  kernels::Value y = wrap(block.getArgument(1), a.type(), {});
  kernels::Value combined =
      binary(how == Combination::Sum ? Binary::Add : Binary::Maximum, x, y);
  tt::ReduceReturnOp::create(builder, location,
                             mlir::ValueRange(unwrap(combined)));
  return wrap(reduction.getResult()[0], a.type(), shape);
}

kernels::Value Emission::sumsAlong(const kernels::Value &a, unsigned axis) {
  auto scan = tt::ScanOp::create(
      builder, location, mlir::TypeRange(toType(a.type(), a.shape())),
      mlir::ValueRange(unwrap(a)), static_cast<int32_t>(axis),
      /*reverse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block &block = scan.getCombineOp().emplaceBlock();
  Type element = toType(a.type());
  block.addArguments({element, element}, {location, location});
  builder.setInsertionPointToEnd(&block);
  kernels::Value sum =
      binary(Binary::Add, wrap(block.getArgument(0), a.type(), {}),
             wrap(block.getArgument(1), a.type(), {}));
  tt::ScanReturnOp::create(builder, location, mlir::ValueRange(unwrap(sum)));
  return wrap(scan.getResult()[0], a.type(), a.shape());
}

kernels::Value Emission::gatherRows(const kernels::Value &a,
                                    const kernels::Value &rows) {
  mlir::Value indices = unwrap(broadcast(rows, a.shape()));
  return wrap(create<tt::GatherOp>(toType(a.type(), a.shape()), unwrap(a),
                                   indices, uint32_t(0)),
              a.type(), a.shape());
}

static tt::InputPrecision toInputPrecision(Precision precision) {
  return precision == Precision::TF32 ? tt::InputPrecision::TF32
                                      : tt::InputPrecision::IEEE;
}

kernels::Value Emission::dot(const kernels::Value &a, const kernels::Value &b,
                             const kernels::Value &sum, Precision precision) {
  mlir::Value c = unwrap(sum);
  return wrap(create<tt::DotOp>(c.getType(), unwrap(a), unwrap(b), c,
                                toInputPrecision(precision), uint32_t(0)),
              sum.type(), sum.shape());
}

kernels::Value Emission::invertUnitLower(const kernels::Value &lower,
                                         Precision precision) {
  mlir::Value matrix = unwrap(lower);
  return wrap(create<tile::SolveUnitLowerOp>(matrix.getType(), matrix,
                                             mlir::Value(),
                                             toInputPrecision(precision)),
              lower.type(), lower.shape());
}

// What stands for what in both of them.
static_assert(int(Coding::Format::E5M2) == int(tile::CodeFormat::E5M2) &&
              int(Coding::Format::CodeBook) == int(tile::CodeFormat::CodeBook));
static_assert(int(Coding::Order::HighFirst) ==
                  int(tile::PackingOrder::HighFirst) &&
              int(Coding::Order::EvenFirst) ==
                  int(tile::PackingOrder::EvenFirst));

/// A byte four times in an integer of 32 bits.
static double repeated(unsigned byte) {
  return double(int32_t(byte * 0x01010101u));
}

/// The bytes of `x`, whose highest bits are 0, less those of other integers,
/// where no byte borrows from the next one: with its highest bit set it is no
/// less than the lower bits of what is subtracted; that bit is put right after
/// (H. Warren, "Hacker's Delight", 2nd ed., section 2-18).
kernels::Value Emission::subtractBytes(const kernels::Value &x,
                                       const kernels::Value &bytes) {
  kernels::Value four = (bytes & 255.0) * repeated(1);
  kernels::Value low = four & repeated(0x7f);
  // Of what is subtracted the highest bits, flipped.
  kernels::Value high = repeated(0x80) - (four & repeated(0x80));
  kernels::Value difference = (x | repeated(0x80)) - low;
  high = broadcast(high, x.shape());
  return wrap(create<arith::XOrIOp>(unwrap(difference), unwrap(high)),
              ElementType::I32, x.shape());
}

/// A dimension of one element as `size` shifted ones: by first, first + step,
/// ... bits, or, of four, by those in an order of even ones first.
kernels::Value Emission::shiftApart(const kernels::Value &a, unsigned along,
                                    unsigned size, int first, int step,
                                    bool isEvenFirst) {
  Shape shape = a.shape();
  shape[along] = size;
  kernels::Value index = range(size);
  if (isEvenFirst)
    index = index / 2.0 + index % 2.0 * double(size / 2);
  kernels::Value by = index * double(step) + double(first);
  for (unsigned d = 0; d < shape.size(); ++d)
    if (d != along)
      by = by.expand(d);
  return wrap(create<arith::ShRUIOp>(unwrap(broadcast(a, shape)),
                                     unwrap(broadcast(by, shape))),
              ElementType::I32, shape);
}

/// Integers of words as a tile of 8 bits. Four codes at a time are in the bytes
/// of a word: all that are as far above a byte's lowest bit are masked, less
/// 2^(bits - 1) where they are signed, and less the zeros, at once. Then a word
/// is `upper` x `inByte` x `lower` codes, in the order of its elements.
kernels::Value Emission::unpack(const CodedTile &coded) {
  const Coding &coding = coded.coding;
  unsigned codes = coding.codesPerWord(coded.words.type());
  unsigned bytes = run::byteSize(coded.words.type()), axis = coded.axis + 1;
  bool isEvenFirst = coding.order == Coding::Order::EvenFirst;
  unsigned lower = isEvenFirst && bytes == 4 ? 2 : 1, upper = bytes / lower;
  unsigned inByte = codes / bytes;
  auto placeOf = [&](unsigned element) {
    return int(coding.bitOf(element, codes));
  };
  int first = placeOf(0);
  auto stepOf = [&](unsigned element) { return placeOf(element) - first; };
  bool isOneByte = bytes == 1 && isEvenFirst && codes == 4;
  kernels::Value x = shiftApart(coded.words.to(ElementType::I32).expand(axis),
                                axis, inByte, first % 8,
                                isOneByte    ? int(coding.bits)
                                : inByte > 1 ? stepOf(lower)
                                             : 0,
                                isOneByte);
  if (coding.bits < 8)
    x = x & repeated((1u << coding.bits) - 1);
  bool isOffset = coding.format == Coding::Format::Signed && coding.bits < 8;
  unsigned sign = isOffset ? 1u << (coding.bits - 1) : 0;
  if (isOffset)
    x = wrap(create<arith::XOrIOp>(
                 unwrap(x),
                 unwrap(constant(repeated(sign), ElementType::I32, x.shape()))),
             ElementType::I32, x.shape());
  // Zeros of each code of a word are taken off last.
  bool isOfWords = coded.zeros && coded.zeros.shape()[coded.axis] == 1;
  kernels::Value less =
      constant(sign, ElementType::I32, Shape(x.shape().size(), 1));
  if (isOfWords)
    less = less + coded.zeros.expand(axis).to(ElementType::I32);
  if (isOfWords || isOffset)
    x = subtractBytes(x, less);
  x = shiftApart(x.expand(axis), axis, upper, first / 8 * 8,
                 upper > 1 ? stepOf(inByte * lower) : 0, false);
  if (lower > 1)
    x = shiftApart(x.expand(axis + 2), axis + 2, lower, 0, stepOf(1), false);
  x = reshape(convert(x, ElementType::I8), coded.shape());
  return coded.zeros && !isOfWords ? x - coded.zeros : x;
}

kernels::Value Emission::dequantize(const CodedTile &coded, ElementType type) {
  auto optional = [](const kernels::Value &value) {
    return value ? unwrap(value) : mlir::Value();
  };
  mlir::IntegerAttr groupAxis;
  if (coded.groupAxis != coded.axis)
    groupAxis = builder.getI32IntegerAttr(int32_t(coded.groupAxis));
  if (type == ElementType::I8)
    return unpack(coded);
  // The dialect's op has scales; to multiply by those that are 1 takes nothing.
  kernels::Value scales = coded.scales;
  if (!scales) {
    Shape groups(coded.shape().size(), 1);
    int64_t &along = groups[coded.groupAxis];
    along = std::max<int64_t>(coded.shape()[coded.groupAxis] / coded.group, 1);
    scales = constant(1, type, coded.zeros ? coded.zeros.shape() : groups);
  }
  mlir::Value numbers = create<tile::DequantizeOp>(
      toType(type, coded.shape()), unwrap(coded.words), unwrap(scales),
      optional(coded.zeros), optional(coded.book), coded.coding.bits,
      static_cast<tile::CodeFormat>(coded.coding.format),
      static_cast<uint32_t>(coded.group), coded.axis, groupAxis,
      static_cast<tile::PackingOrder>(coded.coding.order), coded.inBytes);
  return wrap(numbers, type, coded.shape());
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// index * stride, in the stride's type.
kernels::Value Emission::scaled(const kernels::Value &index,
                                const kernels::Value &stride) {
  kernels::Value wide = index.to(stride.type());
  auto known = constants.find(stride.content().get());
  if (known != constants.end() && known->second == 1)
    return wide;
  return wide * stride;
}

/// start + [0, size), or the tile `start`, as a tile of `rank` dimensions that
/// is 1 elsewhere.
kernels::Value Emission::rangeAlong(const kernels::Value &start, int64_t size,
                                    unsigned axis, unsigned rank) {
  kernels::Value indices = start.shape().empty() ? start + range(size) : start;
  for (unsigned d = 0; d < rank; ++d)
    if (d != axis)
      indices = indices.expand(d);
  return indices;
}

/// The base, moved along the dimensions that have one index.
mlir::Value Emission::scalarPointer(const Tensor &tensor, const Box &box) {
  mlir::Value pointer = bases[tensor.index];
  auto move = [&](const kernels::Value &distance) {
    pointer =
        create<tt::AddPtrOp>(pointer.getType(), pointer, unwrap(distance));
  };
  if (tensor.offset)
    move(tensor.offset);
  for (size_t d = 0; d < box.size(); ++d)
    if (!box[d].size)
      move(scaled(box[d].start, tensor.strides[d]));
  return pointer;
}

/// Pointers to the elements of a box.
mlir::Value Emission::pointers(const Tensor &tensor, const Box &box) {
  mlir::Value pointer = scalarPointer(tensor, box);
  unsigned rank = 0;
  for (const Along &along : box)
    rank += along.size != 0;
  if (!rank)
    return pointer;
  Type element = pointer.getType();
  Shape shape(rank, 1);
  pointer = create<tt::SplatOp>(RankedTensorType::get(shape, element), pointer);
  unsigned axis = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    if (!box[d].size)
      continue;
    shape[axis] = box[d].size;
    auto type = RankedTensorType::get(shape, element);
    kernels::Value offsets = scaled(
        rangeAlong(box[d].start, box[d].size, axis, rank), tensor.strides[d]);
    if (offsets.shape() != shape)
      offsets = broadcast(offsets, shape);
    if (pointer.getType() != type)
      pointer = create<tt::BroadcastOp>(type, pointer);
    pointer = create<tt::AddPtrOp>(type, pointer, unwrap(offsets));
    ++axis;
  }
  return pointer;
}

/// Whether a value is made in the loop, rather than before it.
bool Emission::isInside(const OpenLoop &loop, mlir::Value value) const {
  return value.getParentBlock() == &loop.body;
}

/// The number that the loop's index is divided by, where `start` is that.
std::optional<int64_t> Emission::findDivisor(const OpenLoop &loop,
                                             mlir::Value start) {
  mlir::Value index = unwrap(loop.index);
  if (start == index)
    return 1;
  auto quotient = start.getDefiningOp<arith::DivSIOp>();
  llvm::APInt divisor;
  if (!quotient || quotient.getLhs() != index ||
      !mlir::matchPattern(quotient.getRhs(), mlir::m_ConstantInt(&divisor)) ||
      loop.step % divisor.getSExtValue() != 0)
    return std::nullopt;
  return divisor.getSExtValue();
}

/// How the box moves with the innermost loop, where it does so along one
/// dimension, by the same distance in every iteration.
std::optional<Emission::Motion> Emission::findMotion(const Tensor &tensor,
                                                     const Box &box) {
  if (loops.empty() || builder.getInsertionBlock() != &loops.back()->body)
    return std::nullopt;
  OpenLoop &loop = *loops.back();
  if (tensor.offset && isInside(loop, unwrap(tensor.offset)))
    return std::nullopt;
  for (const kernels::Value &stride : tensor.strides)
    if (isInside(loop, unwrap(stride)))
      return std::nullopt;
  std::optional<Motion> motion;
  for (unsigned d = 0; d < box.size(); ++d) {
    mlir::Value start = unwrap(box[d].start);
    std::optional<int64_t> divisor = findDivisor(loop, start);
    if (divisor && !motion)
      motion = Motion{d, *divisor};
    else if (isInside(loop, start))
      return std::nullopt;
  }
  return motion;
}

/// Pointers that the loop carries: those of its first iteration, moved on after
/// each.
mlir::Value Emission::movingPointers(OpenLoop &loop, const Tensor &tensor,
                                     const Box &box, Motion motion) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.before);
  Box first = box;
  kernels::Value &start = first[motion.dimension].start;
  start = loop.begin;
  if (motion.divisor > 1)
    start = start / static_cast<double>(motion.divisor);
  mlir::Value initial = pointers(tensor, first);
  const kernels::Value &stride = tensor.strides[motion.dimension];
  kernels::Value distance =
      scaled(constant(static_cast<double>(loop.step / motion.divisor),
                      stride.type(), {}),
             stride);
  mlir::Value tile = unwrap(distance);
  if (auto type = llvm::dyn_cast<RankedTensorType>(initial.getType()))
    tile = create<tt::SplatOp>(type.clone(tile.getType()), tile);
  mlir::Value argument = loop.body.addArgument(initial.getType(), location);
  loop.moved.push_back({initial, argument, tile});
  return argument;
}

mlir::Value Emission::accessPointers(const Tensor &tensor, const Box &box) {
  std::optional<Motion> motion = findMotion(tensor, box);
  return motion ? movingPointers(*loops.back(), tensor, box, *motion)
                : pointers(tensor, box);
}

/// Which elements of the box are in the tensor; nothing where all are.
kernels::Value Emission::mask(const Tensor &tensor, const Box &box) {
  unsigned rank = 0, axis = 0;
  Shape shape;
  for (const Along &along : box)
    if (along.size) {
      ++rank;
      shape.push_back(along.size);
    }
  kernels::Value inside;
  for (unsigned d = 0; d < box.size(); ++d) {
    if (!box[d].size)
      continue;
    if (tensor.mayExceed(d, box[d])) {
      // Where the box moves with a loop, what changes is a scalar.
      kernels::Value left = tensor.sizes[d] - box[d].start;
      kernels::Value along =
          rangeAlong(integer(0), box[d].size, axis, rank) < left;
      if (along.shape() != shape)
        along = broadcast(along, shape);
      inside = inside ? inside & along : along;
    }
    ++axis;
  }
  return inside;
}

static Shape shapeOf(const Box &box) {
  Shape shape;
  for (const Along &along : box)
    if (along.size)
      shape.push_back(along.size);
  return shape;
}

kernels::Value Emission::load(const Tensor &tensor, const Box &box) {
  Shape shape = shapeOf(box);
  kernels::Value inside = mask(tensor, box);
  mlir::Value pointer = accessPointers(tensor, box);
  mlir::Value condition, other;
  if (inside) {
    condition = unwrap(inside);
    other = unwrap(constant(0, tensor.type, shape));
  }
  mlir::Value loaded = create<tt::LoadOp>(
      toType(tensor.type, shape), pointer, condition, other,
      llvm::ArrayRef<int32_t>(), tt::PaddingOptionAttr(),
      tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL, false);
  return wrap(loaded, tensor.type, std::move(shape));
}

void Emission::store(const Tensor &tensor, const Box &box,
                     const kernels::Value &value) {
  kernels::Value inside = mask(tensor, box);
  mlir::Value pointer = accessPointers(tensor, box);
  tt::StoreOp::create(builder, location, pointer, unwrap(value),
                      inside ? unwrap(inside) : mlir::Value(),
                      llvm::ArrayRef<int32_t>(), tt::CacheModifier::NONE,
                      tt::EvictionPolicy::NORMAL);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The loop itself, with the body that was written apart.
static scf::ForOp close(OpBuilder &builder, mlir::Location location,
                        OpenLoop &loop, mlir::Value begin, mlir::Value end,
                        mlir::Value step, llvm::ArrayRef<mlir::Value> initial) {
  auto op = scf::ForOp::create(builder, location, begin, end, step, initial);
  mlir::Block *body = op.getBody();
  if (!body->empty())
    body->clear();
  for (auto [from, to] :
       llvm::zip_equal(loop.body.getArguments(), body->getArguments()))
    from.replaceAllUsesWith(to);
  body->getOperations().splice(body->end(), loop.body.getOperations());
  return op;
}

std::vector<kernels::Value>
Emission::forEach(const kernels::Value &begin, const kernels::Value &end,
                  int64_t step, std::vector<kernels::Value> carried,
                  const Iteration &iteration) {
  OpenLoop loop;
  loop.before = builder.getInsertionBlock();
  loop.begin = begin;
  loop.step = step;
  loop.index = wrap(loop.body.addArgument(builder.getI32Type(), location),
                    ElementType::I32, {});
  mlir::Value stepValue = unwrap(integer(step));
  std::vector<kernels::Value> inside;
  llvm::SmallVector<mlir::Value> initial, next;
  for (const kernels::Value &value : carried) {
    mlir::Value given = unwrap(value);
    initial.push_back(given);
    inside.push_back(wrap(loop.body.addArgument(given.getType(), location),
                          value.type(), value.shape()));
  }
  builder.setInsertionPointToEnd(&loop.body);
  loops.push_back(&loop);
  for (const kernels::Value &value : iteration(loop.index, inside))
    next.push_back(unwrap(value));
  loops.pop_back();
  for (const OpenLoop::Moved &moved : loop.moved) {
    initial.push_back(moved.initial);
    next.push_back(create<tt::AddPtrOp>(moved.argument.getType(),
                                        moved.argument, moved.distance));
  }
  scf::YieldOp::create(builder, location, next);
  builder.setInsertionPointToEnd(loop.before);
  scf::ForOp op = close(builder, location, loop, unwrap(begin), unwrap(end),
                        stepValue, initial);
  std::vector<kernels::Value> results;
  for (size_t index = 0; index < carried.size(); ++index)
    results.push_back(wrap(op.getResult(index), carried[index].type(),
                           carried[index].shape()));
  return results;
}

void Emission::when(const kernels::Value &condition,
                    const std::function<void()> &then) {
  auto op = scf::IfOp::create(builder, location, unwrap(condition),
                              /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = op.thenBlock();
  block->clear();
  builder.setInsertionPointToEnd(block);
  then();
  scf::YieldOp::create(builder, location);
}

/// Both ways are written apart, and move into the branch once it is known what
/// they give.
std::vector<kernels::Value> Emission::choose(const kernels::Value &condition,
                                             const Way &then,
                                             const Way &otherwise) {
  mlir::Block blocks[2];
  std::vector<kernels::Value> given;
  for (bool isThen : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&blocks[isThen]);
    given = isThen ? then() : otherwise();
    llvm::SmallVector<mlir::Value> values;
    for (const kernels::Value &value : given)
      values.push_back(unwrap(value));
    scf::YieldOp::create(builder, location, values);
  }
  auto op = scf::IfOp::create(builder, location,
                              blocks[0].getTerminator()->getOperandTypes(),
                              unwrap(condition),
                              /*withElseRegion=*/true);
  op.thenBlock()->getOperations().splice(op.thenBlock()->end(),
                                         blocks[1].getOperations());
  op.elseBlock()->getOperations().splice(op.elseBlock()->end(),
                                         blocks[0].getOperations());
  for (size_t index = 0; index < given.size(); ++index)
    given[index] =
        wrap(op.getResult(index), given[index].type(), given[index].shape());
  return given;
}

std::string kernels::emit(std::string_view name, const Signature &signature,
                          const std::function<void(Reading &)> &text) {
  mlir::DialectRegistry registry;
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  tt::TritonDialect, tile::TileDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Emission emission(signature, context);
  mlir::OwningOpRef<mlir::ModuleOp> module = emission.run(name, text);
  std::string result;
  llvm::raw_string_ostream stream(result);
  module->print(stream);
  return result;
}
