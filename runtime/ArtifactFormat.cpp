// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The artifact file. All numbers are little-endian.
//
//   header    8 bytes   89 'T' 'W' 'A' 0D 0A 1A 0A   (finds text-mode damage)
//             u32       format version
//             u32       number of sections
//             u64       bytes of the whole file
//   section   u32       id
//             u32       flags; bit 0: a reader that does not know it must fail
//             u64       bytes of the payload
//             payload
//   trailer   32 bytes  SHA-256 of everything before
//
// A payload is a sequence of fields. A record is a u32 with its length, then
// its fields; a list is a u32 with the number of its entries, then these; text
// and bytes are a u64 length and the bytes; an optional is a byte 0 or 1, then
// the value if 1. A reader skips sections that it does not know and what
// follows the fields that it knows in a record or a payload: so later versions
// add sections, and fields at the ends of records, without a new format
// version. A field that changes the meaning of the others needs a section with
// flag bit 0, or a version: version 2 is that of artifacts with signed
// dimensions of tensor maps, others have version 1.
//
// The fields of each record are listed once, below, for reader and writer.

#include "runtime/Artifact.h"

#include "runtime/Digest.h"
#include "runtime/File.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

using namespace tilewright::runtime;

static constexpr uint8_t magic[8] = {0x89, 'T',  'W',  'A',
                                     0x0d, 0x0a, 0x1a, 0x0a};
static constexpr size_t headerBytes = 24;
static constexpr size_t sectionHeaderBytes = 16;
static constexpr size_t trailerBytes = sizeof(Digest);
static constexpr uint32_t mustUnderstand = 1;

namespace {
/// Section ids. Numbers are never used again.
enum class SectionId : uint32_t {
  Identity = 1,
  Images = 2,
  Kernels = 3,
  Variants = 4,
  Remarks = 5,
};

/// What the identity section holds.
struct Identity {
  std::string producer;
  std::string key;
};

/// The fields of a record, in the order of the file.
template <typename T>
struct Fields;
template <>
struct Fields<Identity> {
  static constexpr auto list = std::tuple(&Identity::producer, &Identity::key);
};
template <>
struct Fields<Architecture> {
  static constexpr auto list = std::tuple(
      &Architecture::major, &Architecture::minor, &Architecture::suffix);
};
template <>
struct Fields<Image> {
  static constexpr auto list =
      std::tuple(&Image::kind, &Image::architecture, &Image::ptxVersion,
                 &Image::portableFallback, &Image::bytes);
};
template <>
struct Fields<Parameter> {
  static constexpr auto list = std::tuple(
      &Parameter::name, &Parameter::kind, &Parameter::size, &Parameter::rank,
      &Parameter::pointerAlignment, &Parameter::elementType);
  /// The first so many were there from the beginning; who wrote a file without
  /// the others did not know them.
  static constexpr size_t required = 5;
};

/// How many of a record's fields every file has.
template <typename T>
constexpr size_t requiredFields() {
  if constexpr (requires { Fields<T>::required; })
    return Fields<T>::required;
  else
    return std::tuple_size_v<decltype(Fields<T>::list)>;
}
template <>
struct Fields<Kernel> {
  static constexpr auto list = std::tuple(&Kernel::name, &Kernel::parameters);
};
template <>
struct Fields<Value> {
  static constexpr auto list = std::tuple(&Value::source, &Value::argument,
                                          &Value::dimension, &Value::constant);
};
template <>
struct Fields<TensorMapRecipe> {
  using T = TensorMapRecipe;
  static constexpr auto list = std::tuple(
      &T::dataType, &T::interleave, &T::swizzle, &T::l2Promotion,
      &T::outOfBoundsFill, &T::elementBytes, &T::base, &T::shape, &T::strides,
      &T::box, &T::elementStrides, &T::nonNegative, &T::signedDimensions);
  /// As of Parameter.
  static constexpr size_t required = 11;
};
template <>
struct Fields<Slot> {
  static constexpr auto list =
      std::tuple(&Slot::offset, &Slot::size, &Slot::alignment, &Slot::kind,
                 &Slot::value, &Slot::recipe);
};
template <>
struct Fields<Dimensions> {
  static constexpr auto list =
      std::tuple(&Dimensions::x, &Dimensions::y, &Dimensions::z);
};
template <>
struct Fields<Variant> {
  using T = Variant;
  static constexpr auto list = std::tuple(
      &T::kernel, &T::image, &T::symbol, &T::slots, &T::tensorMaps,
      &T::numWarps, &T::block, &T::cluster, &T::staticSharedBytes,
      &T::dynamicSharedBytes, &T::registerCap, &T::registers, &T::spillBytes,
      &T::globalScratchBytes, &T::globalScratchAlignment, &T::cooperative,
      &T::dependentLaunch, &T::lineTable);
};
template <>
struct Fields<Remark> {
  using T = Remark;
  static constexpr auto list = std::tuple(&T::id, &T::kind, &T::message,
                                          &T::location, &T::kernel, &T::image);
};

/// The largest number of each enumeration.
constexpr ImageKind lastOf(ImageKind) { return ImageKind::Ptx; }
constexpr ParameterKind lastOf(ParameterKind) { return ParameterKind::Untyped; }
constexpr ValueSource lastOf(ValueSource) {
  return ValueSource::DescriptorStride;
}
constexpr SlotKind lastOf(SlotKind) { return SlotKind::GlobalScratch; }
constexpr RemarkKind lastOf(RemarkKind) { return RemarkKind::Analysis; }

template <typename T>
constexpr bool isVector = false;
template <typename T>
constexpr bool isVector<std::vector<T>> = true;
template <typename T>
constexpr bool isOptional = false;
template <typename T>
constexpr bool isOptional<std::optional<T>> = true;
template <typename T>
constexpr bool isBytes =
    std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<uint8_t>>;

/// Appends values to a byte vector.
class Writer {
public:
  std::vector<uint8_t> bytes;

