// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the syntax tree of a module to programs: places of registers,
// parameters and variables, and the instructions by their families. A function
// that is called has its code behind the kernel's, once for each call, so that
// a kernel is one graph of branches.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODER_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODER_H

#include "lib/Judges/Emulator/Machine/CallGraph.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Frame.h"
#include "lib/Judges/Emulator/Machine/GlobalMemory.h"

#include <deque>

namespace tilewright::emulator {

/// A body that is decoded: the kernel's, or a function's for one of its calls.
struct Expansion {
  const Function *function = nullptr;
  FramePlace frame;
  /// Where its local memory ends.
  uint64_t localEnd = 0;
  /// The call; nothing: the kernel itself.
  std::optional<uint32_t> call;
  /// Parameters and results of a function that are in local memory.
  std::unordered_map<std::string, LocalPlace> parameters;
  /// A result that the caller wants in a register.
  struct WantedResult {
    const Parameter *result;
    Destination destination;
  };
  std::vector<WantedResult> wantedResults;
};

class Decoder {
public:
  Decoder(const Module &module, Program &program, GlobalMemory &memory,
          SyntaxError &error)
      : module(module), program(program), memory(memory), error(error),
        calls(module) {}

  /// Decodes every kernel; false with `error` filled on failure.
  bool run();

  /// The words of a register of the body that is decoded.
  Source getRegister(uint32_t index) const;
  DataType getRegisterType(uint32_t index) const {
    return body->function->registers[index].type;
  }
  /// The lanes of a constant of 32 or 64 bits.
  Source getConstant(uint64_t bits, unsigned width);
  /// The register that holds a special one's lanes, or none if it is not one of
  /// those that stay the same.
  std::optional<Source> getSpecialRegister(std::string_view name) const;
  /// The address of a variable or parameter in its own state space (that of a
  /// call's parameter: local memory), or of a function.
  std::optional<uint64_t> getAddress(const std::string &symbol) const;
  /// The same of variables in shared memory alone: the offset in the CTA's.
  std::optional<uint64_t> getSharedAddress(const std::string &symbol) const;
  /// The place of a parameter or result of the function that is decoded, or of
  /// one that it calls; nothing: the name is another one's.
  std::optional<LocalPlace> getCallParameter(const std::string &symbol) const;
  /// A label's instruction.
  std::optional<uint32_t> getLabel(const std::string &name) const;
  /// The instructions that a list of `.branchtargets` names.
  std::optional<BranchTable> getBranchTable(const std::string &name) const;
  /// A place for results that nobody wants.
  Destination getSink() const;
  /// The predicate that holds the carry of the condition code.
  Destination getCarry() const;

  /// The body that is decoded.
  const Expansion &expansion() const { return *body; }
  bool isInCallee() const { return body->call.has_value(); }
  const Function *findFunction(std::string_view name) const {
    return calls.find(name);
  }
  const FrameLayout &layoutOf(const Function &function) const {
    return layouts.at(&function);
  }
  /// Where a function that is called here has its frame.
  FramePlace placeFrame(const Function &callee) const;
  /// The kernel has instructions of warp groups, which read shared memory
  /// through the asynchronous proxy.
  void useAsyncProxy() { kernel->usesAsyncProxy = true; }
  void useWarpGroups() {
    kernel->usesWarpGroups = kernel->usesAsyncProxy = true;
  }
  /// Has the body decoded later, as what the present instruction calls, which
  /// becomes a branch to it.
  bool expand(Expansion callee);

  bool fail(TextLocation location, std::string message);

private:
  bool placeModuleVariables();
  bool placeModuleVariable(const Variable &variable);
  bool relocate(const Variable &variable);
  bool decodeKernel(const Function &source);
  bool layOutFunctions(const std::vector<const Function *> &functions);
  bool placeShared(const std::vector<const Function *> &functions);
  bool placeSharedVariables(const Function *owner,
                            const std::vector<Variable> &variables,
                            std::vector<uint64_t *> &unsized,
                            uint32_t &unsizedAlignment);
  void placeSpecialRegister(std::string_view name);
  void placeParameters(const Function &source);
  bool decodeBody();
  bool decodeEnd();
  bool decodeInstruction(const Instruction &in);

  const Module &module;
  Program &program;
  GlobalMemory &memory;
  SyntaxError &error;
  CallGraph calls;
  /// `error` says why already.
  bool hasFailed = false;

  /// The module's variables and functions.
  std::unordered_map<std::string, uint64_t> moduleAddresses;

  Kernel *kernel = nullptr;
  std::unordered_map<const Function *, FrameLayout> layouts;
  std::unordered_map<std::string, uint64_t> kernelParameters;
  /// Shared variables by the function that declares them; null: the module.
  std::unordered_map<const Function *,
                     std::unordered_map<std::string, uint64_t>>
      sharedAddresses;

  /// Bodies of the kernel, those that are not decoded yet last.
  std::deque<Expansion> bodies;
  const Expansion *body = nullptr;
  const FrameLayout *layout = nullptr;
  std::unordered_map<std::string, uint32_t> labels;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_DECODER_H
