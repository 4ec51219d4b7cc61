// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/EstimateReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;
using namespace tilewright::tilegpu;

/// "file:line:column" of where an op comes from.
static std::string describePlace(Location location) {
  std::string place = "?";
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
            ":" + std::to_string(file.getColumn());
    return WalkResult::interrupt();
  });
  return place;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Microseconds of a bound, and its part of the time.
static void writeBound(llvm::raw_ostream &os, StringRef name, double own,
                       double whole) {
  os << "  " << llvm::left_justify(name, 20)
     << llvm::format("%10.2f us %5.0f %%\n", own, 100 * own / whole);
}

static void writeLoop(llvm::raw_ostream &os, const LoopEstimate &loop) {
  Resource most = loop.demand.getMost();
  os << std::string(2 * loop.depth, ' ') << "loop at "
     << describePlace(loop.location) << ": "
     << llvm::format("%.4g iterations%s of %.0f cycles; ", loop.trips,
                     loop.isKnown ? "" : " (a guess)", loop.latency)
     << getResourceName(most)
     << llvm::format(" %.0f, latency exposed %.0f\n", loop.demand[most],
                     loop.getExposed());
}

static void writeKernel(llvm::raw_ostream &os, const KernelEstimate &kernel,
                        const ModuleEstimate &module) {
  os << kernel.kernel << ": ";
  if (!kernel.estimate) {
    os << "a CTA does not fit on the device\n";
    return;
  }
  const TimeEstimate &estimate = *kernel.estimate;
  double whole = estimate.microseconds;
  os << llvm::format("%.2f us, bound by ", whole) << describeBound(estimate)
     << "\n"
     << llvm::format("  %u warps, %u registers (estimated), %lld bytes of "
                     "shared memory, %u CTAs a multiprocessor, %.2f waves\n",
                     estimate.warps, estimate.registers,
                     (long long)estimate.sharedBytes,
                     estimate.ctasPerMultiprocessor, estimate.waves);
  double longest = estimate.demand.getMostCycles();
  for (unsigned i = 0; i < resourceCount; ++i)
    if (double cycles = estimate.demand.cycles[i])
      writeBound(os, getResourceName(Resource(i)),
                 estimate.getBound(Bound::Resource) * cycles / longest, whole);
  writeBound(os, "latency", estimate.getBound(Bound::Latency), whole);
  writeBound(os, "L2", estimate.getBound(Bound::L2), whole);
  writeBound(os, "memory", estimate.getBound(Bound::Memory), whole);
  writeBound(os, "launch", estimate.getBound(Bound::Launch), whole);
  os << llvm::format(
      "  %.4g MB to and from memory, %.4g MB to and from the L2\n",
      estimate.memoryBytes * 1e-6, estimate.l2Bytes * 1e-6);
  for (const LoopEstimate &loop : estimate.loops)
    writeLoop(os, loop);
}

std::string compiler::formatEstimate(const ModuleEstimate &estimate) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "estimate for " << StringRef(estimate.target->name) << " code on "
     << StringRef(estimate.device->name) << ", grid "
     << llvm::join(
            llvm::map_range(estimate.grid,
                            [](int64_t size) { return std::to_string(size); }),
            "x")
     << "\n";
  for (const KernelEstimate &kernel : estimate.kernels)
    writeKernel(os, kernel, estimate);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Value toJson(const ResourceDemand &demand) {
  llvm::json::Object object;
  for (unsigned i = 0; i < resourceCount; ++i)
    object[getResourceName(Resource(i))] = demand.cycles[i];
  return llvm::json::Value(std::move(object));
}

static llvm::json::Value toJson(const KernelEstimate &kernel) {
  llvm::json::Object object{{"kernel", kernel.kernel}};
  if (!kernel.estimate)
    return llvm::json::Value(std::move(object));
  const TimeEstimate &estimate = *kernel.estimate;
  llvm::json::Array loops;
  for (const LoopEstimate &loop : estimate.loops)
    loops.push_back(llvm::json::Object{{"place", describePlace(loop.location)},
                                       {"depth", loop.depth},
                                       {"trips", loop.trips},
                                       {"known", loop.isKnown},
                                       {"cycles", loop.latency},
                                       {"exposed", loop.getExposed()},
                                       {"resources", toJson(loop.demand)}});
  object["us"] = estimate.microseconds;
  object["bound"] = describeBound(estimate);
  object["warps"] = estimate.warps;
  object["registers"] = estimate.registers;
  object["shared_bytes"] = estimate.sharedBytes;
  object["ctas_per_multiprocessor"] = estimate.ctasPerMultiprocessor;
  object["waves"] = estimate.waves;
  object["counts"] =
      llvm::json::Object{{"instructions", estimate.work.instructions()},
                         {"wavefronts", estimate.work.wavefronts},
                         {"sectors", estimate.work.sectors},
                         {"copied wavefronts", estimate.copies.wavefronts},
                         {"copied sectors", estimate.copies.sectors},
                         {"matrices", estimate.work.matrices}};
  object["cta_cycles"] = estimate.latency;
  object["cta_resources"] = toJson(estimate.demand);
  object["memory_bytes"] = estimate.memoryBytes;
  object["l2_bytes"] = estimate.l2Bytes;
  object["bounds_us"] =
      llvm::json::Object{{"multiprocessor", estimate.getBound(Bound::Resource)},
                         {"latency", estimate.getBound(Bound::Latency)},
                         {"l2", estimate.getBound(Bound::L2)},
                         {"memory", estimate.getBound(Bound::Memory)},
                         {"launch", estimate.getBound(Bound::Launch)}};
  object["loops"] = std::move(loops);
  return llvm::json::Value(std::move(object));
}

std::string compiler::formatEstimateAsJson(const ModuleEstimate &estimate) {
  llvm::json::Array kernels;
  for (const KernelEstimate &kernel : estimate.kernels)
    kernels.push_back(toJson(kernel));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{
                                   {"target", StringRef(estimate.target->name)},
                                   {"device", StringRef(estimate.device->name)},
                                   {"grid", llvm::json::Array(estimate.grid)},
                                   {"kernels", std::move(kernels)}}))
     << "\n";
  return text;
}
