// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes of tensors: their addresses, which move with loops, their masks, loads
// and stores.

#include "lib/Kernels/EmissionReading.h"

using namespace tilewright;
using kernels::Along;
using kernels::Box;
using kernels::Emission;
using kernels::OpenLoop;
using kernels::Shape;
using kernels::Tensor;
using mlir::OpBuilder;
using mlir::RankedTensorType;
using mlir::Type;
namespace arith = mlir::arith;

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

/// How the box moves along one dimension, where it does so.
std::optional<Emission::Motion> Emission::findMotion(const OpenLoop &loop,
                                                     const Along &along,
                                                     unsigned dimension) {
  mlir::Value start = unwrap(along.start);
  if (std::optional<int64_t> divisor = findDivisor(loop, start))
    return Motion{dimension, *divisor, kernels::Value()};
  auto left = start.getDefiningOp<arith::SubIOp>();
  if (!left || isInside(loop, left.getLhs()))
    return std::nullopt;
  if (std::optional<int64_t> divisor = findDivisor(loop, left.getRhs()))
    return Motion{dimension, *divisor,
                  wrap(left.getLhs(), along.start.type(), {})};
  return std::nullopt;
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
    std::optional<Motion> along = findMotion(loop, box[d], d);
    if (along && !motion)
      motion = along;
    else if (isInside(loop, unwrap(box[d].start)))
      return std::nullopt;
  }
  return motion;
}

/// Pointers that the loop carries: those of its first iteration, moved on after
/// each.
mlir::Value Emission::movingPointers(OpenLoop &loop, const Tensor &tensor,
                                     const Box &box, const Motion &motion) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.before);
  Box first = box;
  kernels::Value &start = first[motion.dimension].start;
  start = loop.begin;
  if (motion.divisor > 1)
    start = start / static_cast<double>(motion.divisor);
  int64_t step = loop.step / motion.divisor;
  if (motion.minuend) {
    start = motion.minuend - start;
    step = -step;
  }
  mlir::Value initial = pointers(tensor, first);
  const kernels::Value &stride = tensor.strides[motion.dimension];
  kernels::Value distance =
      scaled(constant(static_cast<double>(step), stride.type(), {}), stride);
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
      const kernels::Value &size = tensor.sizes[d], &start = box[d].start;
      kernels::Value along =
          box[d].isGathered()
              ? rangeAlong(start, box[d].size, axis, rank) < size
              : rangeAlong(integer(0), box[d].size, axis, rank) < size - start;
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
