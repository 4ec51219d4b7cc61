// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions (PTX ISA: mma, ldmatrix, stmatrix, movmatrix). What they
// compute is lib/Judges/Emulator/Numeric's.

#include "lib/Judges/Emulator/Machine/MatrixDecode.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Numeric/WarpMatrix.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

/// Every lane of a warp takes part.
bool checkAligned(Warp &warp, uint32_t mask) {
  if (mask == allLanes)
    return true;
  warp.report(Check::Divergence,
              "expects all lanes of the warp, but some are elsewhere", ~mask);
  return false;
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

struct MmaDetails {
  MmaShape shape;
  MmaRegisters registers;
  /// f64: operands are registers of 64 bits, two words each.
  bool isWide = false;
};

/// The words of an operand's registers.
void gather(const Warp &warp, const Source *sources, unsigned words,
            bool isWide, WarpRegister *result) {
  if (!isWide) {
    for (unsigned i = 0; i < words; ++i)
      std::memcpy(result[i], warp.read<uint32_t>(sources[i]),
                  sizeof(WarpRegister));
    return;
  }
  for (unsigned i = 0; i < words; ++i) {
    const uint64_t *lanes = warp.read<uint64_t>(sources[i / 2]);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[i][lane] = lanes[lane] >> (i % 2 ? 32 : 0);
  }
}

void executeMma(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkAligned(warp, mask))
    return;
  const auto &details =
      *static_cast<const MmaDetails *>(instruction.details.get());
  const MmaRegisters &count = details.registers;
  unsigned width = details.isWide ? 2 : 1;
  WarpRegister a[16], b[16], c[16], d[16];
  const Source *sources = instruction.sources.data();
  gather(warp, sources, count.a, details.isWide, a);
  gather(warp, sources + count.a / width, count.b, details.isWide, b);
  gather(warp, sources + (count.a + count.b) / width, count.c, details.isWide,
         c);
  multiplyMatrices(details.shape, a, b, c, d);
  // Any lane's operands may reach any lane's results.
  uint32_t unknown = warp.undefinedLanes(instruction) ? allLanes : 0;
  for (unsigned i = 0; i < count.d / width; ++i) {
    const Destination &destination = instruction.destinations[i];
    if (details.isWide) {
      uint64_t *lanes = warp.write<uint64_t>(destination);
      for (unsigned lane = 0; lane < warpSize; ++lane)
        lanes[lane] = d[2 * i][lane] | uint64_t(d[2 * i + 1][lane]) << 32;
    } else {
      std::memcpy(warp.write<uint32_t>(destination), d[i],
                  sizeof(WarpRegister));
    }
    warp.define(destination, mask, unknown);
  }
}

bool decodeMma(DecodeContext &context) {
  auto details = std::make_shared<MmaDetails>();
  MmaShape &shape = details->shape;
  std::array<uint32_t, 3> sizes;
  if (!context.take("sync") || !context.take("aligned") ||
      !takeMatrixShape(context, sizes))
    return false;
  shape.m = sizes[0], shape.n = sizes[1], shape.k = sizes[2];
  shape.saturates = context.take("satfinite");
  // The first is A's order, the second B's.
  std::string_view order = context.rest();
  shape.isAColumnMajor = order == "col";
  if (!context.take(order))
    return false;
  order = context.rest();
  shape.isBRowMajor = order == "row";
  if (!context.take(order))
    return false;
  for (MatrixType *type : {&shape.d, &shape.a, &shape.b, &shape.c}) {
    std::optional<MatrixType> found = takeMatrixType(context);
    if (!found)
      return false;
    *type = *found;
  }
  std::optional<MmaRegisters> registers = mmaRegisters(shape);
  if (!registers || !context.expectOperands(4))
    return false;
  details->registers = *registers;
  details->isWide = shape.a == MatrixType::F64;
  unsigned bits = details->isWide ? 64 : 32, width = bits / 32;
  const uint32_t counts[] = {registers->d, registers->a, registers->b,
                             registers->c};
  for (unsigned i = 0; i < 4; ++i) {
    std::vector<const Operand *> elements = context.elements(i);
    if (elements.size() != counts[i] / width)
      return context.fail("expects " + std::to_string(counts[i] / width) +
                          " registers in operand " + std::to_string(i) +
                          ", but got " + std::to_string(elements.size()));
    for (const Operand *element : elements)
      if (!(i == 0 ? context.destination(*element, bits)
                   : context.source(*element, bits)))
        return false;
  }
  context.out.details = std::move(details);
  context.out.execute = executeMma;
  return true;
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix, movmatrix
//===----------------------------------------------------------------------===//

/// In flags: [0] matrices, [1] transposed. The rows' addresses are those of the
/// first 8 lanes for each matrix.
void accessRows(Warp &warp, const Decoded &instruction, AccessKind kind,
                uint32_t rows[4][8][4]) {
  unsigned count = instruction.flags[0];
  uint32_t lanes = count == 4 ? allLanes : (1u << 8 * count) - 1;
  lanes = warp.requireDefined(instruction.address.base, lanes, "an address");
  uint64_t addresses[warpSize];
  for (uint32_t left = lanes; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    addresses[lane] = getAddress(warp, instruction, lane);
    uint32_t *row = rows[lane / 8][lane % 8];
    MemoryPlace place = accessMemory(warp, lane, instruction.space,
                                     addresses[lane], 16, 16, kind, row);
    if (!place.data)
      continue;
    if (kind == AccessKind::Load)
      std::memcpy(row, place.data, 16);
    else
      std::memcpy(place.data, row, 16);
  }
  countRequest(warp, StateSpace::Shared, addresses, lanes, 16);
}

void executeLoadMatrix(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkAligned(warp, mask))
    return;
  uint32_t rows[4][8][4] = {};
  accessRows(warp, instruction, AccessKind::Load, rows);
  for (unsigned i = 0; i < instruction.flags[0]; ++i) {
    const Destination &destination = instruction.destinations[i];
    WarpRegister result;
    distributeMatrix(rows[i], instruction.flags[1], result);
    std::memcpy(warp.write<uint32_t>(destination), result, sizeof(result));
    warp.define(destination, mask);
  }
}

