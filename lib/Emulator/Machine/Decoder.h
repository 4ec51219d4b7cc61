// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the syntax tree of a module to programs: places of registers,
// parameters and variables, and the instructions by their families.

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_DECODER_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_DECODER_H

#include "lib/Emulator/Machine/Decode.h"
#include "lib/Emulator/Machine/GlobalMemory.h"

namespace tilewright::emulator {

class Decoder {
public:
  Decoder(const Module &module, Program &program, GlobalMemory &memory,
          SyntaxError &error)
      : module(module), program(program), memory(memory), error(error) {}

  /// Decodes every kernel; false with `error` filled on failure.
  bool run();

  /// The words of a register; null index where it is unknown.
  Source getRegister(uint32_t index) const;
  DataType getRegisterType(uint32_t index) const {
    return function->registers[index].type;
  }
  /// The lanes of a constant of 32 or 64 bits.
  Source getConstant(uint64_t bits, unsigned width);
  /// The register that holds a special one's lanes, or none if it is not one of
  /// those that stay the same.
  std::optional<Source> getSpecialRegister(std::string_view name);
  /// The address of a variable or parameter in its own state space.
  std::optional<uint64_t> getAddress(const std::string &symbol) const;
  /// A label's instruction.
  std::optional<uint32_t> getLabel(const std::string &name) const;
  /// The instructions of a `.branchtargets` list.
  std::optional<std::vector<uint32_t>>
  getBranchTargets(const std::string &name) const;
  /// A place for results that nobody wants.
  Destination getSink() const;
  /// The predicate that holds the carry of the condition code.
  Destination getCarry() const;

  bool fail(TextLocation location, std::string message);

private:
  bool placeModuleVariables();
  bool decodeKernel(const Function &source);
  void placeRegisters();
  bool placeVariables();
  bool placeVariable(const Variable &variable, uint32_t &sharedEnd,
                     uint32_t &localEnd);
  void placeParameters();
  bool decodeInstruction(const Instruction &in);

  const Module &module;
  Program &program;
  GlobalMemory &memory;
  SyntaxError &error;

  const Function *function = nullptr;
  Kernel *kernel = nullptr;
  std::vector<uint32_t> registerOffsets;
  uint32_t sinkOffset = 0, carryOffset = 0;
  /// Of the function's variables and parameters, and of the module's.
  std::unordered_map<std::string, uint64_t> localAddresses, moduleAddresses;
  std::unordered_map<std::string, uint32_t> labels;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_DECODER_H
