// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .npy format: 6 magic bytes, a major and a minor version byte, the length
// of the header (2 bytes in version 1, 4 in version 2), the header, the
// elements. The header is a Python dictionary literal with the keys 'descr',
// 'fortran_order' and 'shape'.

#include "lib/Run/Npy.h"

#include "runtime/File.h"

#include <charconv>
#include <cstring>

using namespace tilewright;
using namespace tilewright::run;

static constexpr char magic[] = "\x93NUMPY";
static constexpr size_t magicBytes = 6;

namespace {
struct TypeCode {
  ElementType type;
  std::string_view code;
};

/// Reads the dictionary literal, to the extent that such files use it.
class HeaderParser {
public:
  HeaderParser(std::string_view text, size_t start)
      : text(text), start(start) {}

  Result<HostTensor> parse();

private:
  Error error(const std::string &message) const {
    return {ErrorCode::Corrupt, "bad .npy header at byte " +
                                    std::to_string(start + position) + ": " +
                                    message};
  }
  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }
  /// Takes `token` if it comes next.
  bool accept(std::string_view token) {
    skipSpace();
    if (!text.substr(position).starts_with(token))
      return false;
    position += token.size();
    return true;
  }
  bool quoted(std::string_view &value);
  Result<void> entry();
  Result<void> elementType();
  Result<void> order();
  Result<void> dimensions();

  std::string_view text;
  size_t start;
  size_t position = 0;
  std::optional<ElementType> type;
  std::optional<std::vector<int64_t>> shape;
  bool orderSeen = false;
};
} // namespace

/// What is read and written. NumPy writes '|' before types of one byte, where
/// the order of bytes is void.
static constexpr TypeCode typeCodes[] = {
    {ElementType::I1, "|b1"},  {ElementType::I8, "|i1"},
    {ElementType::I16, "<i2"}, {ElementType::I32, "<i4"},
    {ElementType::I64, "<i8"}, {ElementType::U8, "|u1"},
    {ElementType::U16, "<u2"}, {ElementType::U32, "<u4"},
    {ElementType::U64, "<u8"}, {ElementType::F16, "<f2"},
    {ElementType::F32, "<f4"}, {ElementType::F64, "<f8"},
};

bool HeaderParser::quoted(std::string_view &value) {
  skipSpace();
  if (position >= text.size() ||
      (text[position] != '\'' && text[position] != '"'))
    return false;
  size_t end = text.find(text[position], position + 1);
  if (end == std::string_view::npos)
    return false;
  value = text.substr(position + 1, end - position - 1);
  position = end + 1;
  return true;
}

Result<void> HeaderParser::elementType() {
  std::string_view code;
  if (!quoted(code))
    return error("expects a plain element type (no structure)");
  std::string normal(code);
  if (normal.size() == 3 && normal[2] == '1' &&
      (normal[0] == '<' || normal[0] == '='))
    normal[0] = '|';
  for (const TypeCode &row : typeCodes)
    if (row.code == normal)
      type = row.type;
  if (type)
    return runtime::success();
  std::string supported;
  for (const TypeCode &row : typeCodes)
    supported += (supported.empty() ? "" : ", ") + std::string(row.code);
  return error("expects an element type among " + supported + ", but got '" +
               std::string(code) + "'");
}

Result<void> HeaderParser::order() {
  orderSeen = true;
  if (accept("False"))
    return runtime::success();
  return error("expects C order ('fortran_order': False); use "
               "numpy.ascontiguousarray");
}

Result<void> HeaderParser::dimensions() {
  if (!accept("("))
    return error("expects the shape as a tuple");
  std::vector<int64_t> sizes;
  while (!accept(")")) {
    if (!sizes.empty() && !accept(","))
      return error("expects ',' between sizes");
    if (!sizes.empty() && accept(")"))
      break;
    skipSpace();
    int64_t size = 0;
    const char *begin = text.data() + position;
    auto [end, failed] =
        std::from_chars(begin, text.data() + text.size(), size);
    if (failed != std::errc() || size < 0)
      return error("expects a size of at least 0");
    position += size_t(end - begin);
    sizes.push_back(size);
    if (sizes.size() > 64)
      return error("expects at most 64 dimensions");
  }
  shape = std::move(sizes);
  return runtime::success();
}

Result<void> HeaderParser::entry() {
  std::string_view key;
  if (!quoted(key) || !accept(":"))
    return error("expects a key and ':'");
  if (key == "descr")
    return elementType();
  if (key == "fortran_order")
    return order();
  if (key == "shape")
    return dimensions();
  return error("expects 'descr', 'fortran_order' or 'shape', but got '" +
               std::string(key) + "'");
}

