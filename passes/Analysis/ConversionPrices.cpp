// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/ConversionPrices.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

Attribute ConversionPrices::intern(RankedTensorType type,
                                   RegisterLayoutInterface layout) {
  auto shape = RankedTensorType::get(type.getShape(),
                                     IntegerType::get(type.getContext(), 32));
  Attribute &known = interned[{layout, shape}];
  if (!known)
    known = LinearAttr::get(type.getContext(),
                            layout.toLinearLayout(type.getShape()));
  return known;
}

uint64_t ConversionPrices::get(RankedTensorType type,
                               RegisterLayoutInterface source,
                               RegisterLayoutInterface destination) {
  if (source == destination)
    return 0;
  Attribute from = intern(type, source), to = intern(type, destination);
  if (from == to)
    return 0;
  unsigned bits = getMemoryBits(type.getElementType());
  auto [known, isNew] = conversions.try_emplace({from, to, bits});
  if (!isNew)
    return known->second;
  std::optional<uint64_t> estimate = layout::estimateConversion(
      source.toLinearLayout(type.getShape()),
      destination.toLinearLayout(type.getShape()), bits, rules);
  // Elements that fit no shared memory are rare and large.
  uint64_t price = estimate.value_or(uint64_t(1) << 20);
  return conversions[{from, to, bits}] = price;
}
