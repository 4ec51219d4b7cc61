// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses what would take absurdly long to compile, and be useless then: tiles
// and dots of far more code in each thread than a GPU has registers and an
// instruction cache for. Comes in: tensors with layouts. Nothing changes.

#include "dialects/TileGPU/MatrixFragments.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileToTileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_VERIFYSIZES
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Elements of a tile for each thread. A thread has an instruction or more for
/// each, and LLVM's time grows up to n^2: kernels of a few operations on tiles
/// of 8,192 elements a thread become PTX in 1 to 30 s (bench/growth).
static constexpr int64_t maxElements = 8192;

namespace {

/// What a dot may be in the code of a thread.
struct DotForm {
  const char *name;
  /// Of all dots of a function, loops' bodies once.
  int64_t most;
};

/// CUDA's assembler takes 3 to 12 s for 2,048 matrix instructions, 49 to 73 s
/// for 8,192, 179 s for 16,384; LLVM 1 to 5 s. Kernels have some hundreds.
constexpr DotForm matrixInstructions = {"matrix instructions", 8192};
/// 65,536 take LLVM 18 s and the assembler 55 s; twice as many take LLVM alone
/// two minutes.
constexpr DotForm multiplyAdds = {"multiply-adds", 65536};

/// The dots of one form in a function.
struct DotSum {
  const DotForm &form;
  int64_t all = 0;
  /// The first of those with the most.
  Operation *largest = nullptr;
  int64_t ofLargest = 0;

  void add(Operation *dot, int64_t instructions) {
    all += instructions;
    if (instructions <= ofLargest)
      return;
    largest = dot;
    ofLargest = instructions;
  }
};

/// Verifies one function.
class SizeVerifier {
public:
  SizeVerifier(FunctionOpInterface function, const target::Target &target)
      : function(function), target(target), numWarps(lookupNumWarps(function)),
        numThreads(int64_t(numWarps) * target::Target::warpSize) {}

  LogicalResult verify() {
    if (numWarps == 0)
      return function.emitOpError("expects a number of warps (run "
                                  "tilegpu-assign-layouts first)");
    WalkResult walk = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (failed(verifyTile(op, type)))
          return WalkResult::interrupt();
      if (auto dot = dyn_cast<MmaOp>(op))
        ofMatrixInstructions.add(op, countInstructions(dot));
      else if (auto dot = dyn_cast<WgmmaOp>(op))
        ofMatrixInstructions.add(op, countInstructions(dot));
      else if (isa<MultiplyAddOp>(op))
        ofMultiplyAdds.add(op, countMultiplyAdds(op->getResult(0)));
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted() ||
                   failed(verifySum(ofMatrixInstructions)) ||
                   failed(verifySum(ofMultiplyAdds)));
  }

private:
  /// Constants are part of the instructions that use them.
  LogicalResult verifyTile(Operation *op, Type type) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || tile.getNumElements() <= maxElements * numThreads ||
        op->hasTrait<OpTrait::ConstantLike>())
      return success();
    return op->emitError("expects tiles of at most ")
           << maxElements << " elements for each thread, but got "
           << tile.getNumElements() / numThreads << ": " << describe(tile)
           << "; use more warps or a smaller tile";
  }

  LogicalResult verifySum(const DotSum &sum) const {
    if (sum.all <= sum.form.most)
      return success();
    RankedTensorType result =
        getHeldTensor(sum.largest->getResult(0).getType());
    return sum.largest->emitError("expects the dots of a kernel to take at "
                                  "most ")
           << sum.form.most << " " << sum.form.name
           << " of each thread, but got " << sum.all
           << "; the result of this one is " << describe(result)
           << "; use more warps or smaller tiles";
  }

  /// The instructions of a warp are each thread's.
  int64_t countInstructions(MmaOp dot) const {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    auto result = cast<RankedTensorType>(dot.getType());
    int64_t elements = countElements(result);
    return llvm::divideCeil(elements, getAccumulators(dot.getInstruction())) *
           llvm::divideCeil(lhs.getShape().back(), dot.getInstruction()[2]);
  }

  /// Those of a warp group: one for each 64 rows, n columns and 32 bytes of K.
  int64_t countInstructions(WgmmaOp dot) const {
    RankedTensorType result = dot.getType().getTensor();
    unsigned n = cast<WgmmaAttr>(result.getEncoding()).getN();
    MemDescType rhs = dot.getRhs().getType();
    return llvm::divideCeil(countElements(result) * 2, n) *
           llvm::divideCeil(rhs.getShape()[0] * rhs.getElementBits() / 8,
                            layout::descriptorKBytes);
  }

  /// The accumulators of a lane in an instruction of this shape.
  int64_t getAccumulators(ArrayRef<int32_t> shape) const {
    for (const target::MatrixInstruction *row : target.matrixInstructions())
      if (!row->asynchronous && int32_t(row->m) == shape[0] &&
          int32_t(row->n) == shape[1] && int32_t(row->k) == shape[2])
        return getMatrixFragments(*row).accumulator.size();
    return 1; // the lowering says that there is no such instruction
  }

  /// A dot by multiply-adds is a loop, whose body has one for each element of
  /// the result; or, of small results, some more, few enough not to matter.
  int64_t countMultiplyAdds(Value result) const {
    return countElements(cast<RankedTensorType>(result.getType()));
  }

  int64_t countElements(RankedTensorType tile) const {
    return llvm::divideCeil(tile.getNumElements(), numThreads);
  }

  /// The tile as its user wrote it, and what it takes.
  std::string describe(RankedTensorType tile) const {
    int64_t bits = tile.getNumElements() * getMemoryBits(tile.getElementType());
    std::string text;
    llvm::raw_string_ostream(text)
        << "'" << RankedTensorType::get(tile.getShape(), tile.getElementType())
        << "', which takes " << llvm::divideCeil(bits, 32 * numThreads)
        << " registers of each thread in " << numWarps
        << (numWarps == 1 ? " warp" : " warps");
    return text;
  }

  FunctionOpInterface function;
  const target::Target &target;
  const unsigned numWarps;
  const int64_t numThreads;
  DotSum ofMatrixInstructions{matrixInstructions};
  DotSum ofMultiplyAdds{multiplyAdds};
};

struct VerifySizes : tilegpu::impl::VerifySizesBase<VerifySizes> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() &&
          failed(SizeVerifier(function, *target).verify()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
