// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of a compilation as flags of a command: one for each row of
// tilewright-c/CompileOptions.def that names one.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEFLAGS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEFLAGS_H

#include "tilewright/CompileOptions.h"
#include "llvm/Support/CommandLine.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace tilewright::driver {

class CompileFlags {
public:
  /// Adds the flags to a command. `defaults`: what holds where they are not
  /// given.
  explicit CompileFlags(
      llvm::cl::OptionCategory &category,
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel(),
      CompileOptions defaults = {});

  /// What the command line says, or nothing after a message. `source`: the file
  /// that is compiled.
  std::optional<CompileOptions> parse(llvm::StringRef source) const;
  /// The first flag that the command line has, or "".
  llvm::StringRef firstGiven() const;

private:
  template <typename Flag>
  Flag &add(const OptionRow &row, std::string defaultText);
  void addFlag(const OptionRow &row, bool CompileOptions::*member);
  void addFlag(const OptionRow &row, uint32_t CompileOptions::*member);
  void addFlag(const OptionRow &row, std::string CompileOptions::*member);
  void addFlag(const OptionRow &row,
               std::vector<std::string> CompileOptions::*member);
  /// Enumerations.
  template <typename Value>
  void addFlag(const OptionRow &row, Value CompileOptions::*member);

  llvm::cl::OptionCategory &category;
  llvm::cl::SubCommand &command;
  CompileOptions defaults;
  std::vector<std::unique_ptr<llvm::cl::Option>> flags;
  /// What takes over the value of each flag.
  std::vector<std::function<void(CompileOptions &)>> readers;
  /// Explanations, which flags only point to.
  std::deque<std::string> texts;
};

/// Makes the names of `values` those of a flag's values.
template <typename Flag, typename Values>
void addValues(Flag &flag, const Values &values) {
  for (const auto &value : values)
    flag.getParser().addLiteralOption(llvm::StringRef(value.name), value.value,
                                      llvm::StringRef(value.text));
}

} // namespace tilewright::driver

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEFLAGS_H
