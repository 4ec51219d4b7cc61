// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies and stores by tensor maps, and the mbarriers that tell of copies
// (PTX ISA, "cp.async.bulk.tensor", "mbarrier").
//
// One thread of an agent's first warp has a phase begin and starts the copies.
// A box is cut along its fastest dimension into atoms as wide as the swizzle,
// which lie one after the other.

#include "passes/TileGPUToLLVM/PtxWriter.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

namespace {

/// Lowers an op of bulk copies, which has no results, for targets that have
/// them.
template <typename OpT>
struct BulkPattern : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;
  using Adaptor = typename TileGPUPattern<OpT>::Adaptor;

  LogicalResult
  matchAndRewrite(OpT op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    if (failed(verifyCapability(op, this->target, Capability::BulkTensorCopy)))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    emit(op, adaptor, emitter);
    rewriter.eraseOp(op);
    return success();
  }

  virtual void emit(OpT op, Adaptor adaptor, Emitter &emitter) const = 0;
};

/// The values of operands that are scalars.
SmallVector<Value> listScalars(ArrayRef<ValueRange> operands) {
  return llvm::map_to_vector(operands,
                             [](ValueRange of) { return Value(of.front()); });
}

/// Calls `visit` for each atom of a box that begins at `begin`, with the bytes
/// of the tile before it and the coordinates as an instruction lists them, the
/// fastest one first.
void forEachAtom(Emitter &emitter, PtxWriter &writer, TensorMapType type,
                 ArrayRef<Value> begin, int64_t atomBytes,
                 llvm::function_ref<void(int64_t, const std::string &)> visit) {
  std::string slower;
  for (Value coordinate : llvm::reverse(begin.drop_back()))
    slower += ", " + writer.use(coordinate, "r");
  int64_t perAtom = type.getAtomElements();
  for (int64_t atom = 0; atom < type.getBox().back() / perAtom; ++atom) {
    Value first = emitter.addConstant(begin.back(), atom * perAtom);
    visit(atom * atomBytes, "{" + writer.use(first, "r") + slower + "}");
  }
}

/// Bytes of an atom of a box.
int64_t getAtomBytes(TensorMapType type) {
  return type.getBoxBytes() * type.getAtomElements() / type.getBox().back();
}

/// " [address+offset]", without an offset of 0.
std::string formatPlace(const std::string &address, int64_t offset) {
  return " [" + address + (offset ? "+" + std::to_string(offset) : "") + "]";
}

/// Lower tilegpu.bulk_copy.
struct LowerBulkCopy : BulkPattern<BulkCopyOp> {
  using BulkPattern::BulkPattern;

  void emit(BulkCopyOp op, Adaptor adaptor, Emitter &emitter) const override {
    Value isActive = isFirstWarp(emitter);
    if (op.getPredicate())
      isActive = emitter.bitAnd(isActive, adaptor.getPredicate().front());
    PtxWriter writer(emitter);
    std::string active = writer.beginElected(isActive);
    std::string barrier = writer.use(
        getSharedAddress(emitter, adaptor.getBarrier().front()), "r");
    writer.add(active + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" +
               barrier + "], " + std::to_string(op.getBytes()) + ";");
    ArrayRef<ValueRange> coordinates = adaptor.getCoordinates();
    for (auto [map, type, tile] :
         llvm::zip_equal(adaptor.getMaps(), op.getMaps().getTypes(),
                         adaptor.getDestinations())) {
      auto mapType = cast<TensorMapType>(type);
      addCopies(emitter, writer, mapType, active, barrier, map.front(),
                coordinates.take_front(mapType.getRank()), tile.front());
      coordinates = coordinates.drop_front(mapType.getRank());
    }
    writer.endElected();
    writer.emit();
  }

private:
  /// One instruction for each atom of the box, or of this CTA's part of it.
  static void addCopies(Emitter &emitter, PtxWriter &writer, TensorMapType type,
                        const std::string &active, const std::string &barrier,
                        Value map, ArrayRef<ValueRange> coordinates,
                        Value tile) {
    int64_t atomBytes = getAtomBytes(type);
    SmallVector<Value> begin = listScalars(coordinates);
    Value address = getSharedAddress(emitter, tile);
    std::string multicast, mask;
    if (unsigned ctas = type.getCtas(); ctas > 1) {
      moveToPart(emitter, type, atomBytes / ctas, begin, address);
      multicast = ".multicast::cluster";
      mask = ", " + writer.use(emitter.constant((1 << ctas) - 1, 16), "h");
    }
    std::string mapText = writer.use(map, "l");
    std::string tileText = writer.use(address, "r");
    forEachAtom(emitter, writer, type, begin, atomBytes,
                [&](int64_t offset, const std::string &place) {
                  writer.add(
                      active + "cp.async.bulk.tensor." +
                      std::to_string(type.getRank()) +
                      "d.shared::cluster.global.tile.mbarrier::complete_tx::"
                      "bytes" +
                      multicast + formatPlace(tileText, offset) + ", [" +
                      mapText + ", " + place + "], [" + barrier + "]" + mask +
                      ";");
                });
  }

