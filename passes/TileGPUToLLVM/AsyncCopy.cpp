// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies from global to shared memory by cp.async, their groups
// and waits.
//
// A copy moves 4, 8 or 16 consecutive bytes on both sides (PTX ISA,
// "cp.async"). Elements that are proven to be consecutive only below 4 bytes go
// through registers at once, which the tokens allow.

#include "passes/Analysis/AxisAnalysis.h"
#include "passes/TileGPUToLLVM/Pointers.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using layout::VectorAccess;
using target::Capability;

namespace {

/// True where each vector of `access` is a run of registers, the first one a
/// multiple of its length.
bool areRuns(const VectorAccess &access) {
  for (unsigned index = 0; index < access.order.size(); ++index)
    if (access.order[index] % access.vectorElements !=
            index % access.vectorElements ||
        access.order[index] / access.vectorElements !=
            access.order[index - index % access.vectorElements] /
                access.vectorElements)
      return false;
  return true;
}

/// @predicate cp.async: where the predicate is false, nothing is written.
/// `size` bytes are written, of which the first `sourceSize` come from memory
/// and the others are zero.
void emitPredicatedAsyncCopy(Emitter &emitter, Value destination, Value source,
                             unsigned size, Value sourceSize, Value predicate) {
  Value address =
      LLVM::PtrToIntOp::create(emitter.builder, emitter.location,
                               emitter.builder.getI32Type(), destination);
  emitter.inlineAssembly(
      std::string("@$0 cp.async.") + (size == 16 ? "cg" : "ca") +
          ".shared.global [$1], [$2], " + std::to_string(size) + ", $3;",
      "b,r,l,r", {}, {predicate, address, source, sourceSize});
}

/// ld.global of up to 16 bits where `predicate` is true, 0 elsewhere.
Value emitNarrowLoad(Emitter &emitter, Value pointer, unsigned bits,
                     Value predicate) {
  OpBuilder &builder = emitter.builder;
  Type type = builder.getIntegerType(bits);
  if (!predicate)
    return LLVM::LoadOp::create(builder, emitter.location, type, pointer,
                                bits / 8);
  // Registers have 16 bits at least.
  Value loaded = emitter.inlineAssembly(
      "mov.b16 $0, 0;\n\t@$2 ld.global.b" + std::to_string(bits) + " $0, [$1];",
      "=&h,l,b", {builder.getI16Type()}, {pointer, predicate})[0];
  if (bits == 16)
    return loaded;
  return LLVM::TruncOp::create(builder, emitter.location, type, loaded);
}

/// Lower tilegpu.async_copy.
struct LowerAsyncCopy : TileGPUPattern<AsyncCopyOp> {
  LowerAsyncCopy(const TileGPUTypeConverter &converter,
                 const target::Target &target, const AxisAnalysis &axes)
      : TileGPUPattern(converter, target), axes(axes) {}

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::CpAsync)))
      return failure();
    MemDescType descriptor = op.getDestination().getType();
    LinearLayout shared = descriptor.toLinearLayout();
    unsigned bits = descriptor.getElementBits();
    if (bits > 64 || !llvm::isPowerOf2_32(bits))
      return op.emitOpError("expects elements of 8, 16, 32 or 64 bits, but "
                            "got ")
             << descriptor;
    LinearLayout registers =
        toLinearLayout(cast<RankedTensorType>(op.getPointers().getType()));
    Emitter emitter(rewriter, op.getLoc());
    PointerReader pointers(rewriter, op.getLoc(), converter.pointers,
                           op.getPointers(), adaptor.getPointers());
    layout::Padding padding = descriptor.getEncoding().getPadding();
    VectorAccess access = chooseVectors(op, registers, shared, bits,
                                        getVectorLimit(padding, bits));
    Value owner = emitOwnerPredicate(emitter, registers);
    SharedAddresses addresses(emitter, registers.compose(*shared.invert()),
                              padding, adaptor.getDestination().front(), bits);
    for (unsigned first = 0; first < access.order.size();
         first += access.vectorElements) {
      unsigned index = access.order[first];
      Copy copy = {addresses.get(index), pointers.getPointer(index),
                   access.vectorElements * bits / 8};
      copy.owner = owner;
      if (op.getMask()) {
        copy.mask = adaptor.getMask()[index];
        copy.maskedBytes = countMaskedBytes(
            emitter, adaptor.getMask(),
            ArrayRef(access.order).slice(first, access.vectorElements), bits);
      }
      if (!op.fillsWithZeros())
        copy.other = packElements(
            emitter, adaptor.getOther().slice(index, access.vectorElements),
            bits);
      emitCopy(emitter, copy);
    }
    // A token is nothing at run time.
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>()});
    return success();
  }

