// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What accesses to shared memory share: addresses, words, predicated stores.
// Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H

#include "dialects/Layout/SharedLayout.h"
#include "passes/TileGPUToLLVM/Lowering.h"

#include <map>

namespace tilewright::tilegpu {

/// Addresses of a thread's registers in a tile.
class SharedAddresses {
public:
  /// `offsets`: (register, lane, warp) -> offset, in elements of `elementBits`;
  /// `base`: the tile's first byte.
  SharedAddresses(Emitter &emitter, const layout::LinearLayout &offsets,
                  mlir::Value base, unsigned elementBits);
  SharedAddresses(const SharedAddresses &) = delete;
  /// Where register `index` is.
  mlir::Value get(unsigned index);

private:
  Emitter &emitter;
  const layout::LinearLayout offsets;
  ThreadCoordinates coordinates;
  mlir::Value base;
  mlir::Type element;
  /// The bits of the offset that lanes and warps reach.
  uint64_t threadBits = 0;
  mlir::Value threadOffset;
  /// The thread's address for each constant that is XORed with its bits.
  std::map<uint64_t, mlir::Value> starts;
};

/// st.shared of what packElements gave, where `predicate` is true: inline PTX,
/// since LLVM has no predicated store and a branch would cut the block.
void emitPredicatedSharedStore(Emitter &emitter, mlir::Value pointer,
                               mlir::Value packed, mlir::Value predicate);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H