  /// Adds to where the box begins, in the tensor and in the tile, what this
  /// CTA's part begins behind that. An atom of it has `bytes` bytes.
  static void moveToPart(Emitter &emitter, TensorMapType type, int64_t bytes,
                         MutableArrayRef<Value> begin, Value &address) {
    Value rank = NVVM::ClusterId::create(emitter.builder, emitter.location,
                                         emitter.builder.getI32Type());
    auto add = [&](Value to, int64_t step) {
      return emitter.add(to, emitter.multiply(rank, emitter.constant(step)));
    };
    unsigned dimension = type.getSharedDimension();
    begin[dimension] = add(begin[dimension], type.getPart()[dimension]);
    address = add(address, bytes);
  }
};

/// Lower tilegpu.bulk_store.
struct LowerBulkStore : BulkPattern<BulkStoreOp> {
  using BulkPattern::BulkPattern;

  void emit(BulkStoreOp op, Adaptor adaptor, Emitter &emitter) const override {
    TensorMapType type = op.getMap().getType();
    SmallVector<Value> begin = listScalars(adaptor.getCoordinates());
    PtxWriter writer(emitter);
    std::string active = writer.beginElected(isFirstWarp(emitter));
    std::string map = writer.use(adaptor.getMap().front(), "l");
    std::string tile =
        writer.use(getSharedAddress(emitter, adaptor.getSource().front()), "r");
    forEachAtom(emitter, writer, type, begin, getAtomBytes(type),
                [&](int64_t offset, const std::string &place) {
                  writer.add(active + "cp.async.bulk.tensor." +
                             std::to_string(type.getRank()) +
                             "d.global.shared::cta.tile.bulk_group [" + map +
                             ", " + place + "]," + formatPlace(tile, offset) +
                             ";");
                });
    writer.add(active + "cp.async.bulk.commit_group;");
    writer.endElected();
    writer.emit();
  }
};

/// Lower tilegpu.bulk_store_wait: threads that have started none do not wait.
struct LowerBulkStoreWait : BulkPattern<BulkStoreWaitOp> {
  using BulkPattern::BulkPattern;

  void emit(BulkStoreWaitOp op, Adaptor, Emitter &emitter) const override {
    PtxWriter writer(emitter);
    writer.add(std::string("cp.async.bulk.wait_group") +
               (op.getReads() ? ".read " : " ") +
               std::to_string(op.getPending()) + ";");
    writer.emit();
  }
};

/// Has the first thread run `opcode`, with `operands` behind the address, on
/// the mbarrier of each buffer, and `last` behind that.
void writeForEachBarrier(Emitter &emitter, MemDescType type, Value pointer,
                         const std::string &opcode, const std::string &operands,
                         const std::string &last) {
  PtxWriter writer(emitter);
  std::string first = "@" + writer.use(isFirstThread(emitter), "b") + " ";
  for (unsigned buffer = 0; buffer < type.getBuffers(); ++buffer) {
    Value address = getSharedAddress(
        emitter, emitter.advance(pointer, buffer * type.getBufferBytes()));
    writer.add(first + opcode + " [" + writer.use(address, "r") + "]" +
               operands + ";");
  }
  if (!last.empty())
    writer.add(first + last);
  writer.emit();
}

/// Lower tilegpu.mbarrier_init: others, the asynchronous proxy included, see it
/// behind the fence and a barrier.
struct LowerMbarrierInit : BulkPattern<MbarrierInitOp> {
  using BulkPattern::BulkPattern;

  void emit(MbarrierInitOp op, Adaptor adaptor,
            Emitter &emitter) const override {
    writeForEachBarrier(emitter, op.getBarrier().getType(),
                        adaptor.getBarrier().front(),
                        "mbarrier.init.shared::cta.b64",
                        ", " + std::to_string(op.getArrivals() * op.getCtas()),
                        "fence.mbarrier_init.release.cluster;");
  }
};

/// Lower tilegpu.mbarrier_inval.
struct LowerMbarrierInval : BulkPattern<MbarrierInvalOp> {
  using BulkPattern::BulkPattern;

  void emit(MbarrierInvalOp op, Adaptor adaptor,
            Emitter &emitter) const override {
    writeForEachBarrier(emitter, op.getBarrier().getType(),
                        adaptor.getBarrier().front(),
                        "mbarrier.inval.shared::cta.b64", "", "");
  }
};

