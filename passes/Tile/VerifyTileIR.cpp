// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/InlineAssembly.h"
#include "dialects/Triton/TextLocation.h"
#include "dialects/Triton/Triton.h"
#include "dialects/Triton/TritonGPU.h"
#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Tile/IgnoredAttributes.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileIROps.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_VERIFYTILEIR
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Operations outside the dialects of tile IR that Triton's front end prints.
static bool isForeignButKnown(Operation *op) {
  return isa<gpu::BarrierOp, ttg::BarrierOp, LLVM::AssumeOp, LLVM::UndefOp>(op);
}

static bool isRoundingKnown(std::optional<arith::RoundingMode> mode) {
  return !mode || *mode == arith::RoundingMode::to_nearest_even ||
         *mode == arith::RoundingMode::toward_zero;
}

/// 8-bit floats are stored, moved and converted, and change their sign; no
/// target calculates in them.
static LogicalResult verifyNoSmallFloats(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      !isa<tt::ClampFOp, tt::PreciseSqrtOp, tt::PreciseDivFOp>(op))
    return success();
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp,
          arith::TruncFOp, arith::NegFOp, math::AbsFOp>(op))
    return success();
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
      return op->emitOpError("expects arithmetic on f16, bf16, f32 or f64, but "
                             "got ")
             << element << "; convert it with tt.fp_to_fp first";
  }
  return success();
}

static LogicalResult verifyOperation(Operation *op) {
  if (isForeignButKnown(op) || isa<ModuleOp>(op))
    return success();
  StringRef dialect = op->getName().getDialectNamespace();
  if (!llvm::is_contained(tile::getTileIRDialects(), dialect))
    return op->emitOpError("expects an operation of the dialects tt, tile, "
                           "arith, math, scf, cf or ub in tile IR, but got one "
                           "of ")
           << dialect;
  if (tile::lacksLowering(op->getName()))
    return op->emitOpError("is valid tile IR, but has no lowering yet");
  if (auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op))
    return failed(tt::getAssemblyForm(assembly)) ? failure() : success();
  if (auto print = dyn_cast<tt::PrintOp>(op))
    for (Type type : print.getArgs().getTypes())
      if (isa<tt::TensorDescriptorType>(type) || tt::getBlock(type))
        return op->emitOpError("expects scalars, pointers to them and tiles, "
                               "but got ")
               << type;
  if (auto conversion = dyn_cast<tt::FpToFpOp>(op))
    if (conversion.getRounding() == tt::RoundingMode::RS)
      return op->emitOpError("expects rounding = rtne or rtz, but got rs, for "
                             "which no target here has an instruction");
  if (auto power = dyn_cast<math::FPowIOp>(op))
    if (tt::getElementBits(power.getRhs().getType()) > 32)
      return op->emitOpError("expects an exponent of at most 32 bits, but got ")
             << power.getRhs().getType();
  if (auto conversion = dyn_cast<arith::TruncFOp>(op))
    if (!isRoundingKnown(conversion.getRoundingmode()))
      return op->emitOpError("expects to_nearest_even or toward_zero, but "
                             "got ")
             << arith::stringifyRoundingMode(*conversion.getRoundingmode());
  return verifyNoSmallFloats(op);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The first part of `type` that no target holds, or null.
static Type findForeignType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return findForeignType(tensor.getElementType());
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    // A block pointer is several numbers, which memory does not hold.
    if (tt::getBlock(pointer.getPointeeType()))
      return type;
    return findForeignType(pointer.getPointeeType());
  }
  // Elements of descriptors may have a sign.
  if (auto descriptor = dyn_cast<tt::TensorDescriptorType>(type)) {
    Type element = descriptor.getBlockType().getElementType();
    if (auto integer = dyn_cast<IntegerType>(element))
      element = IntegerType::get(type.getContext(), integer.getWidth());
    return findForeignType(element);
  }
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                                                      integer.getWidth())
               ? Type()
               : type;
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
      isa<IndexType, Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
          Float8E5M2FNUZType>(type))
    return {};
  return type;
}

static LogicalResult verifyType(Operation *op, Type type) {
  Type foreign = findForeignType(type);
  if (!foreign)
    return success();
  return op->emitOpError("expects scalars, pointers and tiles of i1, i8, i16, "
                         "i32, i64, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, "
                         "f16, bf16, f32 or f64, but got ")
         << foreign;
}

static LogicalResult verifyTypes(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyType(op, type)))
          return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult verifyKernel(tt::FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (type.getNumResults() != 0)
    return function.emitOpError("expects a kernel (a public function) to "
                                "return nothing, but got ")
           << type.getResult(0);
  for (auto [index, input] : llvm::enumerate(type.getInputs()))
    if (isa<RankedTensorType>(input) || tt::getBlock(input))
      return function.emitOpError("expects scalars, pointers to them and "
                                  "descriptors as arguments of a kernel, but "
                                  "got ")
             << input << " as argument " << index;
  return success();
}

