// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/WrittenSize.h"

#include "lib/Compiler/ParserLimits.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Of a type or attribute. Saturates.
struct Size {
  uint64_t parts = 1;
  uint64_t depth = 1;

  bool isTooLarge() const {
    return parts > compiler::maximumWrittenSize ||
           depth > compiler::maximumNesting;
  }

  void add(const Size &inner) {
    parts = llvm::SaturatingAdd(parts, inner.parts);
    depth = std::max(depth, inner.depth + 1);
  }
};

/// A type or an attribute.
using Part = const void *;

/// The sizes of the types and attributes of a module. What is within each other
/// is visited from a list, not by calls: it may be nested deeply.
class Sizes {
public:
  template <typename T>
  Size measure(T whole) {
    visit(whole);
    while (!left.empty()) {
      // Twice: before what is in it, and behind that.
      auto [part, isKnown] = left.pop_back_val();
      if (isKnown)
        finish(part);
      else
        open(part);
    }
    return sizes.lookup(whole.getAsOpaquePointer());
  }

private:
  using Either = llvm::PointerUnion<Attribute, Type>;

  static Part getKey(Either part) {
    return isa<Type>(part) ? cast<Type>(part).getAsOpaquePointer()
                           : cast<Attribute>(part).getAsOpaquePointer();
  }

  template <typename Function>
  static void walk(Either part, Function visitor) {
    if (auto type = dyn_cast<Type>(part))
      type.walkImmediateSubElements(visitor, visitor);
    else
      cast<Attribute>(part).walkImmediateSubElements(visitor, visitor);
  }

  void visit(Either part) {
    if (part && !sizes.contains(getKey(part)))
      left.emplace_back(part, /*isKnown=*/false);
  }

  void open(Either part) {
    if (!sizes.insert({getKey(part), Size()}).second)
      return;
    left.emplace_back(part, /*isKnown=*/true);
    walk(part, [&](auto inner) { visit(inner); });
  }

  void finish(Either part) {
    Size size;
    walk(part, [&](auto inner) {
      if (inner)
        size.add(sizes.lookup(inner.getAsOpaquePointer()));
    });
    sizes[getKey(part)] = size;
  }

  DenseMap<Part, Size> sizes;
  SmallVector<std::pair<Either, bool>> left;
};

} // namespace

/// What `place` is to have: "an alias", "types".
static LogicalResult refuse(Location place, StringRef what) {
  return emitError(place) << "expects " << what << " of at most "
                          << compiler::maximumWrittenSize << " parts, "
                          << compiler::maximumNesting
                          << " of them within each other, but got more";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The name that a line of `#name = …` or `!name = …` defines, or "".
static StringRef findDefinedName(StringRef line) {
  if (!line.starts_with("#") && !line.starts_with("!"))
    return "";
  auto [name, value] = line.split('=');
  name = name.rtrim();
  return value.empty() || name.contains(' ') ? "" : name;
}

/// What `definition` stands for, by the aliases that it names.
static Size measureDefinition(StringRef definition,
                              const llvm::StringMap<Size> &known) {
  Size size;
  for (size_t at = 0; at < definition.size();) {
    if (definition[at] != '#' && definition[at] != '!') {
      ++at;
      continue;
    }
    StringRef name = definition.drop_front(at).take_while([](char letter) {
      return llvm::isAlnum(letter) || StringRef("#!_$.-").contains(letter);
    });
    // Of a dialect's own where it is no alias.
    size.add(known.lookup(name));
    at += name.size();
  }
  return size;
}

LogicalResult compiler::verifyAliases(StringRef text, StringRef fileName,
                                      MLIRContext &context) {
  llvm::StringMap<Size> known;
  unsigned number = 0;
  for (StringRef rest = text; !rest.empty();) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    ++number;
    StringRef name = findDefinedName(line);
    if (name.empty())
      continue;
    // What further lines of a definition say shows in the module itself.
    Size size = measureDefinition(line.drop_front(name.size()), known);
    if (size.isTooLarge())
      return refuse(FileLineColLoc::get(&context, fileName, number, 1),
                    "an alias");
    known[name] = size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

LogicalResult compiler::verifyWrittenSizes(ModuleOp module) {
  Sizes sizes;
  auto isTooLarge = [&](auto part) { return sizes.measure(part).isTooLarge(); };
  WalkResult result = module->walk([&](Operation *op) {
    bool hasLarge = llvm::any_of(op->getAttrs(),
                                 [&](NamedAttribute attribute) {
                                   return isTooLarge(attribute.getValue());
                                 }) ||
                    llvm::any_of(op->getResultTypes(), isTooLarge);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        hasLarge |= llvm::any_of(block.getArgumentTypes(), isTooLarge);
    if (!hasLarge)
      return WalkResult::advance();
    return WalkResult(refuse(op->getLoc(), "types and attributes"));
  });
  return failure(result.wasInterrupted());
}
