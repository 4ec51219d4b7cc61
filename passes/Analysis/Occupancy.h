// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many CTAs of a function a multiprocessor takes at a time, and what shared
// memory they may have without being fewer.
//
// In: a function in tilegpu IR, as a graph of blocks, and its target. Out:
// counts. Registers are estimated by the floating-point tiles that live at once
// (RegisterPressure.h). Where the assembler takes more, CTAs are fewer, and
// each may have had more bytes.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_OCCUPANCY_H
#define TILEWRIGHT_PASSES_ANALYSIS_OCCUPANCY_H

#include "dialects/Target/Target.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::tilegpu {

/// Registers of a thread that the assembler takes, besides addresses and
/// counters, where tiles of so many registers live at once.
unsigned estimateRegisters(unsigned tileRegisters);

/// Whether the tiles of agents that have a number of registers of their own are
/// no more than these: otherwise they are surely spilled, and the assembler may
/// wait for each product (C7512).
bool fitAgentRegisters(mlir::FunctionOpInterface function);

/// CTAs of so many warps, at least one, that a multiprocessor takes at a time
/// where each has `sharedBytes` of shared memory, and its threads `registers`;
/// 0 where it cannot take one.
unsigned countCtas(const target::Target &target, unsigned warps,
                   unsigned registers, int64_t sharedBytes);

class Occupancy {
public:
  Occupancy(mlir::FunctionOpInterface function, const target::Target &target);
  /// For CTAs of so many warps whose threads hold so many registers besides
  /// addresses and counters.
  Occupancy(const target::Target &target, unsigned warps, unsigned registers);
  /// The same for CTAs of `function` whose threads hold at most so many: those
  /// whose agents have registers of their own take these.
  Occupancy(mlir::FunctionOpInterface function, const target::Target &target,
            unsigned registers);

  /// Registers of a thread, as estimated: at most those that it may have.
  unsigned getRegisters() const { return registers; }
  /// CTAs that a multiprocessor takes at a time with so many bytes of shared
  /// memory each; 0 where it cannot take one.
  unsigned countCtas(int64_t sharedBytes) const;
  /// The most registers of a thread with which there are as many CTAs as with
  /// `sharedBytes` each, at least one.
  unsigned getMostRegisters(int64_t sharedBytes) const;
  /// The most bytes that each of so many CTAs may have, at least one.
  int64_t getMostBytes(unsigned ctas) const;
  /// The most bytes that each CTA may have such that there are as many of them
  /// as with `sharedBytes`, and within what a CTA may have at all; at least
  /// `sharedBytes`.
  int64_t getBytesOfSameCount(int64_t sharedBytes) const;

private:
  const target::Target &target;
  unsigned warps;
  unsigned registers;
};

/// The most registers of a thread that leave a multiprocessor as many CTAs as
/// the tiles of `function` allow, those of integers counted too, in the shared
/// memory that it has been given. An assembler that may take more does, to load
/// earlier, and has fewer CTAs: of 130 kernels of flash-linear-attention the
/// sm_80 code took 0.984 of the time with this limit on an H200 (0.68 to 1.03),
/// the sm_90a code 0.986 (0.75 to 1.07). Of operands that products take step by
/// step two steps count: of 428 of these kernels 15 have another limit for it,
/// 7 of them more CTAs, none fewer, and none spills more.
///
/// Where threads wait for each other and neither loops nor products hide it,
/// that counts what tiles take if elementwise results are computed late, since
/// CTAs are all that hides latency: layer norms of one tile, 4,096 and 8,192
/// columns, 74 and 141 us for 77 and 151 on an H200. `runs` says which blocks
/// the launch runs that the code is for, by default all: of loops that have
/// versions for a single iteration, none of either.
unsigned getRegistersOfOccupancy(
    mlir::FunctionOpInterface function, const target::Target &target,
    llvm::function_ref<bool(mlir::Block &)> runs = [](mlir::Block &) {
      return true;
    });

/// Registers that a thread of `function`, a graph of blocks, needs for its
/// loops to have all loads of an iteration on their way together, of short ones
/// all of four iterations; 0 where no loop loads into registers. Loops that
/// multiply tiles do not count: their loads are for the next iteration.
unsigned countRegistersOfLoads(mlir::FunctionOpInterface function);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_OCCUPANCY_H
