// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the registers of a thread are in a tile in shared memory: a part of the
// thread, computed once, and a constant of the register, as far as XORs and
// gaps let them apart.

#include "dialects/Layout/IndexArithmetic.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

static constexpr Axis threadAxes[] = {Axis::Lane, Axis::Warp};

Value tilegpu::emitPlace(Emitter &emitter, Value offset,
                         const layout::Padding &padding) {
  OpBuilder &builder = emitter.builder;
  Value place = offset;
  for (layout::PaddingStep step : padding.steps) {
    Value count = LLVM::LShrOp::create(builder, emitter.location, offset,
                                       emitter.constant(step.intervalBits));
    Value gaps = LLVM::ShlOp::create(builder, emitter.location, count,
                                     emitter.constant(step.gapBits));
    place = emitter.add(place, gaps);
  }
  return place;
}

SharedAddresses::SharedAddresses(Emitter &emitter, const LinearLayout &offsets,
                                 const layout::Padding &padding, Value base,
                                 unsigned elementBits, Value exchange,
                                 uint64_t exchangeBits)
    : emitter(emitter), offsets(offsets), padding(padding),
      coordinates(emitter, this->offsets), base(base),
      element(emitter.builder.getIntegerType(elementBits)), exchange(exchange),
      variableBits(exchangeBits |
                   layout::reachableBits(offsets, threadAxes, Axis::Offset)) {}

Value SharedAddresses::getVariableOffset() {
  if (variableOffset)
    return variableOffset;
  if (layout::reachableBits(offsets, threadAxes, Axis::Offset))
    variableOffset = coordinates.get(0, Axis::Offset);
  if (!exchange)
    return variableOffset;
  variableOffset =
      variableOffset ? emitter.bitXor(variableOffset, exchange) : exchange;
  return variableOffset;
}

Value SharedAddresses::getPadded(uint64_t constant) {
  Value &address = starts[constant];
  if (address)
    return address;
  if (!variableBits) {
    Value place = emitter.constant(padding.apply(constant));
    return address = emitter.gep(base, element, place);
  }
  Value offset = getVariableOffset();
  if (constant)
    offset = emitter.bitXor(offset, emitter.constant(constant));
  return address =
             emitter.gep(base, element, emitPlace(emitter, offset, padding));
}

Value SharedAddresses::get(unsigned index) {
  uint64_t constant = 0;
  for (unsigned bit = 0; bit < offsets.inputBits(Axis::Register); ++bit)
    if (index >> bit & 1)
      constant ^= offsets.basis(Axis::Register, bit, Axis::Offset);
  if (!padding.empty())
    return getPadded(constant);
  // What the variable part cannot have is added last, as the immediate of the
  // access.
  uint64_t exchanged = constant & variableBits;
  uint64_t added = constant & ~variableBits;
  Value &start = starts[exchanged];
  if (!start) {
    start = base;
    if (variableBits) {
      Value offset = getVariableOffset();
      if (exchanged)
        offset = emitter.bitXor(offset, emitter.constant(exchanged));
      start = emitter.gep(base, element, offset);
    }
  }
  if (!added)
    return start;
  return LLVM::GEPOp::create(
      emitter.builder, emitter.location, start.getType(), element, start,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(added)});
}
