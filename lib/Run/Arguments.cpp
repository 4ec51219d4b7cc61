// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing and making of arguments; see Arguments.h.

#include "lib/Run/Arguments.h"

#include "lib/Run/Npy.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tilewright;
using namespace tilewright::run;

static Error badArgument(std::string_view text, const std::string &message) {
  return {ErrorCode::InvalidArgument,
          "argument '" + std::string(text) + "': " + message};
}

/// Splits at every ':'.
static std::vector<std::string_view> splitFields(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    size_t colon = text.find(':');
    fields.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos)
      return fields;
    text.remove_prefix(colon + 1);
  }
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::optional<double> parseDouble(std::string_view text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

/// An integer that fits in `type`, as its 64-bit extension.
static std::optional<int64_t> parseInteger(std::string_view text,
                                           ElementType type) {
  bool negative = text.starts_with('-');
  if (negative)
    text.remove_prefix(1);
  int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16)
    text.remove_prefix(2);
  uint64_t magnitude = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  unsigned bits = type == ElementType::I1 ? 1 : 8 * byteSize(type);
  uint64_t highest = isSigned(type) ? (uint64_t(1) << (bits - 1)) - 1
                                    : ~uint64_t(0) >> (64 - bits);
  uint64_t limit = !negative ? highest : isSigned(type) ? highest + 1 : 0;
  if (magnitude > limit)
    return std::nullopt;
  return int64_t(negative ? 0 - magnitude : magnitude);
}

/// Writes the number `text` to the element at `to`.
static Result<void> parseNumber(std::string_view text, ElementType type,
                                uint8_t *to) {
  if (isFloat(type)) {
    std::optional<double> value = parseDouble(text);
    if (!value)
      return Error{ErrorCode::InvalidArgument,
                   "expects a number, but got '" + std::string(text) + "'"};
    fromDouble(type, *value, to);
    return runtime::success();
  }
  std::optional<int64_t> value = parseInteger(text, type);
  if (!value)
    return Error{ErrorCode::InvalidArgument,
                 "expects an integer that fits in " + std::string(name(type)) +
                     ", but got '" + std::string(text) + "'"};
  fromInteger(type, *value, to);
  return runtime::success();
}

uint64_t tilewright::run::randomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

using FieldList = std::span<const std::string_view>;

static Result<void> fillFull(HostTensor &tensor, FieldList fields) {
  if (fields.size() != 1)
    return Error{ErrorCode::InvalidArgument, "expects full:TENSOR:VALUE"};
  uint8_t value[8];
  if (Result<void> good = parseNumber(fields[0], tensor.type, value); !good)
    return good;
  unsigned size = byteSize(tensor.type);
  for (uint64_t i = 0; i < tensor.elementCount(); ++i)
    std::copy_n(value, size, tensor.element(i));
  return runtime::success();
}

static Result<void> fillArange(HostTensor &tensor, FieldList fields) {
  if (fields.size() > 2)
    return Error{ErrorCode::InvalidArgument,
                 "expects arange:TENSOR[:START[:STEP]]"};
  // START and STEP are numbers of the wide type: exact for integers, and not
  // rounded to the narrow type before they are added for the rest.
  ElementType wide = isFloat(tensor.type) ? ElementType::F64
                     : isSigned(tensor.type) || tensor.type == ElementType::I1
                         ? ElementType::I64
                         : ElementType::U64;
  uint8_t start[8] = {}, step[8] = {};
  fromDouble(wide, 1, step);
  if (fields.size() > 0)
    if (Result<void> good = parseNumber(fields[0], wide, start); !good)
      return good;
  if (fields.size() > 1) {
    // A falling sequence of an unsigned type has a negative step.
    ElementType stepType = isFloat(wide) ? wide : ElementType::I64;
    if (Result<void> good = parseNumber(fields[1], stepType, step); !good)
      return good;
  }
  for (uint64_t i = 0; i < tensor.elementCount(); ++i) {
    if (isFloat(wide))
      fromDouble(tensor.type,
                 toDouble(wide, start) + double(i) * toDouble(wide, step),
                 tensor.element(i));
    else
      fromInteger(tensor.type,
                  int64_t(uint64_t(toInteger(wide, start)) +
                          i * uint64_t(toInteger(wide, step))),
                  tensor.element(i));
  }
  return runtime::success();
}

