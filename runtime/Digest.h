// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The digest that seals artifacts and names cache entries. In: bytes. Out: 32
// bytes. It is SHA-256 (FIPS 180-4), so that `sha256sum` can check a file, and
// so that the runtime needs no library for it. A digest finds damage; it does
// not prove who wrote the bytes.

#ifndef TILEWRIGHT_RUNTIME_DIGEST_H
#define TILEWRIGHT_RUNTIME_DIGEST_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilewright::runtime {

/// A SHA-256 value, first byte first.
using Digest = std::array<uint8_t, 32>;

/// Computes a digest piece by piece.
class Hasher {
public:
  Hasher();
  /// Appends `bytes` to the message.
  void update(std::span<const uint8_t> bytes);
  /// Ends the message. The hasher must not be used afterwards.
  Digest finish();

private:
  void compress(const uint8_t *block);

  std::array<uint32_t, 8> state;
  std::array<uint8_t, 64> pending;
  size_t pendingSize = 0;
  uint64_t messageSize = 0;
};

/// The digest of `bytes`.
Digest digest(std::span<const uint8_t> bytes);

/// 64 lower-case hexadecimal digits.
std::string toHex(const Digest &digest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DIGEST_H
