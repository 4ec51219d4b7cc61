// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/MemoryAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

#include <optional>

using namespace llvm;
using namespace tilewright;
using codegen::MemoryAccess;

/// NVPTX's address space for pointers into any other.
static constexpr unsigned genericSpace = 0;

bool MemoryAccess::dependsOn(const MemoryAccess &other) const {
  if (kind == None || other.kind == None)
    return false;
  if (kind == Ordered || other.kind == Ordered)
    return true;
  if (kind == Read && other.kind == Read)
    return false;
  if (addressSpace != other.addressSpace && addressSpace != genericSpace &&
      other.addressSpace != genericSpace)
    return false;
  bool areArguments = isa<Argument>(object) && isa<Argument>(other.object);
  if (base != other.base && (!areArguments || object == other.object))
    return true;
  return offset < other.offset + static_cast<int64_t>(other.bytes) &&
         other.offset < offset + static_cast<int64_t>(bytes);
}

static MemoryAccess describe(MemoryAccess::Kind kind, const Value *pointer,
                             int64_t distance, uint64_t bytes,
                             const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  return {kind,
          pointer->getType()->getPointerAddressSpace(),
          base,
          getUnderlyingObject(base, /*MaxLookup=*/0),
          offset.getSExtValue() + distance,
          bytes};
}

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

namespace {
/// "ld.global.v4.b32" or the like.
struct AccessOpcode {
  MemoryAccess::Kind kind;
  uint64_t bytes;
};
} // namespace

/// The opcode of a plain access to global memory: weak, so that no other thread
/// has to see it in its place.
static std::optional<AccessOpcode> parseOpcode(StringRef text) {
  SmallVector<StringRef, 8> parts;
  text.split(parts, '.');
  bool isRead = parts.front() == "ld";
  if ((!isRead && parts.front() != "st") || !is_contained(parts, "global"))
    return std::nullopt;
  uint64_t elements = 1, bits = 0;
  for (StringRef part : ArrayRef(parts).drop_front()) {
    if (part == "v2" || part == "v4")
      elements = part == "v2" ? 2 : 4;
    else if (part.consume_front("b")) {
      if (part.getAsInteger(10, bits))
        return std::nullopt;
    } else if (part != "global" && part != "nc" && part != "ca" &&
               part != "cg" && part != "cs" && part != "wb" &&
               !part.starts_with("L1::") && !part.starts_with("L2::")) {
      return std::nullopt;
    }
  }
  return AccessOpcode{isRead ? MemoryAccess::Read : MemoryAccess::Write,
                      elements * bits / 8};
}

unsigned codegen::countResults(const Type *type) {
  if (type->isVoidTy())
    return 0;
  const auto *structure = dyn_cast<StructType>(type);
  return structure ? structure->getNumElements() : 1;
}

/// An access of one instruction, under a predicate or not, behind moves that
/// fill the registers of a load.
static std::optional<MemoryAccess> parseAssembly(const CallInst &call,
                                                 const DataLayout &layout) {
  const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly)
    return std::nullopt;
  SmallVector<StringRef, 8> lines;
  StringRef(assembly->getAsmString())
      .split(lines, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (lines.empty() || !all_of(ArrayRef(lines).drop_back(), [](StringRef line) {
        return line.ltrim().starts_with("mov.b");
      }))
    return std::nullopt;
  StringRef line = lines.back().trim();
  if (line.consume_front("@$"))
    line = line.split(' ').second;
  auto [opcodeText, operands] = line.split(' ');
  std::optional<AccessOpcode> opcode = parseOpcode(opcodeText);
  // "[$4+2048]": an operand, counted behind the results, and a distance.
  auto [address, rest] = operands.split('[').second.split(']');
  auto [name, distanceText] = address.split('+');
  unsigned operand = 0;
  int64_t distance = 0;
  if (!opcode || !name.consume_front("$") || name.getAsInteger(10, operand) ||
      (!distanceText.empty() && distanceText.getAsInteger(10, distance)))
    return std::nullopt;
  unsigned results = codegen::countResults(call.getType());
  if (operand < results || operand - results >= call.arg_size())
    return std::nullopt;
  const Value *pointer = call.getArgOperand(operand - results);
  if (!pointer->getType()->isPointerTy())
    return std::nullopt;
  return describe(opcode->kind, pointer, distance, opcode->bytes, layout);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

MemoryAccess codegen::getMemoryAccess(const Instruction &instruction,
                                      const DataLayout &layout) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction);
      load && load->isSimple())
    return describe(MemoryAccess::Read, load->getPointerOperand(), 0,
                    layout.getTypeStoreSize(load->getType()), layout);
  if (const auto *store = dyn_cast<StoreInst>(&instruction);
      store && store->isSimple())
    return describe(
        MemoryAccess::Write, store->getPointerOperand(), 0,
        layout.getTypeStoreSize(store->getValueOperand()->getType()), layout);
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (call)
    if (std::optional<MemoryAccess> access = parseAssembly(*call, layout))
      return *access;
  MemoryAccess access;
  if (instruction.mayHaveSideEffects() || instruction.mayReadFromMemory() ||
      isa<AllocaInst>(instruction) || (call && call->isConvergent()))
    access.kind = MemoryAccess::Ordered;
  return access;
}
