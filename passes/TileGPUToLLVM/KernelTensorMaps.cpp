// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the kernel makes (PTX ISA, "tensormap.replace",
// "tensormap.cp_fenceproxy"): the first warp writes one to shared memory, field
// by field, and copies it to global memory, where copies find it. A launch
// passes memory for those of all CTAs.

#include "passes/TileGPUToLLVM/PtxWriter.h"
#include "passes/TileGPUToLLVM/TensorMaps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

namespace {

/// The number of the elements' type (PTX ISA, "tensormap.replace", table of
/// `.elemtype`): the driver's, but for bf16, in front of which PTX has f64.
unsigned getElementNumber(TensorMapType type) {
  return type.getElementType().isBF16() ? 10 : type.getDataType();
}

/// Writes the fields of one map, in the order of its dimensions, the fastest
/// first.
class MapWriter {
public:
  /// `place`: of the map in shared memory, the text of an operand.
  MapWriter(Emitter &emitter, PtxWriter &writer, std::string active,
            std::string place)
      : emitter(emitter), writer(writer), active(std::move(active)),
        place(std::move(place)) {}

  void write(TensorMapType type, Value base, ArrayRef<Value> sizes,
             ArrayRef<Value> strides) {
    unsigned rank = type.getRank();
    set("global_address", 64, writer.use(base, "l"));
    set("rank", 32, std::to_string(rank - 1));
    for (unsigned i = 0; i < rank; ++i) {
      int64_t box = i ? type.getBox()[rank - 1 - i] : type.getAtomElements();
      std::string number = std::to_string(i) + ", ";
      set("box_dim", 32, number + useConstant(box));
      set("global_dim", 32, number + writer.use(sizes[i], "r"));
      set("element_stride", 32, number + useConstant(1));
      if (i + 1 < rank)
        set("global_stride", 64, number + writer.use(strides[i], "l"));
    }
    set("elemtype", 32, std::to_string(getElementNumber(type)));
    set("interleave_layout", 32, "0");
    set("swizzle_mode", 32, std::to_string(type.getSwizzleMode()));
    set("fill_mode", 32, "0");
  }

private:
  std::string useConstant(int64_t value) {
    return writer.use(emitter.constant(value), "r");
  }

  void set(StringRef field, unsigned bits, const std::string &value) {
    writer.add(active + "tensormap.replace.tile." + field.str() +
               ".shared::cta.b1024.b" + std::to_string(bits) + " [" + place +
               "], " + value + ";");
  }

  Emitter &emitter;
  PtxWriter &writer;
  std::string active, place;
};

/// Lower tilegpu.tensor_map where the kernel makes the map.
struct LowerTensorMap : TileGPUPattern<TensorMapOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(TensorMapOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::BulkTensorCopy)))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    Value map = adaptor.getScratch().front();
    Numbers numbers = getNumbers(emitter, op, adaptor);
    PtxWriter writer(emitter);
    std::string warp = "@" + writer.use(isFirstWarp(emitter), "b") + " ";
    std::string thread = "@" + writer.use(isFirstThread(emitter), "b") + " ";
    std::string inShared = writer.use(
        getSharedAddress(emitter, adaptor.getStaging().front()), "r");
    std::string inGlobal = writer.use(map, "l");
    std::string zero = writer.use(emitter.constant(0), "r");
    addClearing(emitter, writer, adaptor.getStaging().front(), warp, zero);
    MapWriter(emitter, writer, thread, inShared)
        .write(op.getType(), numbers.base, numbers.sizes, numbers.strides);
    writer.add(warp + "bar.warp.sync 0xffffffff;");
    writer.add(warp +
               "tensormap.cp_fenceproxy.global.shared::cta.tensormap::"
               "generic.release.gpu.sync.aligned [" +
               inGlobal + "], [" + inShared + "], 128;");
    // What a tensor without elements has in their place.
    writer.add(thread + "st.global.v4.b32 [" + inGlobal + "+" +
               std::to_string(zerosOffset) + "], {" + zero + ", " + zero +
               ", " + zero + ", " + zero + "};");
    writer.add(thread + "fence.proxy.async.global;");
    writer.add(thread + "fence.proxy.tensormap::generic.acquire.gpu [" +
               inGlobal + "], 128;");
    writer.emit();
    rewriter.replaceOp(op, toGeneric(emitter, map));
    return success();
  }

private:
  /// The fastest dimension first, strides in bytes.
  struct Numbers {
    Value base;
    SmallVector<Value> sizes, strides;
  };

  static Value toGeneric(Emitter &emitter, Value pointer) {
    auto generic = LLVM::LLVMPointerType::get(pointer.getContext());
    if (pointer.getType() == generic)
      return pointer;
    return LLVM::AddrSpaceCastOp::create(emitter.builder, emitter.location,
                                         generic, pointer);
  }

  /// Each lane a word of the map in shared memory.
  static void addClearing(Emitter &emitter, PtxWriter &writer, Value staging,
                          const std::string &warp, const std::string &zero) {
    Value word =
        emitter.add(getSharedAddress(emitter, staging),
                    emitter.multiply(emitter.laneId(), emitter.constant(4)));
    writer.add(warp + "st.shared.b32 [" + writer.use(word, "r") + "], " + zero +
               ";");
    writer.add(warp + "bar.warp.sync 0xffffffff;");
  }

  static Value extend(Emitter &emitter, Value number) {
    Type i64 = emitter.builder.getI64Type();
    if (number.getType() == i64)
      return number;
    return LLVM::SExtOp::create(emitter.builder, emitter.location, i64, number);
  }

  /// Of a tensor without elements, which no map can have, one element: 0.
  static Numbers getNumbers(Emitter &emitter, TensorMapOp op, Adaptor adaptor) {
    auto &builder = emitter.builder;
    Location location = emitter.location;
    Numbers numbers;
    Value least,
        one = emitter.constant(1, 64),
        most = emitter.constant(std::numeric_limits<int32_t>::max(), 64);
    auto smaller = [&](Value a, Value b) -> Value {
      return LLVM::SMinOp::create(builder, location, a, b);
    };
    for (ValueRange size : llvm::reverse(adaptor.getSizes())) {
      Value number = extend(emitter, size.front());
      least = least ? smaller(least, number) : number;
      numbers.sizes.push_back(smaller(number, most));
    }
    Value isEmpty = LLVM::ICmpOp::create(builder, location,
                                         LLVM::ICmpPredicate::slt, least, one);
    for (Value &size : numbers.sizes)
      size = LLVM::TruncOp::create(builder, location, builder.getI32Type(),
                                   emitter.select(isEmpty, one, size));
    Value bytes = emitter.constant(op.getType().getElementBits() / 8, 64);
    for (ValueRange stride : llvm::reverse(adaptor.getStrides()))
      numbers.strides.push_back(
          emitter.multiply(extend(emitter, stride.front()), bytes));
    auto getAddress = [&](Value pointer) -> Value {
      return LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(),
                                      pointer);
    };
    Value zeros = emitter.addConstant(getAddress(adaptor.getScratch().front()),
                                      zerosOffset);
    numbers.base =
        emitter.select(isEmpty, zeros, getAddress(adaptor.getBase().front()));
    return numbers;
  }
};

} // namespace

void tilegpu::populateTensorMapPatterns(const TileGPUTypeConverter &converter,
                                        const target::Target &target,
                                        RewritePatternSet &patterns) {
  patterns.add<LowerTensorMap>(converter, target);
}
