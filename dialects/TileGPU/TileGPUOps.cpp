// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification, folding and effects of the ops of `tilegpu`.

#include "dialects/Layout/RegisterParts.h"
#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

#define GET_OP_CLASSES
#include "dialects/TileGPU/TileGPUOps.cpp.inc"

/// Every register tensor that an op of this dialect takes or gives has a
/// layout.
static LogicalResult verifyHasLayout(Operation *op, Type type) {
  if (getRegisterLayout(type))
    return success();
  return op->emitOpError("expects a tensor with a register layout, but got ")
         << type;
}

/// A register tensor and a tile in shared memory hold the same elements.
static LogicalResult verifySameTile(Operation *op, RankedTensorType tensor,
                                    MemDescType descriptor) {
  if (failed(verifyHasLayout(op, tensor)))
    return failure();
  if (tensor.getShape() != descriptor.getShape() ||
      tensor.getElementType() != descriptor.getElementType())
    return op->emitOpError("expects tensor and descriptor of the same shape "
                           "and element type, but got ")
           << tensor << " and " << descriptor;
  return success();
}

static LogicalResult verifySingleBuffer(Operation *op, MemDescType descriptor) {
  if (descriptor.getBuffers() == 1)
    return success();
  return op->emitOpError("expects a descriptor of one buffer (pick one with "
                         "tilegpu.memdesc_index), but got ")
         << descriptor;
}

//===----------------------------------------------------------------------===//
// ConvertLayoutOp
//===----------------------------------------------------------------------===//

AxisInfo ConvertLayoutOp::inferAxisInfo(unsigned,
                                        ArrayRef<const AxisInfo *> operands) {
  return *operands.front();
}

LinearLayout ConvertLayoutOp::getCoordinateMap() {
  LinearLayout map;
  for (auto [dim, size] : llvm::enumerate(getSource().getType().getShape())) {
    Axis axis = Axis::coordinate(dim);
    map = map * LinearLayout::identity(axis, axis, layout::log2Exact(size));
  }
  return map;
}

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyHasLayout(*this, getSource().getType())))
    return failure();
  return verifyHasLayout(*this, getResult().getType());
}

/// Whether each mask has a highest bit that no other one has, ascending.
static bool isReducedEchelon(ArrayRef<int64_t> masks) {
  for (auto [index, mask] : llvm::enumerate(masks)) {
    if (mask <= 0 || (index && mask <= masks[index - 1]))
      return false;
    int64_t highest = int64_t(llvm::bit_floor(uint64_t(mask)));
    for (auto [other, otherMask] : llvm::enumerate(masks))
      if (other != index && (otherMask & highest))
        return false;
  }
  return true;
}

LogicalResult ConvertInRoundsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  MemDescType scratch = getScratch().getType();
  if (failed(verifyHasLayout(*this, source)) ||
      failed(verifyHasLayout(*this, result)) ||
      failed(verifySingleBuffer(*this, scratch)))
    return failure();
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError("expects source and result of the same shape and "
                       "element type, but got ")
           << source << " and " << result;
  ArrayRef<int64_t> masks = getFunctionals();
  if (masks.empty() || !isReducedEchelon(masks) ||
      masks.back() >= source.getNumElements())
    return emitOpError(
               "expects functionals in reduced echelon form, ascending, "
               "of the ")
           << llvm::Log2_64(source.getNumElements())
           << " bits of a coordinate, but got [" << masks << "]";
  int64_t elements = source.getNumElements() >> masks.size();
  if (scratch.getShape() != ArrayRef<int64_t>(elements) ||
      scratch.getElementType() != source.getElementType())
    return emitOpError("expects scratch for ")
           << elements << " elements of type " << source.getElementType()
           << ", but got " << scratch;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  // A splat is the same in every layout.
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource()))
    return SplatElementsAttr::get(cast<ShapedType>(getResult().getType()),
                                  splat.getSplatValue<Attribute>());
  return {};
}

namespace {
/// convert(convert(x)) -> convert(x)
struct MergeConversions : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    auto source = op.getSource().getDefiningOp<ConvertLayoutOp>();
    if (!source)
      return rewriter.notifyMatchFailure(op, "the source is no conversion");
    rewriter.replaceOpWithNewOp<ConvertLayoutOp>(op, op.getType(),
                                                 source.getSource());
    return success();
  }
};
} // namespace

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<MergeConversions>(context);
}

