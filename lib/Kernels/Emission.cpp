// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Emission.h"

#include "lib/Kernels/EmissionReading.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using kernels::Binary;
using kernels::Combination;
using kernels::ElementType;
using kernels::Emission;
using kernels::Iteration;
using kernels::Number;
using kernels::OpenLoop;
using kernels::Precision;
using kernels::Reading;
using kernels::Shape;
using kernels::Signature;
using kernels::TensorParameter;
using kernels::Unary;
using mlir::OpBuilder;
using mlir::RankedTensorType;
using mlir::Type;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;

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

kernels::Value Emission::reduceScatter(
    int64_t programs, unsigned axis,
    const std::function<kernels::Value(kernels::Value)> &part) {
  kernels::Value own = part(program(0) % double(programs));
  Shape shape = own.shape();
  shape[axis] /= programs;
  return wrap(create<tile::ReduceScatterOp>(
                  toType(own.type(), shape), unwrap(own),
                  static_cast<int32_t>(axis), static_cast<int32_t>(programs)),
              own.type(), shape);
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
  if (mlir::Operation *op = unwrap(condition).getDefiningOp())
    op->setAttr(tile::likelyAttrName, builder.getUnitAttr());
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
