// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target rows and the queries over them; the matrix instructions are in
// MatrixInstructions.cpp. Sources of the facts:
//   [PTX]   NVIDIA, "Parallel Thread Execution ISA" 9.0: each instruction's
//           "PTX ISA Notes" and "Target ISA Notes", and "Release Notes".
//   [CUDA]  NVIDIA, "CUDA C++ Programming Guide" 13.0, section "Compute
//           Capabilities", table "Technical Specifications per Compute
//           Capability"; sm_70 from the guide of CUDA 12.9.
//   [LLVM]  llc 22.1.8 run with each -mcpu and -mattr=+ptxNN.
//   [ptxas] ptxas 13.0.88 run on a sample of each instruction.

#include "dialects/Target/Target.h"

#include <algorithm>
#include <utility>

using namespace tilewright::target;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

// Lowest PTX versions: [PTX] "Release Notes", and [LLVM], which refuses a
// lower one by a fatal error. Limits: [CUDA]. 1 KB of shared memory per CTA is
// the system's own from 8.0 on ([CUDA], sections "Compute Capability 8.x",
// "9.0"), so the largest CTA gets 1 KB less than the multiprocessor has.
// Assembler: [ptxas] no longer knows sm_70, yet takes its PTX for sm_75.
static constexpr Target targets[] = {
    {
        .name = "sm_70",
        .chip = "sm_70",
        .assemblerChip = "sm_75",
        .computeCapability = 70,
        .lowestPtxVersion = 60,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 98304,
        .sharedMemoryPerMultiprocessor = 98304,
        .sharedMemoryReservedPerCta = 0,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 64,
        .maxCtasPerMultiprocessor = 32,
    },
    {
        .name = "sm_75",
        .chip = "sm_75",
        .assemblerChip = "sm_75",
        .computeCapability = 75,
        .lowestPtxVersion = 63,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 65536,
        .sharedMemoryPerMultiprocessor = 65536,
        .sharedMemoryReservedPerCta = 0,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 32,
        .maxCtasPerMultiprocessor = 16,
    },
    {
        .name = "sm_80",
        .chip = "sm_80",
        .assemblerChip = "sm_80",
        .computeCapability = 80,
        .lowestPtxVersion = 70,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 166912,
        .sharedMemoryPerMultiprocessor = 167936,
        .sharedMemoryReservedPerCta = 1024,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 64,
        .maxCtasPerMultiprocessor = 32,
    },
    {
        .name = "sm_86",
        .chip = "sm_86",
        .assemblerChip = "sm_86",
        .computeCapability = 86,
        .lowestPtxVersion = 71,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 101376,
        .sharedMemoryPerMultiprocessor = 102400,
        .sharedMemoryReservedPerCta = 1024,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 48,
        .maxCtasPerMultiprocessor = 16,
    },
    {
        .name = "sm_87",
        .chip = "sm_87",
        .assemblerChip = "sm_87",
        .computeCapability = 87,
        // sm_86 with the shared memory of sm_80.
        .isTested = false,
        .lowestPtxVersion = 74,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 166912,
        .sharedMemoryPerMultiprocessor = 167936,
        .sharedMemoryReservedPerCta = 1024,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 48,
        .maxCtasPerMultiprocessor = 16,
    },
    {
        .name = "sm_89",
        .chip = "sm_89",
        .assemblerChip = "sm_89",
        .computeCapability = 89,
        .lowestPtxVersion = 78,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 101376,
        .sharedMemoryPerMultiprocessor = 102400,
        .sharedMemoryReservedPerCta = 1024,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 48,
        .maxCtasPerMultiprocessor = 24,
    },
    {
        .name = "sm_90a",
        .chip = "sm_90a",
        .assemblerChip = "sm_90a",
        .computeCapability = 90,
        .architectureSpecific = true,
        .lowestPtxVersion = 80,
        .staticSharedMemoryLimit = 49152,
        .sharedMemoryLimit = 232448,
        .sharedMemoryPerMultiprocessor = 233472,
        .sharedMemoryReservedPerCta = 1024,
        .registersPerThread = 255,
        .registersPerMultiprocessor = 65536,
        .maxWarpsPerCta = 32,
        .maxWarpsPerMultiprocessor = 64,
        .maxCtasPerMultiprocessor = 32,
    },
};

