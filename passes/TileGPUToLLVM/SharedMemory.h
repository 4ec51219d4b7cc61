// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What accesses to shared memory share: addresses, words, predicated stores.
// Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H

#include "dialects/Layout/Padding.h"
#include "dialects/Layout/SharedLayout.h"
#include "dialects/TileGPU/TileAccess.h"
#include "passes/TileGPUToLLVM/Lowering.h"

#include <map>

namespace tilewright::tilegpu {

/// The place of the element at `offset` behind the gaps of `padding`, both in
/// elements.
mlir::Value emitPlace(Emitter &emitter, mlir::Value offset,
                      const layout::Padding &padding);

/// Addresses of a thread's registers in a tile.
class SharedAddresses {
public:
  /// `offsets`: (register, lane, warp) -> offset, in elements of `elementBits`;
  /// `base`: the tile's first byte. `exchange`, where given, is another part of
  /// the offset, known at run time, whose bits are among `exchangeBits`.
  SharedAddresses(Emitter &emitter, const layout::LinearLayout &offsets,
                  const layout::Padding &padding, mlir::Value base,
                  unsigned elementBits, mlir::Value exchange = {},
                  uint64_t exchangeBits = 0);
  SharedAddresses(const SharedAddresses &) = delete;
  /// Where register `index` is.
  mlir::Value get(unsigned index);

private:
  mlir::Value getVariableOffset();
  /// The address at the offset whose constant part is `constant`.
  mlir::Value getPadded(uint64_t constant);

  Emitter &emitter;
  const layout::LinearLayout offsets;
  const layout::Padding padding;
  ThreadCoordinates coordinates;
  mlir::Value base;
  mlir::Type element;
  mlir::Value exchange;
  /// The bits of the offset that lanes, warps and `exchange` reach.
  uint64_t variableBits;
  mlir::Value variableOffset;
  /// The thread's address for each constant that is XORed with its bits.
  std::map<uint64_t, mlir::Value> starts;
};

/// Loads the registers of `access`: the value of each register in its order, at
/// its index; none at those of copies. `element` is the LLVM type of one.
llvm::SmallVector<mlir::Value> loadVectors(Emitter &emitter,
                                           const layout::VectorAccess &access,
                                           SharedAddresses &addresses,
                                           unsigned elementBits,
                                           mlir::Type element);

/// Stores the registers of `access`, whose values are at their indices, in the
/// threads where `predicate` is true, or in all where there is none.
void storeVectors(Emitter &emitter, const layout::VectorAccess &access,
                  SharedAddresses &addresses, unsigned elementBits,
                  llvm::ArrayRef<mlir::Value> values,
                  mlir::Value predicate = {});

/// Waits for the warps of the agent that runs the code, or, of one warp, for
/// its lanes.
void emitBarrier(Emitter &emitter, unsigned numWarps);

/// st.shared, or st.shared::cluster, of what packElements gave, where
/// `predicate` is true: inline PTX, since LLVM has no predicated store and a
/// branch would cut the block.
void emitPredicatedSharedStore(Emitter &emitter, mlir::Value pointer,
                               mlir::Value packed, mlir::Value predicate);

/// tilegpu.convert_in_rounds; part of populateConversionPatterns.
void populateConversionRoundsPatterns(const TileGPUTypeConverter &,
                                      const target::Target &,
                                      mlir::RewritePatternSet &);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_SHAREDMEMORY_H
