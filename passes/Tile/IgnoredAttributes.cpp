// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/IgnoredAttributes.h"

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

/// Whether somebody reads the attribute: what is known of numbers and pointers
/// (dialects/Interfaces/AxisRules.cpp), how loops overlap, and what our own
/// passes write.
static bool isRead(StringRef name) {
  return llvm::is_contained(
      {StringRef("tt.divisibility"), StringRef("tt.contiguity"),
       StringRef("tt.constancy"), StringRef(tt::descriptorRanksAttrName),
       StringRef(tt::numStagesAttrName)},
      name);
}

static void remarkIgnored(Location location, StringRef name) {
  if (!name.starts_with("tt.") && !name.starts_with("ttg."))
    return;
  if (isRead(name))
    return;
  auto options =
      remark::RemarkOpts::name("ignored-attribute").category("tile-ir");
  remark::missed(location, options)
      << (Twine("ignores ") + name + ", which is a hint").str();
}

void tile::remarkIgnoredAttributes(ModuleOp module) {
  module->walk<WalkOrder::PreOrder>([](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      remarkIgnored(op->getLoc(), attribute.getName());
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      for (NamedAttribute attribute : function.getArgAttrs(index))
        remarkIgnored(function.getArgument(index).getLoc(),
                      attribute.getName());
  });
}
