// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers and their addresses; see the header.

#include "lib/Judges/Reference/Memory.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// Buffers start at multiples of it.
static constexpr uint64_t alignment = 256;
/// Between buffers, so that no index of 32 bits leads out of one into another:
/// it is four times what such an index reaches in elements of 8 bytes.
static constexpr uint64_t guardBytes = uint64_t(1) << 36;

uint64_t reference::readBytes(const uint8_t *bytes, unsigned count) {
  uint64_t value = 0;
  for (unsigned index = 0; index < count; ++index)
    value |= uint64_t(bytes[index]) << (8 * index);
  return value;
}

void reference::writeBytes(uint8_t *bytes, unsigned count, uint64_t value) {
  for (unsigned index = 0; index < count; ++index)
    bytes[index] = static_cast<uint8_t>(value >> (8 * index));
}

int64_t Buffer::getCount() const {
  return static_cast<int64_t>(bytes.size() / getElementBytes(elementType));
}

bool Buffer::isWritten(int64_t index) const {
  return written[index * getElementBytes(elementType)];
}

unsigned ReferenceMemory::addBuffer(StringRef name, Type elementType,
                                    int64_t count) {
  uint64_t size = uint64_t(count) * getElementBytes(elementType);
  buffers.push_back({name.str(), elementType, nextAddress,
                     std::vector<uint8_t>(size, uint8_t(0)),
                     std::vector<bool>(size, false)});
  nextAddress = llvm::alignTo(nextAddress + size + guardBytes, alignment);
  return buffers.size() - 1;
}

unsigned ReferenceMemory::addReals(StringRef name, Type elementType,
                                   ArrayRef<double> values) {
  auto type = cast<FloatType>(elementType);
  unsigned number = addBuffer(name, type, values.size());
  unsigned width = getElementBytes(type);
  uint8_t *bytes = buffers[number].bytes.data();
  for (double value : values) {
    writeBytes(bytes, width, encodeReal(type, value));
    bytes += width;
  }
  return number;
}

unsigned ReferenceMemory::addIntegers(StringRef name, Type elementType,
                                      ArrayRef<int64_t> values) {
  assert(!isReal(elementType) && "expects integers or pointers");
  unsigned number = addBuffer(name, elementType, values.size());
  unsigned width = getElementBytes(elementType);
  uint8_t *bytes = buffers[number].bytes.data();
  for (int64_t value : values) {
    writeBytes(bytes, width, wrapInteger(value, getWidth(elementType)));
    bytes += width;
  }
  return number;
}

std::vector<double> ReferenceMemory::getReals(unsigned number) const {
  const Buffer &buffer = buffers[number];
  auto type = cast<FloatType>(buffer.elementType);
  unsigned width = getElementBytes(type);
  std::vector<double> values(buffer.getCount());
  for (auto [index, value] : llvm::enumerate(values))
    value =
        decodeReal(type, readBytes(buffer.bytes.data() + index * width, width));
  return values;
}

std::vector<int64_t> ReferenceMemory::getIntegers(unsigned number) const {
  const Buffer &buffer = buffers[number];
  assert(!isReal(buffer.elementType) && "expects integers or pointers");
  unsigned width = getElementBytes(buffer.elementType);
  std::vector<int64_t> values(buffer.getCount());
  for (auto [index, value] : llvm::enumerate(values))
    value = signExtend(readBytes(buffer.bytes.data() + index * width, width),
                       getWidth(buffer.elementType));
  return values;
}

Buffer *ReferenceMemory::findBuffer(uint64_t address) {
  // Addresses ascend.
  auto after = llvm::upper_bound(
      buffers, address,
      [](uint64_t at, const Buffer &buffer) { return at < buffer.address; });
  return after == buffers.begin() ? nullptr : &*std::prev(after);
}

uint8_t *ReferenceMemory::find(uint64_t address, uint64_t count) {
  Buffer *buffer = findBuffer(address);
  if (!buffer)
    return nullptr;
  uint64_t offset = address - buffer->address, size = buffer->bytes.size();
  if (offset > size || size - offset < count)
    return nullptr;
  return buffer->bytes.data() + offset;
}

void ReferenceMemory::markWritten(uint64_t address, uint64_t count) {
  Buffer *buffer = findBuffer(address);
  uint64_t offset = address - buffer->address;
  std::fill_n(buffer->written.begin() + offset, count, true);
}

static std::string describeBefore(uint64_t address, const Buffer &buffer) {
  return (Twine(buffer.address - address) + " bytes before '" + buffer.name +
          "'")
      .str();
}

std::string ReferenceMemory::describe(uint64_t address) const {
  auto after = llvm::upper_bound(
      buffers, address,
      [](uint64_t at, const Buffer &buffer) { return at < buffer.address; });
  if (after == buffers.begin())
    return buffers.empty() ? "without any buffer"
                           : describeBefore(address, *after);
  const Buffer &buffer = *std::prev(after);
  uint64_t offset = address - buffer.address, size = buffer.bytes.size();
  if (offset < size)
    return ("at byte " + Twine(offset) + " of the " + Twine(size) + " of '" +
            buffer.name + "'")
        .str();
  // What leads out of a buffer is most likely a step from the nearer one.
  if (after != buffers.end() && after->address - address < offset - size)
    return describeBefore(address, *after);
  return (Twine(offset - size) + " bytes after the end of '" + buffer.name +
          "'")
      .str();
}