static Result<void> fillRandomFloat(HostTensor &tensor, uint64_t seed,
                                    FieldList range) {
  double low = -1, high = 1;
  if (!range.empty()) {
    std::optional<double> first = parseDouble(range[0]);
    std::optional<double> last = parseDouble(range[1]);
    if (!first || !last || !(*first <= *last) || !std::isfinite(*last - *first))
      return Error{ErrorCode::InvalidArgument,
                   "expects finite numbers LOW <= HIGH, but got '" +
                       std::string(range[0]) + "' and '" +
                       std::string(range[1]) + "'"};
    low = *first;
    high = *last;
  }
  for (uint64_t i = 0; i < tensor.elementCount(); ++i) {
    double unit = double(randomBits(seed, i) >> 11) * 0x1p-53;
    fromDouble(tensor.type, low + unit * (high - low), tensor.element(i));
  }
  return runtime::success();
}

static Result<void> fillRandomInteger(HostTensor &tensor, uint64_t seed,
                                      FieldList range) {
  bool hasSign = isSigned(tensor.type);
  int64_t low = hasSign ? -128 : 0;
  int64_t high = tensor.type == ElementType::I1 ? 1 : hasSign ? 127 : 255;
  if (!range.empty()) {
    std::optional<int64_t> first = parseInteger(range[0], tensor.type);
    std::optional<int64_t> last = parseInteger(range[1], tensor.type);
    bool isOrdered =
        first && last &&
        (hasSign ? *first <= *last : uint64_t(*first) <= uint64_t(*last));
    if (!isOrdered)
      return Error{ErrorCode::InvalidArgument,
                   "expects integers LOW <= HIGH of type " +
                       std::string(name(tensor.type)) + ", but got '" +
                       std::string(range[0]) + "' and '" +
                       std::string(range[1]) + "'"};
    low = *first;
    high = *last;
  }
  unsigned __int128 count =
      (unsigned __int128)(uint64_t(high) - uint64_t(low)) + 1;
  for (uint64_t i = 0; i < tensor.elementCount(); ++i) {
    // count is at most 2^64, so the product needs at most 128 bits.
    uint64_t offset = uint64_t(randomBits(seed, i) * count >> 64);
    fromInteger(tensor.type, int64_t(uint64_t(low) + offset),
                tensor.element(i));
  }
  return runtime::success();
}

static Result<void> fillRandom(HostTensor &tensor, FieldList fields) {
  if (fields.size() != 1 && fields.size() != 3)
    return Error{ErrorCode::InvalidArgument,
                 "expects random:TENSOR:SEED[:LOW:HIGH]"};
  std::optional<int64_t> seed = parseInteger(fields[0], ElementType::U64);
  if (!seed)
    return Error{ErrorCode::InvalidArgument,
                 "expects a seed from 0 to 2^64 - 1, but got '" +
                     std::string(fields[0]) + "'"};
  FieldList range = fields.subspan(1);
  return isFloat(tensor.type)
             ? fillRandomFloat(tensor, uint64_t(*seed), range)
             : fillRandomInteger(tensor, uint64_t(*seed), range);
}

static Result<HostTensor> makeTensor(std::string_view kind, FieldList fields) {
  if (fields.empty())
    return Error{ErrorCode::InvalidArgument,
                 "expects a shape and element type after '" +
                     std::string(kind) + ":'"};
  Result<HostTensor> tensor = tensorFromTypeName(fields[0]);
  if (!tensor)
    return tensor;
  FieldList rest = fields.subspan(1);
  Result<void> filled;
  if (kind == "full")
    filled = fillFull(*tensor, rest);
  else if (kind == "arange")
    filled = fillArange(*tensor, rest);
  else if (kind == "random")
    filled = fillRandom(*tensor, rest);
  else if (!rest.empty())
    filled = Error{ErrorCode::InvalidArgument,
                   "expects nothing after " + std::string(kind) + ":TENSOR"};
  else if (kind == "poison")
    std::fill(tensor->bytes.begin(), tensor->bytes.end(), uint8_t(0xff));
  if (!filled)
    return filled.takeError();
  return tensor;
}

