// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CTAs of a cluster write to each other's shared memory. Their
// barriers are in Agents.cpp, what they copy together in BulkCopies.cpp.

#include "dialects/Layout/IndexArithmetic.h"
#include "dialects/Layout/RegisterParts.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

/// Lower tilegpu.store_parts: stores to the same place in each CTA's memory.
struct LowerStoreParts : TileGPUPattern<StorePartsOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(StorePartsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemDescType buffers = op.getDestination().getType();
    unsigned ctas = buffers.getBuffers();
    layout::RegisterParts parts = *layout::RegisterParts::get(
        toLinearLayout(cast<RankedTensorType>(op.getSource().getType())),
        Axis::coordinate(op.getAxis()), layout::log2Exact(ctas));
    std::optional<TileAccess> tile =
        TileAccess::get(withLayout(buffers, parts), buffers);
    if (!tile)
      return op.emitOpError("expects parts with elements of 8, 16, 32 or 64 "
                            "bits, but got ")
             << buffers.getElementType();
    Emitter emitter(rewriter, op.getLoc());
    Value buffer = emitter.gep(
        adaptor.getDestination().front(), rewriter.getI8Type(),
        emitter.multiply(adaptor.getRank().front(),
                         emitter.constant(buffers.getBufferBytes())));
    Value lanes = emitLanePart(op, *tile, rewriter);
    auto far = LLVM::LLVMPointerType::get(op.getContext(), clusterSpace);
    Value rank = adaptor.getRank().front();
    for (unsigned round = 0; round < ctas; ++round)
      storePart(
          emitter, *tile, lanes,
          NVVM::MapaOp::create(rewriter, op.getLoc(), far, buffer,
                               emitter.bitXor(rank, emitter.constant(round))),
          getPart(emitter, parts, round, rank, ctas, adaptor.getSource()));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The registers of `values` that CTA number `rank` stores in a round: the
  /// part of CTA number (rank xor round), so that in each round they store to
  /// each other by pairs. If all began with the first CTA, its memory would
  /// take their parts one behind the other.
  static SmallVector<Value> getPart(Emitter &emitter,
                                    const layout::RegisterParts &parts,
                                    unsigned round, Value rank, unsigned ctas,
                                    ValueRange values) {
    std::vector<std::vector<unsigned>> registers;
    for (unsigned cta = 0; cta < ctas; ++cta)
      registers.push_back(parts.getRegisters(cta ^ round));
    auto bits = llvm::to_vector(llvm::seq<unsigned>(layout::log2Exact(ctas)));
    SmallVector<Value> part;
    for (unsigned index = 0; index < registers.front().size(); ++index)
      part.push_back(emitter.selectByBits(
          llvm::map_to_vector(registers,
                              [&](ArrayRef<unsigned> of) -> Value {
                                return values[of[index]];
                              }),
          rank, bits));
    return part;
  }

  /// A tensor of a part, as threads hold it.
  static RankedTensorType withLayout(MemDescType buffer,
                                     const layout::RegisterParts &parts) {
    return RankedTensorType::get(
        buffer.getShape(), buffer.getElementType(),
        LinearAttr::get(buffer.getContext(), parts.getLayout()));
  }

  /// What the lane has of the offset, computed where the function begins; null
  /// where it has none. Behind a loop of products LLVM may make a block for it
  /// on the way around the loop, in which the sums become zero too, and CUDA's
  /// assembler then waits for each product in the loop (C7515).
  static Value emitLanePart(StorePartsOp op, const TileAccess &tile,
                            OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    auto function = op->getParentOfType<FunctionOpInterface>();
    builder.setInsertionPointToStart(&function.getFunctionBody().front());
    Emitter emitter(builder, op.getLoc());
    return emitAxisPart(emitter, tile.getOffsets(), Axis::Lane,
                        emitter.laneId(), Axis::Offset);
  }

  /// Stores the registers `values` of a part to the tile at `base`: by vectors,
  /// as no matrix instruction stores to another CTA.
  static void storePart(Emitter &emitter, const TileAccess &tile, Value lanes,
                        Value base, ArrayRef<Value> values) {
    LinearLayout offsets = tile.getOffsets();
    const Axis ofLanes[] = {Axis::Lane};
    SharedAddresses addresses(
        emitter, offsets.removeInput(Axis::Lane), tile.padding, base,
        tile.elementBits, lanes,
        layout::reachableBits(offsets, ofLanes, Axis::Offset));
    storeVectors(emitter, tile.getVectors(), addresses, tile.elementBits,
                 values, emitOwnerPredicate(emitter, tile.registers));
  }
};

} // namespace

void tilegpu::populateClusterPatterns(const TileGPUTypeConverter &converter,
                                      const target::Target &target,
                                      RewritePatternSet &patterns) {
  patterns.add<LowerStoreParts>(converter, target);
}