//===----------------------------------------------------------------------===//
// PartialReduceOp
//===----------------------------------------------------------------------===//

LogicalResult PartialReduceOp::verify() {
  if (getSources().empty())
    return emitOpError("expects at least one source");
  auto first = cast<RankedTensorType>(getSources()[0].getType());
  if (int64_t(getAxis()) >= first.getRank())
    return emitOpError("expects axis in [0, ")
           << first.getRank() << "), but got " << getAxis();
  if (getNumResults() != getSources().size())
    return emitOpError("expects as many results as sources, but got ")
           << getNumResults() << " and " << getSources().size();
  Block &body = getCombine().front();
  if (body.getNumArguments() != 2 * getSources().size())
    return emitOpError("expects a region of ")
           << 2 * getSources().size() << " arguments, but got "
           << body.getNumArguments();
  for (auto [source, partial] : llvm::zip_equal(getSources(), getPartials())) {
    auto sourceType = cast<RankedTensorType>(source.getType());
    auto partialType = cast<RankedTensorType>(partial.getType());
    if (failed(verifyHasLayout(*this, sourceType)) ||
        failed(verifyHasLayout(*this, partialType)))
      return failure();
    if (sourceType.getShape() != first.getShape())
      return emitOpError("expects sources of one shape, but got ")
             << first << " and " << sourceType;
    SmallVector<int64_t> expected(sourceType.getShape());
    expected[getAxis()] = partialType.getDimSize(getAxis());
    if (ArrayRef<int64_t>(expected) != partialType.getShape() ||
        sourceType.getElementType() != partialType.getElementType())
      return emitOpError("expects a result that differs from its source along "
                         "the axis alone, but got ")
             << sourceType << " and " << partialType;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

LogicalResult LocalAllocOp::verify() {
  if (getOffset() && int32_t(*getOffset()) < 0)
    return emitOpError("expects a non-negative offset, but got ")
           << int32_t(*getOffset());
  if (!getSource())
    return success();
  if (failed(verifySingleBuffer(*this, getType())))
    return failure();
  return verifySameTile(*this, getSource().getType(), getType());
}

void LocalAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       getOperation()->getOpResult(0),
                       SharedMemoryResource::get());
  if (getSource())
    effects.emplace_back(MemoryEffects::Write::get(),
                         getOperation()->getOpResult(0),
                         SharedMemoryResource::get());
}

LogicalResult LocalLoadOp::verify() {
  if (failed(verifySingleBuffer(*this, getSource().getType())))
    return failure();
  return verifySameTile(*this, getType(), getSource().getType());
}

LogicalResult LocalGatherOp::verify() {
  MemDescType source = getSource().getType();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifySingleBuffer(*this, source)) ||
      failed(verifyHasLayout(*this, indices)))
    return failure();
  if (!indices.getElementType().isInteger())
    return emitOpError("expects indices that are integers, but got ")
           << indices;
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "), but got " << axis;
  SmallVector<int64_t> expected(source.getShape());
  if (indices.getRank() == source.getRank())
    expected[axis] = indices.getDimSize(axis);
  if (ArrayRef<int64_t>(expected) != indices.getShape())
    return emitOpError("expects indices of the source's shape but along the "
                       "axis, but got ")
           << indices << " and " << source;
  auto wanted = RankedTensorType::get(
      indices.getShape(), source.getElementType(), indices.getEncoding());
  if (result != wanted)
    return emitOpError("expects the result ")
           << wanted << ", but got " << result;
  return success();
}

LogicalResult LocalCountOp::verify() {
  MemDescType destination = getDestination().getType();
  auto elements = cast<RankedTensorType>(getElements().getType());
  if (failed(verifySingleBuffer(*this, destination)) ||
      failed(verifyHasLayout(*this, elements)))
    return failure();
  if (!destination.getIsMutable() || destination.getRank() != 1 ||
      !destination.getElementType().isInteger(32))
    return emitOpError("expects a mutable descriptor of rank 1 of i32, but "
                       "got ")
           << destination;
  if (!elements.getElementType().isInteger())
    return emitOpError("expects elements that are integers, but got ")
           << elements;
  auto expected = elements.clone(IntegerType::get(getContext(), 1));
  if (getMask() && getMask().getType() != expected)
    return emitOpError("expects the mask ")
           << expected << ", but got " << getMask().getType();
  return success();
}

