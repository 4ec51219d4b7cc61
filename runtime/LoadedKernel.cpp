// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Getting kernels ready; Launch.cpp launches them.

#include "runtime/LoadedKernel.h"

#include "runtime/Capture.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

Result<LoadedKernel> LoadedKernel::load(const Device &device,
                                        const Artifact &artifact,
                                        std::string_view name) {
  return load(device, artifact, name,
              [&](const Image &image, const std::string &where) {
                return Code::load(device, image, where);
              });
}

/// Everything that is copied from an image but its bytes.
static Image withoutBytes(const Image &image) {
  Image facts;
  facts.kind = image.kind;
  facts.architecture = image.architecture;
  facts.ptxVersion = image.ptxVersion;
  facts.portableFallback = image.portableFallback;
  return facts;
}

Result<LoadedKernel> LoadedKernel::load(const Device &device,
                                        const Artifact &artifact,
                                        std::string_view name,
                                        const CodeLoader &loader) {
  if (Result<void> good = device.driver().checkProcess(); !good)
    return good.takeError();
  Result<uint32_t> index = artifact.findKernel(name);
  if (!index)
    return index.takeError();
  Result<std::vector<const Variant *>> variants =
      rankVariants(artifact, *index, device.facts());
  if (!variants)
    return variants.takeError();
  ScopedContext scope(device);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  // Elsewhere a stream may capture, which loading would make invalid.
  RelaxedCaptureMode relaxed(device.driver());
  std::optional<Error> first;
  for (const Variant *variant : *variants) {
    LoadedKernel kernel(device);
    kernel.kernelFacts = artifact.kernels[*index];
    kernel.variantFacts = *variant;
    const Image &image = artifact.images[variant->image];
    kernel.imageFacts = withoutBytes(image);
    Result<void> good = kernel.checkLimits();
    if (good)
      good = kernel.loadCode(image, loader);
    if (good)
      good = kernel.prepare();
    if (good)
      return kernel;
    // The best image that failed says most; but only what the image or its
    // demands are to blame for is better with another.
    if (!first)
      first = good.error();
    if (good.error().code != ErrorCode::Unsupported)
      break;
  }
  return *first;
}

/// What can be refused before the driver is asked.
Result<void> LoadedKernel::checkLimits() const {
  uint64_t shared = uint64_t(variantFacts.staticSharedBytes) +
                    variantFacts.dynamicSharedBytes;
  if (shared > uint64_t(owner.sharedBytesLimit()))
    return Error{ErrorCode::Unsupported,
                 "kernel '" + kernelFacts.name + "' expects " +
                     std::to_string(shared) + " bytes of shared memory, but " +
                     owner.name() + " has " +
                     std::to_string(owner.sharedBytesLimit()) + " for a block"};
  bool hasCluster = variantFacts.cluster != Dimensions();
  if (hasCluster && !owner.driver()->cuLaunchKernelEx)
    return Error{ErrorCode::Unsupported,
                 "kernel '" + kernelFacts.name + "' expects clusters, which " +
                     owner.driver().description() + " cannot launch"};
  return success();
}

Result<void> LoadedKernel::loadCode(const Image &image,
                                    const CodeLoader &loader) {
  std::string where = "while loading kernel '" + kernelFacts.name + "' (" +
                      imageFacts.architecture.name() + ") on " +
                      owner.description();
  Result<std::shared_ptr<const Code>> loaded = loader(image, where);
  if (!loaded)
    return loaded.takeError();
  code = std::move(*loaded);
  Result<Function> found = code->getFunction(variantFacts.symbol, where);
  if (!found)
    return found.takeError();
  function = *found;
  return success();
}

/// Whether a parameter begins at a multiple of more than 16 bytes. Where it
/// lies is the code's: ptxas aligns its address in the constant bank, in which
/// the parameter space begins 16 bytes behind a multiple of 64 (at 0x210 for
/// sm_90, CUDA 13.0), so that 48 is a place for a tensor map.
bool LoadedKernel::hasWideAlignment() const {
  const std::vector<Slot> &slots = variantFacts.slots;
  return std::any_of(slots.begin(), slots.end(),
                     [](const Slot &slot) { return slot.alignment > 16; });
}

