// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.fence, wgmma.mma_async, wgmma.commit_group, wgmma.wait_group.
//
// A product reads its memory and computes at the latest moment that is legal,
// the wait that names its group; with a seed, at any moment before. From the
// instruction to the wait its registers and memory are marked, and touching
// them is reported (WarpGroupRegisters.cpp, MemoryAccess.cpp).

#include "lib/Judges/Emulator/Machine/WarpGroups.h"

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/MatrixDecode.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

#include <algorithm>

using namespace tilewright::emulator;

//===----------------------------------------------------------------------===//
// The warps of a group
//===----------------------------------------------------------------------===//

std::optional<WarpGroup::Step> WarpGroup::join(unsigned rank,
                                               const Step &step) {
  uint64_t index = positions[rank]++ - firstStep;
  if (index == steps.size()) {
    steps.push_back(step);
    return std::nullopt;
  }
  const Step known = steps[index];
  if (firstStep < *std::min_element(positions.begin(), positions.end())) {
    steps.pop_front();
    ++firstStep;
  }
  bool isSame =
      known.instruction == step.instruction && known.operands == step.operands;
  return isSame ? std::nullopt : std::optional(known);
}

std::optional<WarpGroup::Step> WarpGroup::findUnfinished() const {
  uint64_t least = *std::min_element(positions.begin(), positions.end());
  if (least - firstStep < steps.size())
    return steps[least - firstStep];
  return std::nullopt;
}

