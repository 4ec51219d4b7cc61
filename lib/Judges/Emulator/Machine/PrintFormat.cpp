// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/PrintFormat.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace tilewright::emulator;

/// Widths, precisions, and characters of a `%s` without a precision.
static constexpr int64_t fieldLimit = 4096;
static constexpr size_t textLimit = 1 << 20;

namespace {

/// "%-8.3llx" taken apart.
struct Conversion {
  std::string flags;
  std::optional<int64_t> width, precision;
  std::string length;
  char kind = 0;
};

class Formatter {
public:
  Formatter(std::string_view format, const PrintArguments &arguments)
      : format(format), arguments(arguments) {}

  PrintResult run();

private:
  bool fail(std::string problem);
  bool parseField(std::optional<int64_t> &field);
  bool parseWidth(Conversion &conversion);
  bool parse(Conversion &conversion);
  bool next(unsigned bytes, uint64_t &value);
  bool convert(const Conversion &conversion);
  bool convertText(const Conversion &conversion);
  bool convertInteger(const Conversion &conversion);
  template <typename... Values>
  void print(const Conversion &conversion, const char *length, char kind,
             Values... values);

  std::string_view format;
  const PrintArguments &arguments;
  size_t position = 0;
  /// Of the next argument.
  uint64_t offset = 0;
  PrintResult result;
};

bool Formatter::fail(std::string problem) {
  result.problem = std::move(problem);
  result.isGood = false;
  return false;
}

bool Formatter::next(unsigned bytes, uint64_t &value) {
  offset = (offset + bytes - 1) / bytes * bytes;
  std::optional<uint64_t> found = arguments.value(offset, bytes);
  offset += bytes;
  ++result.count;
  result.isGood = found.has_value();
  value = found.value_or(0);
  return result.isGood;
}

/// A number, if there is one.
bool Formatter::parseField(std::optional<int64_t> &field) {
  while (position < format.size() && format[position] >= '0' &&
         format[position] <= '9') {
    field = field.value_or(0) * 10 + (format[position++] - '0');
    if (*field > fieldLimit)
      break;
  }
  return !field || *field <= fieldLimit ||
         fail("expects widths and precisions of at most " +
              std::to_string(fieldLimit) + ", but got " +
              std::to_string(*field));
}

/// A number or '*', if there is one; a negative argument is the flag '-'.
bool Formatter::parseWidth(Conversion &conversion) {
  if (position < format.size() && format[position] == '*') {
    ++position;
    uint64_t value;
    if (!next(4, value))
      return false;
    int64_t width = int32_t(value);
    if (width < 0)
      conversion.flags += '-';
    conversion.width = std::abs(width);
  }
  return parseField(conversion.width);
}

/// Behind '%'. What is not known here gives other results on a GPU than C says:
/// the driver reads hh, z, j and t as other sizes than the compiler has passed,
/// and '*' as a precision wrongly.
bool Formatter::parse(Conversion &conversion) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"", "diuoxXcspfeEgGaA%"},
      {"h", "diuoxX"},
      {"l", "diuoxXfeEgGaA"},
      {"ll", "diuoxX"}};
  size_t begin = position;
  auto isOneOf = [&](std::string_view characters) {
    return position < format.size() &&
           characters.find(format[position]) != std::string_view::npos;
  };
  while (isOneOf("-+ #0"))
    conversion.flags += format[position++];
  if (!parseWidth(conversion))
    return false;
  if (isOneOf(".")) {
    ++position;
    conversion.precision = 0;
    if (!parseField(conversion.precision))
      return false;
  }
  while (isOneOf("hljztL"))
    conversion.length += format[position++];
  conversion.kind = position < format.size() ? format[position++] : 0;
  for (const auto &[length, kinds] : known)
    if (conversion.length == length && conversion.kind &&
        kinds.find(conversion.kind) != std::string_view::npos)
      return true;
  return fail("expects a conversion of the device's printf (diuoxXcspfeEgGaA%"
              " with h, l or ll), but got '%" +
              std::string(format.substr(begin, position - begin)) + "'");
}

template <typename... Values>
void Formatter::print(const Conversion &conversion, const char *length,
                      char kind, Values... values) {
  std::string pattern = "%" + conversion.flags;
  if (conversion.width)
    pattern += std::to_string(*conversion.width);
  if (conversion.precision)
    pattern += "." + std::to_string(*conversion.precision);
  pattern += length;
  pattern += kind;
  int size = std::snprintf(nullptr, 0, pattern.c_str(), values...);
  if (size <= 0)
    return;
  std::vector<char> buffer(size_t(size) + 1);
  std::snprintf(buffer.data(), buffer.size(), pattern.c_str(), values...);
  result.text.append(buffer.data(), size_t(size));
}

/// `%s`, and `%p`, which looks as on Linux.
bool Formatter::convertText(const Conversion &conversion) {
  uint64_t address;
  if (!next(8, address))
    return false;
  if (conversion.kind == 'p') {
    char text[32] = "(nil)";
    if (address)
      std::snprintf(text, sizeof(text), "0x%llx",
                    static_cast<unsigned long long>(address));
    Conversion plain;
    plain.flags = conversion.flags.find('-') == std::string::npos ? "" : "-";
    plain.width = conversion.width;
    print(plain, "", 's', text);
    return true;
  }
  std::optional<std::string> text = arguments.text(
      address,
      conversion.precision ? size_t(*conversion.precision) : textLimit);
  result.isGood = text.has_value();
  if (text)
    print(conversion, "", 's', text->c_str());
  return result.isGood;
}

bool Formatter::convertInteger(const Conversion &conversion) {
  const std::string &length = conversion.length;
  unsigned bytes = length.empty() || length == "h" ? 4 : 8;
  uint64_t value;
  if (!next(bytes, value))
    return false;
  unsigned bits = length == "h" ? 16 : bytes * 8;
  bool isSigned = conversion.kind == 'd' || conversion.kind == 'i';
  auto extended = static_cast<int64_t>(value << (64 - bits));
  if (isSigned)
    print(conversion, "ll", conversion.kind,
          static_cast<long long>(extended >> (64 - bits)));
  else
    print(conversion, "ll", conversion.kind,
          static_cast<unsigned long long>(uint64_t(extended) >> (64 - bits)));
  return true;
}

bool Formatter::convert(const Conversion &conversion) {
  uint64_t value;
  switch (conversion.kind) {
  case '%':
    result.text += '%';
    return true;
  case 'c':
    if (!next(4, value))
      return false;
    print(conversion, "", 'c', int(value));
    return true;
  case 's':
  case 'p':
    return convertText(conversion);
  case 'd':
  case 'i':
  case 'u':
  case 'o':
  case 'x':
  case 'X':
    return convertInteger(conversion);
  default:
    if (!next(8, value))
      return false;
    print(conversion, "", conversion.kind, std::bit_cast<double>(value));
    return true;
  }
}

PrintResult Formatter::run() {
  while (position < format.size()) {
    size_t percent = format.find('%', position);
    result.text += format.substr(position, percent - position);
    if (percent == std::string_view::npos)
      break;
    position = percent + 1;
    Conversion conversion;
    if (!parse(conversion) || !convert(conversion))
      break;
  }
  return std::move(result);
}

} // namespace

PrintResult tilewright::emulator::formatPrint(std::string_view format,
                                              const PrintArguments &arguments) {
  return Formatter(format, arguments).run();
}