  template <typename T>
  void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes.push_back(uint8_t(uint64_t(value) >> (8 * i)));
  }

  template <typename T>
  void put(const T &value) {
    if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      number(value);
    } else if constexpr (isBytes<T>) {
      number(uint64_t(value.size()));
      bytes.insert(bytes.end(), value.begin(), value.end());
    } else if constexpr (isVector<T>) {
      number(uint32_t(value.size()));
      for (const auto &entry : value)
        put(entry);
    } else if constexpr (isOptional<T>) {
      number(uint8_t(value.has_value()));
      if (value)
        put(*value);
    } else {
      size_t start = bytes.size();
      number(uint32_t(0));
      fields(value);
      patch(start, uint32_t(bytes.size() - start - 4));
    }
  }

  template <typename T>
  void fields(const T &record) {
    std::apply([&](auto... member) { (put(record.*member), ...); },
               Fields<T>::list);
  }

  template <typename T>
  void section(SectionId id, const T &content) {
    number(uint32_t(id));
    number(uint32_t(0));
    size_t start = bytes.size();
    number(uint64_t(0));
    put(content);
    patch(start, uint64_t(bytes.size() - start - 8));
  }

  template <typename T>
  void patch(size_t at, T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes[at + i] = uint8_t(uint64_t(value) >> (8 * i));
  }
};

/// Takes values from a range of bytes. After the first failure every call fails
/// and `failure` says why.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> bytes) : rest(bytes) {}

  std::string failure;

  bool fail(std::string message) {
    if (failure.empty())
      failure = std::move(message);
    return false;
  }

  template <typename T>
  bool number(T &value) {
    if (rest.size() < sizeof(T))
      return fail("expects " + std::to_string(sizeof(T)) +
                  " more bytes, but got " + std::to_string(rest.size()));
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      bits |= uint64_t(rest[i]) << (8 * i);
    value = static_cast<T>(bits);
    rest = rest.subspan(sizeof(T));
    return true;
  }

  /// The next `size` bytes.
  bool range(uint64_t size, std::span<const uint8_t> &result) {
    if (size > rest.size())
      return fail("expects " + std::to_string(size) + " more bytes, but got " +
                  std::to_string(rest.size()));
    result = rest.first(size_t(size));
    rest = rest.subspan(size_t(size));
    return true;
  }

  template <typename T>
  bool get(T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      if (!number(byte))
        return false;
      value = byte == 1;
      return byte <= 1 || fail("expects a truth value of 0 or 1");
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> byte = 0;
      if (!number(byte))
        return false;
      value = T(byte);
      return value <= lastOf(T()) ||
             fail("expects an enumeration value of at most " +
                  std::to_string(unsigned(lastOf(T()))) + ", but got " +
                  std::to_string(unsigned(byte)));
    } else if constexpr (std::is_integral_v<T>) {
      return number(value);
    } else if constexpr (isBytes<T>) {
      uint64_t size = 0;
      std::span<const uint8_t> content;
      if (!number(size) || !range(size, content))
        return false;
      value.assign(content.begin(), content.end());
      return true;
    } else if constexpr (isVector<T>) {
      return list(value);
    } else if constexpr (isOptional<T>) {
      bool present = false;
      if (!get(present))
        return false;
      return !present || get(value.emplace());
    } else {
      return record(value);
    }
  }

  bool atEnd() const { return rest.empty(); }

