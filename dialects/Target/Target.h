// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPUs that Tilewright compiles for, as data: limits, capabilities,
// matrix instructions, and the lowest PTX version that each of them needs.
//
// In: a target's name ("sm_80"). Out: one immutable row, and answers about it.
// This is the only folder that knows SM numbers: everything else asks for a
// capability, a limit or a matrix instruction. It holds no IR and no policy:
// which instruction a dot uses is decided by the passes, among the candidates
// that `findMatrixInstructions` returns.

#ifndef TILEWRIGHT_DIALECTS_TARGET_TARGET_H
#define TILEWRIGHT_DIALECTS_TARGET_TARGET_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::target {

/// A PTX ISA version as ten times the major plus the minor number: 6.3 is 63.
using PtxVersion = unsigned;

/// Spells a PTX version as PTX's `.version` directive does: 63 is "6.3".
std::string formatPtxVersion(PtxVersion version);

/// An ability of the hardware that some targets lack. The table in Target.cpp
/// says from which target and PTX version on each of them exists.
enum class Capability : uint8_t {
  /// Barriers 0 to 15 with a thread count (`barrier.sync id, count`).
  NamedBarriers,
  /// `match.any.sync`, `match.all.sync`.
  MatchSync,
  /// `nanosleep`.
  Nanosleep,
  /// `.acquire`/`.release` memory orders with a scope.
  ScopedMemoryModel,
  /// 4-way and 2-way 8-bit integer dot products (`dp4a`, `dp2a`).
  Dp4a,
  /// `atom.add.noftz.f16`.
  F16Atomics,
  /// Compare-and-swap on 16 bits (`atom.cas.b16`).
  Cas16,
  /// `mma.sync.m8n8k4` on f16, at full speed.
  MmaQuadPair,
  /// `mma.sync` of Turing: f16 m16n8k8, 8-bit and 4-bit integers.
  MmaTuring,
  /// `mma.sync` of Ampere: f16/bf16 m16n8k16, tf32, wider integer shapes.
  MmaAmpere,
  /// `mma.sync` on e4m3 and e5m2.
  MmaFp8,
  /// The same by the hardware itself, not by the assembler's conversions.
  NativeMmaFp8,
  /// `mma.sync` on f64 in the shapes m16n8k4, m16n8k8 and m16n8k16.
  MmaWideF64,
  /// Warp-collective loads of 8x8 matrices from shared memory.
  LdMatrix,
  /// Warp-collective transposition of an 8x8 matrix in registers.
  MovMatrix,
  /// Warp-collective stores of 8x8 matrices to shared memory.
  StMatrix,
  /// `tanh.approx.f32`, `.f16`, `.f16x2`.
  TanhApprox,
  /// `ex2.approx.f16` and `.f16x2`.
  Ex2F16x2,
  /// `tanh.approx` and `ex2.approx.ftz` on bf16 and bf16x2.
  Bf16Transcendentals,
  /// `.L1::evict_first` and its like on loads and stores.
  EvictionPriority,
  /// The `.L2::64B`/`.L2::128B` prefetch hints of loads.
  L2PrefetchHint,
  /// `createpolicy` and `.L2::cache_hint`.
  CacheHint,
  /// `cp.async` from global to shared memory, in groups.
  CpAsync,
  /// `redux.sync` on 32-bit integers.
  Redux,
  /// `fma.rn.bf16`, `min`/`max` on bf16: the multiply-add is native.
  Bf16Arithmetic,
  /// `cvt.rn.bf16.f32`, `cvt.rn.bf16x2.f32`.
  Bf16Conversion,
  /// `cvt.rna.tf32.f32`.
  Tf32,
  /// `cvt.rn.tf32.f32`, one machine instruction where `.rna` takes three.
  Tf32NearestEven,
  /// `min`/`max` on f16, and `.NaN` variants on f32.
  MinMaxNan,
  /// `mbarrier.init`, `.inval`, `.arrive`, `.test_wait`.
  MBarrier,
  /// `cvt` between f16x2/f32 and e4m3x2/e5m2x2.
  Fp8Conversion,
  /// `mbarrier.try_wait` and transaction counts.
  MBarrierTransactions,
  /// Thread block clusters: `barrier.cluster`, `mapa`, `%cluster_*`.
  Clusters,
  /// Programmatic dependent launch: `griddepcontrol`.
  GridDependencyControl,
  /// `add`/`mul`/`sub` on bf16, native.
  Bf16AddMul,
  /// `cvt` from integers to bf16.
  Bf16IntegerConversion,
  /// `atom.add.noftz.bf16` and `.bf16x2`.
  Bf16Atomics,
  /// `atom.cas.b128`, `atom.exch.b128`.
  Atomics128,
  /// `red.global.add.v2.f32` and wider.
  VectorAtomics,
  /// `elect.sync`.
  ElectOne,
  /// `cp.async.bulk`, tensor maps included, and `fence.proxy.async`.
  BulkTensorCopy,
  /// `wgmma.mma_async` and what belongs to it.
  Wgmma,
  /// `setmaxnreg`.
  SetMaxRegisters,
};

