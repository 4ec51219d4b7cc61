// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every allocation in shared memory its offset, by liveness over the
// control-flow graph.

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Analysis/Liveness.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// One allocation: its size, the ops at which it is live, its place.
struct Allocation {
  LocalAllocOp op;
  int64_t size;
  int64_t alignment;
  /// Position among the function's ops.
  unsigned number;
  llvm::BitVector live;
  int64_t offset = 0;
};

/// The allocation and every value that may name its memory: views, and block
/// arguments that receive any of them.
SmallVector<Value> collectAliases(Value root) {
  SmallVector<Value> aliases = {root};
  llvm::SmallDenseSet<Value> seen = {root};
  auto push = [&](Value value) {
    if (isa<MemDescType>(value.getType()) && seen.insert(value).second)
      aliases.push_back(value);
  };
  for (size_t next = 0; next < aliases.size(); ++next)
    for (OpOperand &use : aliases[next].getUses()) {
      Operation *user = use.getOwner();
      for (Value result : user->getResults())
        push(result);
      if (auto branch = dyn_cast<BranchOpInterface>(user))
        for (unsigned index = 0; index < user->getNumSuccessors(); ++index) {
          SuccessorOperands operands = branch.getSuccessorOperands(index);
          for (unsigned argument = 0; argument < operands.size(); ++argument)
            if (operands[argument] == aliases[next])
              push(user->getSuccessor(index)->getArgument(argument));
        }
    }
  return aliases;
}

struct AllocateSharedMemory
    : tilegpu::impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    StringRef name = lookupTargetName(module);
    const target::Target *target = target::lookup(name);
    if (!target) {
      module.emitError(target::unknownTargetMessage(name));
      return signalPassFailure();
    }
    for (auto function : module.getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(allocate(function, *target)))
        return signalPassFailure();
  }

private:
  LogicalResult allocate(FunctionOpInterface function,
                         const target::Target &target) {
    SmallVector<Allocation> allocations = collect(function);
    int64_t total = 0;
    // The largest first: small ones fill the gaps.
    llvm::sort(allocations, [](const Allocation &a, const Allocation &b) {
      return std::pair(-a.size, a.number) < std::pair(-b.size, b.number);
    });
    for (auto [index, allocation] : llvm::enumerate(allocations)) {
      place(allocation, ArrayRef(allocations).take_front(index));
      total = std::max(total, allocation.offset + allocation.size);
    }
    int64_t limit = target.sharedMemoryLimit;
    if (total > limit)
      return diagnose(function, allocations, total, limit, target);
    Builder builder(function.getContext());
    for (Allocation &allocation : allocations)
      allocation.op.setOffset(allocation.offset);
    function->setAttr(TileGPUDialect::sharedBytesAttrName,
                      builder.getI32IntegerAttr(total));
    return success();
  }

  static SmallVector<Allocation> collect(FunctionOpInterface function) {
    Liveness liveness(function);
    llvm::DenseMap<Operation *, unsigned> numbers;
    function.walk([&](Operation *op) { numbers[op] = numbers.size(); });
    SmallVector<Allocation> allocations;
    function.walk([&](LocalAllocOp op) {
      MemDescType type = op.getType();
      unsigned number = numbers[op];
      Allocation allocation{
          op, type.getSizeInBytes(),
          type.getEncoding().getAlignmentBytes(type.getElementBits()), number,
          llvm::BitVector(numbers.size())};
      allocation.live.set(number);
      for (Value alias : collectAliases(op.getResult()))
        for (Operation *where : liveness.resolveLiveness(alias))
          allocation.live.set(numbers[where]);
      allocations.push_back(std::move(allocation));
    });
    return allocations;
  }

  /// The lowest aligned offset that no allocation of `placed` which lives at
  /// the same time overlaps.
  static void place(Allocation &allocation, ArrayRef<Allocation> placed) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const Allocation &other : placed) {
        if (!allocation.live.anyCommon(other.live))
          continue;
        if (allocation.offset < other.offset + other.size &&
            other.offset < allocation.offset + allocation.size) {
          allocation.offset =
              llvm::alignTo(other.offset + other.size, allocation.alignment);
          moved = true;
        }
      }
    }
  }

  static LogicalResult diagnose(FunctionOpInterface function,
                                ArrayRef<Allocation> allocations, int64_t total,
                                int64_t limit, const target::Target &target) {
    LocalAllocOp largest = allocations.front().op;
    InFlightDiagnostic diagnostic =
        largest.emitError("expects the kernel's tiles to fit the ")
        << limit << " bytes of shared memory of " << StringRef(target.name)
        << ", but got " << total << " bytes in function '" << function.getName()
        << "'; use smaller tiles or fewer stages";
    diagnostic.attachNote(largest.getLoc())
        << "the largest tile here takes " << allocations.front().size
        << " bytes: " << largest.getType();
    return diagnostic;
  }
};

} // namespace