private:
  template <typename T>
  bool list(std::vector<T> &values) {
    uint32_t count = 0;
    if (!number(count))
      return false;
    // Every entry takes four bytes at least, so a false count costs nothing.
    if (count > rest.size() / 4)
      return fail("expects " + std::to_string(count) +
                  " list entries in the remaining " +
                  std::to_string(rest.size()) + " bytes");
    for (uint32_t i = 0; i < count; ++i)
      if (!get(values.emplace_back()))
        return false;
    return true;
  }

  template <typename T>
  bool record(T &value) {
    uint32_t size = 0;
    std::span<const uint8_t> content;
    if (!number(size) || !range(size, content))
      return false;
    Reader inner(content);
    size_t index = 0;
    auto read = [&](auto &field) {
      bool isAbsent = index++ >= requiredFields<T>() && inner.atEnd();
      return isAbsent || inner.get(field);
    };
    bool good =
        std::apply([&](auto... member) { return (read(value.*member) && ...); },
                   Fields<T>::list);
    return good || fail(std::move(inner.failure));
  }

  std::span<const uint8_t> rest;
};
} // namespace

static Error corrupt(const std::string &message) {
  return {ErrorCode::Corrupt, "bad artifact: " + message};
}

static uint32_t getVersion(const Artifact &artifact) {
  for (const Variant &variant : artifact.variants)
    for (const TensorMapRecipe &recipe : variant.tensorMaps)
      if (!recipe.signedDimensions.empty())
        return 2;
  return 1;
}

Result<std::vector<uint8_t>>
tilewright::runtime::serializeArtifact(const Artifact &artifact) {
  Result<void> verified = verifyArtifact(artifact);
  if (!verified)
    return verified.takeError();
  Writer writer;
  writer.bytes.assign(std::begin(magic), std::end(magic));
  writer.number(getVersion(artifact));
  writer.number(uint32_t(5));
  size_t sizeAt = writer.bytes.size();
  writer.number(uint64_t(0));
  writer.section(SectionId::Identity,
                 Identity{artifact.producer, artifact.key});
  writer.section(SectionId::Images, artifact.images);
  writer.section(SectionId::Kernels, artifact.kernels);
  writer.section(SectionId::Variants, artifact.variants);
  writer.section(SectionId::Remarks, artifact.remarks);
  uint64_t total = writer.bytes.size() + trailerBytes;
  if (total > artifactSizeLimit)
    return Error{ErrorCode::Unsupported, "expects an artifact of at most " +
                                             std::to_string(artifactSizeLimit) +
                                             " bytes, but got " +
                                             std::to_string(total)};
  writer.patch(sizeAt, total);
  Digest seal = digest(writer.bytes);
  writer.bytes.insert(writer.bytes.end(), seal.begin(), seal.end());
  return std::move(writer.bytes);
}

bool tilewright::runtime::isArtifact(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof(magic) &&
         std::equal(std::begin(magic), std::end(magic), bytes.begin());
}