Result<HostTensor> HeaderParser::parse() {
  if (!accept("{"))
    return error("expects '{'");
  while (!accept("}")) {
    if (Result<void> good = entry(); !good)
      return good.takeError();
    if (!accept(",") && !text.substr(position).starts_with("}"))
      return error("expects ',' or '}'");
  }
  skipSpace();
  if (position != text.size())
    return error("expects nothing after the dictionary");
  if (!type || !shape || !orderSeen)
    return error("expects 'descr', 'fortran_order' and 'shape'");
  // Only the form: the elements may turn out to be missing.
  HostTensor form;
  form.type = *type;
  form.shape = std::move(*shape);
  return form;
}

Result<HostTensor> tilewright::run::parseNpy(std::span<const uint8_t> bytes) {
  auto corrupt = [](const std::string &message) {
    return Error{ErrorCode::Corrupt, "bad .npy file: " + message};
  };
  if (bytes.size() < magicBytes + 4 ||
      std::memcmp(bytes.data(), magic, magicBytes) != 0)
    return corrupt("the file does not begin as an .npy file does");
  unsigned major = bytes[6], minor = bytes[7];
  if ((major != 1 && major != 2) || minor != 0)
    return corrupt("expects format version 1.0 or 2.0, but got " +
                   std::to_string(major) + "." + std::to_string(minor));
  size_t start = major == 1 ? 10 : 12;
  if (bytes.size() < start)
    return corrupt("the file ends within its header");
  uint64_t length = bytes[8] | uint64_t(bytes[9]) << 8;
  if (major == 2)
    length |= uint64_t(bytes[10]) << 16 | uint64_t(bytes[11]) << 24;
  if (length > bytes.size() - start)
    return corrupt("expects a header of " + std::to_string(length) +
                   " bytes, but the file ends after " +
                   std::to_string(bytes.size() - start));
  std::string_view header(reinterpret_cast<const char *>(bytes.data()) + start,
                          size_t(length));
  Result<HostTensor> form = HeaderParser(header, start).parse();
  if (!form)
    return form;
  std::span<const uint8_t> content = bytes.subspan(start + size_t(length));
  // Compare before allocating: a header may claim any size.
  unsigned __int128 expected = byteSize(form->type);
  for (int64_t size : form->shape)
    expected = expected > tensorBytesLimit && size ? expected
                                                   : expected * uint64_t(size);
  if (expected != content.size())
    return corrupt(form->typeName() + " expects " +
                   (expected > tensorBytesLimit
                        ? "more than " + std::to_string(tensorBytesLimit)
                        : std::to_string(uint64_t(expected))) +
                   " bytes of elements, but got " +
                   std::to_string(content.size()));
  form->bytes.assign(content.begin(), content.end());
  return form;
}

static std::string_view codeOf(ElementType type) {
  for (const TypeCode &row : typeCodes)
    if (row.type == type)
      return row.code;
  return byteSize(type) == 1 ? "|u1" : "<u2";
}

std::vector<uint8_t> tilewright::run::serializeNpy(const HostTensor &tensor) {
  std::string header = "{'descr': '" + std::string(codeOf(tensor.type)) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < tensor.shape.size(); ++d)
    header += (d ? " " : "") + std::to_string(tensor.shape[d]) +
              (d + 1 < tensor.shape.size() || d == 0 ? "," : "");
  header += "), }";
  // The elements begin at a multiple of 64.
  size_t prefix = header.size() + 1 + 10 <= 65535 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::vector<uint8_t> bytes(magic, magic + magicBytes);
  bytes.push_back(prefix == 10 ? 1 : 2);
  bytes.push_back(0);
  for (size_t i = 0; i < prefix - 8; ++i)
    bytes.push_back(uint8_t(header.size() >> (8 * i)));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

Result<HostTensor> tilewright::run::readNpy(const std::string &path) {
  Result<std::vector<uint8_t>> bytes =
      runtime::readFile(path, tensorBytesLimit + (1 << 20));
  if (!bytes)
    return bytes.takeError();
  Result<HostTensor> tensor = parseNpy(*bytes);
  if (!tensor)
    return Error{tensor.error().code, path + ": " + tensor.error().message};
  return tensor;
}

Result<void> tilewright::run::writeNpy(const std::string &path,
                                       const HostTensor &tensor) {
  return runtime::writeFile(path, serializeNpy(tensor));
}
