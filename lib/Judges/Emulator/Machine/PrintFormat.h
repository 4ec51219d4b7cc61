// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf's formats by C's rules, of arguments as vprintf has them: one behind
// the other, each at a multiple of its size, int and long long as 4 and 8
// bytes, float as double.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PRINTFORMAT_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PRINTFORMAT_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::emulator {

/// Where a format's arguments come from. Nothing: they cannot be read, which
/// was reported.
struct PrintArguments {
  /// The 4 or 8 bytes at an offset behind the first argument.
  std::function<std::optional<uint64_t>(uint64_t offset, unsigned bytes)> value;
  /// The text up to its zero, or up to `limit` characters.
  std::function<std::optional<std::string>(uint64_t address, size_t limit)>
      text;
};

struct PrintResult {
  std::string text;
  /// The arguments that were formatted.
  unsigned count = 0;
  /// What is wrong with the format, or "".
  std::string problem;
  /// False where the text is incomplete.
  bool isGood = true;
};

/// Formats with what the device's printf has (CUDA C++ Programming Guide,
/// "Format Specifiers"): lengths `h l ll`, conversions `d i u o x X c s p f e E
/// g G a A %`, `*` for widths.
PrintResult formatPrint(std::string_view format,
                        const PrintArguments &arguments);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PRINTFORMAT_H
