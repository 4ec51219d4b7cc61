// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers a product may use, and who may touch them meanwhile (PTX ISA,
// "wgmma.fence" and "wgmma.mma_async"):
//  - nobody accesses D, nor writes A's registers, before the product is waited
//    for, but products of the same shape that accumulate on D too;
//  - a wgmma.fence stands between any other access of D, or write of A's
//    registers, and the product. Reads of A's registers need none: both only
//    read.

#include "lib/Judges/Emulator/Machine/Cta.h"
#include "lib/Judges/Emulator/Machine/WarpGroups.h"

using namespace tilewright::emulator;

namespace {

const ProductDetails &detailsOf(const Decoded &instruction) {
  return *static_cast<const ProductDetails *>(instruction.details.get());
}

/// PTX calls products of one shape those with the same ".shape".
uint32_t shapeNumber(const GroupProduct &shape) {
  return shape.n << 8 | shape.k;
}

/// "the product at line 12".
std::string nameProduct(const Warp &warp, uint32_t instruction) {
  return "the product at line " +
         std::to_string(warp.kernel.locations[instruction].line);
}

void touch(Warp &warp, uint32_t index, bool isWrite, uint32_t mask) {
  if (index == noRegister)
    return;
  ProductRegister &place = warp.products->registers[index];
  (isWrite ? place.written : place.read) = warp.clock;
  if (!place.accumulators && !(isWrite && place.readers))
    return;
  std::string what =
      place.accumulators ? "an accumulator of " : "a register of A of ";
  warp.report(Check::AsynchronousProduct,
              (isWrite ? "writes " : "reads ") + what +
                  nameProduct(warp, place.product) +
                  ", which is not waited for yet",
              mask);
}

/// Of D: what keeps the product from accumulating there, or "".
std::string refuseAccumulator(const Warp &warp, const ProductRegister &place,
                              uint32_t shape) {
  uint64_t fenced = warp.products->fenced;
  if (place.readers)
    return "accumulates on a register of A of " +
           nameProduct(warp, place.product) + ", which is not waited for yet";
  if (std::max(place.read, place.written) >= fenced)
    return "expects a wgmma.fence after the last access of its accumulators "
           "by other instructions";
  if (place.accumulated >= fenced && place.shape != shape)
    return "expects a wgmma.fence between products of different shapes on the "
           "same accumulators, but " +
           nameProduct(warp, place.product) + " has another one";
  return "";
}

std::string refuseFactor(const Warp &warp, const ProductRegister &place) {
  if (place.accumulators)
    return "reads an accumulator of " + nameProduct(warp, place.product) +
           " as A, which is not waited for yet";
  if (std::max(place.written, place.accumulated) >= warp.products->fenced)
    return "expects a wgmma.fence after the last write of A's registers";
  return "";
}

} // namespace

void tilewright::emulator::findProductRegisters(std::vector<Decoded> &code,
                                                uint32_t numRegisters) {
  std::vector<bool> isOfProducts(numRegisters);
  for (const Decoded &instruction : code) {
    if (!instruction.isProduct)
      continue;
    for (const Destination &destination : instruction.destinations)
      isOfProducts[destination.index] = true;
    for (unsigned i = 0; i < detailsOf(instruction).registersOfA(); ++i)
      if (instruction.sources[i].index != noRegister)
        isOfProducts[instruction.sources[i].index] = true;
  }
  auto has = [&](uint32_t index) {
    return index != noRegister && isOfProducts[index];
  };
  for (Decoded &instruction : code) {
    bool touches =
        has(instruction.guard.index) || has(instruction.address.base.index);
    for (const Source &source : instruction.sources)
      touches |= has(source.index);
    for (const Destination &destination : instruction.destinations)
      touches |= has(destination.index);
    instruction.touchesProducts = touches && !instruction.isProduct;
  }
}

void tilewright::emulator::touchProductRegisters(Warp &warp,
                                                 const Decoded &instruction,
                                                 uint32_t mask) {
  touch(warp, instruction.guard.index, /*isWrite=*/false, mask);
  touch(warp, instruction.address.base.index, /*isWrite=*/false, mask);
  for (const Source &source : instruction.sources)
    touch(warp, source.index, /*isWrite=*/false, mask);
  for (const Destination &destination : instruction.destinations)
    touch(warp, destination.index, /*isWrite=*/true, mask);
}

void tilewright::emulator::enterProductRegisters(Warp &warp,
                                                 const Decoded &instruction) {
  const ProductDetails &details = detailsOf(instruction);
  WarpProducts &products = *warp.products;
  uint32_t shape = shapeNumber(details.shape);
  std::string problem;
  if (products.fenced == 0)
    problem = "expects a wgmma.fence before the warp's first product";
  for (unsigned i = 0; i < details.registersOfA(); ++i) {
    if (instruction.sources[i].index == noRegister)
      continue;
    ProductRegister &place = products.registers[instruction.sources[i].index];
    if (problem.empty())
      problem = refuseFactor(warp, place);
    ++place.readers;
    place.product = warp.current;
  }
  for (const Destination &destination : instruction.destinations) {
    ProductRegister &place = products.registers[destination.index];
    if (problem.empty())
      problem = refuseAccumulator(warp, place, shape);
    ++place.accumulators;
    place.accumulated = warp.clock;
    place.shape = shape;
    place.product = warp.current;
  }
  if (!problem.empty())
    warp.report(Check::AsynchronousProduct, std::move(problem), allLanes);
}

void tilewright::emulator::leaveProductRegisters(Warp &warp,
                                                 const Decoded &instruction) {
  std::vector<ProductRegister> &registers = warp.products->registers;
  for (unsigned i = 0; i < detailsOf(instruction).registersOfA(); ++i)
    if (instruction.sources[i].index != noRegister)
      --registers[instruction.sources[i].index].readers;
  for (const Destination &destination : instruction.destinations)
    --registers[destination.index].accumulators;
}