/// How many capabilities there are.
inline constexpr unsigned capabilityCount =
    static_cast<unsigned>(Capability::SetMaxRegisters) + 1;

/// A capability's name in diagnostics, e.g. "ldmatrix".
std::string_view capabilityName(Capability capability);

/// The type of a matrix instruction's operand or accumulator.
enum class ElementType : uint8_t {
  F16,
  BF16,
  TF32,
  F32,
  F64,
  S8,
  U8,
  S4,
  U4,
  S32,
  E4M3,
  E5M2,
};

/// PTX's spelling of an element type, without the dot.
std::string_view elementTypeName(ElementType type);

/// The width of an element in registers, in bits (tf32 counts 32).
unsigned elementTypeBits(ElementType type);

/// One matrix instruction: D[m x n] = A[m x k] * B[k x n] + C[m x n].
struct MatrixInstruction {
  /// The PTX mnemonic up to its shape, e.g. "mma.sync.aligned.m16n8k16".
  std::string_view name;
  unsigned m;
  /// The smallest n; the only one unless `nStep` is set.
  unsigned n;
  unsigned k;
  ElementType a;
  ElementType b;
  ElementType accumulator;
  /// n may be any of n, n + nStep, ..., nLargest (wgmma); 0: only n.
  unsigned nStep = 0;
  unsigned nLargest = 0;
  /// The accumulators are pending until a wait (wgmma).
  bool asynchronous = false;
  /// Warps that execute the instruction together.
  unsigned warps;
  /// What a target must have.
  Capability capability;
  /// The lowest PTX version that has the instruction on any target.
  PtxVersion ptxVersion;

  /// The rows of D that one instruction needs (its m).
  unsigned minimumRows() const { return m; }
  /// Whether the instruction exists with this n.
  bool admitsN(unsigned value) const {
    if (nStep == 0)
      return value == n;
    return value >= n && value <= nLargest && (value - n) % nStep == 0;
  }
  /// Multiply-adds of one instruction with the largest n.
  unsigned multiplyAdds() const { return m * (nStep ? nLargest : n) * k; }
};

/// What a dot asks of a matrix instruction.
struct MatrixQuery {
  ElementType a;
  ElementType b;
  ElementType accumulator;
  /// The dot's extents; an instruction whose shape does not divide them is no
  /// candidate. Without a value the extent is unconstrained.
  std::optional<unsigned> m = std::nullopt;
  std::optional<unsigned> n = std::nullopt;
  std::optional<unsigned> k = std::nullopt;
  /// The warps that the caller has.
  unsigned warps = 32;
  /// Whether asynchronous instructions are wanted too.
  bool allowAsynchronous = false;
};

/// What instructions take of a multiprocessor when many warps keep it busy, in
/// half cycles for one warp. Throughputs: CUDA C++ Programming Guide,
/// "Arithmetic Instructions"; shared memory and shuffles serve 32 lanes a
/// cycle.
struct InstructionPrices {
  /// 32-bit arithmetic, selects, permutations of bytes: 64 lanes a cycle.
  unsigned arithmetic = 1;
  /// ex2, lg2, rcp, rsqrt, sqrt, sin, cos: 16 lanes a cycle.
  unsigned special = 4;
  unsigned shuffle = 2;
  /// Issuing an access to shared memory with its address, and each wavefront of
  /// 128 bytes. On a T4, exchanging one (two) register bits with lane bits by
  /// shuffles took 0.25 to 0.35 (0.51 to 0.61) of the time of a store and a
  /// load (triton-lang/triton, issue 10360).
  unsigned sharedAccess = 2;
  unsigned sharedWavefront = 2;
  /// Issuing an access to global memory, and each sector of 32 bytes. Those
  /// that are written go to memory whether they are filled or not, which is
  /// what counts in kernels without products: tiles of f32 that were transposed
  /// by stores of half sectors took 2.2 of the time on an H100, and of f16 2.1
  /// on an H200.
  unsigned globalAccess = 4;
  unsigned globalSector = 2;
  unsigned writtenSector = 4;
  unsigned partlyWrittenSector = 8;
  /// Waiting for global memory in each iteration of a loop, as far as other
  /// warps do not hide it: half of some 400 cycles.
  unsigned globalLatency = 400;
  /// Waiting for the CTA's warps, for the lanes of a warp. Of values from 4 to
  /// 200, kernels of flash-linear-attention are fastest with 10: with 20 they
  /// take 1.013 of the time, with 60 1.13 (150 of them on an H200). No other
  /// price gains half a percent there at half or twice its value.
  unsigned barrier = 10;
  unsigned warpBarrier = 2;
  /// Multiply-adds of 16-bit matrix instructions in one half cycle.
  unsigned matrixMultiplyAdds = 256;
  /// The same of a warp group's instructions (wgmma), and starting some of them
  /// and waiting for them.
  unsigned groupMultiplyAdds = 1024;
  unsigned groupLatency = 64;
};