namespace {

/// All lanes of a warp in a group of four; with the others of the group so far.
bool joinGroup(Warp &warp, uint32_t mask, std::array<uint64_t, 3> operands) {
  Cta &cta = warp.cta;
  unsigned rank = warp.number % warpsPerGroup;
  unsigned first = warp.number - rank;
  bool isWhole = first + warpsPerGroup <= cta.warps.size() &&
                 cta.warps[first + warpsPerGroup - 1].lanes == allLanes;
  if (mask != allLanes || !isWhole) {
    warp.report(Check::Divergence,
                isWhole ? "expects all lanes of the warp, but some are "
                          "elsewhere"
                        : "expects a warp group of 4 warps, the first one's "
                          "number a multiple of 4, but warp " +
                              std::to_string(warp.number) + " of " +
                              std::to_string(cta.warps.size()) + " is in none",
                ~mask);
    return false;
  }
  WarpGroup::Step step = {warp.current, operands, warp.number};
  std::optional<WarpGroup::Step> other =
      cta.warpGroups[warp.number / warpsPerGroup].join(rank, step);
  if (!other)
    return true;
  bool isElsewhere = other->instruction != warp.current;
  warp.report(
      Check::Divergence,
      "expects the four warps of a group to execute the same "
      "instructions with the same descriptors, but warp " +
          std::to_string(other->firstWarp) +
          (isElsewhere ? " has executed line " : " has others at line ") +
          std::to_string(warp.kernel.locations[other->instruction].line),
      mask);
  return true;
}

//===----------------------------------------------------------------------===//
// Operands in memory
//===----------------------------------------------------------------------===//

const ProductDetails &detailsOf(const Decoded &instruction) {
  return *static_cast<const ProductDetails *>(instruction.details.get());
}

/// Where 16 bytes each of `count` rows from `first` on stand: row by row, or,
/// transposed, 8 rows at a time by k.
std::vector<uint32_t> findUnits(const MatrixDescriptor &matrix, unsigned first,
                                unsigned count, bool isTransposed, unsigned k) {
  std::vector<uint32_t> units;
  units.reserve(2 * count);
  if (!isTransposed) {
    for (unsigned row = first; row < first + count; ++row)
      for (unsigned half = 0; half < 2; ++half)
        units.push_back(matrix.unitAlongK(row, half));
    return units;
  }
  for (unsigned unit = first / 8; unit < (first + count) / 8; ++unit)
    for (unsigned i = 0; i < k; ++i)
      units.push_back(matrix.unitAcrossK(unit, i));
  return units;
}

/// The bytes at those places as rows in ascending k.
void gatherRows(const std::vector<uint8_t> &shared,
                const std::vector<uint32_t> &units, bool isTransposed,
                unsigned k, uint8_t (*rows)[groupRowBytes]) {
  if (!isTransposed) {
    for (size_t i = 0; i < units.size(); ++i)
      std::memcpy(rows[i / 2] + i % 2 * 16, &shared[units[i]], 16);
    return;
  }
  for (size_t i = 0; i < units.size(); ++i)
    for (unsigned element = 0; element < 8; ++element)
      std::memcpy(rows[i / k * 8 + element] + i % k * 2,
                  &shared[units[i] + 2 * element], 2);
}

/// A value that the warp's lanes must agree on.
std::optional<uint64_t> readUniform(Warp &warp, const Source &source,
                                    const char *what) {
  if (warp.requireDefined(source, allLanes, what) != allLanes)
    return std::nullopt;
  const uint64_t *lanes = warp.read<uint64_t>(source);
  for (unsigned lane = 1; lane < warpSize; ++lane)
    if (lanes[lane] != lanes[0]) {
      warp.report(Check::Divergence,
                  std::string("expects one value in all lanes for ") + what +
                      ", but got different ones",
                  1u << lane);
      return std::nullopt;
    }
  return lanes[0];
}

/// The product's reads as the present moment's; reports what is wrong with
/// them. Of what was never written the sums have no value: a loop may multiply
/// for an iteration that is not, as long as nobody wants the result.
bool readUnits(Warp &warp, const std::vector<uint32_t> &units) {
  for (uint32_t unit : units) {
    MemoryPlace place = accessMemory(warp, 0, StateSpace::Shared, unit, 16, 16,
                                     AccessKind::Load, /*value=*/nullptr,
                                     Proxy::Async, Unwritten::Allowed);
    if (!place.data)
      return false;
  }
  return true;
}

void markUnits(Cta &cta, const PendingProduct &product, int change) {
  for (const std::vector<uint32_t> *units :
       {&product.unitsOfA, &product.unitsOfB})
    for (uint32_t unit : *units)
      cta.markPendingRead(unit, 16, change);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Decodes the descriptors; false with a report where they are none.
bool findOperands(Warp &warp, const ProductDetails &details,
                  std::array<uint64_t, 3> bits, PendingProduct &product) {
  const GroupProduct &shape = details.shape;
  for (bool isA : {true, false}) {
    if (isA && details.isAInRegisters)
      continue;
    MatrixDescriptor matrix;
    std::string problem = MatrixDescriptor::decode(bits[isA ? 0 : 1], matrix);
    if (!problem.empty()) {
      warp.report(Check::Misaligned, (isA ? "A: " : "B: ") + problem, allLanes);
      return false;
    }
    unsigned rank = warp.number % warpsPerGroup;
    if (isA)
      product.unitsOfA =
          findUnits(matrix, groupRowsPerWarp * rank, groupRowsPerWarp,
                    details.isATransposed, shape.k);
    else
      product.unitsOfB =
          findUnits(matrix, 0, shape.n, details.isBTransposed, shape.k);
  }
  return true;
}

/// Whether each byte at those places has been written.
bool areWritten(const Cta &cta, const std::vector<uint32_t> &units) {
  return std::ranges::all_of(units, [&](uint32_t unit) {
    return isWritten(&cta.shared.written[unit], 16);
  });
}

/// Reads A and B now, and writes D.
void perform(Warp &warp, PendingProduct &product) {
  if (product.isPerformed)
    return;
  product.isPerformed = true;
  const Decoded &instruction = warp.kernel.code[product.instruction];
  const ProductDetails &details = detailsOf(instruction);
  const GroupProduct &shape = details.shape;
  const std::vector<uint8_t> &shared = warp.cta.shared.data;
  uint8_t a[groupRowsPerWarp][groupRowBytes];
  uint8_t b[maximumGroupColumns][groupRowBytes];
  WarpRegister d[maximumGroupColumns / 2];
  bool isUnknown = !areWritten(warp.cta, product.unitsOfA) ||
                   !areWritten(warp.cta, product.unitsOfB);
  if (details.isAInRegisters) {
    WarpRegister registers[groupRegistersOfA];
    for (unsigned i = 0; i < groupRegistersOfA; ++i) {
      const Source &source = instruction.sources[i];
      std::memcpy(registers[i], warp.read<uint32_t>(source),
                  sizeof(WarpRegister));
      isUnknown |= warp.undefinedLanes(source) != 0;
    }
    groupRowsOfA(registers, a);
  } else {
    gatherRows(shared, product.unitsOfA, details.isATransposed, shape.k, a);
  }
  gatherRows(shared, product.unitsOfB, details.isBTransposed, shape.k, b);
  size_t count = instruction.destinations.size();
  for (size_t i = 0; i < count; ++i) {
    const Destination &destination = instruction.destinations[i];
    std::memcpy(d[i], warp.write<uint32_t>(destination), sizeof(WarpRegister));
    isUnknown |= product.adds && warp.undefinedLanes(destination);
  }
  multiplyGroup(shape, product.adds, a, b, d);
  for (size_t i = 0; i < count; ++i) {
    const Destination &destination = instruction.destinations[i];
    std::memcpy(warp.write<uint32_t>(destination), d[i], sizeof(WarpRegister));
    warp.define(destination, allLanes, isUnknown ? allLanes : 0);
  }
}

/// The oldest product is waited for.
void retireFirst(Warp &warp) {
  PendingProduct &product = warp.products->pending.front();
  perform(warp, product);
  markUnits(warp.cta, product, -1);
  noteSharedReads(warp, product.unitsOfA, 16);
  noteSharedReads(warp, product.unitsOfB, 16);
  leaveProductRegisters(warp, warp.kernel.code[product.instruction]);
  warp.products->pending.pop_front();
}

void executeProduct(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const ProductDetails &details = detailsOf(instruction);
  std::array<uint64_t, 3> operands = {};
  unsigned indexOfB = details.descriptorOfB();
  for (unsigned i = 0; i < 2 && mask == allLanes; ++i) {
    if (i == 0 && details.isAInRegisters)
      continue;
    std::optional<uint64_t> bits = readUniform(
        warp, instruction.sources[i ? indexOfB : 0], "a matrix descriptor");
    if (!bits)
      return;
    operands[i] = *bits;
  }
  const Source &adds = instruction.sources[indexOfB + 1];
  mask &= warp.requireDefined(adds, mask, "whether a product adds");
  uint32_t addingLanes = warp.readPredicate(adds);
  operands[2] = addingLanes != 0;
  if (!joinGroup(warp, mask, operands))
    return;
  if (addingLanes && addingLanes != allLanes)
    warp.report(Check::Divergence,
                "expects one value in all lanes for whether a product adds, "
                "but got different ones",
                addingLanes);
  PendingProduct product;
  product.instruction = warp.current;
  product.adds = addingLanes != 0;
  enterProductRegisters(warp, instruction);
  if (!findOperands(warp, details, operands, product) ||
      !readUnits(warp, product.unitsOfA) || !readUnits(warp, product.unitsOfB))
    return leaveProductRegisters(warp, instruction);
  markUnits(warp.cta, product, 1);
  // m64nNk of 32 bytes keeps the SM's four units busy for N / 2 cycles.
  warp.counts().matrixCycles += details.shape.n / 2;
  // Half of them soon, the others when they are waited for.
  uint64_t draw = warp.cta.options.seed ? warp.cta.random() : 1;
  if (draw % 2 == 0)
    product.moment = warp.clock + draw / 2 % 256;
  warp.products->pending.push_back(std::move(product));
}

void executeFence(Warp &warp, const Decoded &, uint32_t mask) {
  if (joinGroup(warp, mask, {}))
    warp.products->fenced = warp.clock;
}

void executeCommit(Warp &warp, const Decoded &, uint32_t mask) {
  if (!joinGroup(warp, mask, {}))
    return;
  uint32_t group = warp.products->committed++;
  for (PendingProduct &product : warp.products->pending)
    if (product.group == PendingProduct::open)
      product.group = group;
}

/// In flags: [0] the groups that may stay under way.
void executeWait(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!joinGroup(warp, mask, {}))
    return;
  WarpProducts &products = *warp.products;
  while (!products.pending.empty() &&
         products.pending.front().group != PendingProduct::open &&
         products.pending.front().group + instruction.flags[0] <
             products.committed)
    retireFirst(warp);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// `imm-scale` or `imm-trans`: one of two numbers.
bool takeImmediate(DecodeContext &context, size_t index, int64_t ifFalse,
                   int64_t ifTrue, bool &value) {
  const auto *number =
      std::get_if<IntegerOperand>(&context.in.operands[index].value);
  if (!number ||
      (int64_t(number->bits) != ifFalse && int64_t(number->bits) != ifTrue))
    return context.fail("expects " + std::to_string(ifFalse) + " or " +
                        std::to_string(ifTrue) + " for operand " +
                        std::to_string(index));
  value = int64_t(number->bits) == ifTrue;
  return true;
}

/// What stands behind scale-d: scales of A and B unless they are integers, and
/// of 16-bit types the major orders of those in memory.
bool decodeImmediates(DecodeContext &context, ProductDetails &details) {
  GroupProduct &shape = details.shape;
  size_t next = 4, count = context.in.operands.size();
  bool hasScales = shape.d != MatrixType::S32;
  bool hasOrders = groupMayTranspose(shape.a);
  size_t expected =
      4 + 2 * hasScales + hasOrders * (details.isAInRegisters ? 1 : 2);
  if (count != expected)
    return context.fail("expects " + std::to_string(expected) +
                        " operands, but got " + std::to_string(count));
  if (hasScales && (!takeImmediate(context, next++, 1, -1, shape.negatesA) ||
                    !takeImmediate(context, next++, 1, -1, shape.negatesB)))
    return false;
  if (hasOrders && !details.isAInRegisters &&
      !takeImmediate(context, next++, 0, 1, details.isATransposed))
    return false;
  return !hasOrders ||
         takeImmediate(context, next++, 0, 1, details.isBTransposed);
}

bool decodeAccumulators(DecodeContext &context, uint32_t expected) {
  std::vector<const Operand *> elements = context.elements(0);
  if (elements.size() != expected)
    return context.fail("expects " + std::to_string(expected) +
                        " registers for the accumulators, but got " +
                        std::to_string(elements.size()));
  for (const Operand *element : elements)
    if (!std::holds_alternative<RegisterOperand>(element->value) ||
        !context.destination(*element, 32))
      return false;
  return true;
}

bool decodeFactors(DecodeContext &context, ProductDetails &details) {
  details.isAInRegisters =
      std::holds_alternative<VectorOperand>(context.in.operands[1].value);
  std::vector<const Operand *> elements = context.elements(1);
  if (details.isAInRegisters && elements.size() != groupRegistersOfA)
    return context.fail("expects 4 registers of A, but got " +
                        std::to_string(elements.size()));
  for (const Operand *element : elements)
    if (!context.source(*element, details.isAInRegisters ? 32 : 64))
      return false;
  return context.source(2, 64) && context.source(3, 1);
}

bool decodeProduct(DecodeContext &context) {
  auto details = std::make_shared<ProductDetails>();
  GroupProduct &shape = details->shape;
  std::array<uint32_t, 3> sizes;
  if (!takeMatrixShape(context, sizes))
    return false;
  shape.m = sizes[0], shape.n = sizes[1], shape.k = sizes[2];
  shape.saturates = context.take("satfinite");
  for (MatrixType *type : {&shape.d, &shape.a, &shape.b}) {
    std::optional<MatrixType> found = takeMatrixType(context);
    if (!found)
      return false;
    *type = *found;
  }
  std::optional<uint32_t> registers = groupRegistersOfD(shape);
  if (!registers)
    return context.fail("there is no such product: see the PTX ISA's table of "
                        "wgmma shapes and types");
  if (!context.expectOperands(4, 8) || !decodeFactors(context, *details) ||
      !decodeImmediates(context, *details) ||
      !decodeAccumulators(context, *registers))
    return false;
  context.out.isProduct = true;
  context.out.details = std::move(details);
  context.out.execute = executeProduct;
  return true;
}

bool decodeWait(DecodeContext &context) {
  // CUTLASS waits for at most 7; no document says what more would do.
  constexpr uint64_t most = 7;
  const auto *count =
      context.expectOperands(1)
          ? std::get_if<IntegerOperand>(&context.in.operands[0].value)
          : nullptr;
  if (!count || count->bits > most)
    return context.fail("expects a number of groups from 0 to 7");
  context.out.flags[0] = count->bits;
  context.out.execute = executeWait;
  return true;
}

bool decodeWarpGroup(DecodeContext &context) {
  context.decoder.useWarpGroups();
  std::optional<unsigned> operation =
      context.takeOneOf({"mma_async", "fence", "commit_group", "wait_group"});
  if (!operation || !context.take("sync") || !context.take("aligned"))
    return false;
  if (*operation == 0)
    return decodeProduct(context);
  if (*operation == 3)
    return decodeWait(context);
  context.out.execute = *operation == 1 ? executeFence : executeCommit;
  return context.expectOperands(0);
}

} // namespace

void tilewright::emulator::performDueProducts(Warp &warp) {
  // In their order: those behind may accumulate on the same registers.
  std::deque<PendingProduct> &pending = warp.products->pending;
  size_t due = pending.size();
  while (due > 0 && pending[due - 1].moment > warp.clock)
    --due;
  for (size_t i = 0; i < due; ++i)
    perform(warp, pending[i]);
}

void tilewright::emulator::endProducts(Warp &warp) {
  uint32_t ending = warp.current;
  while (!warp.products->pending.empty()) {
    warp.current = warp.products->pending.front().instruction;
    warp.report(Check::AsynchronousProduct,
                "expects a wgmma.wait_group for it, but the warp has ended",
                allLanes);
    retireFirst(warp);
  }
  warp.current = ending;
}

void tilewright::emulator::checkWarpGroups(Cta &cta) {
  for (size_t i = 0; i < cta.warpGroups.size(); ++i) {
    std::optional<WarpGroup::Step> step = cta.warpGroups[i].findUnfinished();
    if (!step || !cta.checks(Check::Divergence))
      continue;
    Fault fault;
    fault.check = Check::Divergence;
    fault.instruction = step->instruction;
    fault.location = cta.kernel.locations[step->instruction];
    fault.source = cta.kernel.sources[step->instruction];
    fault.warp = step->firstWarp;
    fault.message = cta.kernel.names[step->instruction] +
                    ": expects all four warps of a group, but some have ended "
                    "without it";
    cta.report(std::move(fault));
  }
}

Family tilewright::emulator::warpGroupFamily() {
  return {{"wgmma", decodeWarpGroup, true}};
}
