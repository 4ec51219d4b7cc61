// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles in shared memory: allocations, views, loads, stores, and the barriers
// between them.
//
// An access composes the tensor's layout with the inverse of the shared one:
// the offset is the XOR of a part of the thread, computed once, and a part of
// the register, a constant. Which registers form a vector, and where matrix
// instructions fit, is asked of dialects/Layout. Addresses are computed in
// SharedAddresses.cpp; copies from global memory are in AsyncCopy.cpp.

#include "passes/TileGPUToLLVM/SharedMemory.h"

#include "passes/TileGPUToLLVM/Agents.h"
#include "passes/TileGPUToLLVM/Passes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
using layout::MatrixAccess;
using layout::VectorAccess;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

void tilegpu::emitPredicatedSharedStore(Emitter &emitter, Value pointer,
                                        Value packed, Value predicate) {
  OpBuilder &builder = emitter.builder;
  SmallVector<Value> words = emitter.unpackVector(packed);
  unsigned bits = words.front().getType().getIntOrFloatBitWidth();
  // Addresses of shared memory fit 32 bits; registers have at least 16.
  SmallVector<Value> operands = {
      predicate, LLVM::PtrToIntOp::create(builder, emitter.location,
                                          builder.getI32Type(), pointer)};
  std::string constraints = "b,r", list;
  for (Value word : words) {
    if (bits < 16)
      word = LLVM::ZExtOp::create(builder, emitter.location,
                                  builder.getI16Type(), word);
    list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
    operands.push_back(word);
    constraints += bits <= 16 ? ",h" : bits == 32 ? ",r" : ",l";
  }
  std::string suffix =
      words.size() == 1 ? "" : ".v" + std::to_string(words.size());
  if (words.size() > 1)
    list = "{" + list + "}";
  auto space = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  std::string where = space == clusterSpace ? "::cluster" : "";
  emitter.inlineAssembly("@$0 st.shared" + where + suffix + ".b" +
                             std::to_string(bits) + " [$1], " + list + ";",
                         constraints, {}, operands);
}

SmallVector<Value> tilegpu::loadVectors(Emitter &emitter,
                                        const VectorAccess &access,
                                        SharedAddresses &addresses,
                                        unsigned elementBits, Type element) {
  unsigned count = access.vectorElements;
  SmallVector<Value> values(access.representative.size());
  for (unsigned first = 0; first < access.order.size(); first += count)
    for (auto [index, value] : llvm::enumerate(
             loadElements(emitter, addresses.get(access.order[first]), count,
                          element, elementBits)))
      values[access.order[first + index]] = value;
  return values;
}

void tilegpu::storeVectors(Emitter &emitter, const VectorAccess &access,
                           SharedAddresses &addresses, unsigned elementBits,
                           ArrayRef<Value> values, Value predicate) {
  unsigned count = access.vectorElements;
  for (unsigned first = 0; first < access.order.size(); first += count) {
    SmallVector<Value> elements;
    for (unsigned index = 0; index < count; ++index)
      elements.push_back(values[access.order[first + index]]);
    Value packed = packElements(emitter, elements, elementBits);
    Value address = addresses.get(access.order[first]);
    if (predicate)
      emitPredicatedSharedStore(emitter, address, packed, predicate);
    else
      LLVM::StoreOp::create(emitter.builder, emitter.location, packed, address,
                            /*alignment=*/count * elementBits / 8);
  }
}

