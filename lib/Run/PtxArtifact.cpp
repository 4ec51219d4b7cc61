// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the declarations of PTX text: PTX ISA, "Directives" and "State
// spaces". The text is split into tokens; what is not understood is skipped, as
// the driver's own compiler will judge the whole.

#include "lib/Run/PtxArtifact.h"

#include <algorithm>
#include <bit>
#include <charconv>

using namespace tilewright;
using namespace tilewright::run;
using runtime::Artifact;
using runtime::Dimensions;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Kernel;
using runtime::Parameter;
using runtime::ParameterKind;
using runtime::Result;
using runtime::Slot;
using runtime::SlotKind;
using runtime::ValueSource;
using runtime::Variant;

namespace {
/// Splits PTX into words (names, directives, numbers) and single punctuation
/// characters; comments and strings are dropped.
class Tokens {
public:
  explicit Tokens(std::string_view text) : text(text) { advance(); }

  std::string_view current() const { return token; }
  unsigned line() const { return tokenLine; }
  bool atEnd() const { return token.empty(); }
  void advance();
  /// Takes the current token if it is `expected`.
  bool accept(std::string_view expected) {
    if (token != expected)
      return false;
    advance();
    return true;
  }
  /// The current token as a number, taken if it is one.
  std::optional<uint32_t> acceptNumber();

private:
  void skipSpaceAndComments();
  void skipTo(std::string_view end) {
    size_t found = text.find(end, position);
    size_t stop =
        found == std::string_view::npos ? text.size() : found + end.size();
    lineNumber += unsigned(
        std::count(text.begin() + position, text.begin() + stop, '\n'));
    position = stop;
  }

  std::string_view text;
  size_t position = 0;
  unsigned lineNumber = 1;
  std::string_view token;
  unsigned tokenLine = 1;
};

/// A variable or parameter: [.align N] type name [count].
struct Declaration {
  std::string_view type;
  std::string name;
  uint32_t alignment = 1;
  uint64_t bytes = 0;
  bool isArray = false;
  bool isPointer = false;
  uint32_t pointerAlignment = 1;
};

class PtxReader {
public:
  PtxReader(std::string_view text, const PtxOptions &options)
      : tokens(text), options(options) {}
  Result<Artifact> read(std::string_view text);

private:
  Error error(const std::string &message) const {
    return {ErrorCode::InvalidArgument,
            "line " + std::to_string(tokens.line()) + ": " + message};
  }
  Error expected(const std::string &what) const {
    return error("expects " + what + ", but got " +
                 (tokens.atEnd() ? "the end of the text"
                                 : "'" + std::string(tokens.current()) + "'"));
  }
  Result<void> version();
  Result<void> target();
  Result<void> entry();
  Result<void> parameters(Kernel &kernel, Variant &variant);
  Result<void> directives(Variant &variant);
  Result<void> body(Variant &variant);
  Result<void> shared(uint64_t &bytes, bool isExternal);
  Result<Declaration> declaration();
  Result<Dimensions> dimensions();

  Tokens tokens;
  const PtxOptions &options;
  Artifact artifact;
  runtime::Image image;
  uint64_t moduleSharedBytes = 0;
};
} // namespace

void Tokens::skipSpaceAndComments() {
  while (position < text.size()) {
    std::string_view rest = text.substr(position);
    if (rest.starts_with("//")) {
      skipTo("\n");
    } else if (rest.starts_with("/*")) {
      position += 2;
      skipTo("*/");
    } else if (rest.front() == '"') {
      ++position;
      skipTo("\"");
    } else if (rest.front() == ' ' ||
               (rest.front() >= '\t' && rest.front() <= '\r')) {
      lineNumber += rest.front() == '\n';
      ++position;
    } else {
      return;
    }
  }
}

static bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%' || c == '.';
}

void Tokens::advance() {
  skipSpaceAndComments();
  tokenLine = lineNumber;
  size_t end = position;
  while (end < text.size() && isWord(text[end]))
    ++end;
  if (end == position && end < text.size())
    ++end;
  token = text.substr(position, end - position);
  position = end;
}

std::optional<uint32_t> Tokens::acceptNumber() {
  uint32_t number = 0;
  const char *end = token.data() + token.size();
  auto [stop, failed] = std::from_chars(token.data(), end, number);
  if (failed != std::errc() || stop != end)
    return std::nullopt;
  advance();
  return number;
}

Result<void> PtxReader::version() {
  uint32_t major = 0, minor = 0;
  std::string_view word = tokens.current();
  const char *end = word.data() + word.size();
  auto [dot, failed] = std::from_chars(word.data(), end, major);
  bool good = failed == std::errc() && dot != end && *dot == '.';
  if (good) {
    auto [stop, failedToo] = std::from_chars(dot + 1, end, minor);
    good =
        failedToo == std::errc() && stop == end && minor < 10 && major < 1000;
  }
  if (!good)
    return expected("a PTX version such as 8.0");
  image.ptxVersion = major * 10 + minor;
  tokens.advance();
  return runtime::success();
}

