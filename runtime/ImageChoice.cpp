// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of compatibility between code and devices: CUDA C++ programming
// guide, "Binary Compatibility" and "PTX Compatibility".

#include "runtime/ImageChoice.h"

#include <algorithm>
#include <tuple>

using namespace tilewright::runtime;

uint32_t tilewright::runtime::newestPtxVersion(int driverVersion) {
  static constexpr struct {
    int cuda;
    uint32_t ptx;
  } table[] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85},
               {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80},
               {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74},
               {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {10020, 65},
               {10010, 64}, {10000, 63}, {9020, 62},  {9010, 61},  {9000, 60}};
  for (auto row : table)
    if (driverVersion >= row.cuda)
      return row.ptx;
  return 0;
}

/// Tegra and other embedded parts: machine code for them and for desktop parts
/// of the same major number is not interchangeable.
static bool isEmbedded(const Architecture &architecture) {
  uint32_t number = architecture.major * 10 + architecture.minor;
  return number == 72 || number == 87 || number == 101 || number == 110;
}

static bool sameNumber(const Architecture &a, const Architecture &b) {
  return a.major == b.major && a.minor == b.minor;
}

static bool notAbove(const Architecture &a, const Architecture &b) {
  return std::tie(a.major, a.minor) <= std::tie(b.major, b.minor);
}

static std::string versionText(uint32_t version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

bool tilewright::runtime::imageRuns(const Image &image,
                                    const DeviceFacts &device,
                                    std::string &reason) {
  const Architecture &code = image.architecture;
  const Architecture &chip = device.architecture;
  if (code.suffix == 'a' && !sameNumber(code, chip)) {
    reason = "code for " + code.name() + " runs on no other architecture";
    return false;
  }
  if (!notAbove(code, chip)) {
    reason = "the device is older";
    return false;
  }
  if (code.suffix == 'f' && code.major != chip.major) {
    reason = "code for " + code.name() + " runs within its family alone";
    return false;
  }
  if (image.kind == ImageKind::Cubin) {
    if (code.major != chip.major) {
      reason = "machine code runs within its major architecture alone";
      return false;
    }
    if (!sameNumber(code, chip) && (isEmbedded(code) || isEmbedded(chip))) {
      reason = "machine code is not shared between embedded and other parts";
      return false;
    }
    return true;
  }
  uint32_t newest = newestPtxVersion(device.driverVersion);
  if (image.ptxVersion > newest) {
    reason = newest == 0 ? "the driver compiles no PTX"
                         : "the driver knows PTX up to version " +
                               versionText(newest) + " alone";
    return false;
  }
  return true;
}

std::string tilewright::runtime::describeImage(const Image &image) {
  return image.kind == ImageKind::Cubin
             ? "cubin " + image.architecture.name()
             : "PTX " + versionText(image.ptxVersion) + " for " +
                   image.architecture.name();
}

/// Larger is better.
static auto rankOf(const Image &image, const Architecture &chip) {
  const Architecture &code = image.architecture;
  bool isCubin = image.kind == ImageKind::Cubin;
  return std::tuple(isCubin && sameNumber(code, chip), !image.portableFallback,
                    isCubin, code.major, code.minor, code.suffix != 0);
}

Result<std::vector<const Variant *>>
tilewright::runtime::rankVariants(const Artifact &artifact, uint32_t kernel,
                                  const DeviceFacts &device) {
  std::vector<const Variant *> found;
  std::string rejected;
  for (const Variant &variant : artifact.variants) {
    if (variant.kernel != kernel)
      continue;
    const Image &image = artifact.images[variant.image];
    std::string reason;
    if (imageRuns(image, device, reason))
      found.push_back(&variant);
    else
      rejected +=
          (rejected.empty() ? "" : "; ") + describeImage(image) + ": " + reason;
  }
  // The image's place in the artifact breaks ties.
  std::sort(
      found.begin(), found.end(), [&](const Variant *a, const Variant *b) {
        auto of = [&](const Variant *variant) {
          return rankOf(artifact.images[variant->image], device.architecture);
        };
        return of(a) != of(b) ? of(a) > of(b) : a->image < b->image;
      });
  if (!found.empty())
    return found;
  const std::string &name = artifact.kernels[kernel].name;
  if (rejected.empty())
    return Error{ErrorCode::Unsupported,
                 "kernel '" + name + "' is in no image of the artifact"};
  return Error{ErrorCode::Unsupported,
               "no image of kernel '" + name + "' runs on " +
                   device.architecture.name() + " with a driver for CUDA " +
                   std::to_string(device.driverVersion / 1000) + "." +
                   std::to_string(device.driverVersion % 1000 / 10) + " (" +
                   rejected + ")"};
}

Result<const Variant *>
tilewright::runtime::chooseVariant(const Artifact &artifact, uint32_t kernel,
                                   const DeviceFacts &device) {
  Result<std::vector<const Variant *>> ranked =
      rankVariants(artifact, kernel, device);
  if (!ranked)
    return ranked.takeError();
  return ranked->front();
}
