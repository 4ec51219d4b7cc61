// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one CTA of a lowered kernel on the CPU, all its threads in lockstep: for
// tests of lowerings without a GPU.
//
// In: an llvm.func of one block in the LLVM and NVVM dialects. Out: what it
// wrote to memory. The lanes of a warp see each other in shuffles and matrix
// instructions, whose fragments are written down here from the PTX ISA, apart
// from the layout library. Races and missing barriers are not found: every op
// ends in all threads before the next one begins.

#ifndef TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LANEINTERPRETER_H
#define TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LANEINTERPRETER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::test {

/// The value of each scalar component of an SSA value, in each thread:
/// [component][thread], the bits zero-extended.
using LaneValue = std::vector<std::vector<uint64_t>>;

class LaneInterpreter {
public:
  static constexpr uint64_t globalBase = 4096;
  /// Shared addresses fit 32 bits.
  static constexpr uint64_t sharedBase = uint64_t(1) << 30;

  LaneInterpreter(unsigned warps, size_t globalBytes, size_t sharedBytes = 0)
      : threads(32 * warps), global(globalBytes), shared(sharedBytes) {}

  /// Runs `function` with one scalar (the bits of a pointer, integer or float)
  /// for each argument. Returns what went wrong, or "".
  std::string run(mlir::LLVM::LLVMFuncOp function,
                  llvm::ArrayRef<uint64_t> arguments);

  /// Access to global memory, from the address globalBase on.
  template <typename T>
  void write(uint64_t address, llvm::ArrayRef<T> values) {
    std::memcpy(global.data() + (address - globalBase), values.data(),
                values.size() * sizeof(T));
  }
  template <typename T>
  std::vector<T> read(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), global.data() + (address - globalBase),
                count * sizeof(T));
    return values;
  }
  /// How many ops of each name ran, once for all threads.
  const std::map<std::string, unsigned> &counts() const { return opCounts; }

private:
  using Scalars = std::vector<uint64_t>;

  void execute(mlir::Operation &op);
  bool executeInteger(mlir::Operation &op);
  bool executeFloat(mlir::Operation &op);
  bool executeConversion(mlir::Operation &op);
  bool executeAggregate(mlir::Operation &op);
  bool executeMemory(mlir::Operation &op);
  bool executeLanes(mlir::Operation &op);
  void executeConstant(mlir::LLVM::ConstantOp op);
  void executeShuffle(mlir::NVVM::ShflOp op);
  void executeLdMatrix(mlir::NVVM::LdMatrixOp op);
  void executePredicatedStore(mlir::LLVM::InlineAsmOp op);
  void executeArithmeticAssembly(mlir::LLVM::InlineAsmOp op);
  void executeIntrinsic(mlir::LLVM::CallIntrinsicOp op);
  void executeMma(mlir::LLVM::CallIntrinsicOp op);
  void executeAddress(mlir::LLVM::GEPOp op);

  const LaneValue &get(mlir::Value value);
  void set(mlir::Value value, LaneValue scalars);
  LaneValue makeValue(mlir::Type type) const;
  /// Applies `function(thread, component)` everywhere.
  void setEach(mlir::Value value,
               llvm::function_ref<uint64_t(unsigned, unsigned)> function);
  uint64_t loadBytes(uint64_t address, unsigned bytes);
  void storeBytes(uint64_t address, uint64_t value, unsigned bytes);
  uint8_t *locate(uint64_t address, unsigned bytes);
  void fail(const llvm::Twine &what);

  unsigned threads;
  std::vector<uint8_t> global, shared;
  std::map<void *, LaneValue> values;
  std::map<std::string, unsigned> opCounts;
  std::string error;
};

/// Decodes and rounds, to nearest even, the bits of a float type.
double decodeFloat(uint64_t bits, mlir::Type type);
uint64_t encodeFloat(double value, mlir::Type type);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_TILEGPUTOLLVM_LANEINTERPRETER_H