//===----------------------------------------------------------------------===//
// Capabilities
//===----------------------------------------------------------------------===//

namespace {
/// From this compute capability and PTX version on the capability exists. One
/// capability may have several rows; the lowest fitting version counts.
struct Availability {
  Capability capability;
  /// The first compute capability that has it, and the last (0: no end).
  unsigned from;
  unsigned last = 0;
  PtxVersion ptx;
  /// Only targets that are specific to one architecture have it.
  bool isSpecific = false;
};
} // namespace

using enum Capability;

// [PTX], the named instruction's notes, unless another source is given.
static constexpr Availability availabilities[] = {
    {.capability = NamedBarriers, .from = 20, .ptx = 20}, // barrier{.cta}
    {.capability = MatchSync, .from = 70, .ptx = 60},     // match.sync
    {.capability = Nanosleep, .from = 70, .ptx = 63},     // nanosleep
    {.capability = ScopedMemoryModel,
     .from = 70,
     .ptx = 60},                                       // ld, st, atom, fence
    {.capability = Dp4a, .from = 61, .ptx = 50},       // dp4a, dp2a
    {.capability = F16Atomics, .from = 70, .ptx = 63}, // atom.add.noftz.f16
    {.capability = Cas16, .from = 70, .ptx = 63},      // atom.cas.b16
    // m8n8k4 exists later too, at "substantially reduced performance" (mma,
    // note on .m8n8k4), so that it is no instruction to choose there.
    {.capability = MmaQuadPair, .from = 70, .last = 70, .ptx = 64},
    {.capability = MmaTuring,
     .from = 75,
     .ptx = 65}, // mma.m16n8k8.f16, m8n8k16.s8
    {.capability = MmaAmpere, .from = 80, .ptx = 70}, // mma.m16n8k16
    {.capability = MmaFp8, .from = 89, .ptx = 84},    // mma.m16n8k32.e4m3
    // Hopper's is F2FP and HMMA in SASS ([ptxas]).
    {.capability = NativeMmaFp8, .from = 89, .last = 89, .ptx = 84},
    {.capability = MmaWideF64, .from = 90, .ptx = 78}, // mma.m16n8k16.f64
    {.capability = LdMatrix, .from = 75, .ptx = 65},   // ldmatrix
    {.capability = MovMatrix, .from = 75, .ptx = 78},  // movmatrix
    {.capability = StMatrix, .from = 90, .ptx = 78},   // stmatrix
    {.capability = TanhApprox, .from = 75, .ptx = 70}, // tanh
    {.capability = Ex2F16x2, .from = 75, .ptx = 70},   // ex2 (half precision)
    {.capability = Bf16Transcendentals, .from = 90, .ptx = 78}, // tanh, ex2
    {.capability = EvictionPriority, .from = 70, .ptx = 74},    // ld, st
    {.capability = L2PrefetchHint, .from = 75, .ptx = 74}, // ld.level::prefetch
    {.capability = CacheHint, .from = 80, .ptx = 74},      // createpolicy
    {.capability = CpAsync, .from = 80, .ptx = 70},        // cp.async
    {.capability = Redux, .from = 80, .ptx = 70},          // redux.sync
    {.capability = Bf16Arithmetic, .from = 80, .ptx = 70}, // fma.rn.bf16
    {.capability = Bf16Conversion, .from = 80, .ptx = 70}, // cvt.rn.bf16.f32
    {.capability = Tf32, .from = 80, .ptx = 70},           // cvt.rna.tf32
    {.capability = Tf32NearestEven, .from = 90, .ptx = 78}, // cvt.rn.tf32
    {.capability = MinMaxNan, .from = 80, .ptx = 70},       // min, max
    {.capability = MBarrier, .from = 80, .ptx = 70},        // mbarrier.init
    {.capability = Fp8Conversion, .from = 89, .ptx = 81}, // cvt .e4m3x2, sm_89
    {.capability = Fp8Conversion, .from = 90, .ptx = 78}, // the same, sm_90
    {.capability = MBarrierTransactions,
     .from = 90,
     .ptx = 80},                                     // mbarrier.expect_tx
    {.capability = Clusters, .from = 90, .ptx = 78}, // barrier.cluster
    {.capability = GridDependencyControl,
     .from = 90,
     .ptx = 78},                                       // griddepcontrol
    {.capability = Bf16AddMul, .from = 90, .ptx = 78}, // add.bf16
    {.capability = Bf16IntegerConversion,
     .from = 90,
     .ptx = 78},                                        // cvt.rn.bf16.s32
    {.capability = Bf16Atomics, .from = 90, .ptx = 78}, // atom.add.bf16
    {.capability = Atomics128, .from = 90, .ptx = 84},  // atom.cas.b128, .exch
    {.capability = VectorAtomics, .from = 90, .ptx = 81}, // red.v2.f32
    {.capability = ElectOne, .from = 90, .ptx = 80},      // elect.sync
    {.capability = BulkTensorCopy,
     .from = 90,
     .ptx = 80}, // cp.async.bulk.tensor
    {.capability = Wgmma,
     .from = 90,
     .last = 90,
     .ptx = 80,
     .isSpecific = true}, // wgmma.mma_async
    {.capability = SetMaxRegisters,
     .from = 90,
     .ptx = 80,
     .isSpecific = true}, // setmaxnreg
};