private:
  /// One copy by a thread. Null: no mask; every thread owns its elements; zeros
  /// instead of what is masked out. `mask` is that of the first element, and
  /// `maskedBytes` what all of them leave of `bytes`.
  struct Copy {
    Value destination, source;
    unsigned bytes;
    Value owner = {}, mask = {}, other = {}, maskedBytes = {};
  };

  /// Bytes of the elements of these registers for which `masks` are true: the
  /// first ones.
  static Value countMaskedBytes(Emitter &emitter, ValueRange masks,
                                ArrayRef<unsigned> registers, unsigned bits) {
    auto getMask = [&](unsigned index) { return masks[index]; };
    bool isWhole = llvm::all_equal(llvm::map_range(registers, getMask));
    unsigned each = isWhole ? registers.size() * bits / 8 : bits / 8;
    Value sum;
    for (unsigned index : isWhole ? registers.take_front() : registers) {
      Value bytes = emitter.select(masks[index], emitter.constant(each),
                                   emitter.constant(0));
      sum = sum ? emitter.add(sum, bytes) : bytes;
    }
    return sum;
  }

  /// Registers that go together, at most `widest` bits: consecutive in shared
  /// memory, and proven to be so in global memory, under one mask, or, where
  /// cp.async takes them, under one for the first few.
  VectorAccess chooseVectors(AsyncCopyOp op, const LinearLayout &registers,
                             const LinearLayout &shared, unsigned bits,
                             unsigned widest) const {
    MaskedVectors masked =
        op.fillsWithZeros() ? MaskedVectors::Prefixes : MaskedVectors::Whole;
    VectorAccess access =
        chooseVectors(op, registers, shared, bits, widest, masked);
    return access.vectorElements * bits < 32
               ? chooseVectors(op, registers, shared, bits, widest,
                               MaskedVectors::Whole)
               : access;
  }

  VectorAccess chooseVectors(AsyncCopyOp op, const LinearLayout &registers,
                             const LinearLayout &shared, unsigned bits,
                             unsigned widest, MaskedVectors masked) const {
    unsigned elements = 1;
    int64_t rank = cast<RankedTensorType>(op.getPointers().getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      unsigned held =
          1u << registers.contiguousBits(Axis::Register, Axis::coordinate(dim));
      unsigned proven =
          axes.getVectorElements(op.getPointers(), op.getMask(), dim, masked);
      elements = std::max(elements, std::min({held, proven, widest / bits}));
    }
    for (;; elements /= 2) {
      VectorAccess access =
          layout::accessVector(registers, shared, bits, elements * bits);
      if (elements == 1 || areRuns(access))
        return access;
    }
  }

  static void emitCopy(Emitter &emitter, const Copy &copy) {
    OpBuilder &builder = emitter.builder;
    auto both = [&](Value a, Value b) {
      return a && b ? emitter.bitAnd(a, b) : a ? a : b;
    };
    if (copy.bytes < 4)
      return emitThroughRegisters(emitter, copy);
    Value size = emitter.constant(copy.bytes);
    if (copy.other) {
      Value isOut = emitter.bitXor(copy.mask, emitter.constant(1, 1));
      emitPredicatedAsyncCopy(emitter, copy.destination, copy.source,
                              copy.bytes, size, both(copy.owner, copy.mask));
      emitPredicatedSharedStore(emitter, copy.destination, copy.other,
                                both(copy.owner, isOut));
      return;
    }
    Value sourceSize = copy.mask ? copy.maskedBytes : size;
    if (copy.owner) {
      emitPredicatedAsyncCopy(emitter, copy.destination, copy.source,
                              copy.bytes, sourceSize, copy.owner);
      return;
    }
    NVVM::CpAsyncOp::create(builder, emitter.location, copy.destination,
                            copy.source, copy.bytes,
                            copy.bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                             : NVVM::LoadCacheModifierKind::CA,
                            copy.mask ? sourceSize : Value());
  }

  static void emitThroughRegisters(Emitter &emitter, const Copy &copy) {
    Value loaded =
        emitNarrowLoad(emitter, copy.source, copy.bytes * 8, copy.mask);
    if (copy.other)
      loaded = emitter.select(copy.mask, loaded, copy.other);
    if (copy.owner)
      emitPredicatedSharedStore(emitter, copy.destination, loaded, copy.owner);
    else
      LLVM::StoreOp::create(emitter.builder, emitter.location, loaded,
                            copy.destination, copy.bytes);
  }

  const AxisAnalysis &axes;
};

/// Lower tilegpu.async_commit.
struct LowerAsyncCommit : TileGPUPattern<AsyncCommitOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(AsyncCommitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::CpAsync)))
      return failure();
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>()});
    return success();
  }
};

/// Lower tilegpu.async_wait.
struct LowerAsyncWait : TileGPUPattern<AsyncWaitOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(AsyncWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::CpAsync)))
      return failure();
    NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), op.getPending());
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>()});
    return success();
  }
};

} // namespace

void tilegpu::populateAsyncCopyPatterns(const TileGPUTypeConverter &converter,
                                        const target::Target &target,
                                        const AxisAnalysis &axes,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerAsyncCopy>(converter, target, axes);
  patterns.add<LowerAsyncCommit, LowerAsyncWait>(converter, target);
}
