// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright/CompileFlags.h"

#include "lib/Compiler/Compiler.h"
#include "tools/tilewright/Output.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::driver;
namespace cl = llvm::cl;

CompileFlags::CompileFlags(cl::OptionCategory &category,
                           cl::SubCommand &command, CompileOptions defaults)
    : category(category), command(command), defaults(std::move(defaults)) {
  forEachCompileOption([&](const OptionRow &row, auto member) {
    if (!row.flag.empty())
      addFlag(row, member);
  });
}

/// A flag of the row, of which --help names the default where there is one.
template <typename Flag>
Flag &CompileFlags::add(const OptionRow &row, std::string defaultText) {
  std::string &text = texts.emplace_back(row.text);
  if (!defaultText.empty())
    text += " (default " + defaultText + ")";
  auto flag = std::make_unique<Flag>(
      llvm::StringRef(row.flag), cl::desc(text), cl::cat(category),
      cl::sub(command), cl::value_desc(llvm::StringRef(row.value)));
  Flag &result = *flag;
  flags.push_back(std::move(flag));
  return result;
}

void CompileFlags::addFlag(const OptionRow &row, bool CompileOptions::*member) {
  bool initial = defaults.*member;
  auto &flag = add<cl::opt<bool>>(row, initial ? "true" : "false");
  flag.setInitialValue(initial);
  readers.push_back(
      [&flag, member](CompileOptions &options) { options.*member = flag; });
}

void CompileFlags::addFlag(const OptionRow &row,
                           uint32_t CompileOptions::*member) {
  uint32_t initial = defaults.*member;
  auto &flag = add<cl::opt<unsigned>>(row, std::to_string(initial));
  flag.setInitialValue(initial);
  readers.push_back(
      [&flag, member](CompileOptions &options) { options.*member = flag; });
}

void CompileFlags::addFlag(const OptionRow &row,
                           std::string CompileOptions::*member) {
  const std::string &initial = defaults.*member;
  auto &flag = add<cl::opt<std::string>>(row, initial);
  flag.setInitialValue(initial);
  readers.push_back(
      [&flag, member](CompileOptions &options) { options.*member = flag; });
}

void CompileFlags::addFlag(const OptionRow &row,
                           std::vector<std::string> CompileOptions::*member) {
  auto &flag =
      add<cl::list<std::string>>(row, llvm::join(defaults.*member, ","));
  // Else a comma may be part of a value.
  if (row.value.find(',') != std::string_view::npos)
    flag.setMiscFlag(cl::CommaSeparated);
  readers.push_back([&flag, member](CompileOptions &options) {
    if (!flag.empty())
      (options.*member).assign(flag.begin(), flag.end());
  });
}

template <typename Value>
void CompileFlags::addFlag(const OptionRow &row,
                           Value CompileOptions::*member) {
  Value initial = defaults.*member;
  auto &flag = add<cl::opt<Value>>(row, "");
  flag.setInitialValue(initial);
  flag.setValueExpectedFlag(cl::ValueOptional);
  auto values = valuesOf(initial);
  addValues(flag, values);
  const NamedValue<Value> &bare =
      values[static_cast<size_t>(bareValueOf(initial))];
  flag.getParser().addLiteralOption("", bare.value, llvm::StringRef(bare.text));
  readers.push_back(
      [&flag, member](CompileOptions &options) { options.*member = flag; });
}

llvm::StringRef CompileFlags::firstGiven() const {
  for (const auto &flag : flags)
    if (flag->getNumOccurrences())
      return flag->ArgStr;
  return "";
}

std::optional<CompileOptions>
CompileFlags::parse(llvm::StringRef source) const {
  CompileOptions options = defaults;
  for (const auto &read : readers)
    read(options);
  options.sourceName = source.str();
  if (std::optional<std::string> problem =
          compiler::findProblem(options, compiler::OptionSpelling::Flag)) {
    fail(*problem);
    return std::nullopt;
  }
  return options;
}