static constexpr std::string_view capabilityNames[capabilityCount] = {
    "named barriers",
    "match.sync",
    "nanosleep",
    "scoped memory orders",
    "dp4a",
    "f16 atomics",
    "16-bit compare-and-swap",
    "mma.m8n8k4",
    "Turing's mma.sync",
    "Ampere's mma.sync",
    "fp8 mma.sync",
    "native fp8 mma.sync",
    "wide f64 mma.sync",
    "ldmatrix",
    "movmatrix",
    "stmatrix",
    "tanh.approx",
    "ex2.approx.f16",
    "bf16 transcendentals",
    "L1 eviction priorities",
    "L2 prefetch hints",
    "L2 cache hints",
    "cp.async",
    "redux.sync",
    "bf16 arithmetic",
    "bf16 conversion",
    "tf32 conversion",
    "tf32 conversion to nearest even",
    "f16 and NaN-propagating min/max",
    "mbarrier",
    "fp8 conversion",
    "mbarrier transactions",
    "clusters",
    "griddepcontrol",
    "bf16 add and mul",
    "conversion of integers to bf16",
    "bf16 atomics",
    "128-bit atomics",
    "vector atomics",
    "elect.sync",
    "bulk tensor copies",
    "wgmma",
    "setmaxnreg",
};
static_assert(!capabilityNames[capabilityCount - 1].empty(),
              "every capability has a name");

std::string_view tilewright::target::capabilityName(Capability capability) {
  return capabilityNames[static_cast<unsigned>(capability)];
}

unsigned Target::maxRegistersOf(unsigned threads) const {
  unsigned fair = registersPerMultiprocessor / threads / 8 * 8;
  return std::min(registersPerThread, fair);
}

unsigned Target::maxTileRegistersOf(unsigned threads) const {
  constexpr unsigned others = 64;
  unsigned most = maxRegistersOf(threads);
  return most - std::min(most / 2, others);
}

unsigned Target::maxSumRegistersOf(unsigned threads) const {
  constexpr unsigned others = 32;
  unsigned most = maxRegistersOf(threads);
  return most - std::min(most, others);
}

