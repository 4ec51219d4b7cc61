// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of tile.reduce_scatter: a thread holds registers of one CTA's part
// at a time, since it writes them to that CTA.

#include "dialects/Layout/RegisterParts.h"
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/Placement/Models.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
using tile::ReduceScatterOp;

static unsigned getPartBits(ReduceScatterOp op) {
  return layout::log2Exact(op.getPrograms());
}

/// Has the registers alone hold coordinate bit `unit`: where a lane or a warp
/// has it, that takes what the registers' highest bit has otherwise, apart from
/// `parts`, or holds copies where there is none.
static void moveToRegisters(uint64_t unit, uint64_t parts,
                            std::vector<uint64_t> &registers,
                            MutableArrayRef<uint64_t> lanesAndWarps) {
  for (uint64_t &column : lanesAndWarps) {
    if (column != unit)
      continue;
    column = 0;
    if (llvm::is_contained(registers, unit))
      continue;
    auto other =
        std::find_if(registers.rbegin(), registers.rend(),
                     [&](uint64_t each) { return each && !(each & parts); });
    if (other != registers.rend())
      std::swap(column, *other);
    else
      registers.push_back(0);
    *llvm::find(registers, 0) = unit;
  }
}

/// `layout`, or one in which registers hold what lanes and warps hold of the
/// number of the part. Null where it mixes coordinates.
static RegisterLayoutInterface makeScatterable(RegisterLayoutInterface layout,
                                               ReduceScatterOp op) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  LinearLayout map = layout.toLinearLayout(type.getShape());
  Axis axis = Axis::coordinate(op.getAxis());
  unsigned bits = getPartBits(op);
  if (layout::RegisterParts::get(map, axis, bits))
    return layout;
  std::vector<uint64_t> registers = listColumns(map, Axis::Register);
  std::vector<uint64_t> others = listColumns(map, Axis::Lane);
  llvm::append_range(others, listColumns(map, Axis::Warp));
  unsigned above = map.outputOffset(axis) + map.outputBits(axis);
  uint64_t parts = ((uint64_t(1) << bits) - 1) << (above - bits);
  for (unsigned bit = above - bits; bit < above; ++bit)
    moveToRegisters(uint64_t(1) << bit, parts, registers, others);
  std::vector<AxisBits> inputs = {{Axis::Register, unsigned(registers.size())},
                                  {Axis::Lane, map.inputBits(Axis::Lane)},
                                  {Axis::Warp, map.inputBits(Axis::Warp)}};
  llvm::append_range(registers, others);
  LinearLayout moved(std::move(inputs), map.outputs(), std::move(registers));
  if (!moved.isSurjective() || !layout::RegisterParts::get(moved, axis, bits))
    return {};
  return LinearAttr::get(layout.getContext(), inDimensionOrder(moved));
}

namespace {
/// The own layout is the source's.
struct ReduceScatterModel : PlacementModel<ReduceScatterModel> {
  RankedTensorType getPlacedType(Operation *op) const {
    return cast<RankedTensorType>(op->getOperand(0).getType());
  }

  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    auto scatter = cast<ReduceScatterOp>(op);
    RegisterLayoutInterface own = makeScatterable(layout, scatter);
    if (!own)
      return std::nullopt;
    std::optional<layout::RegisterParts> parts = layout::RegisterParts::get(
        own.toLinearLayout(getPlacedType(op).getShape()),
        Axis::coordinate(scatter.getAxis()), getPartBits(scatter));
    RegisterLayoutInterface result =
        LinearAttr::get(op->getContext(), inDimensionOrder(parts->getLayout()));
    return Implementation{own, {own}, {result}, {}};
  }

  /// That of the parts, which are the registers' highest bits.
  RegisterLayoutInterface
  proposeForResult(Operation *op, unsigned,
                   RegisterLayoutInterface wanted) const {
    auto scatter = cast<ReduceScatterOp>(op);
    auto result = cast<RankedTensorType>(scatter.getType());
    LinearLayout parts = LinearLayout::identity(
        Axis::Register, Axis::coordinate(scatter.getAxis()),
        getPartBits(scatter));
    return LinearAttr::get(
        op->getContext(),
        inDimensionOrder(wanted.toLinearLayout(result.getShape()) * parts));
  }

  /// Vectors of 16 bytes: of a part's place in memory nothing is asked but that
  /// each thread finds what the same threads of other CTAs wrote.
  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    const target::InstructionPrices &prices = context.target.prices;
    unsigned registers =
        tilegpu::countRegisters(getPlacedType(op), implementation.layout);
    uint64_t vectors = llvm::divideCeil(registers, 4);
    return 2 * prices.barrier + registers * prices.arithmetic +
           2 * vectors * (prices.sharedAccess + 4 * prices.sharedWavefront);
  }
};
} // namespace

void tilegpu::attachClusterPlacement(MLIRContext &context) {
  attachPlacement<ReduceScatterModel, ReduceScatterOp>(context);
}
