// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Coding.h"

#include <cstdlib>

using namespace tilewright;
using namespace tilewright::kernels;

std::optional<Coding::Order> Coding::orderFromName(std::string_view name) {
  if (name == "low_first")
    return Order::LowFirst;
  if (name == "high_first")
    return Order::HighFirst;
  return name == "even_first" ? std::optional(Order::EvenFirst) : std::nullopt;
}

unsigned Coding::bitOf(unsigned index, unsigned codes) const {
  switch (order) {
  case Order::LowFirst:
    return bits * index;
  case Order::HighFirst:
    return bits * (codes - 1 - index);
  case Order::EvenFirst:
    return bits * (index / 2 + (index % 2) * (codes / 2));
  }
  return 0;
}

unsigned Coding::bitAcrossHalves(unsigned codes) const {
  auto placeOf = [&](unsigned index) {
    return int(index / codes * codes * bits + bitOf(index % codes, codes));
  };
  if (isInteger())
    for (unsigned bit = 0; 1u << bit < 32 / bits; ++bit)
      if (std::abs(placeOf(1u << bit) - placeOf(0)) == 16)
        return bit;
  return 0;
}

double Coding::valueOf(uint64_t code) const {
  static constexpr double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  code &= (uint64_t(1) << bits) - 1;
  uint8_t byte = static_cast<uint8_t>(code);
  switch (format) {
  case Format::Unsigned:
  case Format::CodeBook:
    return static_cast<double>(code);
  case Format::Signed:
    return static_cast<double>(code) -
           (code >> (bits - 1) ? static_cast<double>(1u << bits) : 0);
  case Format::E2M1:
    return code & 8 ? -e2m1[code & 7] : e2m1[code & 7];
  case Format::E4M3:
    return run::toDouble(run::ElementType::F8E4M3, &byte);
  case Format::E5M2:
    return run::toDouble(run::ElementType::F8E5M2, &byte);
  }
  return 0;
}
