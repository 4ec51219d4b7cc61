// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation is asked for, and what it says: the options and forms of
// tilewright-c/CompileOptions.def as C++, for programs that embed the compiler
// and for the compiler itself.

#ifndef TILEWRIGHT_COMPILEOPTIONS_H
#define TILEWRIGHT_COMPILEOPTIONS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A message about the source.
struct Diagnostic {
  /// As tilewright_severity.
  enum class Severity : uint32_t { Note, Remark, Warning, Error };
  Severity severity = Severity::Error;
  /// Source file, line and column (from 1), where the location is known.
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string message;
};

/// Which remarks a compilation makes about what it does with a kernel.
enum class Remarks : uint32_t {
#define TILEWRIGHT_REMARKS_VALUE(ENUMERATOR, ...) ENUMERATOR,
#include "tilewright-c/CompileOptions.def"
};

/// What is wanted of a way to make code that is not always the faster one.
enum class Preference : uint32_t {
#define TILEWRIGHT_PREFERENCE_VALUE(ENUMERATOR, ...) ENUMERATOR,
#include "tilewright-c/CompileOptions.def"
};

/// The forms that a compilation goes through, in order.
enum class Emit : uint32_t {
#define TILEWRIGHT_EMIT_FORM(ENUMERATOR, ...) ENUMERATOR,
#include "tilewright-c/CompileOptions.def"
};

/// What to compile, and for what. A member for each row of CompileOptions.def,
/// which says what it is.
struct CompileOptions {
  using Switch = bool;
  using Number = uint32_t;
  using Text = std::string;
  using List = std::vector<std::string>;
  using Remarks = tilewright::Remarks;
  using Preference = tilewright::Preference;

#define TILEWRIGHT_COMPILE_OPTION(KIND, NAME, MEMBER, FLAG, DEFAULT, ...)      \
  KIND MEMBER = DEFAULT;
#include "tilewright-c/CompileOptions.def"

  /// Receives every diagnostic, in order; it must not throw. None: they are
  /// dropped.
  std::function<void(const Diagnostic &)> onDiagnostic;
};

//===----------------------------------------------------------------------===//
// The rows, for who goes through all of them
//===----------------------------------------------------------------------===//

/// Which values of its type an option may have.
struct AllowedValues {
  enum class Kind : uint8_t {
    Anything,
    Numbers,
    PowersOfTwo,
    TargetNames,
    Replacements, ///< OLD=NEW
    DeviceNames,  ///< or nothing
    Launches      ///< XxYxZ, and behind it NAME=VALUE
  };
  Kind kind = Kind::Anything;
  /// Of Numbers and PowersOfTwo.
  uint32_t lowest = 0, highest = 0;
};

/// What an option changes of a program.
enum class OptionEffect : uint8_t { None, Lines, Code };

/// What a row says of an option.
struct OptionRow {
  std::string_view kind, name, flag;
  AllowedValues allowed;
  OptionEffect effect;
  std::string_view value, text;
};

/// A value of an option that has a few, or a form.
template <typename Value>
struct NamedValue {
  Value value;
  std::string_view name, text;
};

/// How many outputs a form has.
enum class Outputs : uint8_t { EachTarget, One, Two };

struct EmitForm : NamedValue<Emit> {
  Outputs outputs;
};

inline constexpr NamedValue<Remarks> remarksValues[] = {
#define TILEWRIGHT_REMARKS_VALUE(ENUMERATOR, C_NAME, NAME, TEXT)               \
  {Remarks::ENUMERATOR, NAME, TEXT},
#include "tilewright-c/CompileOptions.def"
};

inline constexpr NamedValue<Preference> preferenceValues[] = {
#define TILEWRIGHT_PREFERENCE_VALUE(ENUMERATOR, C_NAME, NAME, TEXT)            \
  {Preference::ENUMERATOR, NAME, TEXT},
#include "tilewright-c/CompileOptions.def"
};

inline constexpr EmitForm emitForms[] = {
#define TILEWRIGHT_EMIT_FORM(ENUMERATOR, NAME, OUTPUTS, TEXT)                  \
  {{Emit::ENUMERATOR, NAME, TEXT}, Outputs::OUTPUTS},
#include "tilewright-c/CompileOptions.def"
};

/// The values of an option that has a few.
constexpr std::span<const NamedValue<Remarks>> valuesOf(Remarks) {
  return remarksValues;
}
constexpr std::span<const NamedValue<Preference>> valuesOf(Preference) {
  return preferenceValues;
}

/// What a flag without a value asks for.
constexpr Remarks bareValueOf(Remarks) { return Remarks::All; }
constexpr Preference bareValueOf(Preference) { return Preference::On; }

/// The row of a form.
constexpr const EmitForm &describe(Emit form) {
  return emitForms[static_cast<uint32_t>(form)];
}

/// The form of that name, if there is one.
constexpr std::optional<Emit> findEmitForm(std::string_view name) {
  for (const EmitForm &form : emitForms)
    if (form.name == name)
      return form.value;
  return std::nullopt;
}

/// Calls `visit(row, member)` for each option, with a const OptionRow & and a
/// pointer to the member of CompileOptions, whose type says the kind.
template <typename Visitor>
void forEachCompileOption(Visitor &&visit) {
  using Kind = AllowedValues::Kind;
  auto anything = [] { return AllowedValues(); };
  auto targetNames = [] { return AllowedValues{Kind::TargetNames}; };
  auto replacements = [] { return AllowedValues{Kind::Replacements}; };
  auto deviceNames = [] { return AllowedValues{Kind::DeviceNames}; };
  auto launches = [] { return AllowedValues{Kind::Launches}; };
  auto numbers = [](uint32_t lowest, uint32_t highest) {
    return AllowedValues{Kind::Numbers, lowest, highest};
  };
  auto powersOfTwo = [](uint32_t lowest, uint32_t highest) {
    return AllowedValues{Kind::PowersOfTwo, lowest, highest};
  };
#define TILEWRIGHT_COMPILE_OPTION(KIND, NAME, MEMBER, FLAG, DEFAULT, ALLOWED,  \
                                  EFFECT, VALUE, TEXT)                         \
  visit(OptionRow{#KIND, #NAME, FLAG, ALLOWED, OptionEffect::EFFECT, VALUE,    \
                  TEXT},                                                       \
        &CompileOptions::MEMBER);
#include "tilewright-c/CompileOptions.def"
}

} // namespace tilewright

#endif // TILEWRIGHT_COMPILEOPTIONS_H
