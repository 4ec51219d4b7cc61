// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/ConversionRemarks.h"

#include "dialects/TileGPU/ConversionRules.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;

/// "#tilegpu.mma<...>" without the dialect's name.
static std::string describeLayout(Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << cast<RankedTensorType>(value.getType()).getEncoding();
  StringRef name = text;
  name.consume_front("#tilegpu.");
  return name.str();
}

/// "64x32xf16".
static std::string describeTensor(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t size : type.getShape())
    stream << size << "x";
  stream << type.getElementType();
  return text;
}

/// Loops around an op.
static unsigned getLoopDepth(Operation *op) {
  unsigned depth = 0;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    depth += isa<LoopLikeOpInterface>(parent);
  return depth;
}

/// Wavefronts that a warp takes in shared memory.
static uint64_t countWavefronts(const ConversionPlan &plan,
                                const LinearLayout &map) {
  if (plan.shared)
    return (plan.isStored ? 0 : plan.shared->countStoreWavefronts()) +
           plan.shared->countLoadWavefronts();
  if (plan.rounds)
    return (plan.rounds->storeWavefronts + plan.rounds->loadWavefronts) >>
           map.inputBits(Axis::Warp);
  return 0;
}

/// Why `plans.front()` was chosen.
static std::string explainChoice(ConvertLayoutOp op,
                                 ArrayRef<ConversionPlan> plans,
                                 int64_t freeBytes) {
  const ConversionPlan &plan = plans.front();
  if (plan.means == layout::Means::Registers)
    return "every thread holds what it needs";
  std::string reason;
  if (plan.conversion.movement == layout::Movement::Warps)
    reason = "data cross warps";
  if (op->hasAttr(meansAttrName))
    reason += (reason.empty() ? "" : ", ") + std::string("it is asked for");
  for (const ConversionPlan &other : plans.drop_front())
    if (other.means != plan.means)
      reason += (reason.empty() ? "" : ", ") +
                std::string(layout::meansName(other.means)) + " would cost " +
                std::to_string(other.price);
  if (plan.means == layout::Means::Rounds)
    reason += (reason.empty() ? "" : ", ") +
              std::string("the tiles that live beside it leave ") +
              std::to_string(freeBytes) + " bytes of shared memory";
  return reason;
}

void tilegpu::remarkOnConversion(ConvertLayoutOp op,
                                 ArrayRef<ConversionPlan> plans,
                                 int64_t freeBytes) {
  const ConversionPlan &plan = plans.front();
  LinearLayout source =
      toLinearLayout(cast<RankedTensorType>(op.getSource().getType()));
  auto options =
      remark::RemarkOpts::name("layout-conversion")
          .category("layout")
          .function(op->getParentOfType<FunctionOpInterface>().getName());
  remark::detail::InFlightRemark remark =
      plan.means == layout::Means::Rounds
          ? remark::missed(op.getLoc(), options)
          : remark::passed(op.getLoc(), options);
  if (!remark)
    return;
  using Part = remark::detail::Remark::Arg;
  remark << "converts "
         << Part("tensor", describeTensor(cast<RankedTensorType>(op.getType())))
         << " from " << Part("from", describeLayout(op.getSource())) << " to "
         << Part("to", describeLayout(op.getResult())) << " by "
         << Part("means", std::string(layout::meansName(plan.means))) << ": "
         << Part("plan", plan.describe()) << "; price "
         << Part("price", plan.price) << ", wavefronts "
         << Part("wavefronts", countWavefronts(plan, source))
         << ", loops around it " << Part("depth", getLoopDepth(op)) << "; "
         << Part("why", explainChoice(op, plans, freeBytes));
}
