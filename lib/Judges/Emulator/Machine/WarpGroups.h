// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of warp groups that are under way (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Instructions"). A warp group is four warps, the first
// one's number a multiple of four. Each warp computes 16 of a product's 64 rows
// at a time of its own between the instruction and the wait for it: nothing but
// barriers orders what the four read.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARPGROUPS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARPGROUPS_H

#include "lib/Judges/Emulator/Machine/MatrixDescriptor.h"
#include "lib/Judges/Emulator/Machine/Program.h"
#include "lib/Judges/Emulator/Numeric/WarpGroupMatrix.h"

#include <array>
#include <deque>

namespace tilewright::emulator {

class Cta;

constexpr unsigned warpsPerGroup = 4;

/// What is known of a `wgmma.mma_async` when it is decoded. D is the
/// instruction's destinations. Its sources: A's registers or descriptor, B's
/// descriptor, and the predicate whether D is added.
struct ProductDetails {
  GroupProduct shape;
  bool isAInRegisters = false;
  /// M, or N, is contiguous in shared memory.
  bool isATransposed = false, isBTransposed = false;

  unsigned registersOfA() const {
    return isAInRegisters ? groupRegistersOfA : 0;
  }
  unsigned descriptorOfB() const { return isAInRegisters ? registersOfA() : 1; }
};

/// The part of one warp in a product that was not waited for.
struct PendingProduct {
  static constexpr uint32_t open = ~0u;
  /// The commit that it belongs to.
  uint32_t group = open;
  uint32_t instruction = 0;
  /// Whether D's registers are addends.
  bool adds = false;
  bool isPerformed = false;
  /// With a seed: the warp's clock when it is performed, if that comes before
  /// the wait.
  uint64_t moment = ~uint64_t(0);
  /// Where each 16 bytes of A (if it is in shared memory) and of B stand.
  std::vector<uint32_t> unitsOfA, unitsOfB;
};

/// What a register has to do with products.
struct ProductRegister {
  /// The warp's clock at the last access by another instruction, and at the
  /// last product that has it in D, with that one's shape.
  uint64_t read = 0, written = 0, accumulated = 0;
  uint32_t shape = 0;
  /// Products not waited for that read it as A's, and that have it in D.
  uint16_t readers = 0, accumulators = 0;
  /// The last such product.
  uint32_t product = 0;
};

/// The products of one warp.
struct WarpProducts {
  std::deque<PendingProduct> pending;
  uint32_t committed = 0;
  /// The warp's clock at the last wgmma.fence; 0: there was none.
  uint64_t fenced = 0;
  /// By the register's number.
  std::vector<ProductRegister> registers;

  explicit WarpProducts(uint32_t numRegisters) : registers(numRegisters) {}
};

/// What the warps of a group have executed: all of them the same, in the same
/// order, with the same operands where these are the group's.
class WarpGroup {
public:
  struct Step {
    uint32_t instruction = 0;
    /// Descriptors, and whether D is added.
    std::array<uint64_t, 3> operands = {};
    uint32_t firstWarp = 0;
  };
  /// Warp `rank` (0 to 3) comes to `step`; the one that others have come to
  /// there instead, or nothing.
  std::optional<Step> join(unsigned rank, const Step &step);
  /// A step that some have come to and others have not, at the end.
  std::optional<Step> findUnfinished() const;

private:
  std::deque<Step> steps;
  uint64_t firstStep = 0;
  std::array<uint64_t, warpsPerGroup> positions = {};
};

/// Marks the instructions that name registers of products (see
/// Decoded::touchesProducts).
void findProductRegisters(std::vector<Decoded> &code, uint32_t numRegisters);

/// Reports registers of products under way that `instruction`, which is none,
/// reads or writes, and notes the access.
void touchProductRegisters(Warp &warp, const Decoded &instruction,
                           uint32_t mask);

/// Whether a product may begin on its registers; reports why not, and notes it.
void enterProductRegisters(Warp &warp, const Decoded &instruction);
/// The product is done.
void leaveProductRegisters(Warp &warp, const Decoded &instruction);

/// With a seed: computes the products whose moment has come.
void performDueProducts(Warp &warp);
/// The warp has ended: products that it has not waited for are reported.
void endProducts(Warp &warp);
/// The CTA has ended: reports groups whose warps did not execute the same.
void checkWarpGroups(Cta &cta);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_WARPGROUPS_H
