// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/BlockGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;
using codegen::BlockGraph;

static bool isPartOf(const User *user) {
  if (const auto *extract = dyn_cast<ExtractElementInst>(user))
    return isa<Constant>(extract->getIndexOperand());
  return isa<ExtractValueInst>(user);
}

/// 32-bit registers that hold the result.
static unsigned countRegisters(const Instruction &instruction,
                               const DataLayout &layout) {
  Type *type = instruction.getType();
  if (!type->isSized() || type->isIntOrIntVectorTy(1))
    return 0;
  if ((type->isAggregateType() || type->isVectorTy()) &&
      all_of(instruction.users(), isPartOf))
    return 0;
  return divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), 32);
}

void BlockGraph::addOperands(Node &node) const {
  for (const Value *operand : node.instruction->operands()) {
    auto it = indices.find(dyn_cast<Instruction>(operand));
    if (it == indices.end() || is_contained(node.operands, it->second))
      continue;
    node.operands.push_back(it->second);
    node.depth = std::max(node.depth, nodes[it->second].depth + 1);
  }
  sort(node.operands, [&](unsigned a, unsigned b) {
    return std::pair(nodes[b].depth, a) < std::pair(nodes[a].depth, b);
  });
}

void BlockGraph::addAccessesBefore() {
  SmallVector<unsigned> accesses;
  for (auto [index, node] : enumerate(nodes)) {
    if (node.access.kind == MemoryAccess::None)
      continue;
    for (unsigned earlier : accesses)
      if (node.access.dependsOn(nodes[earlier].access))
        node.accessesBefore.push_back(earlier);
    if (node.access.kind == MemoryAccess::Ordered)
      accesses.clear();
    accesses.push_back(index);
  }
}

BlockGraph::BlockGraph(BasicBlock &block) : block(block) {
  const DataLayout &layout = block.getModule()->getDataLayout();
  for (Instruction &instruction : block) {
    if (isa<PHINode>(instruction) || instruction.isTerminator())
      continue;
    unsigned index = nodes.size();
    Node node;
    node.instruction = &instruction;
    node.access = getMemoryAccess(instruction, layout);
    node.registers = countRegisters(instruction, layout);
    node.isPart = isPartOf(&instruction);
    node.escapes = any_of(instruction.users(), [&](const User *user) {
      const auto *place = cast<Instruction>(user);
      return place->getParent() != &block || isa<PHINode>(place) ||
             place->isTerminator();
    });
    addOperands(node);
    for (unsigned operand : node.operands)
      nodes[operand].users.push_back(index);
    nodes.push_back(std::move(node));
    indices[&instruction] = index;
  }
  addAccessesBefore();
}

unsigned BlockGraph::countPressure(ArrayRef<unsigned> order) const {
  std::vector<unsigned> uses(size());
  for (auto [index, node] : enumerate(nodes))
    uses[index] = node.users.size();
  unsigned live = 0, most = 0;
  for (unsigned index : order) {
    const Node &node = nodes[index];
    for (unsigned operand : node.operands)
      if (--uses[operand] == 0 && !nodes[operand].escapes)
        live -= nodes[operand].registers;
    live += node.registers;
    most = std::max(most, live);
    if (node.users.empty() && !node.escapes)
      live -= node.registers;
  }
  return most;
}

void BlockGraph::reorder(ArrayRef<unsigned> order) const {
  for (unsigned index : order)
    nodes[index].instruction->moveBefore(block.getTerminator()->getIterator());
}
