// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a launch of a kernel takes on a device, estimated.
//
// In: a kernel in tilegpu IR, ready to lower; a launch, as far as it is known;
// a device. Out: microseconds, and what they are made of. Nothing is run or
// measured: ops say what work they are (dialects/TileGPU/Work), a device's row
// how fast that goes (dialects/Target/Device.h). It is for comparing kernels
// and configurations; docs/TimeEstimate.md says what is left out.
//
// The time of a multiprocessor is the largest of
//  - what each of its resources takes for all CTAs that it runs,
//  - the latency of a CTA (ScheduleLatency.h), of which as many overlap as the
//    multiprocessor takes at a time (Occupancy.h);
// that of the device is the largest of the busiest multiprocessor's, what the
// L2 and memory take for all bytes (GlobalTraffic.h), and the longest
// program's.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_TIMEESTIMATE_H
#define TILEWRIGHT_PASSES_ANALYSIS_TIMEESTIMATE_H

#include "passes/Analysis/LaunchValues.h"
#include "passes/Analysis/ResourceDemand.h"

namespace tilewright::tilegpu {

/// What a kernel's time is made of.
enum class Bound : uint8_t {
  /// A resource of the multiprocessors.
  Resource,
  /// Latency that neither the schedule nor other CTAs hide.
  Latency,
  L2,
  Memory,
  /// The start of the kernel.
  Launch,
};

struct LoopEstimate {
  /// Where it begins.
  mlir::Location location;
  unsigned depth;
  double trips;
  /// Whether trips are known, or a guess.
  bool isKnown;
  /// For each iteration of a CTA: what it takes alone on the multiprocessor,
  /// and each resource.
  double latency;
  ResourceDemand demand;
  /// Of the latency what no resource is busy for, as long as the CTA is alone.
  double getExposed() const {
    return std::max(0., latency - demand.getMostCycles());
  }
};

struct TimeEstimate {
  double microseconds = 0;
  Bound bound = Bound::Launch;
  /// The resource that Bound::Resource means; the busiest one in any case.
  Resource resource = Resource::Issue;

  /// Of a thread, estimated; of a CTA.
  unsigned registers = 0;
  int64_t sharedBytes = 0;
  unsigned warps = 0;
  /// CTAs that a multiprocessor takes at a time, and how often the device is
  /// filled with them.
  unsigned ctasPerMultiprocessor = 0;
  double waves = 0;

  /// What all warps of a CTA do in the mean, and of that asynchronous copies.
  Work work, copies;
  /// Cycles of a CTA in the mean: of each resource, and from its beginning to
  /// its end if it is alone.
  ResourceDemand demand;
  double latency = 0;
  /// Bytes of the launch.
  double l2Bytes = 0, memoryBytes = 0;
  /// Microseconds that each bound alone would take, by Bound.
  std::array<double, 5> bounds = {};
  /// Outer loops before those in them.
  std::vector<LoopEstimate> loops;

  double getBound(Bound which) const { return bounds[unsigned(which)]; }
};

/// The estimate of `function`; none where it does not fit on the device.
std::optional<TimeEstimate> estimateTime(mlir::FunctionOpInterface function,
                                         const Launch &launch,
                                         const target::Target &target,
                                         const target::Device &device);

/// What bounds it, in words: "memory", "matrix units", "latency".
llvm::StringRef describeBound(const TimeEstimate &estimate);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_TIMEESTIMATE_H
