// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Random/Values.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::fuzz;

unsigned ValueType::getWidth() const {
  return std::stoi(element.substr(element.find_first_of("0123456789")));
}

int64_t ValueType::getCount() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string ValueType::str() const {
  if (!isTile())
    return element;
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

double FloatFormat::getUnit() const { return std::ldexp(1.0, -precision); }

FloatFormat fuzz::getFormat(const std::string &element) {
  if (element == "f16")
    return {11, 65504.0, std::ldexp(1.0, -25)};
  if (element == "bf16")
    return {8, 3e38, std::ldexp(1.0, -134)};
  if (element == "f32")
    return {24, 3e38, std::ldexp(1.0, -150)};
  return {53, 1e300, 0.0};
}

bool Range::isExactIn(const std::string &element) const {
  return isInteger &&
         magnitude <= std::ldexp(1.0, getFormat(element).precision);
}

std::optional<Range> fuzz::round(Range ideal, const std::string &element) {
  FloatFormat format = getFormat(element);
  if (ideal.magnitude + ideal.error > format.maximum / 4)
    return std::nullopt;
  if (ideal.isExactIn(element))
    return ideal;
  ideal.isInteger = false;
  ideal.error +=
      (ideal.magnitude + ideal.error) * format.getUnit() + format.tiny;
  if (ideal.error > 0.03 * std::max(1.0, ideal.magnitude))
    return std::nullopt;
  return ideal;
}

double fuzz::getTolerance(const Range &range, const std::string &element) {
  if (range.isExact())
    return 0.0;
  // The reference rounds when it stores.
  FloatFormat format = getFormat(element);
  return range.error + range.magnitude * format.getUnit() + format.tiny;
}
