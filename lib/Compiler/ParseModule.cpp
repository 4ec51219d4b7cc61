// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser stops at an operation that it does not know, before it has read
// its location. So the text is searched for such operations then: each begins a
// line, and its location ends the line on which its brackets close.

#include "lib/Compiler/ParseModule.h"

#include "lib/Compiler/ParserLimits.h"
#include "lib/Compiler/WrittenSize.h"

#include "dialects/Triton/TextLocation.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// An operation of no registered name.
struct UnknownOp {
  StringRef name;
  /// What its `loc` says, or "".
  StringRef location;
  unsigned line, column;
};

} // namespace

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

static bool isKnown(StringRef name, MLIRContext &context) {
  // Dialects are loaded as the parser meets them.
  return context.getOrLoadDialect(name.split('.').first) &&
         RegisteredOperationName::lookup(name, &context).has_value();
}

/// The name of the operation that the line begins with, or "".
static StringRef findName(StringRef line) {
  static const llvm::Regex pattern(
      "^ *(%[^=]*= *)?\"?([a-z_][a-z0-9_]*\\.[A-Za-z0-9_.$]+)\"?($|[ (])");
  SmallVector<StringRef> parts;
  return pattern.match(line, &parts) ? parts[2] : StringRef();
}

/// The first line of `text` on which all brackets that it opens are closed.
static StringRef findLastLine(StringRef text) {
  int depth = 0;
  bool inString = false;
  size_t start = 0;
  for (size_t index = 0; index < text.size(); ++index) {
    char letter = text[index];
    if (inString) {
      index += letter == '\\';
      inString = letter != '"';
    } else if (letter == '"') {
      inString = true;
    } else if (StringRef("([{").contains(letter)) {
      ++depth;
    } else if (StringRef(")]}").contains(letter)) {
      --depth;
    } else if (letter == '\n') {
      if (depth <= 0)
        return text.slice(start, index);
      start = index + 1;
    }
  }
  return text.drop_front(start);
}

/// The `loc(...)` at the end of a line, or "".
static StringRef findLocation(StringRef line) {
  line = line.rtrim();
  size_t at = line.rfind(" loc(");
  return at != StringRef::npos && line.ends_with(")") ? line.drop_front(at + 1)
                                                      : StringRef();
}

/// One for each name.
static SmallVector<UnknownOp> findUnknownOps(StringRef text,
                                             MLIRContext &context) {
  SmallVector<UnknownOp> ops;
  llvm::StringSet<> names;
  unsigned number = 0;
  for (StringRef rest = text; !rest.empty();) {
    StringRef line = rest.take_until([](char each) { return each == '\n'; });
    ++number;
    StringRef name = findName(line);
    if (!name.empty() && !isKnown(name, context) && names.insert(name).second)
      ops.push_back({name, findLocation(findLastLine(rest)), number,
                     unsigned(name.data() - line.data()) + 1});
    rest = rest.drop_front(std::min(rest.size(), line.size() + 1));
  }
  return ops;
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// The lines of `text` that define names of locations.
static std::string findLocationAliases(StringRef text) {
  std::string aliases;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (line.starts_with("#loc"))
      aliases += line.str() + "\n";
  return aliases;
}

/// What `location` stands for: the parser reads it off an empty module.
static Location readLocation(const UnknownOp &op, StringRef aliases,
                             StringRef fileName, MLIRContext &context) {
  Location place = FileLineColLoc::get(&context, fileName, op.line, op.column);
  if (op.location.empty())
    return place;
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      (aliases + "module {} " + op.location).str(), &context);
  return module && !isa<UnknownLoc>(module->getLoc()) ? module->getLoc()
                                                      : place;
}

/// Whether there was one to be reported.
static bool reportUnknownOps(const llvm::MemoryBuffer &buffer,
                             MLIRContext &context) {
  StringRef text = buffer.getBuffer();
  SmallVector<UnknownOp> ops = findUnknownOps(text, context);
  std::string aliases = findLocationAliases(text);
  for (const UnknownOp &op : ops)
    emitError(readLocation(op, aliases, buffer.getBufferIdentifier(), context))
        << "expects an operation of tile IR that is known here "
           "(docs/TritonIR.md lists them), but got '"
        << op.name << "'";
  return !ops.empty();
}

static bool hasLine(Location location) {
  return location->findInstanceOf<FileLineColLoc>() != nullptr;
}

/// Gives operations whose authors gave no line their places in the text.
static void placeOperations(const AsmParserState &state,
                            const llvm::SourceMgr &sources,
                            MLIRContext &context) {
  StringRef name =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  for (const AsmParserState::OperationDefinition &each : state.getOpDefs()) {
    if (hasLine(each.op->getLoc()) || !each.loc.isValid())
      continue;
    auto [line, column] = sources.getLineAndColumn(each.loc.Start);
    each.op->setLoc(
        tt::getTextLocation(FileLineColLoc::get(&context, name, line, column)));
  }
}

/// The module that the text says, or null where the parser refuses it.
static OwningOpRef<ModuleOp> parseText(const llvm::SourceMgr &sources,
                                       MLIRContext &context) {
  Block block;
  AsmParserState state;
  const ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  placeOperations(state, sources, context);
  StringRef name =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  // Of a module that nobody writes, around a text of functions.
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, &context, FileLineColLoc::get(&context, name, 1, 1));
}

/// Whether the parser may be given `buffer`; emits an error where not.
static LogicalResult verifyText(const llvm::MemoryBuffer &buffer,
                                MLIRContext &context) {
  StringRef text = buffer.getBuffer(), name = buffer.getBufferIdentifier();
  if (isBytecode(buffer))
    return emitError(FileLineColLoc::get(&context, name, 1, 1))
           << "expects tile IR as text, but got MLIR's bytecode; "
              "'tilewright-opt FILE -o FILE.mlir' writes it as text";
  for (auto verifyPart :
       {compiler::verifyTextNesting, compiler::verifyResultNumbers,
        compiler::verifyAliases})
    if (failed(verifyPart(text, name, context)))
      return failure();
  return success();
}

OwningOpRef<ModuleOp>
compiler::parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                      MLIRContext &context) {
  const llvm::MemoryBuffer &buffer =
      *sources->getMemoryBuffer(sources->getMainFileID());
  if (failed(verifyText(buffer, context)))
    return nullptr;
  std::vector<Diagnostic> diagnostics;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler keep(&context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back(std::move(diagnostic));
    });
    module = parseText(*sources, context);
    if (module &&
        (failed(verifyWrittenSizes(*module)) || failed(verify(*module))))
      module = nullptr;
  }
  if (!module && reportUnknownOps(buffer, context))
    return module;
  for (Diagnostic &diagnostic : diagnostics)
    context.getDiagEngine().emit(std::move(diagnostic));
  return module;
}
