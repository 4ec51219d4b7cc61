// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/OrderDepthFirst.h"

#include "lib/Codegen/BlockGraph.h"
#include "lib/Codegen/InlineAccess.h"
#include "lib/Codegen/PreserveGraph.h"
#include "passes/TileGPUToLLVM/VerifyTarget/MatrixIntrinsics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace tilewright;
using codegen::BlockGraph;
using codegen::MemoryAccess;

namespace {

/// An order of a block's instructions in the making.
class Order {
public:
  explicit Order(const BlockGraph &graph)
      : graph(graph), isPlaced(graph.size()), usesLeft(graph.size()) {
    for (unsigned index = 0; index < graph.size(); ++index)
      usesLeft[index] = graph[index].users.size();
  }

  ArrayRef<unsigned> get() const { return order; }
  bool contains(unsigned index) const { return isPlaced[index]; }
  unsigned countUsesLeft(unsigned index) const { return usesLeft[index]; }

  void place(unsigned index) {
    order.push_back(index);
    isPlaced[index] = true;
    for (unsigned operand : graph[index].operands)
      --usesLeft[operand];
  }

  /// Calls `visit` for `root` and all that has to come before it and is not
  /// placed, each in its turn; `visit` places it, and may place more.
  template <typename Visit>
  void visitDepthFirst(unsigned root, Visit visit) {
    SmallVector<std::pair<unsigned, unsigned>> path = {{root, 0}};
    while (!path.empty()) {
      auto &[index, next] = path.back();
      if (isPlaced[index]) {
        path.pop_back();
      } else if (next < graph[index].countBefore()) {
        path.push_back({graph[index].getBefore(next++), 0});
      } else {
        visit(index);
        path.pop_back();
      }
    }
  }

private:
  const BlockGraph &graph;
  SmallVector<unsigned> order;
  std::vector<bool> isPlaced;
  std::vector<unsigned> usesLeft;
};

/// Orders a block so that few results live at a time.
class DepthFirst {
public:
  explicit DepthFirst(const BlockGraph &graph) : graph(graph), order(graph) {}

  ArrayRef<unsigned> run() {
    for (unsigned index = 0; index < graph.size(); ++index)
      if (isRoot(index))
        compute(index);
    for (unsigned index = 0; index < graph.size(); ++index)
      compute(index);
    return order.get();
  }

private:
  bool isRoot(unsigned index) const;
  bool isLoadedEarly(unsigned load) const;
  /// Places what has to come before the instruction, and then that.
  void compute(unsigned index) {
    order.visitDepthFirst(index, [&](unsigned next) { placeWithUsers(next); });
  }
  void placeWithUsers(unsigned index);
  bool isReady(unsigned index) const;
  bool freesRegisters(unsigned index) const;

  const BlockGraph &graph;
  Order order;
};

} // namespace

/// NVPTX's address space of shared memory.
static constexpr unsigned sharedSpace = 3;

/// Whether what the instruction takes is computed for it: it has effects, or
/// loads early what is used behind the block, or loads from shared memory,
/// where the lowering has it in the order in which it is multiplied.
bool DepthFirst::isRoot(unsigned index) const {
  const BlockGraph::Node &node = graph[index];
  if (node.access.kind == MemoryAccess::Read)
    return node.access.addressSpace == sharedSpace || isLoadedEarly(index);
  return node.access.kind != MemoryAccess::None;
}

/// Whether what a load brings is used behind the block as it is, or as numbers
/// of another type.
bool DepthFirst::isLoadedEarly(unsigned load) const {
  SmallVector<unsigned> worklist = {load};
  while (!worklist.empty()) {
    const BlockGraph::Node &node = graph[worklist.pop_back_val()];
    if (node.escapes)
      return true;
    copy_if(node.users, std::back_inserter(worklist), [&](unsigned user) {
      return graph[user].isPart || isa<CastInst>(graph[user].instruction);
    });
  }
  return false;
}

bool DepthFirst::isReady(unsigned index) const {
  const BlockGraph::Node &node = graph[index];
  auto isPlaced = [&](unsigned before) { return order.contains(before); };
  return !isPlaced(index) && all_of(node.operands, isPlaced) &&
         all_of(node.accessesBefore, isPlaced);
}

/// Whether no more registers are taken behind the instruction than before.
bool DepthFirst::freesRegisters(unsigned index) const {
  const BlockGraph::Node &node = graph[index];
  if (node.access.kind == MemoryAccess::Write || node.isPart)
    return true;
  unsigned freed = 0;
  for (unsigned operand : node.operands)
    if (order.countUsesLeft(operand) == 1 && !graph[operand].escapes)
      freed += graph[operand].registers;
  return node.access.kind == MemoryAccess::None && freed > 0 &&
         freed >= node.registers;
}

