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
    {"sm_70", "sm_70", "sm_75", 70, false, 60, 49152, 98304, 98304, 0, 255,
     65536, 32, 64, 32},
    {"sm_75", "sm_75", "sm_75", 75, false, 63, 49152, 65536, 65536, 0, 255,
     65536, 32, 32, 16},
    {"sm_80", "sm_80", "sm_80", 80, false, 70, 49152, 166912, 167936, 1024, 255,
     65536, 32, 64, 32},
    {"sm_86", "sm_86", "sm_86", 86, false, 71, 49152, 101376, 102400, 1024, 255,
     65536, 32, 48, 16},
    {"sm_87", "sm_87", "sm_87", 87, false, 74, 49152, 166912, 167936, 1024, 255,
     65536, 32, 48, 16},
    {"sm_89", "sm_89", "sm_89", 89, false, 78, 49152, 101376, 102400, 1024, 255,
     65536, 32, 48, 24},
    {"sm_90a", "sm_90a", "sm_90a", 90, true, 80, 49152, 232448, 233472, 1024,
     255, 65536, 32, 64, 32},
};

//===----------------------------------------------------------------------===//
// Capabilities
//===----------------------------------------------------------------------===//

namespace {
/// From this compute capability and PTX version on the capability exists.
/// One capability may have several rows; the lowest fitting version counts.
struct Availability {
  Capability capability;
  unsigned firstComputeCapability;
  /// The last one that has it (0: no end).
  unsigned lastComputeCapability;
  /// Only targets that are specific to one architecture have it.
  bool architectureSpecific;
  PtxVersion ptxVersion;
};
} // namespace

// [PTX], the named instruction's notes, unless another source is given.
static constexpr Availability availabilities[] = {
    {Capability::NamedBarriers, 20, 0, false, 20},     // barrier{.cta}
    {Capability::MatchSync, 70, 0, false, 60},         // match.sync
    {Capability::Nanosleep, 70, 0, false, 63},         // nanosleep
    {Capability::ScopedMemoryModel, 70, 0, false, 60}, // ld, st, atom, fence
    {Capability::Dp4a, 61, 0, false, 50},              // dp4a, dp2a
    {Capability::F16Atomics, 70, 0, false, 63},        // atom.add.noftz.f16
    {Capability::Cas16, 70, 0, false, 63},             // atom.cas.b16
    // m8n8k4 exists later too, at "substantially reduced performance" (mma,
    // note on .m8n8k4), so that it is no instruction to choose there.
    {Capability::MmaQuadPair, 70, 70, false, 64},
    {Capability::MmaTuring, 75, 0, false, 65},  // mma.m16n8k8.f16, m8n8k16.s8
    {Capability::MmaAmpere, 80, 0, false, 70},  // mma.m16n8k16
    {Capability::MmaFp8, 89, 0, false, 84},     // mma.m16n8k32.e4m3
    {Capability::MmaWideF64, 90, 0, false, 78}, // mma.m16n8k16.f64
    {Capability::LdMatrix, 75, 0, false, 65},   // ldmatrix
    {Capability::MovMatrix, 75, 0, false, 78},  // movmatrix
    {Capability::StMatrix, 90, 0, false, 78},   // stmatrix
    {Capability::TanhApprox, 75, 0, false, 70}, // tanh
    {Capability::Ex2F16x2, 75, 0, false, 70},   // ex2 (half precision)
    {Capability::Bf16Transcendentals, 90, 0, false, 78},   // tanh, ex2
    {Capability::L2PrefetchHint, 75, 0, false, 74},        // ld.level::prefetch
    {Capability::CacheHint, 80, 0, false, 74},             // createpolicy
    {Capability::CpAsync, 80, 0, false, 70},               // cp.async
    {Capability::Redux, 80, 0, false, 70},                 // redux.sync
    {Capability::Bf16Arithmetic, 80, 0, false, 70},        // fma.rn.bf16
    {Capability::Bf16Conversion, 80, 0, false, 70},        // cvt.rn.bf16.f32
    {Capability::Tf32, 80, 0, false, 70},                  // cvt.rna.tf32
    {Capability::MinMaxNan, 80, 0, false, 70},             // min, max
    {Capability::MBarrier, 80, 0, false, 70},              // mbarrier.init
    {Capability::Fp8Conversion, 89, 0, false, 81},         // cvt .e4m3x2, sm_89
    {Capability::Fp8Conversion, 90, 0, false, 78},         // the same, sm_90
    {Capability::MBarrierTransactions, 90, 0, false, 80},  // mbarrier.expect_tx
    {Capability::Clusters, 90, 0, false, 78},              // barrier.cluster
    {Capability::GridDependencyControl, 90, 0, false, 78}, // griddepcontrol
    {Capability::Bf16AddMul, 90, 0, false, 78},            // add.bf16
    {Capability::Bf16IntegerConversion, 90, 0, false, 78}, // cvt.rn.bf16.s32
    {Capability::Bf16Atomics, 90, 0, false, 78},           // atom.add.bf16
    {Capability::Atomics128, 90, 0, false, 84},     // atom.cas.b128, .exch
    {Capability::VectorAtomics, 90, 0, false, 81},  // red.v2.f32
    {Capability::ElectOne, 90, 0, false, 80},       // elect.sync
    {Capability::BulkTensorCopy, 90, 0, false, 80}, // cp.async.bulk.tensor
    {Capability::Wgmma, 90, 90, true, 80},          // wgmma.mma_async
    {Capability::SetMaxRegisters, 90, 0, true, 80}, // setmaxnreg
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
    "wide f64 mma.sync",
    "ldmatrix",
    "movmatrix",
    "stmatrix",
    "tanh.approx",
    "ex2.approx.f16",
    "bf16 transcendentals",
    "L2 prefetch hints",
    "L2 cache hints",
    "cp.async",
    "redux.sync",
    "bf16 arithmetic",
    "bf16 conversion",
    "tf32 conversion",
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

std::optional<PtxVersion> Target::ptxVersionOf(Capability capability) const {
  std::optional<PtxVersion> lowest;
  for (const Availability &row : availabilities) {
    if (row.capability != capability)
      continue;
    if (computeCapability < row.firstComputeCapability)
      continue;
    if (row.lastComputeCapability &&
        computeCapability > row.lastComputeCapability)
      continue;
    if (row.architectureSpecific && !architectureSpecific)
      continue;
    lowest = std::min(lowest.value_or(row.ptxVersion), row.ptxVersion);
  }
  if (lowest)
    lowest = std::max(*lowest, lowestPtxVersion);
  return lowest;
}

bool Target::has(Capability capability) const {
  return ptxVersionOf(capability).has_value();
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
  for (const Target &target : targets) {
    if (target.computeCapability == computeCapability)
      return &target;
    if (target.computeCapability < computeCapability &&
        !target.architectureSpecific)
      best = &target;
  }
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
