// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How weights are coded and packed.

#ifndef TILEWRIGHT_DIALECTS_TILE_ATTRIBUTES_TD
#define TILEWRIGHT_DIALECTS_TILE_ATTRIBUTES_TD

include "dialects/Tile/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class TileEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tile";
}

/// What a code of `bits` bits stands for.
def CodeFormat : TileEnum<"CodeFormat", "what a code stands for", [
  I32EnumAttrCase<"UnsignedInteger", 0, "unsigned">,
  I32EnumAttrCase<"SignedInteger", 1, "signed">,
  I32EnumAttrCase<"CodeBook", 2, "code_book">,
  I32EnumAttrCase<"E2M1", 3, "e2m1">,
  I32EnumAttrCase<"E4M3", 4, "e4m3">,
  I32EnumAttrCase<"E5M2", 5, "e5m2">]>;

/// Where the codes of one word stand in it.
def PackingOrder : TileEnum<"PackingOrder", "order of the codes in a word", [
  I32EnumAttrCase<"LowFirst", 0, "low_first">,
  I32EnumAttrCase<"HighFirst", 1, "high_first">,
  I32EnumAttrCase<"EvenFirst", 2, "even_first">]>;

#endif // TILEWRIGHT_DIALECTS_TILE_ATTRIBUTES_TD
