// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/GlobalMemory.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace tilewright::emulator;

GlobalMemory::GlobalMemory(uint64_t limit) : limit(limit) {}

std::string GlobalMemory::explainRefusal(uint64_t bytes) const {
  if (bytes > limit - used)
    return "expects at most " + std::to_string(limit) +
           " bytes of device memory in all, but got " + std::to_string(bytes) +
           " beside " + std::to_string(used);
  return "the host has no memory for " + std::to_string(bytes) + " bytes";
}

uint64_t GlobalMemory::allocate(uint64_t bytes) {
  bytes = std::max<uint64_t>(bytes, 1);
  if (bytes > limit - used || bytes > uint64_t(1) << 40)
    return 0;
  auto allocation = std::make_unique<Allocation>();
  allocation->bytes = bytes;
  allocation->data.reset(new (std::nothrow) uint8_t[bytes]);
  allocation->written.reset(new (std::nothrow) uint8_t[bytes]);
  if (!allocation->data || !allocation->written)
    return 0;
  // What is read in spite of the check is conspicuous, and the same every time.
  std::memset(allocation->data.get(), 0xcd, bytes);
  std::memset(allocation->written.get(), 0, bytes);
  used += bytes;
  uint64_t first = blocks.size();
  uint64_t count = ((bytes + 2 * redzone) >> blockBits) + 1;
  allocation->address = firstAddress + (first << blockBits) + redzone;
  blocks.resize(first + count, allocation.get());
  allocations.push_back(std::move(allocation));
  return allocations.back()->address;
}

bool GlobalMemory::free(uint64_t address) {
  Allocation *found = find(address);
  if (!found || found->address != address)
    return false;
  used -= found->bytes;
  // The addresses are not used again: what still points there is found out.
  std::replace(blocks.begin(), blocks.end(), found,
               static_cast<Allocation *>(nullptr));
  std::erase_if(allocations,
                [&](const auto &entry) { return entry.get() == found; });
  return true;
}

static bool contains(const Allocation *allocation, uint64_t address,
                     uint64_t bytes) {
  return allocation && address >= allocation->address &&
         address - allocation->address <= allocation->bytes &&
         bytes <= allocation->bytes - (address - allocation->address);
}

bool GlobalMemory::write(uint64_t address, const void *source, uint64_t bytes) {
  Allocation *allocation = find(address);
  if (!contains(allocation, address, bytes))
    return false;
  uint64_t offset = address - allocation->address;
  std::memcpy(allocation->data.get() + offset, source, bytes);
  std::memset(allocation->written.get() + offset, 1, bytes);
  return true;
}

bool GlobalMemory::read(uint64_t address, void *destination,
                        uint64_t bytes) const {
  const Allocation *allocation = find(address);
  if (!contains(allocation, address, bytes))
    return false;
  std::memcpy(destination,
              allocation->data.get() + (address - allocation->address), bytes);
  return true;
}

GlobalMemory::Content GlobalMemory::save() const {
  Content content;
  for (const auto &allocation : allocations) {
    const uint8_t *data = allocation->data.get();
    const uint8_t *written = allocation->written.get();
    content.data.emplace_back(data, data + allocation->bytes);
    content.written.emplace_back(written, written + allocation->bytes);
  }
  return content;
}

void GlobalMemory::restore(const Content &content) {
  for (size_t i = 0; i < allocations.size(); ++i) {
    std::copy(content.data[i].begin(), content.data[i].end(),
              allocations[i]->data.get());
    std::copy(content.written[i].begin(), content.written[i].end(),
              allocations[i]->written.get());
  }
}

uint64_t GlobalMemory::size() const { return used; }
