// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/MemoryAccess.h"

#include "lib/Codegen/InlineAccess.h"

#include "llvm/Analysis/ValueTracking.h"
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

static std::optional<MemoryAccess> readAssembly(const CallInst &call,
                                                const DataLayout &layout) {
  std::optional<codegen::InlineAccess> access =
      codegen::parseInlineAccess(call);
  std::optional<AccessOpcode> opcode;
  if (access)
    opcode = parseOpcode(access->opcode);
  if (!opcode)
    return std::nullopt;
  return describe(opcode->kind, access->pointer, access->distance,
                  opcode->bytes, layout);
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
    if (std::optional<MemoryAccess> access = readAssembly(*call, layout))
      return *access;
  MemoryAccess access;
  if (instruction.mayHaveSideEffects() || instruction.mayReadFromMemory() ||
      isa<AllocaInst>(instruction) || (call && call->isConvergent()))
    access.kind = MemoryAccess::Ordered;
  return access;
}