void executeStoreMatrix(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkAligned(warp, mask))
    return;
  for (const Source &source : instruction.sources)
    warp.requireDefined(source, mask, "what is stored");
  uint32_t rows[4][8][4] = {};
  for (unsigned i = 0; i < instruction.flags[0]; ++i) {
    WarpRegister source;
    std::memcpy(source, warp.read<uint32_t>(instruction.sources[i]),
                sizeof(source));
    collectMatrix(source, instruction.flags[1], rows[i]);
  }
  accessRows(warp, instruction, AccessKind::Store, rows);
}

bool decodeMatrixAccess(DecodeContext &context) {
  bool isLoad = context.in.name == "ldmatrix";
  if (!context.take("sync") || !context.take("aligned") ||
      !context.take("m8n8") || !context.take("b16"))
    return false;
  std::optional<unsigned> count = context.takeOneOf({"x1", "x2", "x4"});
  if (!count || !context.expectOperands(2))
    return false;
  context.out.flags[0] = 1u << *count;
  context.out.flags[1] = context.take("trans");
  bool isShared = context.takeOneOf({"shared", "shared::cta"}).has_value();
  if (!context.address(isLoad ? 1 : 0,
                       isShared ? StateSpace::Shared : StateSpace::Generic))
    return false;
  std::vector<const Operand *> elements = context.elements(isLoad ? 0 : 1);
  if (elements.size() != context.out.flags[0])
    return false;
  for (const Operand *element : elements)
    if (!(isLoad ? context.destination(*element, 32)
                 : context.source(*element, 32)))
      return false;
  context.out.execute = isLoad ? executeLoadMatrix : executeStoreMatrix;
  return true;
}

void executeMoveMatrix(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkAligned(warp, mask))
    return;
  WarpRegister source, result;
  std::memcpy(source, warp.read<uint32_t>(instruction.sources[0]),
              sizeof(source));
  transposeMatrix(source, result);
  std::memcpy(warp.write<uint32_t>(instruction.destinations[0]), result,
              sizeof(result));
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction) ? allLanes : 0);
}

bool decodeMoveMatrix(DecodeContext &context) {
  context.out.execute = executeMoveMatrix;
  return context.take("sync") && context.take("aligned") &&
         context.take("m8n8") && context.take("trans") && context.take("b16") &&
         context.expectOperands(2) && context.destination(0, 32) &&
         context.source(1, 32);
}

} // namespace

Family tilewright::emulator::matrixFamily() {
  return {{"mma", decodeMma, true},
          {"ldmatrix", decodeMatrixAccess, true},
          {"stmatrix", decodeMatrixAccess, true},
          {"movmatrix", decodeMoveMatrix, true}};
}