void tilegpu::emitBarrier(Emitter &emitter, unsigned numWarps) {
  if (numWarps == 1)
    NVVM::SyncWarpOp::create(emitter.builder, emitter.location,
                             emitter.constant(-1));
  else
    emitAgentBarrier(emitter);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {

FailureOr<TileAccess> getTileAccess(Operation *op, RankedTensorType tensor,
                                    MemDescType descriptor) {
  std::optional<TileAccess> access = TileAccess::get(tensor, descriptor);
  if (!access)
    return op->emitOpError("expects elements of 8, 16, 32 or 64 bits in shared "
                           "memory, but got ")
           << descriptor.getElementType();
  assert(access->shared.isBijective() &&
         "a shared layout places every element once");
  return *access;
}

NVVM::MMALayout getMatrixOrder(const MatrixAccess &access) {
  return access.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

NVVM::LdStMatrixShapeAttr getMatrixShape(OpBuilder &builder) {
  return NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
}

/// Loads by ldmatrix: the value of each register of `access.order`, at its
/// index.
SmallVector<Value> loadMatrices(Emitter &emitter, const TileAccess &tile,
                                const MatrixAccess &access, Value base,
                                Type element) {
  OpBuilder &builder = emitter.builder;
  Type word = builder.getI32Type(), result = word;
  if (access.matrices > 1)
    result = LLVM::LLVMStructType::getLiteral(
        builder.getContext(), SmallVector<Type>(access.matrices, word));
  SharedAddresses addresses(emitter, access.address, tile.padding, base,
                            tile.elementBits);
  SmallVector<Value> values(access.representative.size());
  auto next = access.order.begin();
  for (unsigned index = 0; index < access.instructions(); ++index) {
    Value loaded = NVVM::LdMatrixOp::create(
        builder, emitter.location, result, addresses.get(index),
        access.matrices, getMatrixOrder(access), getMatrixShape(builder),
        NVVM::LdStMatrixEltType::B16);
    for (unsigned matrix = 0; matrix < access.matrices; ++matrix) {
      Value packed = loaded;
      if (access.matrices > 1)
        packed = LLVM::ExtractValueOp::create(builder, emitter.location, loaded,
                                              int64_t(matrix));
      for (Value value : unpackElements(emitter, packed, access.wordElements,
                                        element, tile.elementBits))
        values[*next++] = value;
    }
  }
  return values;
}

/// Stores by stmatrix.
void storeMatrices(Emitter &emitter, const TileAccess &tile,
                   const MatrixAccess &access, Value base, ValueRange values) {
  OpBuilder &builder = emitter.builder;
  SharedAddresses addresses(emitter, access.address, tile.padding, base,
                            tile.elementBits);
  auto next = access.order.begin();
  for (unsigned index = 0; index < access.instructions(); ++index) {
    SmallVector<Value> words;
    for (unsigned matrix = 0; matrix < access.matrices; ++matrix) {
      SmallVector<Value> elements;
      for (unsigned i = 0; i < access.wordElements; ++i)
        elements.push_back(values[*next++]);
      words.push_back(packElements(emitter, elements, tile.elementBits));
    }
    NVVM::StMatrixOp::create(builder, emitter.location, addresses.get(index),
                             words, getMatrixOrder(access),
                             getMatrixShape(builder),
                             NVVM::LdStMatrixEltType::B16);
  }
}

/// Every register of a thread, loaded from the tile at `base`.
SmallVector<Value> loadTile(Emitter &emitter, const target::Target &target,
                            const TileAccess &tile, Value base, Type element) {
  VectorAccess vectors = tile.getVectors();
  std::optional<MatrixAccess> matrices = tile.getMatrixLoads(vectors, target);
  SmallVector<Value> loaded;
  if (matrices) {
    loaded = loadMatrices(emitter, tile, *matrices, base, element);
  } else {
    SharedAddresses addresses(emitter, tile.getOffsets(), tile.padding, base,
                              tile.elementBits);
    loaded =
        loadVectors(emitter, vectors, addresses, tile.elementBits, element);
  }
  const std::vector<unsigned> &representative =
      matrices ? matrices->representative : vectors.representative;
  return llvm::map_to_vector(representative,
                             [&](unsigned index) { return loaded[index]; });
}

void storeTile(Emitter &emitter, const target::Target &target,
               const TileAccess &tile, Value base, ValueRange values) {
  VectorAccess vectors = tile.getVectors();
  std::optional<MatrixAccess> matrices = tile.getMatrixStores(vectors, target);
  if (matrices) {
    storeMatrices(emitter, tile, *matrices, base, values);
    return;
  }
  // Of the threads that hold copies one acts.
  SharedAddresses addresses(emitter, tile.getOffsets(), tile.padding, base,
                            tile.elementBits);
  storeVectors(emitter, vectors, addresses, tile.elementBits,
               SmallVector<Value>(values),
               emitOwnerPredicate(emitter, tile.registers));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Lower tilegpu.local_alloc: an address, and a store where it has a source.
struct LowerLocalAlloc : TileGPUPattern<LocalAllocOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(LocalAllocOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("expects an offset (run "
                            "tilegpu-allocate-shared-memory first)");
    Emitter emitter(rewriter, op.getLoc());
    auto pointer = LLVM::LLVMPointerType::get(op.getContext(), sharedSpace);
    Value base = LLVM::AddressOfOp::create(rewriter, op.getLoc(), pointer,
                                           sharedArrayName);
    Value address = LLVM::GEPOp::create(
        rewriter, op.getLoc(), pointer, rewriter.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(*op.getOffset())});
    if (op.getSource()) {
      FailureOr<TileAccess> tile = getTileAccess(
          op, cast<RankedTensorType>(op.getSource().getType()), op.getType());
      if (failed(tile))
        return failure();
      storeTile(emitter, target, *tile, address, adaptor.getSource());
    }
    rewriter.replaceOp(op, address);
    return success();
  }
};

/// Lower tilegpu.local_store.
struct LowerLocalStore : TileGPUPattern<LocalStoreOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(LocalStoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    FailureOr<TileAccess> tile =
        getTileAccess(op, cast<RankedTensorType>(op.getSource().getType()),
                      op.getDestination().getType());
    if (failed(tile))
      return failure();
    storeTile(emitter, target, *tile, adaptor.getDestination().front(),
              adaptor.getSource());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lower tilegpu.local_load: vectors, or matrix instructions where they are
/// cheaper.
struct LowerLocalLoad : TileGPUPattern<LocalLoadOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(LocalLoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    FailureOr<TileAccess> tile =
        getTileAccess(op, type, op.getSource().getType());
    if (failed(tile))
      return failure();
    SmallVector<Value> values =
        loadTile(emitter, target, *tile, adaptor.getSource().front(),
                 converter.convertElement(type.getElementType()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Lower tilegpu.memdesc_index: buffers stand one after the other.
struct LowerMemDescIndex : TileGPUPattern<MemDescIndexOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(MemDescIndexOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    Value bytes = emitter.multiply(
        adaptor.getIndex().front(),
        emitter.constant(op.getSource().getType().getBufferBytes()));
    rewriter.replaceOp(op, emitter.gep(adaptor.getSource().front(),
                                       rewriter.getI8Type(), bytes));
    return success();
  }
};

/// Lower tilegpu.memdesc_trans: the type alone changes.
struct LowerMemDescTrans : TileGPUPattern<MemDescTransOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(MemDescTransOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource().front());
    return success();
  }
};

/// Lower tilegpu.barrier.
struct LowerBarrier : TileGPUPattern<BarrierOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getCluster()) {
      emitClusterBarrier(rewriter, op.getLoc());
      rewriter.eraseOp(op);
      return success();
    }
    if (!op.getWarp() && failed(verifyAgentBarrier(op)))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    std::optional<Agent> agent = lookupAgent(op);
    if (op.getWarp() || (agent && agent->numWarps == 1))
      NVVM::SyncWarpOp::create(rewriter, op.getLoc(), emitter.constant(-1));
    else
      emitAgentBarrier(emitter);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilegpu::populateSharedMemoryPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    RewritePatternSet &patterns) {
  patterns.add<LowerLocalAlloc, LowerLocalStore, LowerLocalLoad,
               LowerMemDescIndex, LowerMemDescTrans, LowerBarrier>(converter,
                                                                   target);
}
