// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the values of options are those that their rows allow.

#include "dialects/Target/Device.h"
#include "dialects/Target/Target.h"
#include "lib/Compiler/Compiler.h"
#include "lib/Compiler/LaunchOption.h"

#include <bit>

using namespace tilewright;
using namespace tilewright::compiler;
using Kind = AllowedValues::Kind;

namespace {

/// Keeps what is wrong with the first option that is.
class OptionCheck {
public:
  explicit OptionCheck(OptionSpelling spelling) : spelling(spelling) {}

  void operator()(const OptionRow &row, uint32_t value) {
    const AllowedValues &allowed = row.allowed;
    bool isPower = allowed.kind == Kind::PowersOfTwo;
    if (!isPower && allowed.kind != Kind::Numbers)
      return;
    if (value >= allowed.lowest && value <= allowed.highest &&
        (!isPower || std::has_single_bit(value)))
      return;
    refuse(row,
           (isPower ? "a power of two from " : "from ") +
               std::to_string(allowed.lowest) + " to " +
               std::to_string(allowed.highest),
           std::to_string(value));
  }

  void operator()(const OptionRow &row, const std::string &value) {
    if (row.allowed.kind == Kind::DeviceNames && !value.empty() &&
        !target::lookupDevice(value))
      keep(target::unknownDeviceMessage(value));
  }

  void operator()(const OptionRow &row,
                  const std::vector<std::string> &values) {
    if (row.allowed.kind == Kind::Launches)
      if (std::optional<std::string> wrong = LaunchOption::findWrong(values))
        refuse(row,
               "XxYxZ and NAME=VALUE behind it, with integers, X from 1 to "
               "2147483647, Y and Z from 1 to 65535",
               "'" + *wrong + "'");
    for (const std::string &value : values) {
      if (row.allowed.kind == Kind::TargetNames && !target::lookup(value))
        keep(target::unknownTargetMessage(value));
      if (row.allowed.kind == Kind::Replacements &&
          value.find('=') == std::string::npos)
        refuse(row, std::string(row.value), "'" + value + "'");
    }
  }

  /// The other types have no value that is not allowed.
  template <typename Value>
  void operator()(const OptionRow &, const Value &) {}

  std::optional<std::string> problem;

private:
  void refuse(const OptionRow &row, std::string expected, std::string found) {
    std::string name = spelling == OptionSpelling::Flag && !row.flag.empty()
                           ? "--" + std::string(row.flag)
                           : std::string(row.name);
    keep("expects " + name + " to be " + expected + ", but got " + found);
  }
  void keep(std::string text) {
    if (!problem)
      problem = std::move(text);
  }

  OptionSpelling spelling;
};

} // namespace

std::optional<std::string> compiler::findProblem(const CompileOptions &options,
                                                 OptionSpelling spelling) {
  OptionCheck check(spelling);
  forEachCompileOption(
      [&](const OptionRow &row, auto member) { check(row, options.*member); });
  return std::move(check.problem);
}