Result<void> PtxReader::target() {
  auto architecture = runtime::Architecture::fromName(tokens.current());
  if (!architecture)
    return expected("a target such as sm_80");
  image.architecture = *architecture;
  tokens.advance();
  return runtime::success();
}

/// Bytes of a type such as ".u32"; 0 for what is no type.
static uint32_t typeBytes(std::string_view type) {
  if (type.size() < 3 || type[0] != '.' ||
      std::string_view("bsuf").find(type[1]) == std::string_view::npos)
    return 0;
  std::string_view digits = type.substr(2);
  for (uint32_t bits : {8u, 16u, 32u, 64u, 128u})
    if (digits == std::to_string(bits))
      return bits / 8;
  // .f16x2 and .bf16 and .bf16x2 are no types of variables.
  return 0;
}

Result<Declaration> PtxReader::declaration() {
  Declaration result;
  uint32_t vector = 1;
  while (!typeBytes(tokens.current())) {
    if (tokens.accept(".align")) {
      std::optional<uint32_t> number = tokens.acceptNumber();
      if (!number || !std::has_single_bit(*number))
        return expected("a power of two as alignment");
      result.alignment = *number;
    } else if (tokens.accept(".v2")) {
      vector = 2;
    } else if (tokens.accept(".v4")) {
      vector = 4;
    } else if (tokens.current().starts_with(".attribute")) {
      while (!tokens.atEnd() && !tokens.accept(")"))
        tokens.advance();
    } else {
      return expected("the type of a variable");
    }
  }
  result.type = tokens.current();
  uint32_t elementBytes = typeBytes(result.type) * vector;
  result.bytes = elementBytes;
  result.alignment = std::max(result.alignment, elementBytes);
  tokens.advance();
  if (tokens.accept(".ptr")) {
    result.isPointer = true;
    for (std::string_view space : {".global", ".shared", ".const", ".local"})
      tokens.accept(space);
    if (tokens.accept(".align")) {
      std::optional<uint32_t> number = tokens.acceptNumber();
      if (!number || !std::has_single_bit(*number))
        return expected("a power of two as alignment");
      result.pointerAlignment = *number;
    }
  }
  if (tokens.atEnd() || !isWord(tokens.current().front()))
    return expected("the name of a variable");
  result.name = std::string(tokens.current());
  tokens.advance();
  while (tokens.accept("[")) {
    result.isArray = true;
    std::optional<uint32_t> count = tokens.acceptNumber();
    // Without a count (external arrays) the size is open: none.
    result.bytes =
        std::min<uint64_t>(result.bytes * count.value_or(0), uint64_t(1) << 31);
    if (!tokens.accept("]"))
      return expected("']'");
  }
  return result;
}

/// How a caller passes what is declared so.
static ParameterKind kindOf(const Declaration &declared) {
  char letter = declared.type[1];
  if (declared.isArray)
    return ParameterKind::Untyped;
  if (declared.isPointer && declared.bytes == 8)
    return ParameterKind::Pointer;
  if (letter == 'f')
    return ParameterKind::Float;
  bool isInteger = letter == 'u' || letter == 's';
  return isInteger && declared.bytes <= 4 ? ParameterKind::Integer
                                          : ParameterKind::Untyped;
}

Result<void> PtxReader::parameters(Kernel &kernel, Variant &variant) {
  if (!tokens.accept("("))
    return runtime::success();
  uint64_t offset = 0;
  while (!tokens.accept(")")) {
    if (!kernel.parameters.empty() && !tokens.accept(","))
      return expected("',' or ')'");
    if (!tokens.accept(".param"))
      return expected("'.param'");
    Result<Declaration> declared = declaration();
    if (!declared)
      return declared.takeError();
    uint32_t alignment = declared->alignment;
    offset = (offset + alignment - 1) / alignment * alignment;
    if (declared->bytes == 0 ||
        offset + declared->bytes > runtime::parameterBytesLimit)
      return error("expects parameters of at most " +
                   std::to_string(runtime::parameterBytesLimit) + " bytes");
    uint32_t size = uint32_t(declared->bytes);
    Parameter parameter;
    parameter.name = declared->name;
    parameter.kind = kindOf(*declared);
    parameter.size = size;
    if (parameter.kind == ParameterKind::Pointer)
      parameter.pointerAlignment = declared->pointerAlignment;
    uint32_t index = uint32_t(kernel.parameters.size());
    kernel.parameters.push_back(std::move(parameter));
    variant.slots.push_back({uint32_t(offset),
                             size,
                             alignment,
                             SlotKind::Value,
                             {ValueSource::Argument, index, 0, 0},
                             /*recipe=*/0});
    offset += size;
  }
  return runtime::success();
}

Result<Dimensions> PtxReader::dimensions() {
  Dimensions result;
  uint32_t *targets[] = {&result.x, &result.y, &result.z};
  for (uint32_t *target : targets) {
    std::optional<uint32_t> number = tokens.acceptNumber();
    if (!number)
      return expected("a number");
    *target = *number;
    if (!tokens.accept(","))
      break;
  }
  return result;
}