/// Lower tilegpu.mbarrier_wait: the instruction may give up for a while, so
/// that it is asked again.
struct LowerMbarrierWait : BulkPattern<MbarrierWaitOp> {
  using BulkPattern::BulkPattern;

  void emit(MbarrierWaitOp op, Adaptor adaptor,
            Emitter &emitter) const override {
    PtxWriter writer(emitter);
    std::string barrier = writer.use(
        getSharedAddress(emitter, adaptor.getBarrier().front()), "r");
    std::string phase = writer.use(getPhase(emitter, op, adaptor), "r");
    writer.add("{");
    writer.add(".reg .pred %complete;");
    std::string active;
    if (Value predicate = getPredicate(emitter, op, adaptor)) {
      active = "@" + writer.use(predicate, "b") + " ";
      writer.add("setp.eq.u32 %complete, 0, 0;");
    }
    writer.add("mbarrierWait:");
    writer.add(active +
               "mbarrier.try_wait.parity.shared::cta.b64 %complete, [" +
               barrier + "], " + phase + ";");
    writer.add("@!%complete bra mbarrierWait;");
    writer.add("}");
    writer.emit();
  }

private:
  /// Who waits; null where all do. For readers the warp alone that starts the
  /// copies: the readers wait for nobody else, and another warp, late by a
  /// round, would take a later phase for its own, and wait for ever.
  static Value getPredicate(Emitter &emitter, MbarrierWaitOp op,
                            Adaptor adaptor) {
    Value predicate =
        op.getPredicate() ? adaptor.getPredicate().front() : Value();
    if (!op.getBefore())
      return predicate;
    Value isFirst = isFirstWarp(emitter);
    return predicate ? emitter.bitAnd(predicate, isFirst) : isFirst;
  }

  /// The parity of the phase that is waited for. The one before the first one
  /// counts as complete (PTX ISA, "mbarrier.test_wait").
  static Value getPhase(Emitter &emitter, MbarrierWaitOp op, Adaptor adaptor) {
    Value one = emitter.constant(1);
    if (!op.getPhase())
      return op.getBefore() ? one : emitter.constant(0);
    Value phase = adaptor.getPhase().front();
    return op.getBefore() ? emitter.bitXor(phase, one) : phase;
  }
};

/// Lower tilegpu.mbarrier_arrive: a lane of each warp arrives, when all have
/// come by; in clusters a lane for each CTA.
struct LowerMbarrierArrive : BulkPattern<MbarrierArriveOp> {
  using BulkPattern::BulkPattern;

  void emit(MbarrierArriveOp op, Adaptor adaptor,
            Emitter &emitter) const override {
    NVVM::SyncWarpOp::create(emitter.builder, emitter.location,
                             emitter.constant(-1));
    Value isActive = LLVM::ICmpOp::create(
        emitter.builder, emitter.location, LLVM::ICmpPredicate::ult,
        emitter.laneId(), emitter.constant(op.getCtas()));
    if (op.getPredicate())
      isActive = emitter.bitAnd(isActive, adaptor.getPredicate().front());
    PtxWriter writer(emitter);
    std::string active = "@" + writer.use(isActive, "b") + " ";
    std::string address = writer.use(
        getSharedAddress(emitter, adaptor.getBarrier().front()), "r");
    if (op.getCtas() == 1)
      writer.add(active + "mbarrier.arrive.shared::cta.b64 _, [" + address +
                 "];");
    else
      addFarArrival(writer, active, address, writer.use(emitter.laneId(), "r"));
    writer.emit();
  }

private:
  /// Each active lane arrives at the mbarrier of the CTA of its number. What it
  /// tells of are reads of its own CTA's memory, which are done, as far as that
  /// CTA is concerned, and nobody else reads it. A release for the cluster
  /// would wait for the whole GPU (MEMBAR.ALL.GPU; an iteration of a product
  /// took 1 to 2 us on an H200).
  static void addFarArrival(PtxWriter &writer, const std::string &active,
                            const std::string &address,
                            const std::string &lane) {
    writer.add("{");
    writer.add(".reg .b32 %far;");
    writer.add(active + "mapa.shared::cluster.u32 %far, " + address + ", " +
               lane + ";");
    writer.add(active + "mbarrier.arrive.shared::cluster.b64 _, [%far];");
    writer.add("}");
  }
};

} // namespace

void tilegpu::populateBulkCopyPatterns(const TileGPUTypeConverter &converter,
                                       const target::Target &target,
                                       RewritePatternSet &patterns) {
  patterns
      .add<LowerBulkCopy, LowerBulkStore, LowerBulkStoreWait, LowerMbarrierInit,
           LowerMbarrierInval, LowerMbarrierWait, LowerMbarrierArrive>(
          converter, target);
}
