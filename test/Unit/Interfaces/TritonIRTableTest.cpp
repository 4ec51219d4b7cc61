// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/TritonIR.md has a row for every operation of Triton's that is
// registered, for each of their attributes, and for every operation that has no
// lowering; and no rows for others.

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/Tile/TileIROps.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;
using namespace tilewright;

namespace {

using Rows = std::set<std::pair<std::string, std::string>>;

/// Operations with an attribute, or "".
Rows readRows() {
  auto buffer = llvm::MemoryBuffer::getFile(TILEWRIGHT_DOCS "/TritonIR.md");
  Rows rows;
  if (!buffer)
    return rows;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    SmallVector<StringRef> cells;
    line.split(cells, '|');
    if (cells.size() < 4)
      continue;
    StringRef name = cells[1].trim(), attribute = cells[2].trim();
    if (!name.consume_front("`") || !name.consume_back("`") ||
        name.contains(' '))
      continue;
    bool hasAttribute =
        attribute.consume_front("`") && attribute.consume_back("`");
    rows.insert({name.str(), hasAttribute ? attribute.str() : ""});
  }
  return rows;
}

Rows listRegistered(MLIRContext &context) {
  Rows rows;
  for (StringRef dialect : {"tt", "ttg"})
    for (RegisteredOperationName name : getRegisteredOps(context, dialect)) {
      rows.insert({name.getStringRef().str(), ""});
      for (StringAttr attribute : name.getAttributeNames())
        // MLIR's own.
        if (attribute != "operandSegmentSizes")
          rows.insert({name.getStringRef().str(), attribute.str()});
    }
  for (StringRef dialect : tile::getTileIRDialects())
    for (RegisteredOperationName name : getRegisteredOps(context, dialect))
      if (tile::lacksLowering(name))
        rows.insert({name.getStringRef().str(), ""});
  return rows;
}

} // namespace

TEST(TritonIRTable, hasARowForEachOperationAndAttribute) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Rows written = readRows();
  // Rows of attributes that are not the operation's own, by where they stand.
  Rows expected = listRegistered(context);
  for (const auto &[name, attribute] : expected)
    EXPECT_TRUE(written.count({name, attribute}))
        << "docs/TritonIR.md has no row for '" << name << "' "
        << (attribute.empty() ? "" : "and its attribute ") << attribute;
  for (const auto &[name, attribute] : written)
    EXPECT_TRUE(expected.count({name, attribute}) || name == "scf.for")
        << "docs/TritonIR.md has a row for '" << name << "' " << attribute
        << ", of which there is nothing";
}
