// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long work keeps each resource of a multiprocessor busy.
//
// In: the work of warps (dialects/TileGPU/Work) and a device. Out: cycles of
// each resource, as if the multiprocessor did nothing else with it.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_RESOURCEDEMAND_H
#define TILEWRIGHT_PASSES_ANALYSIS_RESOURCEDEMAND_H

#include "dialects/Target/Device.h"
#include "dialects/TileGPU/Work/Work.h"

namespace tilewright::tilegpu {

/// What a multiprocessor hands out.
enum class Resource : uint8_t {
  Issue,
  Floating,
  Integer,
  Special,
  Doubles,
  Matrix,
  /// The path to shared memory, which shuffles take too.
  Shared,
  /// The path to the L2.
  Sectors,
};
inline constexpr unsigned resourceCount = unsigned(Resource::Sectors) + 1;

/// Its name in reports: "matrix units".
llvm::StringRef getResourceName(Resource resource);

/// Cycles of each resource.
struct ResourceDemand {
  std::array<double, resourceCount> cycles = {};

  ResourceDemand() = default;
  /// Of `warps` warps that do `work` each on a multiprocessor of `device`.
  ResourceDemand(const Work &work, const target::Device &device, double warps);

  double operator[](Resource resource) const {
    return cycles[unsigned(resource)];
  }
  /// Adds `other` so many times.
  void add(const ResourceDemand &other, double times);
  /// The same by CTAs of `warps` warps alone on the multiprocessor: of its four
  /// parts, which have the units for arithmetic, each warp uses one, and of
  /// what a part can issue, a share.
  ResourceDemand ofFewWarps(double warps) const;
  /// The resource that is busy longest.
  Resource getMost() const;
  double getMostCycles() const { return (*this)[getMost()]; }
};

/// Cycles from the start of `work` to the first of its results, but for loads
/// from global memory.
double getChainLatency(const Work &work, const target::Latencies &latencies);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_RESOURCEDEMAND_H
