// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/SymbolNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace tilewright;
using llvm::StringRef;

/// Kernels whose names are spelt otherwise begin so.
static constexpr llvm::StringLiteral mangledPrefix = "$tw$";
/// PTX ISA, "Identifiers": implementations take at least so many letters.
static constexpr size_t longestSymbol = 1024;

/// Letters of identifiers, behind the first.
static bool isFollowing(char letter) {
  return llvm::isAlnum(letter) || letter == '_' || letter == '$';
}

static bool isIdentifier(StringRef name) {
  if (name.empty() || name.size() > longestSymbol)
    return false;
  // '$' and '%' may begin identifiers, too: of registers and labels here.
  bool begins = llvm::isAlpha(name[0]) || (name[0] == '_' && name.size() > 1);
  return begins && llvm::all_of(name.drop_front(), isFollowing);
}

/// Words that mean something else in a module: the one word that CUDA 13's
/// assembler keeps for itself (it takes the names of instructions), functions
/// of the driver, and what the lowering defines.
static bool isReserved(StringRef name) {
  return llvm::is_contained({"WARP_SZ", "vprintf", "__assertfail", "malloc",
                             "free", "__nvvm_reflect"},
                            name) ||
         name.starts_with("__tilewright_") || name.starts_with("tilewright_");
}

std::string tilegpu::getPtxSymbol(StringRef name) {
  if (isIdentifier(name) && !isReserved(name))
    return name.str();
  std::string symbol = mangledPrefix.str();
  for (char letter : name.take_front(longestSymbol))
    symbol += llvm::isAlnum(letter) ? std::string(1, letter)
                                    : "_" + llvm::toHex(StringRef(&letter, 1));
  if (name.size() <= longestSymbol && symbol.size() <= longestSymbol)
    return symbol;
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(name));
  std::string digest = "$" + llvm::toHex(hash);
  return symbol.substr(0, longestSymbol - digest.size()) + digest;
}