/// Operations that a function may have once its calls are inlined; kernels have
/// hundreds.
static constexpr uint64_t maximumInlinedOps = 100000;

/// Regions within each other that a function may have then. The text of each
/// function may have as many; passes call themselves for each region.
static constexpr unsigned maximumInlinedRegions = 256;

namespace {

/// Of a function with those that it calls, or of a part of it. Saturates.
struct InlinedSize {
  uint64_t ops = 0;
  /// The most regions within each other, without the function's own.
  unsigned regions = 0;
};

/// The sizes of functions, from the callees to the callers.
class InlinedSizes {
public:
  /// Measures a function, whose callees are measured already.
  InlinedSize measure(Operation *function) {
    InlinedSize &size = sizes[function];
    for (auto left =
             SmallVector<std::pair<Operation *, unsigned>>{{function, 0}};
         !left.empty();) {
      auto [op, depth] = left.pop_back_val();
      InlinedSize callee;
      if (auto call = dyn_cast<CallOpInterface>(op))
        callee = sizes.lookup(call.resolveCallableInTable(&symbols));
      size.ops = llvm::SaturatingAdd(size.ops + 1, callee.ops);
      size.regions =
          std::max(size.regions, llvm::SaturatingAdd(depth, callee.regions));
      for (Region &region : op->getRegions())
        for (Operation &inner : region.getOps())
          left.emplace_back(&inner, depth + (op != function));
    }
    return size;
  }

private:
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, InlinedSize> sizes;
};

} // namespace

static bool callsOthers(Operation *function) {
  return function->walk([](CallOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether a function has at most so many of `things` once calls are inlined.
/// One without calls may have as many as its text can.
static LogicalResult verifyInlined(Operation *function, StringRef things,
                                   uint64_t count, uint64_t maximum) {
  if (count <= maximum || !callsOthers(function))
    return success();
  return function->emitOpError("expects at most ")
         << maximum << " " << things
         << " with those of the functions that it calls, which are inlined, "
            "but got "
         << count;
}

/// Every call is inlined, so none may come back to its caller; and functions
/// that call each other can be short and inline to any length.
static LogicalResult verifyCalls(ModuleOp module) {
  const CallGraph graph(module);
  InlinedSizes sizes;
  // Callees come before their callers.
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc) {
    if ((*scc).front()->isExternal())
      continue;
    Operation *function = (*scc).front()->getCallableRegion()->getParentOp();
    if (scc.hasCycle())
      return function->emitOpError(
          "expects calls that do not come back to their caller, but got "
          "recursion");
    InlinedSize size = sizes.measure(function);
    if (failed(verifyInlined(function, "operations", size.ops,
                             maximumInlinedOps)) ||
        failed(verifyInlined(function, "regions within each other",
                             size.regions, maximumInlinedRegions)))
      return failure();
  }
  return success();
}

namespace {
struct VerifyTileIR : tile::impl::VerifyTileIRBase<VerifyTileIR> {
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    tile::remarkIgnoredAttributes(getOperation());
    forgetPlacesOfConstants(getOperation());
    markAllAnalysesPreserved();
  }

private:
  static LogicalResult verify(ModuleOp module) {
    for (Operation &op : module.getOps())
      if (!isa<tt::FuncOp>(op))
        return op.emitOpError("expects functions (tt.func) alone in a module "
                              "of tile IR");
    for (auto function : module.getOps<tt::FuncOp>()) {
      if (function.isPublic() && failed(verifyKernel(function)))
        return failure();
      if (function.isExternal())
        return function.emitOpError("expects a body, but got a declaration");
    }
    WalkResult result =
        module.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
          return failure(failed(verifyOperation(op)) ||
                         failed(verifyTypes(op)));
        });
    if (result.wasInterrupted())
      return failure();
    if (failed(verifyCalls(module)))
      return failure();
    return verifyHasKernel(module);
  }

  /// Nothing is wrong with a constant from here on; and one of no place takes
  /// that of an equal one, which an author gave.
  static void forgetPlacesOfConstants(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() &&
          tt::isTextLocation(op->getLoc()))
        op->setLoc(UnknownLoc::get(module.getContext()));
    });
  }

  static LogicalResult verifyHasKernel(ModuleOp module) {
    auto functions = module.getOps<tt::FuncOp>();
    if (functions.empty())
      return module.emitOpError("expects a function (tt.func), which is the "
                                "kernel, but got none");
    if (llvm::none_of(functions,
                      [](tt::FuncOp function) { return function.isPublic(); }))
      return (*functions.begin())
          .emitOpError("expects a public function in the module, which "
                       "is the kernel, but got private ones alone");
    return success();
  }
};
} // namespace
