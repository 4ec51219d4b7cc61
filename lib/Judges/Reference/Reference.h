// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tile IR itself: the oracle of what a kernel means, without layouts,
// threads or hardware.
//
// Comes in: a function of `tt`, its arguments, a grid, memory. Goes out: the
// memory as the programs of the grid leave it. Encodings are not looked at, so
// a function gives the same before and after any pass that keeps to `tt`,
// `tile`, `arith`, `math`, `scf`, `cf` and `ub`.
//
// How values are held:
// - Integers have their own width and wrap. Pointers are integers of 64 bits.
// - Floats of every type are held as float64, and no arithmetic rounds them to
//   their type. What names a type as its target does: arith.truncf, tt.fp_to_fp
//   and conversions from integers round once, from the value held; so does
//   tile.dequantize, whose definition says where. A value whose bits are asked
//   for (stores, atomics, bitcasts) is rounded to its type, to nearest even.
//   The payload and the sign of a NaN are not kept.
// - An element that is undefined (not loaded and without a replacement, a shift
//   by too much, a float that does not fit an integer, ub.poison) has the bits
//   of Options::undefinedBits. A result that depends on it is found by runs
//   with each of undefinedPatterns.
// - Where a definition leaves an order open, it is that of the elements: sums
//   go from the first to the last, tt.cat puts `lhs` before `rhs`, tt.reshape
//   keeps row-major order, and atomics of one tile run one after the other.
//
// Not done: tt.print prints nothing; memory order and scopes mean nothing where
// programs run one after another; inline PTX, and rounding by random bits, are
// errors.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_REFERENCE_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_REFERENCE_H

#include "dialects/Triton/Triton.h"
#include "lib/Judges/Reference/Memory.h"
#include "lib/Judges/Reference/OpTable.h"
#include "mlir/Support/LLVM.h"

#include <array>
#include <cstdint>

namespace tilewright::reference {

/// What a kernel is given for a parameter.
struct Argument {
  enum class Kind { Integer, Real, Pointer };

  static Argument integer(int64_t value) {
    return {Kind::Integer, static_cast<uint64_t>(value), 0.0};
  }
  /// Rounded to the parameter's type.
  static Argument real(double value) { return {Kind::Real, 0, value}; }
  /// An address; see ReferenceMemory::getAddress.
  static Argument pointer(uint64_t address) {
    return {Kind::Pointer, address, 0.0};
  }

  Kind kind;
  uint64_t bits;
  double realValue;
};

/// The number of programs along each axis.
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// Bits of undefined elements for runs that are to tell what depends on them.
/// As a number of any type one of them is above what kernels calculate with,
/// one below, one small in magnitude: behind a minimum, a maximum or a
/// magnitude, signed or not, some two of the runs still differ.
inline constexpr std::array<uint64_t, 3> undefinedPatterns = {
    0x5ade5ade5ade5ade, 0xda5bda5bda5bda5b, 0};

/// The meaning of operations beyond those of tile IR, by which the interpreter
/// reads forms that tile IR is lowered to. See Interpreter.h for what it uses.
class Extension {
public:
  virtual ~Extension() = default;
  /// A program of the grid begins: what is the program's alone is fresh.
  virtual void beginProgram() = 0;
  /// Its operations. They are looked up here first, and decide themselves which
  /// types their results may have.
  const OpTable &getOps() const { return ops; }

protected:
  OpTable ops;
};

struct Options {
  /// Operations run by all programs together, before the run is given up.
  uint64_t maximumSteps = uint64_t(1) << 28;
  /// Calls within calls, before the run is given up.
  unsigned maximumCallDepth = 64;
  /// The low bits of every undefined element.
  uint64_t undefinedBits = undefinedPatterns[0];
  /// 0: arithmetic rounds nothing, as said above. Otherwise floats are rounded
  /// to their types after each operation, up or down at random: how far the
  /// results of a few seeds are from those of 0 is how far a GPU's may be. Sums
  /// of products are rounded after each, and f32 operands of tf32 products
  /// first.
  uint64_t roundingSeed = 0;
  /// Further operations; null: those of tile IR alone.
  Extension *extension = nullptr;
};

/// Runs every program of the grid, one after another, x fastest.
///
/// `function` is verified and has a body; `arguments` has one entry for each of
/// its parameters. Fails with a diagnostic at the operation that has no defined
/// meaning (an access outside all buffers or misaligned, a division by zero, a
/// false tt.assert), that is not known, or with which the steps run out;
/// arguments that do not fit, or break a promise of `tt.divisibility`, are
/// diagnosed at the function. `memory` then holds what was stored before.
mlir::LogicalResult interpret(tt::FuncOp function,
                              mlir::ArrayRef<Argument> arguments, Grid grid,
                              ReferenceMemory &memory,
                              const Options &options = {});

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_REFERENCE_H