/// Checks header and seal and returns the bytes of the sections.
static Result<std::span<const uint8_t>>
openEnvelope(std::span<const uint8_t> bytes, uint32_t &sectionCount) {
  if (!isArtifact(bytes))
    return corrupt("the file does not begin as an artifact does");
  if (bytes.size() < headerBytes + trailerBytes)
    return corrupt("expects at least " +
                   std::to_string(headerBytes + trailerBytes) +
                   " bytes, but got " + std::to_string(bytes.size()));
  Reader reader(bytes.subspan(sizeof(magic)));
  uint32_t version = 0;
  uint64_t size = 0;
  reader.number(version);
  reader.number(sectionCount);
  reader.number(size);
  if (version == 0 || version > artifactVersion)
    return Error{ErrorCode::Unsupported,
                 "expects an artifact of version 1 to " +
                     std::to_string(artifactVersion) + ", but got version " +
                     std::to_string(version)};
  if (size != bytes.size())
    return corrupt("expects " + std::to_string(size) + " bytes, but got " +
                   std::to_string(bytes.size()));
  std::span<const uint8_t> sealed = bytes.first(bytes.size() - trailerBytes);
  Digest seal = digest(sealed);
  if (!std::equal(seal.begin(), seal.end(), bytes.end() - trailerBytes))
    return corrupt("the digest does not match the content");
  return sealed.subspan(headerBytes);
}

/// Reads one section's payload into the artifact.
static Result<void> readSection(uint32_t id, uint32_t flags,
                                std::span<const uint8_t> payload,
                                Artifact &artifact) {
  Reader reader(payload);
  bool good = true;
  Identity identity;
  switch (SectionId(id)) {
  case SectionId::Identity:
    good = reader.get(identity);
    artifact.producer = std::move(identity.producer);
    artifact.key = std::move(identity.key);
    break;
  case SectionId::Images:
    good = reader.get(artifact.images);
    break;
  case SectionId::Kernels:
    good = reader.get(artifact.kernels);
    break;
  case SectionId::Variants:
    good = reader.get(artifact.variants);
    break;
  case SectionId::Remarks:
    good = reader.get(artifact.remarks);
    break;
  default:
    if (flags & mustUnderstand)
      return Error{ErrorCode::Unsupported,
                   "the artifact needs a newer runtime: section " +
                       std::to_string(id) + " is not known"};
    break;
  }
  if (!good)
    return corrupt("section " + std::to_string(id) + ": " + reader.failure);
  return success();
}

Result<Artifact>
tilewright::runtime::parseArtifact(std::span<const uint8_t> bytes) {
  uint32_t sectionCount = 0;
  Result<std::span<const uint8_t>> sections = openEnvelope(bytes, sectionCount);
  if (!sections)
    return sections.takeError();
  if (sectionCount > sections->size() / sectionHeaderBytes)
    return corrupt("expects " + std::to_string(sectionCount) + " sections in " +
                   std::to_string(sections->size()) + " bytes");
  Reader reader(*sections);
  Artifact artifact;
  std::vector<uint32_t> seen;
  for (uint32_t i = 0; i < sectionCount; ++i) {
    uint32_t id = 0, flags = 0;
    uint64_t size = 0;
    std::span<const uint8_t> payload;
    if (!reader.number(id) || !reader.number(flags) || !reader.number(size) ||
        !reader.range(size, payload))
      return corrupt("section list: " + reader.failure);
    seen.push_back(id);
    Result<void> read = readSection(id, flags, payload, artifact);
    if (!read)
      return read.takeError();
  }
  if (!reader.atEnd())
    return corrupt("bytes follow the last section");
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end())
    return corrupt("a section occurs twice");
  for (uint32_t id = 1; id <= uint32_t(SectionId::Variants); ++id)
    if (!std::binary_search(seen.begin(), seen.end(), id))
      return corrupt("section " + std::to_string(id) + " is missing");
  Result<void> verified = verifyArtifact(artifact);
  if (!verified)
    return Error{ErrorCode::Corrupt, verified.error().message};
  return artifact;
}

Result<Artifact> tilewright::runtime::readArtifact(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path, artifactSizeLimit);
  if (!bytes)
    return bytes.takeError();
  Result<Artifact> artifact = parseArtifact(*bytes);
  if (!artifact)
    return Error{artifact.error().code, path + ": " + artifact.error().message};
  return artifact;
}

Result<void> tilewright::runtime::writeArtifact(const std::string &path,
                                                const Artifact &artifact) {
  Result<std::vector<uint8_t>> bytes = serializeArtifact(artifact);
  if (!bytes)
    return bytes.takeError();
  return writeFile(path, *bytes);
}
