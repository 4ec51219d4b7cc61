// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors a parameter takes, by what their elements are.

#ifndef TILEWRIGHT_PYTHON_ELEMENTTYPES_H
#define TILEWRIGHT_PYTHON_ELEMENTTYPES_H

#include "dlpack.h"

#include <cstdint>
#include <string>

namespace tilewright::python {

/// The types of elements that a parameter takes: those of `bits` bits whose
/// DLPack code (DLDataTypeCode) is the number of a bit of `codes`; all types
/// where that is 0.
struct ElementTypes {
  uint32_t codes = 0, bits = 0;

  /// By tilewright_parameter's element_type; all where that is not known.
  static ElementTypes of(const std::string &elementType);
  bool contain(DLDataType type) const {
    uint32_t width = uint32_t(type.bits) * type.lanes;
    return codes == 0 ||
           (type.code < 32 && codes >> type.code & 1 && width == bits);
  }
};

/// As NumPy and PyTorch call it: "int32", "float8_e4m3fn".
std::string describe(DLDataType type);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_ELEMENTTYPES_H