LogicalResult LocalStoreOp::verify() {
  MemDescType destination = getDestination().getType();
  if (!destination.getIsMutable())
    return emitOpError("expects a mutable descriptor, but got ") << destination;
  if (failed(verifySingleBuffer(*this, destination)))
    return failure();
  return verifySameTile(*this, getSource().getType(), destination);
}

/// Of what only the CTAs of a cluster do with each other.
static LogicalResult verifyHasCluster(Operation *op) {
  if (lookupCluster(op) > 1)
    return success();
  return op->emitOpError("expects a function whose programs form clusters "
                         "(tilegpu.cluster), but got one without");
}

LogicalResult StorePartsOp::verify() {
  MemDescType destination = getDestination().getType();
  auto source = cast<RankedTensorType>(getSource().getType());
  if (failed(verifyHasCluster(*this)) || failed(verifyHasLayout(*this, source)))
    return failure();
  unsigned ctas = lookupCluster(*this);
  if (!destination.getIsMutable() || destination.getBuffers() != ctas)
    return emitOpError("expects a mutable descriptor with a buffer for each of "
                       "the ")
           << ctas << " CTAs of a cluster, but got " << destination;
  int64_t axis = int32_t(getAxis());
  if (axis < 0 || axis >= source.getRank())
    return emitOpError("expects axis in [0, ")
           << source.getRank() << "), but got " << axis;
  SmallVector<int64_t> part(source.getShape());
  part[axis] /= ctas;
  if (destination.getShape() != ArrayRef<int64_t>(part) ||
      destination.getElementType() != source.getElementType())
    return emitOpError("expects buffers of shape [")
           << part << "] and of " << source.getElementType() << ", but got "
           << destination;
  if (!layout::RegisterParts::get(toLinearLayout(source),
                                  Axis::coordinate(axis),
                                  layout::log2Exact(ctas)))
    return emitOpError("expects registers that each hold one of the ")
           << ctas << " parts along axis " << axis << ", but got "
           << source.getEncoding();
  return success();
}

LogicalResult MemDescIndexOp::verify() {
  MemDescType source = getSource().getType();
  auto expected = MemDescType::get(
      getContext(), source.getShape(), source.getElementType(),
      source.getEncoding(), /*buffers=*/1, source.getIsMutable());
  if (getType() != expected)
    return emitOpError("expects the result ")
           << expected << ", but got " << getType();
  return success();
}