static Result<HostTensor> readFileSource(std::string_view source) {
  // The path ends with the last ".npy", so it may hold colons itself.
  size_t end = source.rfind(".npy") + 4;
  Result<HostTensor> tensor = readNpy(std::string(source.substr(0, end)));
  if (!tensor || end == source.size())
    return tensor;
  std::string_view typeName = source.substr(end + 1);
  std::optional<ElementType> type = elementTypeFromName(typeName);
  if (source[end] != ':' || !type)
    return Error{ErrorCode::InvalidArgument,
                 "expects FILE.npy or FILE.npy:TYPE (element types: " +
                     elementTypeNames() + ")"};
  if (byteSize(*type) != byteSize(tensor->type))
    return Error{ErrorCode::InvalidArgument,
                 "expects a type of " + std::to_string(byteSize(tensor->type)) +
                     " bytes, as the file holds " + tensor->typeName() +
                     ", but got " + std::string(typeName)};
  tensor->type = *type;
  return tensor;
}

/// Fills kind and value of `argument` from `source`.
static Result<void> makeValue(std::string_view source, RunArgument &argument) {
  if (source == "null") {
    argument.kind = RunArgument::Kind::Null;
    return runtime::success();
  }
  std::vector<std::string_view> fields = splitFields(source);
  std::string_view kind = fields[0];
  if (std::optional<ElementType> type = elementTypeFromName(kind);
      type && fields.size() == 2) {
    argument.kind = RunArgument::Kind::Scalar;
    argument.value.type = *type;
    argument.value.bytes.resize(byteSize(*type));
    return parseNumber(fields[1], *type, argument.value.bytes.data());
  }
  bool isMade = kind == "zeros" || kind == "poison" || kind == "full" ||
                kind == "arange" || kind == "random";
  if (!isMade && source.find(".npy") == std::string_view::npos)
    return Error{ErrorCode::InvalidArgument,
                 "expects FILE.npy, zeros:, poison:, full:, arange:, random:, "
                 "TYPE:VALUE or null"};
  argument.kind = RunArgument::Kind::Tensor;
  Result<HostTensor> tensor =
      isMade ? makeTensor(kind, FieldList(fields).subspan(1))
             : readFileSource(source);
  if (!tensor)
    return tensor.takeError();
  argument.value = std::move(*tensor);
  return runtime::success();
}

Result<RunArgument> tilewright::run::parseArgument(std::string_view text) {
  RunArgument argument;
  argument.text = std::string(text);
  std::string_view source = text;
  size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    argument.output = std::string(text.substr(0, equals));
    source = text.substr(equals + 1);
    if (!argument.output.ends_with(".npy"))
      return badArgument(text, "expects a .npy file before '=', but got '" +
                                   argument.output + "'");
  }
  if (Result<void> good = makeValue(source, argument); !good)
    return Error{good.error().code,
                 badArgument(text, good.error().message).message};
  if (!argument.output.empty() && argument.kind != RunArgument::Kind::Tensor)
    return badArgument(text, "expects an array to write to '" +
                                 argument.output + "'");
  return argument;
}

Result<Expectation> tilewright::run::parseExpectation(std::string_view text) {
  auto bad = [&](const std::string &message) {
    return Error{ErrorCode::InvalidArgument,
                 "expectation '" + std::string(text) + "': " + message};
  };
  Expectation result;
  size_t equals = text.find('=');
  std::string_view digits = text.substr(0, equals);
  std::optional<int64_t> index = parseInteger(digits, ElementType::U32);
  if (equals == std::string_view::npos || !index)
    return bad("expects INDEX=SOURCE[@RELATIVE[,ABSOLUTE]]");
  result.argument = size_t(*index);
  std::string_view source = text.substr(equals + 1);
  if (size_t at = source.rfind('@'); at != std::string_view::npos) {
    std::string_view numbers = source.substr(at + 1);
    source = source.substr(0, at);
    size_t comma = numbers.find(',');
    std::optional<double> relative = parseDouble(numbers.substr(0, comma));
    std::optional<double> absolute =
        comma == std::string_view::npos
            ? std::optional<double>(0)
            : parseDouble(numbers.substr(comma + 1));
    if (!relative || !absolute || !(*relative >= 0) || !(*absolute >= 0))
      return bad("expects tolerances of at least 0 after '@', but got '" +
                 std::string(numbers) + "'");
    result.tolerance.relative = *relative;
    result.tolerance.absolute = *absolute;
  }
  RunArgument argument;
  if (Result<void> good = makeValue(source, argument); !good)
    return bad(good.error().message);
  if (argument.kind != RunArgument::Kind::Tensor)
    return bad("expects an array to compare with");
  result.expected = std::move(argument.value);
  return result;
}
