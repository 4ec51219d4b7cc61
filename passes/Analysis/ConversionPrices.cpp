// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/ConversionPrices.h"

#include "dialects/Layout/SharedLayout.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Of what is rare: elements that fit no shared memory, a tile that two
/// descriptors read differently.
static constexpr uint64_t prohibitive = uint64_t(1) << 20;

LinearAttr ConversionPrices::intern(RankedTensorType type,
                                    RegisterLayoutInterface layout) {
  auto shape = RankedTensorType::get(type.getShape(),
                                     IntegerType::get(type.getContext(), 32));
  LinearAttr &known = interned[{layout, shape}];
  if (!known)
    known = LinearAttr::get(type.getContext(),
                            layout.toLinearLayout(type.getShape()));
  return known;
}

uint64_t ConversionPrices::ofConversion(RankedTensorType type,
                                        RegisterLayoutInterface source,
                                        RegisterLayoutInterface destination) {
  if (source == destination)
    return 0;
  LinearAttr from = intern(type, source), to = intern(type, destination);
  if (from == to)
    return 0;
  unsigned bits = getMemoryBits(type.getElementType());
  auto [known, isNew] = conversions.try_emplace({from, to, bits});
  if (!isNew)
    return known->second;
  std::optional<uint64_t> estimate =
      layout::estimateConversion(from.getMap(), to.getMap(), bits, rules);
  return known->second = estimate.value_or(prohibitive);
}

uint64_t ConversionPrices::throughMemory(RankedTensorType type,
                                         RegisterLayoutInterface writers,
                                         RegisterLayoutInterface readers) {
  unsigned bits = getMemoryBits(type.getElementType());
  if (bits > 64 || !llvm::isPowerOf2_32(bits))
    return prohibitive;
  LinearAttr to = intern(type, readers);
  LinearAttr from = writers ? intern(type, writers) : nullptr;
  auto [known, isNew] = ways.try_emplace({from, to, bits});
  if (!isNew)
    return known->second;
  layout::SharedEstimate estimate = layout::estimateShared(
      (from ? from : to).getMap(), to.getMap(), bits, rules.matrices);
  if (!writers) {
    estimate.accesses -= estimate.storeAccesses;
    estimate.wavefronts -= estimate.storeWavefronts;
  }
  return known->second = uint64_t(rules.sharedAccess) * estimate.accesses +
                         uint64_t(rules.wavefront) * estimate.wavefronts +
                         2 * rules.barrier;
}

uint64_t ConversionPrices::intoMemory(RankedTensorType type,
                                      RegisterLayoutInterface writers,
                                      const SharedPlacement &demand) {
  if (!demand.descriptor)
    return throughMemory(type, writers, demand.readers);
  // The loads are the instruction's. Where the arrangement does not suit the
  // writers, they may have to store element by element.
  unsigned bits = getMemoryBits(type.getElementType());
  SharedLayoutInterface arrangement =
      planSharedTile(type, writers, demand, target);
  auto [known, isNew] =
      stores.try_emplace({intern(type, writers), arrangement, bits});
  if (!isNew)
    return known->second;
  layout::LinearLayout registers = writers.toLinearLayout(type.getShape());
  layout::LinearLayout shared = arrangement.toLinearLayout(type.getShape());
  layout::VectorAccess access = layout::accessVector(registers, shared, bits);
  return known->second = uint64_t(rules.sharedAccess) * access.instructions() +
                         uint64_t(rules.wavefront) *
                             layout::wavefronts(registers, shared, bits,
                                                access.vectorElements,
                                                /*ownersOnly=*/true) +
                         2 * rules.barrier;
}

uint64_t ConversionPrices::fromMemory(RankedTensorType type,
                                      const SharedPlacement &demand) {
  return demand.descriptor ? 2 * rules.barrier
                           : throughMemory(type, {}, demand.readers);
}

uint64_t ConversionPrices::get(RankedTensorType type, const Placement &source,
                               const Placement &destination) {
  RegisterLayoutInterface held = source.getRegisters();
  RegisterLayoutInterface wanted = destination.getRegisters();
  if (held && wanted)
    return ofConversion(type, held, wanted);
  if (held)
    return intoMemory(type, held, *destination.getTile());
  if (wanted)
    return throughMemory(type, {}, wanted);
  SharedPlacement tile = *source.getTile(), demand = *destination.getTile();
  uint64_t price = fromMemory(type, demand);
  if (tile.serves(demand, type.getShape()))
    return price;
  // Another arrangement is made by way of registers.
  RegisterLayoutInterface between =
      tile.readers ? tile.readers : demand.readers;
  if (!between)
    return prohibitive;
  return price + (tile.descriptor || demand.descriptor
                      ? throughMemory(type, {}, between) +
                            intoMemory(type, between, demand)
                      : throughMemory(type, tile.readers, demand.readers));
}
