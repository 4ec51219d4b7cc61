// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of affine index tensors, as masks are made of: `row < M` for many
// rows of a thread.
//
// Where the difference of the two sides is that of one register plus a constant
// (RegisterSteps.h), a thread subtracts once and compares with constants,
// instead of computing each of its rows; of rows that exceed a constant M in
// every thread the answer is known. Other comparisons are elementwise ops.

#include "passes/Analysis/AxisAnalysis.h"
#include "passes/TileGPUToLLVM/EqualRegisters.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/Pointers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

namespace {

/// lhs - rhs of each register: that of another register plus a constant.
struct Differences {
  struct Register {
    /// The register with the known bits clear, and how much this one exceeds
    /// it.
    unsigned start;
    int64_t constant;
  };
  SmallVector<Register> registers;
  /// How many registers compare with one difference, on average.
  unsigned shared = 1;
};

/// `equal`: the bits of the register index that the comparison does not depend
/// on.
Differences getDifferences(const RegisterSteps &lhs, const RegisterSteps &rhs,
                           uint64_t equal) {
  SmallVector<std::optional<int64_t>> known;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    std::optional<Step> step;
    if (left && right)
      step = subtract(*left, *right);
    known.push_back(step && step->terms.empty() ? std::optional(step->constant)
                                                : std::nullopt);
  }
  Differences result;
  llvm::DenseSet<std::pair<unsigned, int64_t>> distinct;
  unsigned starts = 0;
  for (unsigned index = 0; index < (1u << known.size()); ++index) {
    unsigned distinguished = index & ~equal;
    Differences::Register entry = {distinguished, 0};
    for (auto [bit, constant] : llvm::enumerate(known))
      if ((distinguished >> bit & 1) && constant) {
        entry.start &= ~(1u << bit);
        entry.constant += *constant;
      }
    starts += entry.start == index;
    distinct.insert({entry.start, entry.constant});
    result.registers.push_back(entry);
  }
  result.shared = distinct.size() / starts;
  return result;
}

/// Lower arith.cmpi of affine tensors.
struct LowerAffineComparison : TileGPUPattern<arith::CmpIOp> {
  LowerAffineComparison(const TileGPUTypeConverter &converter,
                        const target::Target &target, const AxisAnalysis &axes)
      : TileGPUPattern(converter, target, /*benefit=*/2), axes(axes) {}

  LogicalResult
  matchAndRewrite(arith::CmpIOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const RegisterSteps *lhs = converter.pointers.lookupSteps(op.getLhs());
    const RegisterSteps *rhs = converter.pointers.lookupSteps(op.getRhs());
    if (!lhs || !rhs)
      return rewriter.notifyMatchFailure(op, "no index tensors");
    Differences differences =
        getDifferences(*lhs, *rhs, getEqualBits(op.getResult(), axes));
    Subtraction subtraction = chooseSubtraction(op);
    if (differences.shared < leastShared(subtraction))
      return rewriter.notifyMatchFailure(op, "cheaper one by one");

    Emitter emitter(rewriter, op.getLoc());
    auto predicate = static_cast<LLVM::ICmpPredicate>(op.getPredicate());
    Type type = getElementTypeOrSelf(op.getLhs().getType());
    llvm::DenseMap<unsigned, Value> starts;
    llvm::DenseMap<std::pair<unsigned, int64_t>, Value> results;
    SmallVector<Value> registers;
    for (const Differences::Register &entry : differences.registers) {
      // lhs < rhs where lhs - rhs - constant = -start, so constant < start.
      Value &start = starts[entry.start];
      if (!start)
        start = subtract(adaptor.getRhs()[entry.start],
                         adaptor.getLhs()[entry.start], subtraction, emitter);
      Value &result = results[{entry.start, entry.constant}];
      if (!result) {
        if (std::optional<bool> known = compareLeast(op, entry.constant))
          result = emitter.constant(*known, 1);
        else
          result = LLVM::ICmpOp::create(
              rewriter, op.getLoc(), predicate,
              emitter.constant(entry.constant, type.getIntOrFloatBitWidth()),
              start);
      }
      registers.push_back(result);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// What `op` gives, with a constant on the right, for the elements on the
  /// left that are at least `least`; none where that depends on the element.
  std::optional<bool> compareLeast(arith::CmpIOp op, int64_t least) const {
    using Predicate = arith::CmpIPredicate;
    const AxisInfo *lhs = axes.lookup(op.getLhs());
    const AxisInfo *rhs = axes.lookup(op.getRhs());
    if (!lhs || !lhs->nonNegative || !rhs || !rhs->constant)
      return std::nullopt;
    switch (op.getPredicate()) {
    case Predicate::slt:
    case Predicate::sge:
      if (least < *rhs->constant)
        return std::nullopt;
      return op.getPredicate() == Predicate::sge;
    case Predicate::sle:
    case Predicate::sgt:
      if (least <= *rhs->constant)
        return std::nullopt;
      return op.getPredicate() == Predicate::sgt;
    default:
      return std::nullopt;
    }
  }

  /// How rhs - lhs may be taken without a wrong result of the comparison.
  enum class Subtraction { None, Wrapping, Saturating };

  Subtraction chooseSubtraction(arith::CmpIOp op) const {
    unsigned width =
        getElementTypeOrSelf(op.getLhs().getType()).getIntOrFloatBitWidth();
    bool isEquality = op.getPredicate() == arith::CmpIPredicate::eq ||
                      op.getPredicate() == arith::CmpIPredicate::ne;
    if (isEquality)
      return Subtraction::Wrapping;
    if (width != 32 && width != 64)
      return Subtraction::None;
    const AxisInfo *lhs = axes.lookup(op.getLhs());
    const AxisInfo *rhs = axes.lookup(op.getRhs());
    // The difference of two numbers that are not negative does not overflow.
    if (lhs && rhs && lhs->nonNegative && rhs->nonNegative)
      return isUnsigned(op.getPredicate()) ? Subtraction::None
                                           : Subtraction::Wrapping;
    return width == 32 && !isUnsigned(op.getPredicate())
               ? Subtraction::Saturating
               : Subtraction::None;
  }

  static bool isUnsigned(arith::CmpIPredicate predicate) {
    using Predicate = arith::CmpIPredicate;
    return predicate == Predicate::ult || predicate == Predicate::ule ||
           predicate == Predicate::ugt || predicate == Predicate::uge;
  }

  /// From how many comparisons on the subtraction costs less than an addition
  /// for each of them: one that saturates takes five instructions (SASS of
  /// sm_75 to sm_90).
  static unsigned leastShared(Subtraction subtraction) {
    switch (subtraction) {
    case Subtraction::None:
      return ~0u;
    case Subtraction::Wrapping:
      return 2;
    case Subtraction::Saturating:
      return 8;
    }
    llvm_unreachable("all subtractions are listed");
  }

  static Value subtract(Value a, Value b, Subtraction subtraction,
                        Emitter &emitter) {
    if (subtraction == Subtraction::Wrapping)
      return LLVM::SubOp::create(emitter.builder, emitter.location, a, b);
    // PTX ISA, sub: `.sat` is for .s32 alone. NVPTX has no such instruction for
    // LLVM's own saturating subtraction.
    return emitter.pureAssembly("sub.sat.s32 $0, $1, $2;", "=r,r,r",
                                emitter.builder.getI32Type(), {a, b});
  }

  const AxisAnalysis &axes;
};

} // namespace

void tilegpu::populateComparisonPatterns(const TileGPUTypeConverter &converter,
                                         const target::Target &target,
                                         const AxisAnalysis &axes,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerAffineComparison>(converter, target, axes);
}
