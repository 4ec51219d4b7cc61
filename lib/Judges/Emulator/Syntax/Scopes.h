// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which name means what: scopes inside one another, ranges of registers, labels
// that are used before they stand, and the names that remain when scopes are
// flat. In: declarations and uses in the order of the text.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SCOPES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SCOPES_H

#include "lib/Judges/Emulator/Syntax/Cursor.h"

#include <deque>
#include <string>
#include <unordered_map>

namespace tilewright::emulator {

enum class SymbolKind : uint8_t {
  Register,
  Variable,
  Parameter,
  Function,
  Label,
  BranchTargets,
  /// `.callprototype` and `.calltargets`.
  Prototype,
};

/// What a name stands for.
struct Symbol {
  static constexpr uint32_t none = UINT32_MAX;

  SymbolKind kind;
  /// Of registers.
  DataType type = DataType::B32;
  /// A register's or function's number in its list; none: it has none yet.
  uint32_t index = none;
  /// What variables and labels are called once scopes are flat.
  std::string_view flatName = {};
};

/// A name in an operand or list that may be a label, also of later text.
struct LabelUse {
  /// Which kinds of symbols may stand there.
  enum class Need : uint8_t { Any, Label, BranchTargets };

  std::string_view name;
  TextLocation location;
  Need need = Need::Any;
  /// Where the flat name goes.
  std::string *target = nullptr;
};

/// The scopes around the present place of the text. The outermost one is the
/// module's; names must live as long as this (they are parts of the text).
class Scopes {
public:
  explicit Scopes(Cursor &cursor) : cursor(cursor), scopes(1) {}

  /// The scopes that are open, the module's included.
  size_t depth() const { return scopes.size(); }
  void open() { scopes.emplace_back(); }
  /// Ends the innermost scope and settles the uses of its labels. Fails if it
  /// is the outermost of a function and a name remains unknown.
  bool close();

  /// Declares a name in the innermost scope; fails if that has it. In functions
  /// it picks the flat name: the name itself, or "name" if that is taken.
  Symbol *declare(std::string_view name, TextLocation location, Symbol symbol);
  /// The same in the module's scope.
  Symbol *declareOutermost(std::string_view name, TextLocation location,
                           Symbol symbol);
  /// Declares the registers PREFIX0 to PREFIX<count - 1>, without taking memory
  /// for each.
  bool declareRange(std::string_view prefix, TextLocation location,
                    uint32_t count, DataType type);

  /// What the name means here; null if it is unknown. Valid until the next
  /// declaration.
  Symbol *find(std::string_view name) const;
  /// What the name means in the innermost scope itself.
  Symbol *findInnermost(std::string_view name) const;
  /// What the name means in the module's scope.
  Symbol *findOutermost(std::string_view name) const;

  /// Gives `use.target` its name, now or when scopes close.
  void use(const LabelUse &use);

private:
  struct Range {
    uint32_t count;
    DataType type;
  };
  struct PendingUse {
    LabelUse use;
    /// The scope that has what the name means if no label comes; none.
    size_t candidate;
  };
  struct Scope {
    /// Registers of ranges are entered when they are first looked up.
    std::unordered_map<std::string_view, Symbol> symbols;
    /// By their prefix.
    std::unordered_map<std::string_view, Range> ranges;
    /// For each name that ends in a number, split in every way: by the prefix
    /// the least number, so that a later range knows what it would repeat.
    std::unordered_map<std::string_view, uint32_t> leastNumbers;
    std::vector<PendingUse> uses;
  };

  static Symbol *findIn(Scope &scope, std::string_view name);
  Symbol *enter(size_t depth, std::string_view name, TextLocation location,
                Symbol symbol);
  bool settle(const PendingUse &pending, size_t depth);
  std::string_view pickFlatName(std::string_view name);
  bool repeats(std::string_view name, TextLocation location);

  Cursor &cursor;
  /// Looking up enters registers of ranges.
  mutable std::deque<Scope> scopes;
  /// Flat names of the present function, with the next number to try behind
  /// them.
  std::unordered_map<std::string_view, uint32_t> flatNames;
  /// Holds the flat names that the text does not.
  std::deque<std::string> inventedNames;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SCOPES_H
