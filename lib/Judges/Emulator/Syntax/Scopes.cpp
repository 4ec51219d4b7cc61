// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks names up. A register of a range is entered as a symbol of its own when
// it is first used: the memory is in proportion to the text, not to the ranges.

#include "lib/Judges/Emulator/Syntax/Scopes.h"

#include <charconv>

using namespace tilewright::emulator;

namespace {
constexpr size_t noScope = SIZE_MAX;

/// The ways to split a name into a prefix and a number without leading zeros.
/// Numbers of more than seven digits are beyond every range.
class NumberSplits {
public:
  explicit NumberSplits(std::string_view name) : name(name) {}

  /// Goes to the next split; false if there is none.
  bool next() {
    while (digits < 7 && digits + 1 < name.size()) {
      char digit = name[name.size() - digits - 1];
      if (digit < '0' || digit > '9')
        return false;
      ++digits;
      if (digit == '0' && digits > 1)
        continue;
      const char *end = name.data() + name.size();
      std::from_chars(end - digits, end, number);
      return true;
    }
    return false;
  }

  std::string_view prefix() const {
    return name.substr(0, name.size() - digits);
  }
  uint32_t number = 0;

private:
  std::string_view name;
  size_t digits = 0;
};

bool isLabelLike(SymbolKind kind) {
  return kind == SymbolKind::Label || kind == SymbolKind::BranchTargets ||
         kind == SymbolKind::Prototype;
}

bool satisfies(SymbolKind kind, LabelUse::Need need) {
  switch (need) {
  case LabelUse::Need::Label:
    return kind == SymbolKind::Label;
  case LabelUse::Need::BranchTargets:
    return kind == SymbolKind::BranchTargets;
  case LabelUse::Need::Any:
    return true;
  }
  return false;
}
} // namespace

Symbol *Scopes::findIn(Scope &scope, std::string_view name) {
  auto found = scope.symbols.find(name);
  if (found != scope.symbols.end())
    return &found->second;
  if (scope.ranges.empty())
    return nullptr;
  for (NumberSplits split(name); split.next();) {
    auto range = scope.ranges.find(split.prefix());
    if (range == scope.ranges.end() || split.number >= range->second.count)
      continue;
    Symbol symbol{SymbolKind::Register, range->second.type};
    return &scope.symbols.emplace(name, symbol).first->second;
  }
  return nullptr;
}

Symbol *Scopes::findInnermost(std::string_view name) const {
  return findIn(scopes.back(), name);
}

Symbol *Scopes::findOutermost(std::string_view name) const {
  return findIn(scopes.front(), name);
}

Symbol *Scopes::find(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (Symbol *symbol = findIn(*scope, name))
      return symbol;
  return nullptr;
}

bool Scopes::repeats(std::string_view name, TextLocation location) {
  return cursor.fail(location, join({"expects a new name, but ", quote(name),
                                     " is declared in this scope"}));
}

/// The name itself if neither the function nor the module has it, else the
/// first of "name", "name" that is free.
std::string_view Scopes::pickFlatName(std::string_view name) {
  bool isTaken = scopes.front().symbols.contains(name);
  auto [entry, isNew] = flatNames.try_emplace(name, 1);
  if (isNew && !isTaken)
    return name;
  // References into the map stay valid while it grows.
  uint32_t &number = entry->second;
  for (;;) {
    std::string invented = join({name, "$", std::to_string(number++)});
    if (flatNames.contains(invented) ||
        scopes.front().symbols.contains(invented))
      continue;
    const std::string &kept = inventedNames.emplace_back(std::move(invented));
    flatNames.emplace(kept, 1);
    return kept;
  }
}

/// Declares the name in the scope of this depth.
Symbol *Scopes::enter(size_t depth, std::string_view name,
                      TextLocation location, Symbol symbol) {
  Scope &scope = scopes[depth];
  if (findIn(scope, name)) {
    repeats(name, location);
    return nullptr;
  }
  for (NumberSplits split(name); split.next();) {
    auto [entry, isNew] =
        scope.leastNumbers.try_emplace(split.prefix(), split.number);
    if (!isNew && split.number < entry->second)
      entry->second = split.number;
  }
  symbol.flatName = name;
  if (symbol.kind == SymbolKind::Parameter)
    flatNames.try_emplace(name, 1);
  else if (depth > 0 && symbol.kind != SymbolKind::Register)
    symbol.flatName = pickFlatName(name);
  return &scope.symbols.emplace(name, symbol).first->second;
}

Symbol *Scopes::declare(std::string_view name, TextLocation location,
                        Symbol symbol) {
  return enter(scopes.size() - 1, name, location, symbol);
}

Symbol *Scopes::declareOutermost(std::string_view name, TextLocation location,
                                 Symbol symbol) {
  return enter(0, name, location, symbol);
}

bool Scopes::declareRange(std::string_view prefix, TextLocation location,
                          uint32_t count, DataType type) {
  Scope &scope = scopes.back();
  auto least = scope.leastNumbers.find(prefix);
  if (least != scope.leastNumbers.end() && least->second < count)
    return repeats(join({prefix, std::to_string(least->second)}), location);
  if (!scope.ranges.try_emplace(prefix, Range{count, type}).second)
    return repeats(prefix, location);
  return true;
}

/// Gives the use its name if the scope of this depth has it, or has what it
/// means otherwise.
bool Scopes::settle(const PendingUse &pending, size_t depth) {
  const Scope &scope = scopes[depth];
  auto found = scope.symbols.find(pending.use.name);
  if (found != scope.symbols.end() && isLabelLike(found->second.kind) &&
      satisfies(found->second.kind, pending.use.need)) {
    *pending.use.target = found->second.flatName;
    return true;
  }
  return pending.candidate == depth;
}

void Scopes::use(const LabelUse &use) {
  size_t innermost = scopes.size() - 1;
  PendingUse pending{use, noScope};
  for (size_t depth = scopes.size(); depth-- > 0;) {
    auto found = scopes[depth].symbols.find(use.name);
    if (found == scopes[depth].symbols.end() ||
        !satisfies(found->second.kind, use.need))
      continue;
    *use.target = found->second.flatName;
    pending.candidate = depth;
    break;
  }
  // A label of later text may be nearer.
  if (pending.candidate != innermost)
    scopes.back().uses.push_back(pending);
}

bool Scopes::close() {
  size_t inner = scopes.size() - 1;
  Scope &outer = scopes[inner - 1];
  for (const PendingUse &pending : scopes.back().uses) {
    if (settle(pending, inner))
      continue;
    if (inner > 1) {
      outer.uses.push_back(pending);
    } else if (pending.candidate == noScope) {
      constexpr std::string_view wanted[] = {"a declared name", "a label",
                                             "a label of '.branchtargets'"};
      return cursor.unexpected(wanted[static_cast<unsigned>(pending.use.need)],
                               pending.use.name, pending.use.location);
    }
  }
  scopes.pop_back();
  if (scopes.size() == 1) {
    flatNames.clear();
    inventedNames.clear();
  }
  return true;
}