LogicalResult MemDescTransOp::verify() {
  MemDescType source = getSource().getType(), result = getType();
  ArrayRef<int32_t> order = getOrder();
  if (order.size() != source.getRank() ||
      !isPermutationVector(SmallVector<int64_t>(order)))
    return emitOpError("expects order to be a permutation of ")
           << source.getRank() << " dimensions, but got [" << order << "]";
  if (result.getRank() != source.getRank())
    return emitOpError("expects a result of rank ")
           << source.getRank() << ", but got " << result.getRank();
  for (auto [dim, from] : llvm::enumerate(order))
    if (result.getShape()[dim] != source.getShape()[from])
      return emitOpError("expects size ")
             << source.getShape()[from] << " in dimension " << dim
             << " of the result, but got " << result.getShape()[dim];
  SmallVector<unsigned> permutation(order.begin(), order.end());
  if (source.toLinearLayout().transposeCoordinates(permutation) !=
          result.toLinearLayout() ||
      source.getEncoding().getPadding() != result.getEncoding().getPadding())
    return emitOpError("expects the result's layout to be the source's with "
                       "its dimensions permuted, but got ")
           << source.getEncoding() << " and " << result.getEncoding();
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous copies and synchronisation
//===----------------------------------------------------------------------===//

bool AsyncCopyOp::fillsWithZeros() {
  return !getMask() || !getOther() || isZero(getOther());
}

GlobalAccess AsyncCopyOp::getGlobalAccess() {
  return {getPointers(), getMask(), /*isWrite=*/false, /*isAtomic=*/false,
          fillsWithZeros() ? MaskedVectors::Prefixes : MaskedVectors::Whole};
}

/// Whether groups and waits alone have the token.
static bool isOfGroups(Value token) {
  return llvm::all_of(token.getUsers(),
                      llvm::IsaPred<AsyncCommitOp, AsyncWaitOp>);
}

/// Takes `token` from the groups and waits that have it; one that is left
/// without any, and that nobody else knows of, goes with it.
static void eraseToken(Value token, PatternRewriter &rewriter) {
  for (Operation *user : llvm::make_early_inc_range(token.getUsers())) {
    rewriter.modifyOpInPlace(user, [&] {
      for (unsigned index = user->getNumOperands(); index-- > 0;)
        if (user->getOperand(index) == token)
          user->eraseOperand(index);
    });
    if (user->getNumOperands())
      continue;
    if (isa<AsyncCommitOp>(user) && isOfGroups(user->getResult(0)))
      eraseToken(user->getResult(0), rewriter);
    if (user->use_empty())
      rewriter.eraseOp(user);
  }
}

/// The loads of what was copied may have been found to be dead.
LogicalResult AsyncCopyOp::canonicalize(AsyncCopyOp op,
                                        PatternRewriter &rewriter) {
  auto tile = op.getDestination().getDefiningOp<LocalAllocOp>();
  if (!tile || !llvm::all_of(tile->getUsers(), llvm::IsaPred<AsyncCopyOp>) ||
      !isOfGroups(op.getToken()))
    return failure();
  eraseToken(op.getToken(), rewriter);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getPointers().getType());
  MemDescType destination = getDestination().getType();
  if (failed(verifyHasLayout(*this, pointers)) ||
      failed(verifySingleBuffer(*this, destination)))
    return failure();
  if (pointers.getShape() != destination.getShape())
    return emitOpError("expects pointers of the destination's shape, but got ")
           << pointers << " and " << destination;
  for (Value other : {getMask(), getOther()}) {
    if (!other)
      continue;
    auto type = cast<RankedTensorType>(other.getType());
    if (type.getShape() != pointers.getShape() ||
        type.getEncoding() != pointers.getEncoding())
      return emitOpError("expects mask and other of the pointers' shape and "
                         "layout, but got ")
             << type << " beside " << pointers;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

LogicalResult TensorMapOp::verify() {
  auto pointer = dyn_cast<tt::PointerType>(getBase().getType());
  TensorMapType map = getType();
  if (!pointer || pointer.getPointeeType() != map.getMemoryType())
    return emitOpError("expects a base of type !tt.ptr<")
           << map.getMemoryType() << ">, but got " << getBase().getType();
  if (getSizes().size() != map.getRank() ||
      getStrides().size() + 1 != map.getRank())
    return emitOpError("expects ")
           << map.getRank() << " sizes and " << map.getRank() - 1
           << " strides, but got " << getSizes().size() << " and "
           << getStrides().size();
  for (int32_t dim : getSignedDims())
    if (dim < 0 || dim + 1 >= int64_t(map.getRank()))
      return emitOpError("expects signed_dims from 0 to ")
             << map.getRank() - 2 << ", which have a stride, but got " << dim;
  if (!getStaging())
    return success();
  if (getStaging().getType().getBufferBytes() != stagingBytes)
    return emitOpError("expects staging memory of ")
           << stagingBytes << " bytes, but got " << getStaging().getType();
  if (!getNonNegative().empty() || !getSignedDims().empty())
    return emitOpError("expects no numbers that a launch checks, and no "
                       "signed_dims, of a map that the kernel makes");
  return success();
}

/// The memory where a map is made is nobody else's.
void TensorMapOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getStaging())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getStagingMutable()[0],
                       SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getStagingMutable()[0],
                       SharedMemoryResource::get());
}

OperandRange BulkCopyOp::getCoordinatesOf(unsigned index) {
  unsigned first = 0;
  for (Value map : getMaps().take_front(index))
    first += cast<TensorMapType>(map.getType()).getRank();
  auto type = cast<TensorMapType>(getMaps()[index].getType());
  return getCoordinates().slice(first, type.getRank());
}

int64_t BulkCopyOp::getBytes() {
  int64_t bytes = 0;
  for (Value map : getMaps())
    bytes += cast<TensorMapType>(map.getType()).getBoxBytes();
  return bytes;
}

/// Of what `ctas` CTAs of a cluster have to do with: these are all. They meet
/// where agents begin and end (`inAgent`), so that nobody reaches for the
/// memory of one that has not begun, or has ended.
static LogicalResult verifyCluster(Operation *op, unsigned ctas,
                                   bool inAgent = true) {
  if (ctas == 1)
    return success();
  if (unsigned all = lookupCluster(op); ctas != all)
    return op->emitOpError("expects the CTAs of the function's clusters ("
                           "tilegpu.cluster), ")
           << all << ", but got " << ctas;
  if (inAgent && !lookupAgent(op))
    return op->emitOpError("expects to be in an agent of "
                           "tilegpu.warp_specialize, where the CTAs of a "
                           "cluster meet");
  return success();
}

