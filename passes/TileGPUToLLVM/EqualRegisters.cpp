// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/EqualRegisters.h"

#include "dialects/TileGPU/TileGPU.h"
#include "passes/Analysis/AxisAnalysis.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

uint64_t tilegpu::getEqualBits(Value tensor, const AxisAnalysis &axes) {
  const AxisInfo *info = axes.lookup(tensor);
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!info || !type)
    return 0;
  layout::LinearLayout layout = toLinearLayout(type);
  uint64_t equal = 0;
  // Runs are aligned: an element whose coordinates differ in lower bits alone
  // is in the same run, in each dimension in turn.
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
    if (llvm::all_of(llvm::seq<unsigned>(type.getRank()), [&](unsigned dim) {
          return layout.basis(Axis::Register, bit, Axis::coordinate(dim)) <
                 static_cast<uint64_t>(info->constancy[dim]);
        }))
      equal |= uint64_t(1) << bit;
  return equal;
}
