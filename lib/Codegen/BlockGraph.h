// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_BLOCKGRAPH_H
#define TILEWRIGHT_LIB_CODEGEN_BLOCKGRAPH_H

#include "lib/Codegen/MemoryAccess.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Instruction;
} // namespace llvm

namespace tilewright::codegen {

/// The instructions of a block between its phis and its terminator, in program
/// order, and which of them take whose results: what an order of them is made
/// and judged by.
class BlockGraph {
public:
  struct Node {
    llvm::Instruction *instruction = nullptr;
    MemoryAccess access;
    /// 32-bit registers of the result. Of an aggregate the parts that are
    /// extracted count in its stead; predicates have registers of their own.
    unsigned registers = 0;
    /// Longest way from an instruction without operands in the block.
    unsigned depth = 0;
    /// Whether the result is used behind the block.
    bool escapes = false;
    /// Takes a part out of an aggregate, and nothing else.
    bool isPart = false;
    /// Those whose results it takes, the deepest first, and which take its own,
    /// each once.
    llvm::SmallVector<unsigned, 4> operands, users;
    /// Accesses to memory that it has to stay behind. Those before the last of
    /// them that is Ordered are left out.
    llvm::SmallVector<unsigned, 1> accessesBefore;

    /// What it has to stay behind: operands, and then accesses.
    unsigned countBefore() const {
      return operands.size() + accessesBefore.size();
    }
    unsigned getBefore(unsigned number) const {
      return number < operands.size()
                 ? operands[number]
                 : accessesBefore[number - operands.size()];
    }
  };

  explicit BlockGraph(llvm::BasicBlock &block);

  unsigned size() const { return nodes.size(); }
  const Node &operator[](unsigned index) const { return nodes[index]; }

  /// The most registers of results that live at a time when the instructions
  /// are executed in `order`. What lives in the block but comes from others is
  /// not counted.
  unsigned countPressure(llvm::ArrayRef<unsigned> order) const;

  /// Puts the instructions of the block in `order`.
  void reorder(llvm::ArrayRef<unsigned> order) const;

private:
  void addOperands(Node &node) const;
  void addAccessesBefore();

  llvm::BasicBlock &block;
  llvm::DenseMap<const llvm::Instruction *, unsigned> indices;
  std::vector<Node> nodes;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_BLOCKGRAPH_H