/// Places the instruction, and then what frees registers: a second reduction of
/// a tile goes along with the first, and so does a second store.
void DepthFirst::placeWithUsers(unsigned first) {
  SmallVector<unsigned> worklist = {first};
  while (!worklist.empty()) {
    unsigned index = worklist.pop_back_val();
    if (!isReady(index) || (index != first && !freesRegisters(index)))
      continue;
    order.place(index);
    // The last user of an operand may now be worth it.
    for (unsigned operand : reverse(graph[index].operands))
      if (order.countUsesLeft(operand) == 1)
        append_range(worklist, graph[operand].users);
    append_range(worklist, reverse(graph[index].users));
  }
}

//===----------------------------------------------------------------------===//
// Loads ahead
//===----------------------------------------------------------------------===//

namespace {
/// Moves loads of an order ahead of where they are needed.
class LoadsAhead {
public:
  LoadsAhead(const BlockGraph &graph, ArrayRef<unsigned> base)
      : graph(graph), base(base) {
    copy_if(base, std::back_inserter(loads), [&](unsigned index) {
      return graph[index].access.kind == MemoryAccess::Read;
    });
  }

  /// The order with `ahead` loads in flight before the one that is needed.
  SmallVector<unsigned> run(unsigned ahead) const;

private:
  bool canPlace(unsigned load, const Order &order) const;

  const BlockGraph &graph;
  ArrayRef<unsigned> base;
  SmallVector<unsigned> loads;
};
} // namespace

/// Whether nothing with effects has to be placed before the load.
bool LoadsAhead::canPlace(unsigned load, const Order &order) const {
  SmallSetVector<unsigned, 16> before;
  before.insert(load);
  for (size_t next = 0; next < before.size(); ++next) {
    const BlockGraph::Node &node = graph[before[next]];
    if (node.access.kind == MemoryAccess::Write ||
        node.access.kind == MemoryAccess::Ordered)
      return false;
    for (unsigned number = 0; number < node.countBefore(); ++number)
      if (unsigned index = node.getBefore(number); !order.contains(index))
        before.insert(index);
  }
  return true;
}

SmallVector<unsigned> LoadsAhead::run(unsigned ahead) const {
  Order order(graph);
  auto placeWithParts = [&](unsigned index) {
    order.place(index);
    for (unsigned user : graph[index].users)
      if (graph[user].isPart && !order.contains(user))
        order.place(user);
  };
  auto place = [&](unsigned index) {
    order.visitDepthFirst(index, placeWithParts);
  };
  size_t needed = 0, loaded = 0;
  for (unsigned index : base) {
    if (graph[index].access.kind == MemoryAccess::Read) {
      ++needed;
      while (loaded < std::min(needed + ahead, loads.size()) &&
             canPlace(loads[loaded], order))
        place(loads[loaded++]);
    }
    place(index);
  }
  return SmallVector<unsigned>(order.get());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Registers that a thread of the kernel may have.
static unsigned countThreadRegisters(const Function &kernel) {
  return kernel.getFnAttributeAsParsedInteger("nvvm.maxnreg", /*Default=*/255);
}

/// Loads that are tried to be in flight at a time, of 16 bytes mostly.
static constexpr unsigned triedAhead[] = {32, 16, 8, 4, 2, 1};

/// The order to execute the block in, where another one than the program's is
/// better: nothing for blocks that the assembler finds registers for anyway.
static SmallVector<unsigned> findOrder(const BlockGraph &graph,
                                       unsigned registers) {
  // The rest is for addresses, predicates and what other blocks hold.
  unsigned pressure =
      graph.countPressure(to_vector(llvm::seq<unsigned>(0, graph.size())));
  if (pressure <= registers * 7 / 8)
    return {};
  DepthFirst depthFirst(graph);
  ArrayRef<unsigned> order = depthFirst.run();
  unsigned least = graph.countPressure(order);
  if (least > pressure * 3 / 4)
    return {};
  unsigned budget = std::max(least, registers / 2);
  LoadsAhead loads(graph, order);
  for (unsigned ahead : triedAhead)
    if (SmallVector<unsigned> early = loads.run(ahead);
        graph.countPressure(early) <= budget)
      return early;
  return SmallVector<unsigned>(order);
}

/// Whether the block multiplies matrices: the passes on tilegpu IR have placed
/// its loads among its products so that they overlap.
static bool computesProducts(const BasicBlock &block) {
  return any_of(block, [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      return false;
    const Function *callee = call->getCalledFunction();
    return codegen::getInlinePtx(*call).contains("wgmma") ||
           (callee &&
            callee->getName().starts_with(tilegpu::matrixIntrinsicPrefix));
  });
}

PreservedAnalyses
codegen::OrderDepthFirst::run(Function &function,
                              FunctionAnalysisManager &analyses) {
  bool isChanged = false;
  unsigned registers = countThreadRegisters(function);
  for (BasicBlock &block : function) {
    // Too short for a result in each of half of the registers.
    if (block.size() < registers / 2 || computesProducts(block))
      continue;
    BlockGraph graph(block);
    SmallVector<unsigned> order = findOrder(graph, registers);
    if (order.empty())
      continue;
    graph.reorder(order);
    isChanged = true;
  }
  return preserveGraph(isChanged);
}
