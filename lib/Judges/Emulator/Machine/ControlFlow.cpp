// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immediate post-dominators (Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm"), of blocks, on the reversed graph.

#include "lib/Judges/Emulator/Machine/ControlFlow.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

/// The blocks of a function; the last one is the end, where all exits lead.
struct BlockGraph {
  /// The first instruction of each block.
  std::vector<uint32_t> starts;
  std::vector<std::vector<uint32_t>> successors, predecessors;

  explicit BlockGraph(const std::vector<Decoded> &code);
  uint32_t end() const { return starts.size() - 1; }
  uint32_t blockAt(uint32_t instruction) const {
    return std::lower_bound(starts.begin(), starts.end(), instruction) -
           starts.begin();
  }
};

/// Where a branch may go, but for the next instruction.
BranchTable targetsOf(const Decoded &instruction) {
  if (instruction.control == Control::Branch)
    return {instruction.target};
  if (instruction.control == Control::IndexedBranch)
    return *static_cast<const BranchTable *>(instruction.details.get());
  return {};
}

BlockGraph::BlockGraph(const std::vector<Decoded> &code) {
  uint32_t size = code.size();
  starts = {0, size};
  for (uint32_t i = 0; i < size; ++i) {
    if (code[i].control == Control::Next)
      continue;
    starts.push_back(i + 1);
    for (uint32_t target : targetsOf(code[i]))
      starts.push_back(std::min(target, size));
  }
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  successors.resize(starts.size());
  predecessors.resize(starts.size());
  for (uint32_t block = 0; block < end(); ++block) {
    const Decoded &last = code[starts[block + 1] - 1];
    bool isGuarded = last.guard.index != noRegister;
    auto add = [&](uint32_t successor) {
      successors[block].push_back(successor);
      predecessors[successor].push_back(block);
    };
    for (uint32_t target : targetsOf(last))
      add(blockAt(std::min(target, size)));
    if (last.control == Control::Exit)
      add(end());
    if (last.control == Control::Next || isGuarded)
      add(block + 1);
  }
}

/// Blocks in the order in which a walk from the end along predecessors leaves
/// them. Without recursion: kernels may be long.
std::vector<uint32_t> orderFromEnd(const BlockGraph &graph) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(graph.starts.size());
  std::vector<std::pair<uint32_t, size_t>> stack = {{graph.end(), 0}};
  seen[graph.end()] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    const std::vector<uint32_t> &predecessors = graph.predecessors[block];
    if (next == predecessors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t predecessor = predecessors[next++];
    if (!seen[predecessor]) {
      seen[predecessor] = true;
      stack.push_back({predecessor, 0});
    }
  }
  return order;
}

/// The immediate post-dominator of each block; of those that never end, the
/// end.
std::vector<uint32_t> findPostDominators(const BlockGraph &graph) {
  std::vector<uint32_t> order = orderFromEnd(graph);
  constexpr uint32_t unknown = ~0u;
  std::vector<uint32_t> rank(graph.starts.size(), unknown);
  for (uint32_t i = 0; i < order.size(); ++i)
    rank[order[i]] = i;
  std::vector<uint32_t> dominator(graph.starts.size(), unknown);
  dominator[graph.end()] = graph.end();
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b])
        a = dominator[a];
      while (rank[b] < rank[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      uint32_t block = order[i], found = unknown;
      for (uint32_t successor : graph.successors[block])
        if (rank[successor] != unknown && dominator[successor] != unknown)
          found = found == unknown ? successor : intersect(successor, found);
      if (found != dominator[block]) {
        dominator[block] = found;
        changed = true;
      }
    }
  }
  for (uint32_t &block : dominator)
    if (block == unknown)
      block = graph.end();
  return dominator;
}

} // namespace

std::vector<uint32_t>
tilewright::emulator::findCollectives(const std::vector<Decoded> &code) {
  std::vector<uint32_t> places(code.size());
  uint32_t place = code.size();
  for (uint32_t i = code.size(); i-- > 0;) {
    if (code[i].control != Control::Next || code[i].isCollective)
      place = i;
    places[i] = place;
  }
  return places;
}

void tilewright::emulator::findReconvergence(std::vector<Decoded> &code) {
  if (code.empty())
    return;
  BlockGraph graph(code);
  std::vector<uint32_t> dominator = findPostDominators(graph);
  for (uint32_t block = 0; block < graph.end(); ++block) {
    Decoded &last = code[graph.starts[block + 1] - 1];
    if (last.control == Control::Branch ||
        last.control == Control::IndexedBranch)
      last.reconvergence = graph.starts[dominator[block]];
  }
}
