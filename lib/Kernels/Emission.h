// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reading of a kernel that writes tile IR. Addresses of a box that moves
// with a loop are made once before it and carried; only dimensions that may
// reach beyond the tensor are masked; what is known of sizes and strides is
// either written into the kernel or promised by `tt.divisibility`.

#ifndef TILEWRIGHT_LIB_KERNELS_EMISSION_H
#define TILEWRIGHT_LIB_KERNELS_EMISSION_H

#include "lib/Kernels/Notation.h"

#include <string>
#include <string_view>

namespace tilewright::kernels {

/// Tile IR of the kernel `name` that `text` is, which takes `signature`:
/// pointers of its tensors, then its numbers that are not constant.
std::string emit(std::string_view name, const Signature &signature,
                 const std::function<void(Reading &)> &text);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EMISSION_H
