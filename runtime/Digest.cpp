// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256 after FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2; the constants are
// the first 32 bits of the fractional parts of the cube roots (round constants)
// and square roots (start) of the first primes.

#include "runtime/Digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace tilewright::runtime;

static constexpr std::array<uint32_t, 64> roundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

Hasher::Hasher()
    : state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Hasher::compress(const uint8_t *block) {
  std::array<uint32_t, 64> w;
  for (unsigned i = 0; i < 16; ++i)
    w[i] = uint32_t(block[4 * i]) << 24 | uint32_t(block[4 * i + 1]) << 16 |
           uint32_t(block[4 * i + 2]) << 8 | uint32_t(block[4 * i + 3]);
  for (unsigned i = 16; i < 64; ++i) {
    uint32_t s0 =
        std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 =
        std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (unsigned i = 0; i < 64; ++i) {
    uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t t1 = h + sum1 + choice + roundConstants[i] + w[i];
    uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + sum0 + majority;
  }
  const uint32_t round[8] = {a, b, c, d, e, f, g, h};
  for (unsigned i = 0; i < 8; ++i)
    state[i] += round[i];
}

void Hasher::update(std::span<const uint8_t> bytes) {
  messageSize += bytes.size();
  while (!bytes.empty()) {
    if (pendingSize == 0 && bytes.size() >= 64) {
      compress(bytes.data());
      bytes = bytes.subspan(64);
      continue;
    }
    size_t take = std::min(bytes.size(), pending.size() - pendingSize);
    std::memcpy(pending.data() + pendingSize, bytes.data(), take);
    pendingSize += take;
    bytes = bytes.subspan(take);
    if (pendingSize == 64) {
      compress(pending.data());
      pendingSize = 0;
    }
  }
}

Digest Hasher::finish() {
  uint64_t bits = messageSize * 8;
  const uint8_t one = 0x80, zero = 0;
  update({&one, 1});
  while (pendingSize != 56)
    update({&zero, 1});
  std::array<uint8_t, 8> length;
  for (unsigned i = 0; i < 8; ++i)
    length[i] = uint8_t(bits >> (56 - 8 * i));
  update(length);
  Digest result;
  for (unsigned i = 0; i < 32; ++i)
    result[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

Digest tilewright::runtime::digest(std::span<const uint8_t> bytes) {
  Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

std::string tilewright::runtime::toHex(const Digest &digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}