Result<void> PtxReader::directives(Variant &variant) {
  std::optional<Dimensions> required, largest;
  while (!tokens.atEnd() && tokens.current() != "{") {
    std::string_view word = tokens.current();
    bool isSizes = word == ".reqntid" || word == ".maxntid" ||
                   word == ".reqnctapercluster";
    tokens.advance();
    if (isSizes) {
      Result<Dimensions> sizes = dimensions();
      if (!sizes)
        return sizes.takeError();
      (word == ".reqntid"   ? required.emplace()
       : word == ".maxntid" ? largest.emplace()
                            : variant.cluster) = *sizes;
    } else if (word == ".maxnreg") {
      std::optional<uint32_t> number = tokens.acceptNumber();
      if (!number)
        return expected("a number");
      variant.registerCap = *number;
    } else if (word == ";") {
      return error("expects an entry with a body");
    }
  }
  variant.block = required        ? *required
                  : options.block ? *options.block
                  : largest       ? *largest
                                  : Dimensions{32, 1, 1};
  uint64_t threads = std::min<uint64_t>(
      uint64_t(variant.block.x) * variant.block.y * variant.block.z, 1024);
  variant.numWarps = std::max(1u, uint32_t(threads + 31) / 32);
  return runtime::success();
}

/// After ".shared": adds the variable's bytes.
Result<void> PtxReader::shared(uint64_t &bytes, bool isExternal) {
  Result<Declaration> declared = declaration();
  if (!declared)
    return declared.takeError();
  if (isExternal)
    return runtime::success();
  uint32_t alignment = declared->alignment;
  bytes = (bytes + alignment - 1) / alignment * alignment + declared->bytes;
  return runtime::success();
}

Result<void> PtxReader::body(Variant &variant) {
  uint64_t bytes = 0;
  unsigned depth = 0;
  while (!tokens.atEnd()) {
    if (tokens.accept("{")) {
      ++depth;
    } else if (tokens.accept("}")) {
      if (--depth == 0)
        break;
    } else if (tokens.accept(".shared")) {
      if (Result<void> good = shared(bytes, /*isExternal=*/false); !good)
        return good;
    } else {
      tokens.advance();
    }
  }
  if (depth)
    return expected("'}'");
  variant.staticSharedBytes = uint32_t(std::min<uint64_t>(bytes, UINT32_MAX));
  return runtime::success();
}

Result<void> PtxReader::entry() {
  Kernel kernel;
  Variant variant;
  if (tokens.atEnd() || !isWord(tokens.current().front()))
    return expected("the name of an entry");
  kernel.name = std::string(tokens.current());
  tokens.advance();
  if (Result<void> good = parameters(kernel, variant); !good)
    return good;
  if (Result<void> good = directives(variant); !good)
    return good;
  if (Result<void> good = body(variant); !good)
    return good;
  variant.kernel = uint32_t(artifact.kernels.size());
  variant.symbol = kernel.name;
  variant.dynamicSharedBytes = options.dynamicSharedBytes;
  artifact.kernels.push_back(std::move(kernel));
  artifact.variants.push_back(std::move(variant));
  return runtime::success();
}

Result<Artifact> PtxReader::read(std::string_view text) {
  unsigned depth = 0;
  bool isExternal = false;
  while (!tokens.atEnd()) {
    Result<void> good;
    if (tokens.accept(".version"))
      good = version();
    else if (tokens.accept(".target"))
      good = target();
    else if (depth == 0 && tokens.accept(".entry"))
      good = entry();
    else if (depth == 0 && tokens.accept(".shared"))
      good = shared(moduleSharedBytes, isExternal);
    else {
      // Bodies of .func are passed over.
      depth += tokens.current() == "{";
      depth -= depth && tokens.current() == "}";
      isExternal = tokens.current() == ".extern" ||
                   (isExternal && tokens.current() != ";");
      tokens.advance();
    }
    if (!good)
      return good.takeError();
  }
  if (!image.ptxVersion || !image.architecture.major)
    return error("expects '.version' and '.target'");
  if (artifact.kernels.empty())
    return error("expects an '.entry'");
  // Which entries use a module's variable, only the instructions say: count it
  // for each.
  for (Variant &variant : artifact.variants)
    variant.staticSharedBytes = uint32_t(std::min<uint64_t>(
        variant.staticSharedBytes + moduleSharedBytes, UINT32_MAX));
  image.kind = runtime::ImageKind::Ptx;
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  image.bytes.assign(text.begin(), text.end());
  artifact.images.push_back(std::move(image));
  artifact.producer = "PTX text";
  if (Result<void> good = runtime::verifyArtifact(artifact); !good)
    return good.takeError();
  return std::move(artifact);
}

Result<Artifact> tilewright::run::artifactFromPtx(std::string_view text,
                                                  const PtxOptions &options) {
  return PtxReader(text, options).read(text);
}