std::optional<PtxVersion> Target::ptxVersionOf(Capability capability) const {
  std::optional<PtxVersion> lowest;
  for (const Availability &row : availabilities) {
    if (row.capability != capability)
      continue;
    if (computeCapability < row.from)
      continue;
    if (row.last && computeCapability > row.last)
      continue;
    if (row.isSpecific && !architectureSpecific)
      continue;
    lowest = std::min(lowest.value_or(row.ptx), row.ptx);
  }
  if (lowest)
    lowest = std::max(*lowest, lowestPtxVersion);
  return lowest;
}

bool Target::has(Capability capability) const {
  return ptxVersionOf(capability).has_value();
}

bool Target::multipliesAsF16(ElementType operand) const {
  return (operand == ElementType::E4M3 || operand == ElementType::E5M2) &&
         !has(NativeMmaFp8);
}

PtxVersion Target::ptxVersion(std::span<const Capability> capabilities,
                              PtxVersion atLeast) const {
  PtxVersion version = std::max(lowestPtxVersion, atLeast);
  for (Capability capability : capabilities)
    version = std::max(version, ptxVersionOf(capability).value_or(0));
  return version;
}

std::string tilewright::target::formatPtxVersion(PtxVersion version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

//===----------------------------------------------------------------------===//
// Matrix instructions of a target
//===----------------------------------------------------------------------===//

std::vector<const MatrixInstruction *> Target::matrixInstructions() const {
  std::vector<const MatrixInstruction *> result;
  for (const MatrixInstruction &instruction : allMatrixInstructions())
    if (has(instruction.capability))
      result.push_back(&instruction);
  return result;
}

static bool divides(unsigned shape, std::optional<unsigned> extent) {
  return !extent || (*extent != 0 && *extent % shape == 0);
}

/// Whether some n of the instruction divides the dot's.
static bool fitsN(const MatrixInstruction &instruction,
                  std::optional<unsigned> extent) {
  if (instruction.nStep == 0)
    return divides(instruction.n, extent);
  for (unsigned n = instruction.n; n <= instruction.nLargest;
       n += instruction.nStep)
    if (divides(n, extent))
      return true;
  return false;
}

std::vector<const MatrixInstruction *>
Target::findMatrixInstructions(const MatrixQuery &query) const {
  std::vector<const MatrixInstruction *> result = matrixInstructions();
  std::erase_if(result, [&](const MatrixInstruction *row) {
    bool typesMatch = row->a == query.a && row->b == query.b &&
                      row->accumulator == query.accumulator;
    bool extentsFit = divides(row->m, query.m) && fitsN(*row, query.n) &&
                      divides(row->k, query.k);
    return !typesMatch || !extentsFit || row->warps > query.warps ||
           (row->asynchronous && !query.allowAsynchronous);
  });
  // Few rows: an insertion sort keeps the table's order among equals and needs
  // no buffer.
  for (size_t i = 1; i < result.size(); ++i)
    for (size_t j = i;
         j > 0 && result[j - 1]->multiplyAdds() < result[j]->multiplyAdds();
         --j)
      std::swap(result[j - 1], result[j]);
  return result;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

std::span<const Target> tilewright::target::allTargets() { return targets; }

const Target *tilewright::target::lookup(std::string_view name) {
  for (const Target &target : targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

const Target *tilewright::target::lookupForDevice(unsigned computeCapability) {
  const Target *best = nullptr;
  for (const Target &target : targets)
    if (target.runsOn(computeCapability))
      best = &target;
  return best;
}

std::string tilewright::target::unknownTargetMessage(std::string_view name) {
  std::string message = "expects one of the targets ";
  for (const Target &target : targets) {
    if (&target != targets)
      message += ", ";
    message += target.name;
  }
  message += ", but got '";
  message += name;
  message += "'";
  for (const Target &target : targets) {
    if (target.architectureSpecific && target.name != name &&
        target.name.substr(0, target.name.size() - 1) == name) {
      message += "; for that GPU use '";
      message += target.name;
      message += "'";
    }
  }
  return message;
}