/// Compares the parameters of the loaded code with those of the artifact. The
/// driver can tell that there are no more only by an error (no call counts them
/// in CUDA 13.0), which memory checkers report as the program's: not asked.
Result<void> LoadedKernel::checkParameters() const {
  const Driver &driver = owner.driver();
  if (!driver->cuFuncGetParamInfo)
    return success();
  for (size_t i = 0; i < variantFacts.slots.size(); ++i) {
    const Slot &slot = variantFacts.slots[i];
    size_t offset = 0, size = 0;
    bool exists = driver->cuFuncGetParamInfo(function, i, &offset, &size) ==
                  statusSuccess;
    if (exists && size == slot.size &&
        (offset == slot.offset || hasWideAlignment()))
      continue;
    return Error{ErrorCode::Corrupt,
                 "kernel '" + kernelFacts.name +
                     "' does not match its artifact: expects parameter " +
                     std::to_string(i) + " of " + std::to_string(slot.size) +
                     " bytes at " + std::to_string(slot.offset) + ", but " +
                     (exists ? "got " + std::to_string(size) + " bytes at " +
                                   std::to_string(offset)
                             : "the code has none")};
  }
  return success();
}

Result<void> LoadedKernel::prepare() {
  const Driver &driver = owner.driver();
  std::string where = "while preparing kernel '" + kernelFacts.name + "'";
  if (Result<void> good = checkParameters(); !good)
    return good;
  auto set = [&](FunctionAttribute attribute, int value) {
    return driver.check(driver->cuFuncSetAttribute(function, attribute, value),
                        "cuFuncSetAttribute",
                        where + ", setting attribute " +
                            std::to_string(attribute) + " to " +
                            std::to_string(value));
  };
  // Up to 48 KiB need no permission.
  if (variantFacts.dynamicSharedBytes + variantFacts.staticSharedBytes > 49152)
    if (Result<void> good = set(maxDynamicSharedSizeBytes,
                                int(variantFacts.dynamicSharedBytes));
        !good)
      return good;
  const Dimensions &cluster = variantFacts.cluster;
  // Every GPU with clusters has those of up to 8 blocks.
  if (cluster.x * cluster.y * cluster.z > 8)
    if (Result<void> good = set(nonPortableClusterSizeAllowed, 1); !good)
      return good;
  for (auto [attribute, value] :
       {std::pair(cuda::registerCount, &registerCount),
        std::pair(cuda::localSizeBytes, &localByteCount)}) {
    Result<void> got =
        driver.check(driver->cuFuncGetAttribute(value, attribute, function),
                     "cuFuncGetAttribute", where);
    if (!got)
      return got;
  }
  parameterByteCount = parameterBytes(variantFacts);
  if (!variantFacts.tensorMaps.empty())
    tensorMaps = std::make_shared<TensorMaps>(owner);
  prepareAttributes();
  // Drivers before CUDA 11.6 launch cooperative kernels in no other way.
  takesPointers = hasWideAlignment() ||
                  (variantFacts.cooperative && !driver->cuLaunchKernelEx);
  return success();
}

/// The attributes that every launch of the kernel has.
void LoadedKernel::prepareAttributes() {
  auto add = [&](LaunchAttributeId id) -> LaunchAttribute & {
    LaunchAttribute &attribute = attributes[attributeCount++];
    attribute.id = id;
    return attribute;
  };
  if (variantFacts.cooperative)
    add(launchCooperative).flag = 1;
  const Dimensions &cluster = variantFacts.cluster;
  if (cluster != Dimensions()) {
    LaunchAttribute &attribute = add(launchClusterDimension);
    attribute.dimensions[0] = cluster.x;
    attribute.dimensions[1] = cluster.y;
    attribute.dimensions[2] = cluster.z;
  }
  // Only Hopper and later overlap dependent launches; before, order suffices.
  // Before CUDA 12.3 such a launch could not be captured (CUDA Programming
  // Guide, "Programmatic Dependent Launch", "Use in CUDA Graphs").
  constexpr int versionOfCaptures = 12030;
  if (variantFacts.dependentLaunch && owner.facts().architecture.major >= 9 &&
      owner.driver().version() >= versionOfCaptures)
    add(launchProgrammaticStreamSerialization).flag = 1;
}
