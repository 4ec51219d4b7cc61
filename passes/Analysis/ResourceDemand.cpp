// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/ResourceDemand.h"

using namespace tilewright;
using namespace tilewright::tilegpu;

static constexpr llvm::StringLiteral resourceNames[resourceCount] = {
    "instruction issue", "float arithmetic", "integer arithmetic",
    "special functions", "f64 arithmetic",   "matrix units",
    "shared memory",     "path to the L2"};

llvm::StringRef tilegpu::getResourceName(Resource resource) {
  return resourceNames[unsigned(resource)];
}

ResourceDemand::ResourceDemand(const Work &work, const target::Device &device,
                               double warps) {
  const target::Throughput &rates = device.throughput;
  auto set = [&](Resource resource, double amount, double rate) {
    cycles[unsigned(resource)] = rate ? warps * amount / rate : 0;
  };
  set(Resource::Issue, work.instructions(), rates.issue);
  set(Resource::Floating, work.floating, rates.floating);
  set(Resource::Integer, work.integer, rates.integer);
  set(Resource::Special, work.special, rates.special);
  set(Resource::Doubles, work.doubles, rates.doubles);
  const target::MatrixRates &matrix =
      work.isAsynchronous ? rates.asynchronousMatrix : rates.matrix;
  set(Resource::Matrix, work.multiplyAdds, matrix.of(work.matrixType));
  set(Resource::Shared, work.wavefronts + work.shuffles, rates.shared);
  set(Resource::Sectors, work.sectors,
      work.order == Work::Order::CopyGroup ? rates.bulkSectors : rates.sectors);
}

void ResourceDemand::add(const ResourceDemand &other, double times) {
  for (unsigned i = 0; i < resourceCount; ++i)
    cycles[i] += times * other.cycles[i];
}

ResourceDemand ResourceDemand::ofFewWarps(double warps) const {
  constexpr double parts = 4;
  // A warp alone issues an instruction about every three cycles: W4A16 with one
  // row of activations, four warps on a multiprocessor of an H200.
  constexpr double interval = 3;
  ResourceDemand few = *this;
  for (unsigned i = 0; i < resourceCount; ++i)
    if (Resource(i) != Resource::Shared && Resource(i) != Resource::Sectors) {
      double least = Resource(i) == Resource::Issue ? interval * parts : parts;
      few.cycles[i] *= std::max(1., least / warps);
    }
  return few;
}

Resource ResourceDemand::getMost() const {
  return Resource(std::max_element(cycles.begin(), cycles.end()) -
                  cycles.begin());
}

double tilegpu::getChainLatency(const Work &work,
                                const target::Latencies &latencies) {
  const WorkChain &chain = work.chain;
  return chain.arithmetic * latencies.arithmetic +
         chain.special * latencies.special +
         chain.shuffles * latencies.shuffle +
         chain.sharedLoads * latencies.shared + chain.matrix * latencies.matrix;
}