/// A word for each buffer.
static LogicalResult verifyMbarrier(Operation *op, MemDescType barrier) {
  if (barrier.getIsMutable() && barrier.getElementType().isInteger(64) &&
      barrier.getNumElements() == 1)
    return success();
  return op->emitOpError("expects a mutable descriptor of one i64 as mbarrier, "
                         "but got ")
         << barrier;
}

/// The tile, an operand of `op` by that name, has the elements of the box in
/// the order of a copy: its dimensions that are not 1 in the order of its
/// memory, cut into the same atoms.
static LogicalResult verifyBox(Operation *op, TensorMapType map,
                               MemDescType tile, StringRef name) {
  auto encoding = dyn_cast<SharedNvmmaAttr>(tile.getEncoding());
  SmallVector<int64_t> box, shape;
  for (int64_t size : map.getBox())
    if (size != 1)
      box.push_back(size);
  if (encoding)
    for (unsigned dim : llvm::reverse(encoding.getOrder()))
      if (tile.getShape()[dim] != 1)
        shape.push_back(tile.getShape()[dim]);
  if (encoding && !encoding.getFp4Padded() && box == shape &&
      encoding.getSwizzleBytes() == map.getSwizzleBytes() &&
      tile.getElementType() == map.getMemoryType() && tile.getIsMutable())
    return verifySingleBuffer(op, tile);
  return op->emitOpError("expects a mutable ")
         << name
         << " under #tilegpu.shared_nvmma of the elements and the swizzle of "
         << map << ", but got " << tile;
}

LogicalResult BulkCopyOp::verify() {
  unsigned ranks = 0;
  for (Value map : getMaps())
    ranks += cast<TensorMapType>(map.getType()).getRank();
  if (getMaps().empty() || getMaps().size() != getDestinations().size() ||
      ranks != getCoordinates().size())
    return emitOpError("expects a destination for each map, and ")
           << ranks << " coordinates, but got " << getMaps().size() << " maps, "
           << getDestinations().size() << " destinations and "
           << getCoordinates().size() << " coordinates";
  for (auto [map, tile] : llvm::zip_equal(getMaps(), getDestinations()))
    if (failed(verifyBox(*this, cast<TensorMapType>(map.getType()),
                         cast<MemDescType>(tile.getType()), "destination")) ||
        failed(
            verifyCluster(*this, cast<TensorMapType>(map.getType()).getCtas())))
      return failure();
  // What an mbarrier counts in a phase (PTX ISA, "Size and contents").
  constexpr int64_t mostBytes = (1 << 20) - 1;
  if (getBytes() > mostBytes)
    return emitOpError("expects at most ")
           << mostBytes << " bytes for an mbarrier, but got " << getBytes();
  if (failed(verifySingleBuffer(*this, getBarrier().getType())))
    return failure();
  return verifyMbarrier(*this, getBarrier().getType());
}

void BulkCopyOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  for (OpOperand &operand : getDestinationsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand,
                         SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getBarrierMutable(),
                       SharedMemoryResource::get());
}

LogicalResult BulkStoreOp::verify() {
  TensorMapType map = getMap().getType();
  if (getCoordinates().size() != map.getRank())
    return emitOpError("expects ") << map.getRank() << " coordinates, but got "
                                   << getCoordinates().size();
  if (map.getCtas() != 1)
    return emitOpError("expects a map whose boxes no cluster shares, but got ")
           << map;
  return verifyBox(*this, map, getSource().getType(), "source");
}

void BulkStoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(),
                       SharedMemoryResource::get());
}

/// Of groups that a wait leaves in flight.
static LogicalResult verifyPending(Operation *op, int32_t pending) {
  if (pending >= 0)
    return success();
  return op->emitOpError("expects a number of groups, but got ") << pending;
}

LogicalResult BulkStoreWaitOp::verify() {
  return verifyPending(*this, getPending());
}

void BulkStoreWaitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}

