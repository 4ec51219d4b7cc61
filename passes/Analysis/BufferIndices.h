// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which buffer of several an index chooses, path by path.
//
// In: graphs of blocks. Out: the *states* in which a path may come to a block,
// where a state is a value for each block argument that the indices of buffers
// depend on, and where each state leads to. Values are found by running the
// integer arithmetic: a number that counts to three and starts anew has three
// values, whatever ops count it, and two of them in one loop stay as far apart
// as they began.
//
// In agents (`tilegpu.warp_specialize`) phases of mbarriers are followed too.
//
// A number with more values than buffers have any use for (a loop's counter),
// or with one that is not known, is not followed.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_BUFFERINDICES_H
#define TILEWRIGHT_PASSES_ANALYSIS_BUFFERINDICES_H

#include "dialects/TileGPU/TileGPU.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilewright::tilegpu {

class BufferIndices {
public:
  /// By number; 0: nothing is known, as at a region's beginning.
  using State = unsigned;

  /// `regions`: graphs of blocks that are entered knowing nothing. Followed is
  /// what chooses buffers, or phases, of memory for which `isAsked`, of a
  /// descriptor of it, holds.
  explicit BufferIndices(
      llvm::ArrayRef<mlir::Region *> regions,
      llvm::function_ref<bool(mlir::Value)> isAsked = [](mlir::Value) {
        return true;
      });

  /// States, of all blocks together.
  unsigned size() const { return states.size(); }
  /// In which a path may come to `block`, ascending; {0} for one that no path
  /// comes to.
  llvm::ArrayRef<State> getStates(mlir::Block *block) const;
  /// In which a path that came to `block` in `state` comes to its successor of
  /// that number.
  State follow(State state, mlir::Block *block, unsigned successor) const;
  /// The value of `index`, an integer, for ops of a block that a path came to
  /// in `state`; none where it is not known.
  std::optional<int64_t> evaluate(mlir::Value index, State state) const;

private:
  /// One for each number; none where it is not known, or not used any more.
  using Values = std::vector<std::optional<int64_t>>;

  std::optional<int64_t>
  evaluate(mlir::Value value, State state,
           llvm::DenseMap<mlir::Value, std::optional<int64_t>> &found) const;
  void collect(llvm::ArrayRef<mlir::Region *> regions,
               llvm::function_ref<bool(mlir::Value)> isAsked);
  void findLiveBlocks();
  bool explore(llvm::ArrayRef<mlir::Region *> regions);
  State leave(State state, mlir::Block *block, unsigned successor);
  State intern(const Values &values);
  void forget(unsigned number);

  /// The block arguments that are followed, and what is computed of them.
  llvm::SetVector<mlir::BlockArgument> numbers;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> uses;
  /// For each number the blocks into which it, or what is computed of it, is
  /// live.
  llvm::SmallVector<llvm::SmallPtrSet<mlir::Block *, 8>> liveInto;
  std::vector<Values> states;
  std::map<Values, State> known;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<State, 4>> statesOf;
  llvm::DenseMap<std::pair<mlir::Block *, State>, llvm::SmallVector<State, 2>>
      nextStates;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_BUFFERINDICES_H
