// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which image of an artifact runs on a device. In: an artifact, a kernel, the
// device's architecture, the driver's version. Out: a variant, or an error that
// lists every image and why it does not run. It calls no driver.

#ifndef TILEWRIGHT_RUNTIME_IMAGECHOICE_H
#define TILEWRIGHT_RUNTIME_IMAGECHOICE_H

#include "runtime/Artifact.h"

namespace tilewright::runtime {

/// Where code is to run.
struct DeviceFacts {
  /// The device's compute capability; no suffix.
  Architecture architecture;
  /// The CUDA version of the driver (12040 is 12.4); it bounds the PTX versions
  /// that the driver can compile. 0: no PTX can be compiled.
  int driverVersion = 0;
};

/// The newest PTX version (major * 10 + minor) that a driver of this CUDA
/// version compiles; 0 before CUDA 9.0. Source: PTX ISA, release notes. For
/// drivers newer than the table, the newest version in it.
uint32_t newestPtxVersion(int driverVersion);

/// Whether the image runs on the device; if not, `reason` says why.
bool imageRuns(const Image &image, const DeviceFacts &device,
               std::string &reason);

/// The images that have kernel number `kernel` and run on the device, the best
/// first: a cubin for exactly this architecture (one with a suffix first); a
/// cubin for the same major number and the highest lower minor number; PTX for
/// the highest architecture that is not above the device's; an image marked as
/// portable fallback. Never empty: where nothing runs it is an error.
Result<std::vector<const Variant *>> rankVariants(const Artifact &artifact,
                                                  uint32_t kernel,
                                                  const DeviceFacts &device);

/// The first of rankVariants.
Result<const Variant *> chooseVariant(const Artifact &artifact, uint32_t kernel,
                                      const DeviceFacts &device);

/// "cubin sm_80", "PTX 7.0 for sm_80".
std::string describeImage(const Image &image);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_IMAGECHOICE_H