LogicalResult MbarrierInitOp::verify() {
  // PTX ISA, "mbarrier.init".
  constexpr int32_t mostArrivals = (1 << 20) - 1;
  if (int32_t arrivals = getArrivals(); arrivals < 1 || arrivals > mostArrivals)
    return emitOpError("expects from 1 to ")
           << mostArrivals << " arrivals, but got " << arrivals;
  if (failed(verifyCluster(*this, getCtas(), /*inAgent=*/false)))
    return failure();
  return verifyMbarrier(*this, getBarrier().getType());
}

void MbarrierInitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBarrierMutable(),
                       SharedMemoryResource::get());
}

LogicalResult MbarrierInvalOp::verify() {
  return verifyMbarrier(*this, getBarrier().getType());
}

void MbarrierInvalOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBarrierMutable(),
                       SharedMemoryResource::get());
}

LogicalResult MbarrierWaitOp::verify() {
  if (failed(verifyPending(*this, getPending())) ||
      failed(verifySingleBuffer(*this, getBarrier().getType())) ||
      failed(verifyCluster(*this, getCtas())))
    return failure();
  return verifyMbarrier(*this, getBarrier().getType());
}

/// What was copied may be read behind it, and what it waits for it changes.
void MbarrierWaitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBarrierMutable(),
                       SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}

LogicalResult MbarrierArriveOp::verify() {
  if (failed(verifySingleBuffer(*this, getBarrier().getType())) ||
      failed(verifyCluster(*this, getCtas())))
    return failure();
  return verifyMbarrier(*this, getBarrier().getType());
}

/// What came before is done.
void MbarrierArriveOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBarrierMutable(),
                       SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}

LogicalResult BarrierOp::verify() {
  if (!getCluster())
    return success();
  if (getWarp() || getShared())
    return emitOpError("expects cluster alone, but got ")
           << (getWarp() ? "warp" : "shared") << " beside it";
  return verifyHasCluster(*this);
}

void BarrierOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ProxyFenceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getGlobal()) {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// `lhs` [batch,] M x K, `rhs` [batch,] K x N, `result` [batch,] M x N.
static LogicalResult verifyDotShapes(Operation *op, ArrayRef<int64_t> lhs,
                                     ArrayRef<int64_t> rhs,
                                     RankedTensorType result) {
  size_t rank = result.getRank();
  if ((rank != 2 && rank != 3) || lhs.size() != rank || rhs.size() != rank)
    return op->emitOpError("expects operands and a result of rank 2 or 3, but "
                           "got ranks ")
           << lhs.size() << ", " << rhs.size() << " and " << rank;
  if (lhs[rank - 1] != rhs[rank - 2])
    return op->emitOpError("expects the same K in both operands, but got ")
           << lhs[rank - 1] << " and " << rhs[rank - 2];
  SmallVector<int64_t> expected(lhs);
  expected[rank - 1] = rhs[rank - 1];
  if (lhs.drop_back(2) != rhs.drop_back(2) ||
      ArrayRef<int64_t>(expected) != result.getShape())
    return op->emitOpError("expects a result of shape [")
           << expected << "], but got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  auto mma = dyn_cast_if_present<MmaAttr>(result.getEncoding());
  if (!mma)
    return emitOpError("expects a result under #tilegpu.mma, but got ")
           << result;
  RankedTensorType operands[] = {cast<RankedTensorType>(getLhs().getType()),
                                 cast<RankedTensorType>(getRhs().getType())};
  for (unsigned index : {0u, 1u}) {
    auto layout =
        dyn_cast_if_present<DotOperandAttr>(operands[index].getEncoding());
    if (!layout || layout.getIndex() != index || layout.getParent() != mma)
      return emitOpError("expects operand ")
             << index << " under #tilegpu.dot_operand<index = " << index
             << ", parent = " << mma << ">, but got " << operands[index];
  }
  if (failed(verifyDotShapes(*this, operands[0].getShape(),
                             operands[1].getShape(), result)))
    return failure();
  if (getInstruction().size() != 3)
    return emitOpError("expects an instruction shape of m, n and k, but got ")
           << getInstruction().size() << " numbers";
  int64_t k = operands[0].getShape().back(), each = getInstruction()[2];
  if (each <= 0 || (k > each && k % each != 0))
    return emitOpError("expects K to be at most the instruction's ")
           << each << " or a multiple of it, but got " << k;
  return success();
}

//===----------------------------------------------------------------------===//
// MultiplyAddOp
//===----------------------------------------------------------------------===//

LogicalResult MultiplyAddOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (!getRegisterLayout(result))
    return emitOpError("expects a result with a register layout, but got ")
           << result;
  return verifyDotShapes(*this, getLhs().getType().getShape(),
                         getRhs().getType().getShape(), result);
}

