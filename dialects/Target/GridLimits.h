// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large a grid may be.

#ifndef TILEWRIGHT_DIALECTS_TARGET_GRIDLIMITS_H
#define TILEWRIGHT_DIALECTS_TARGET_GRIDLIMITS_H

#include <array>
#include <cstdint>

namespace tilewright::target {

/// The most CTAs of a grid along x, y and z, the same on every GPU so far (CUDA
/// C++ Programming Guide, "Technical Specifications per Compute Capability"):
/// the driver launches none that is larger.
inline constexpr std::array<int32_t, 3> maxGridSize = {2147483647, 65535,
                                                       65535};

} // namespace tilewright::target

#endif // TILEWRIGHT_DIALECTS_TARGET_GRIDLIMITS_H
