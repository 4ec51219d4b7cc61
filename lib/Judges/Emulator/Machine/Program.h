// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel made ready to run: each instruction with the function that executes
// it and its operands as places in a warp's registers.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROGRAM_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROGRAM_H

#include "lib/Judges/Emulator/Syntax/Syntax.h"

#include <memory>
#include <string_view>
#include <unordered_map>

namespace tilewright::emulator {

/// Where the parameter space begins, counted from a multiple of 64: the
/// alignment of parameters is that of their addresses (0x210 in the constant
/// bank for sm_90, as ptxas of CUDA 13.0 and a driver's JIT compiler have it).
constexpr uint32_t parameterSpaceStart = 16;

class Warp;
struct Decoded;

constexpr unsigned warpSize = 32;
constexpr uint32_t allLanes = ~0u;

/// Executes one instruction for the lanes of `mask`, which is not 0.
using Handler = void (*)(Warp &warp, const Decoded &instruction, uint32_t mask);

/// No register: an absent operand, or a result that nobody wants.
constexpr uint32_t noRegister = ~0u;

/// A source: the lanes of a register, or the same constant in all lanes.
struct Source {
  /// The register's number, or noRegister.
  uint32_t index = noRegister;
  /// Where the register's lanes begin in a warp's file, in words of 32 bits.
  uint32_t offset = 0;
  /// A constant's lanes, 32 of 64 bits or 32 of 32, or null.
  const void *constant = nullptr;
  /// A predicate read as its opposite.
  bool isNegated = false;
  /// From one lane's word to the next one's.
  uint8_t wordBytes = 4;
};

/// A result.
struct Destination {
  uint32_t index = noRegister;
  uint32_t offset = 0;
  /// The register's own width: 1, 16, 32 or 64.
  uint8_t bits = 0;
};

/// How control leaves an instruction.
enum class Control : uint8_t {
  Next,
  Branch,
  /// To one of `details`, a BranchTable, by the first source.
  IndexedBranch,
  Exit,
  /// Not at all: the launch ends.
  Stop
};

/// The targets of an indexed branch.
using BranchTable = std::vector<uint32_t>;

/// An access's address: a register's lanes (or 0) plus a constant.
struct AddressSource {
  Source base;
  bool is64Bit = true;
  int64_t offset = 0;
};

/// One instruction.
struct Decoded {
  Handler execute = nullptr;
  Control control = Control::Next;
  /// Whether lanes of a warp execute it together.
  bool isCollective = false;
  /// Whether it is a warp group's product, and whether it is none but names
  /// registers of such products.
  bool isProduct = false, touchesProducts = false;
  /// The predicate of the lanes that take part; noRegister: all do.
  Source guard;
  /// Branches: the target, and where lanes that part meet again.
  uint32_t target = 0, reconvergence = 0;
  AddressSource address;
  /// Copies: the constant part of the address that they read.
  int64_t sourceOffset = 0;
  StateSpace space = StateSpace::Generic;
  /// Bytes of one element of an access, and elements of a vector.
  uint8_t elementBytes = 0, vectorElements = 1;
  /// Whatever else the handler was told by the decoder.
  uint8_t flags[6] = {};
  std::vector<Destination> destinations;
  std::vector<Source> sources;
  /// Facts of rarer instructions (matrix shapes).
  std::shared_ptr<const void> details;
};

/// A special register that does not change while a warp runs. It is kept as a
/// register of 32 bits.
struct SpecialRegister {
  enum class Kind : uint8_t {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    DynamicSharedSize,
    TotalSharedSize,
    ClusterIdX,
    ClusterIdY,
    ClusterIdZ,
    NClusterIdX,
    NClusterIdY,
    NClusterIdZ,
    ClusterCtaidX,
    ClusterCtaidY,
    ClusterCtaidZ,
    ClusterNctaidX,
    ClusterNctaidY,
    ClusterNctaidZ,
    ClusterCtaRank,
    ClusterNctaRank,
  };
  Kind kind;
  Source place;
};

/// A kernel.
struct Kernel {
  std::string name;
  std::vector<Decoded> code;
  /// Of each instruction: the next one, itself included, that lanes come to
  /// together: they branch, end, or it is collective.
  std::vector<uint32_t> togetherAt;
  /// Whether CTAs may wait for each other, or their order may show: there are
  /// atomics or ordered loads of memory that others see.
  bool mayDependOnOrder = false;
  /// Whether it has instructions of warp groups, and whether any read or write
  /// shared memory through the asynchronous proxy.
  bool usesWarpGroups = false, usesAsyncProxy = false;
  /// Of each instruction.
  std::vector<TextLocation> locations;
  std::vector<SourceLocation> sources;
  /// As it is written, for reports: "ld.global.b32".
  std::vector<std::string> names;
  /// The number of registers, and of 32-bit words of all lanes of a warp.
  uint32_t numRegisters = 0, registerWords = 0;
  std::vector<SpecialRegister> specialRegisters;
  /// Parameters, each at its natural alignment, counted from the space's start;
  /// their bytes in all.
  struct ParameterPlace {
    uint32_t offset, bytes;
  };
  std::vector<ParameterPlace> parameters;
  uint32_t parameterBytes = 0;
  /// Static shared memory, where dynamic shared memory begins, and local memory
  /// of a thread.
  uint32_t staticSharedBytes = 0, dynamicSharedOffset = 0, localBytes = 0;
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t maximumThreads[3] = {0, 0, 0};
  /// `.reqnctapercluster`; 0: not given.
  uint32_t requiredCluster[3] = {0, 0, 0};
  /// `.maxnreg`; 0: not given.
  uint32_t maximumRegisters = 0;
};

class GlobalMemory;

/// A module made ready to run.
class Program {
public:
  /// Parses and decodes; module variables get memory in `memory`. On failure
  /// fills `error`: text that is no PTX, or an instruction that the emulator
  /// does not know, by its name.
  static std::unique_ptr<Program>
  create(std::string_view ptx, GlobalMemory &memory, SyntaxError &error);

  /// A kernel by its name, or null.
  const Kernel *find(std::string_view name) const;
  const std::vector<Kernel> &kernels() const { return all; }
  /// The `.file` table.
  const std::vector<std::string> &files() const { return fileNames; }
  /// The address of a module variable, or 0.
  uint64_t variableAddress(std::string_view name) const;

private:
  friend class Decoder;
  std::vector<Kernel> all;
  std::vector<std::string> fileNames;
  std::unordered_map<std::string, uint64_t> variables;
  /// Lanes of constants, by their bits; never moved.
  std::unordered_map<uint64_t, std::unique_ptr<uint64_t[]>> wideConstants;
  std::unordered_map<uint32_t, std::unique_ptr<uint32_t[]>> narrowConstants;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROGRAM_H