//===----------------------------------------------------------------------===//
// Products by warp groups
//===----------------------------------------------------------------------===//

LogicalResult PendOp::verify() {
  if (getType().getTensor() != getTensor().getType())
    return emitOpError("expects the result !tilegpu.pending<")
           << getTensor().getType() << ">, but got " << getType();
  return success();
}

void WgmmaOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand,
                           SharedMemoryResource::get());
  // A group is closed: what counts groups stays where it is.
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}

std::optional<layout::MatrixDescriptor>
tilegpu::findMatrixDescriptor(MemDescType tile, WgmmaAttr accumulator,
                              unsigned operand) {
  unsigned bits = tile.getElementBits(), rank = tile.getRank();
  if (rank != 2 || tile.getBuffers() != 1 ||
      !tile.getEncoding().getPadding().empty() ||
      !llvm::is_contained({8u, 16u, 32u}, bits))
    return std::nullopt;
  return layout::matchMatrixDescriptor(
      tile.toLinearLayout(), getDescriptorOperand(bits, accumulator, operand));
}

layout::DescriptorOperand tilegpu::getDescriptorOperand(unsigned elementBits,
                                                        WgmmaAttr accumulator,
                                                        unsigned operand) {
  constexpr unsigned rowsOfGroup = 64;
  unsigned rows = operand == 0 ? rowsOfGroup : accumulator.getN();
  return {elementBits, /*rowDim=*/operand, /*kDim=*/1 - operand,
          layout::log2Exact(rows)};
}

/// An operand in shared memory is as a descriptor can say, one in registers is
/// the instruction's fragment.
static LogicalResult verifyWgmmaOperand(WgmmaOp op, unsigned index,
                                        WgmmaAttr accumulator) {
  Value operand = op->getOperand(index);
  if (auto tile = dyn_cast<MemDescType>(operand.getType())) {
    if (failed(verifySingleBuffer(op, tile)))
      return failure();
    if (findMatrixDescriptor(tile, accumulator, index))
      return success();
    return op.emitOpError("expects operand ")
           << index
           << " as a matrix descriptor can describe it (#tilegpu.shared_nvmma "
              "with K contiguous, or of 16-bit elements either dimension), but "
              "got "
           << tile;
  }
  auto tensor = cast<RankedTensorType>(operand.getType());
  auto layout = dyn_cast_if_present<DotOperandAttr>(tensor.getEncoding());
  if (layout && layout.getIndex() == index && layout.getParent() == accumulator)
    return success();
  return op.emitOpError("expects operand ")
         << index << " under #tilegpu.dot_operand<index = " << index
         << ", parent = " << accumulator << ">, but got " << tensor;
}

LogicalResult WgmmaOp::verify() {
  RankedTensorType result = getType().getTensor();
  auto accumulator = cast<WgmmaAttr>(result.getEncoding());
  auto lhs = dyn_cast<RankedTensorType>(getLhs().getType());
  if (result.getRank() != 2)
    return emitOpError("expects a result of rank 2, but got ") << result;
  if (failed(verifyDotShapes(
          *this,
          lhs ? lhs.getShape()
              : cast<MemDescType>(getLhs().getType()).getShape(),
          getRhs().getType().getShape(), result)))
    return failure();
  ArrayRef<unsigned> warps = accumulator.getWarps();
  if (result.getDimSize(0) < 16 * int64_t(warps[0]) ||
      result.getDimSize(1) < int64_t(accumulator.getN() * warps[1]))
    return emitOpError("expects a result in which each group of 4 warps has 64 "
                       "rows and ")
           << accumulator.getN() << " columns, but got " << result;
  for (unsigned index : {0u, 1u})
    if (failed(verifyWgmmaOperand(*this, index, accumulator)))
      return failure();
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  if (int32_t(getPending()) < 0)
    return emitOpError("expects a number of products, but got ")
           << int32_t(getPending());
  PendingType product = getProduct().getType();
  if (getType() == product || getType() == product.getTensor())
    return success();
  return emitOpError("expects the result ")
         << product.getTensor() << " or " << product << ", but got "
         << getType();
}

void WgmmaWaitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
}