/// One GPU architecture.
struct Target {
  /// Its name for users: "sm_90a".
  std::string_view name;
  /// The processor name that LLVM's NVPTX back end and PTX's `.target` use.
  std::string_view chip;
  /// What CUDA 13's assembler is asked to assemble for. It differs from
  /// `chip` where that assembler has dropped the architecture: PTX for sm_70
  /// is then assembled for the next one, which checks it but does not run on
  /// the older GPU.
  std::string_view assemblerChip;
  /// Ten times the compute capability (8.6 is 86), as the driver reports it.
  unsigned computeCapability;
  /// Code runs on exactly this compute capability (an `a` target).
  bool architectureSpecific = false;
  /// Whether tests and figures are made for it. Not for what differs from
  /// another target in a limit alone.
  bool isTested = true;
  /// The lowest PTX version that names this target.
  PtxVersion lowestPtxVersion;
  /// Shared memory of one CTA without and with the opt-in launch attribute,
  /// in bytes.
  unsigned staticSharedMemoryLimit;
  unsigned sharedMemoryLimit;
  /// Shared memory of one multiprocessor, and what the driver takes of it for
  /// each CTA, in bytes.
  unsigned sharedMemoryPerMultiprocessor;
  unsigned sharedMemoryReservedPerCta;
  /// Registers (32 bits each) that one thread may use, and of one
  /// multiprocessor.
  unsigned registersPerThread;
  unsigned registersPerMultiprocessor;
  /// Warps of one CTA and of one multiprocessor; CTAs of one multiprocessor.
  unsigned maxWarpsPerCta;
  unsigned maxWarpsPerMultiprocessor;
  unsigned maxCtasPerMultiprocessor;
  InstructionPrices prices = {};

  /// Whether code for it runs on a device of that compute capability.
  bool runsOn(unsigned deviceCapability) const {
    return computeCapability == deviceCapability ||
           (computeCapability < deviceCapability && !architectureSpecific);
  }

  /// Lanes of a warp: 32 on every GPU so far.
  static constexpr unsigned warpSize = 32;
  /// Hardware barriers of a CTA (PTX ISA, "barrier": 0 to 15).
  static constexpr unsigned namedBarriers = 16;

  /// Whether the hardware has `capability`.
  bool has(Capability capability) const;

  /// Whether `mma.sync` of operands of this type is one of f16 to the hardware:
  /// an assembler that accepts it converts the operands of each instruction, of
  /// however many others they are operands, too, and adds the products apart.
  bool multipliesAsF16(ElementType operand) const;

  /// Registers that each of `threads` threads of a CTA may have: a
  /// multiprocessor gives them to warps in units of 8 a thread.
  unsigned maxRegistersOf(unsigned threads) const;
  /// Those of them that may hold tiles. The others are for addresses, masks and
  /// what is on its way from one tile to the next: of 597 kernels compiled for
  /// sm_80, those whose tiles leave fewer are the ones that CUDA 13's assembler
  /// gives all 255 registers and spills.
  unsigned maxTileRegistersOf(unsigned threads) const;
  /// Those of them that may hold the sums of a product. The others are for
  /// descriptors, addresses and counters: an m64n256 product in a loop was seen
  /// to take 26, and assemblers that lack them serialise the products.
  unsigned maxSumRegistersOf(unsigned threads) const;

  /// The lowest PTX version in which this target has `capability`; nothing
  /// where it lacks it. Never below `lowestPtxVersion`.
  std::optional<PtxVersion> ptxVersionOf(Capability capability) const;

  /// The `.version` for code that uses these capabilities and this lowest
  /// version of its matrix instructions: the lowest that has them all, since
  /// drivers refuse PTX newer than they know. Capabilities that the target
  /// lacks count nothing: they are diagnosed elsewhere.
  PtxVersion ptxVersion(std::span<const Capability> capabilities,
                        PtxVersion atLeast = 0) const;

  /// All matrix instructions of this target, in the table's order.
  std::vector<const MatrixInstruction *> matrixInstructions() const;

  /// The instructions that fit `query`, the best first: more multiply-adds per
  /// instruction are better; among equals the table's order holds. Empty where
  /// the types have no instruction here, or none fits the extents.
  std::vector<const MatrixInstruction *>
  findMatrixInstructions(const MatrixQuery &query) const;
};

/// All targets, oldest first.
std::span<const Target> allTargets();

/// Every matrix instruction of any target, in the table's order.
std::span<const MatrixInstruction> allMatrixInstructions();

/// The target of that name, or null. See `unknownTargetMessage`.
const Target *lookup(std::string_view name);

/// The target whose code runs best on a GPU of this compute capability (ten
/// times its number): the exact one, or else the newest older one that is not
/// architecture-specific; null below the oldest.
const Target *lookupForDevice(unsigned computeCapability);

/// The diagnostic for a name that `lookup` does not know; it lists the names
/// that it does.
std::string unknownTargetMessage(std::string_view name);

} // namespace tilewright::target

#endif // TILEWRIGHT_DIALECTS_TARGET_TARGET_H
