// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which warp touches which byte of shared memory, element by element.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_TOUCHES_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_TOUCHES_H

#include "test/Passes/Barriers/Numbers.h"

#include <vector>

namespace tilewright::test {

/// The warps, as bits, that touch each element of a tile, by its offset.
using Elements = std::vector<uint32_t>;

/// What an op does to one tile.
struct Touch {
  tilegpu::LocalAllocOp allocation;
  /// First byte in all of shared memory, and of how many bytes an element is.
  int64_t begin, elementBytes;
  const Elements *elements;
  bool isWrite;
  /// Whether it is certain that these bytes are touched.
  bool isCertain;
  /// Whether each thread writes what it holds when it executes the op.
  bool isStore;

  int64_t end() const { return begin + elements->size() * elementBytes; }
  uint32_t warpsAt(int64_t byte) const {
    return (*elements)[(byte - begin) / elementBytes];
  }
};

/// What ops do to tiles, kept.
class TouchList {
public:
  /// `numbers`: what is known where `op` is; of one op and numbers always the
  /// same vector.
  const std::vector<Touch> &get(mlir::Operation *op,
                                const Numbers &numbers = {});

private:
  enum Kind { Stored, Loaded, Everything, MultipliedLeft, MultipliedRight };

  const Elements *list(mlir::Operation *op, Kind kind, mlir::Type registers,
                       tilegpu::MemDescType tile);

  /// Any other op may touch all of the tiles that it says it reads or writes.
  void addByEffects(std::vector<Touch> &touches, mlir::Operation *op);

  /// Follows the descriptor back to where it may have been allocated.
  void add(std::vector<Touch> &touches, mlir::Operation *op,
           mlir::Value descriptor, mlir::Type registers, Kind kind,
           bool isWrite = false);

  void trace(mlir::Value value, int64_t begin,
             std::set<std::pair<mlir::Operation *, int64_t>> &places,
             std::set<std::tuple<void *, int64_t, bool>> &seen, bool &isCertain,
             bool isHere);

  std::map<std::tuple<Kind, unsigned, const void *, const void *>, Elements>
      lists;
  std::map<std::pair<mlir::Operation *, Numbers>, std::vector<Touch>> known;
  /// Of the op that is looked at.
  const Numbers *current = nullptr;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_TOUCHES_H
