// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dequantize two numbers at a time, in the halves of 32-bit registers,
// where its definition is one multiplication in the result's type. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_DEQUANTIZEPAIRS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_DEQUANTIZEPAIRS_H

#include "dialects/Tile/Tile.h"
#include "passes/TileGPUToLLVM/Lowering.h"

namespace tilewright::tilegpu {

/// Where a code is: its lowest bit in a word of i32, which has other codes
/// around it.
struct CodePlace {
  mlir::Value word;
  unsigned bit;
  /// The power of two of the code's number (DequantizeOp::getExponent), and
  /// what multiplies that, in f32, where lanes have different ones; null: 1.
  unsigned exponent = 0;
  mlir::Value power = {};
};

/// What a thread has of a tile.dequantize, for each of its numbers.
struct DequantizeOperands {
  llvm::SmallVector<CodePlace> codes;
  /// Of the operands' types; zeros are empty where there are none.
  llvm::SmallVector<mlir::Value> scales, zeros;
  /// The thread's registers of the code book.
  llvm::SmallVector<mlir::Value> book;
};

/// (word & mask) ^ flips, in one instruction (PTX ISA, lop3).
mlir::Value maskAndFlip(Emitter &emitter, mlir::Value word, uint32_t mask,
                        uint32_t flips);

/// The entries of a code book, which stand in the lanes, that codes name;
/// `codes` have other bits above their own.
llvm::SmallVector<mlir::Value> lookUpCodes(Emitter &emitter, unsigned bits,
                                           mlir::ValueRange codes,
                                           mlir::ValueRange book);

/// The thread's numbers in the result's type, bit for bit as the op defines
/// them; nothing where they are to be made one by one, in f32.
llvm::SmallVector<mlir::Value>
dequantizeInPairs(Emitter &emitter, const target::Target &target,
                  tile::DequantizeOp op, const DequantizeOperands &operands);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_DEQUANTIZEPAIRS_H
