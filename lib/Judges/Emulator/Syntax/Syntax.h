// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX as it is written: what the parser gives and the decoder takes (PTX ISA,
// "Syntax" and "Directives"). Names are resolved, numbers read, scopes flat;
// what an instruction means is not looked at: its name and modifiers are text.
// No LLVM.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SYNTAX_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SYNTAX_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::emulator {

/// A place in PTX text, from 1. 0: none.
struct TextLocation {
  uint32_t line = 0, column = 0;
};

/// A place in the source that PTX was made from (`.loc`). file 0: none.
struct SourceLocation {
  uint32_t file = 0, line = 0, column = 0;
};

/// What is wrong with a text, and where.
struct SyntaxError {
  TextLocation location;
  /// Lower case, "expects A, but got B".
  std::string message;
};

/// Where a variable lives (PTX ISA, "State Spaces").
enum class StateSpace : uint8_t {
  Generic,
  Constant,
  Global,
  Local,
  Parameter,
  Shared
};

/// The types of variables and registers (PTX ISA, "Fundamental Types"). Bit
/// types stand for all types of their width.
enum class DataType : uint8_t {
  Predicate,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
};

/// Its width in bits; 1 for predicates.
unsigned bitWidth(DataType type);

/// A register of a function, of whatever scope: scopes are resolved, so that
/// two registers of one name are two entries.
struct RegisterDeclaration {
  std::string name;
  DataType type;
};

/// A variable in memory.
struct Variable {
  std::string name;
  StateSpace space = StateSpace::Global;
  DataType type = DataType::B8;
  /// Bytes in all, the array's dimensions and `.v2`/`.v4` included. 0: an
  /// external array without a size (dynamic shared memory).
  uint64_t bytes = 0;
  uint32_t alignment = 1;
  bool isExternal = false;
  /// The initial bytes; shorter than `bytes` where the rest is zero.
  std::vector<uint8_t> initializer;
  /// Addresses inside the initializer: the address of `symbol` plus `addend`,
  /// at byte `offset`. `isGeneric`: of `generic(symbol)`. It has 8 bytes, or is
  /// one byte of the address, its byte number `firstByte` (`0xFF00(symbol)`).
  struct Relocation {
    uint64_t offset;
    std::string symbol;
    int64_t addend;
    bool isGeneric;
    uint8_t bytes = 8, firstByte = 0;
  };
  std::vector<Relocation> relocations;
  TextLocation location;
};

/// A parameter of a function.
struct Parameter {
  std::string name;
  DataType type = DataType::B64;
  /// As Variable's.
  uint64_t bytes = 8;
  uint32_t alignment = 8;
  /// An array or a vector.
  bool isAggregate = false;
  bool isPointer = false;
  /// Of what it points to (`.ptr .align`); 1: not given.
  uint32_t pointeeAlignment = 1;
  /// Of one in a register (`.reg`): its index in Function::registers.
  std::optional<uint32_t> registerIndex;
};

struct Operand;

/// A register, by its index in Function::registers.
struct RegisterOperand {
  uint32_t index;
  /// `!%p`.
  bool isNegated = false;
};
/// A special register by its name without the percent sign: "tid.x",
/// "laneid", "clock64".
struct SpecialRegisterOperand {
  std::string name;
};
/// An integer, as it is written: the bits of its two's complement.
struct IntegerOperand {
  uint64_t bits;
};
/// A floating-point number. `bits` is exact for 0fXXXXXXXX (32 bits) and
/// 0dXXXXXXXXXXXXXXXX (64 bits) and decimal numbers (64 bits: a double).
struct FloatOperand {
  uint64_t bits;
  bool isDouble;
};
/// The address of a variable or function, or a label; plus a number of bytes.
struct SymbolOperand {
  std::string name;
  int64_t addend = 0;
};
/// `_`, which takes a result that nobody wants.
struct SinkOperand {};
/// `{a, b, c, d}`.
struct VectorOperand {
  std::vector<Operand> elements;
};
/// `%p|%q`: two results.
struct PairOperand {
  std::vector<Operand> elements;
};
/// `[base+offset]`; base is a register, a symbol or a number (then offset is
/// 0). Tensor copies have coordinates behind a comma: `[map, {x, y}]`.
struct AddressOperand {
  std::variant<RegisterOperand, SymbolOperand, IntegerOperand> base;
  int64_t offset = 0;
  std::vector<Operand> coordinates;
};
/// `(a, b)`: the arguments and results of a call.
struct ListOperand {
  std::vector<Operand> elements;
};

struct Operand {
  std::variant<RegisterOperand, SpecialRegisterOperand, IntegerOperand,
               FloatOperand, SymbolOperand, SinkOperand, VectorOperand,
               PairOperand, AddressOperand, ListOperand>
      value;
};

/// `@%p name.modifier.modifier operands;`
struct Instruction {
  /// The guard `@%p`, or `@!%p` (isNegated).
  std::optional<RegisterOperand> guard;
  /// "mad".
  std::string name;
  /// "wide", "s32"; "shared::cta" is one.
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  TextLocation location;
  SourceLocation source;
};

/// A function with or without a body.
struct Function {
  std::string name;
  bool isKernel = false;
  /// It has no body in this module.
  bool isExternal = false;
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
  /// `.reqntid`, `.maxntid` (0: not given), `.minnctapersm`, `.maxnreg`.
  uint32_t requiredThreads[3] = {0, 0, 0};
  uint32_t maximumThreads[3] = {0, 0, 0};
  uint32_t minimumCtas = 0, maximumRegisters = 0;
  /// `.reqnctapercluster`: 0: not given.
  uint32_t requiredCluster[3] = {0, 0, 0};
  /// The registers that the body names, in the order of their first use:
  /// declared ones that it does not name are left out.
  std::vector<RegisterDeclaration> registers;
  /// The special registers that the body names, in the order of their first
  /// use, as SpecialRegisterOperand has them.
  std::vector<std::string> specialRegisters;
  /// Variables of the body: local, shared, and parameters of calls. Where inner
  /// scopes repeat a name, later ones are renamed "name$1", here and in the
  /// operands.
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  /// Each label and the index of the instruction behind it, which may be
  /// body.size(). Renamed as variables are.
  struct Label {
    std::string name;
    uint32_t instruction;
  };
  std::vector<Label> labels;
  /// `.branchtargets` lists, by their label.
  struct BranchTargets {
    std::string name;
    std::vector<std::string> targets;
  };
  std::vector<BranchTargets> branchTargets;
  TextLocation location;
};

/// A text as a whole.
struct Module {
  /// 8.7 is 87.
  uint32_t version = 0;
  /// "sm_90a".
  std::string target;
  uint32_t addressBits = 64;
  /// `.file` names by their number; 0 is unused.
  std::vector<std::string> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  /// Second names of functions (`.alias name, target;`).
  struct Alias {
    std::string name, target;
    TextLocation location;
  };
  std::vector<Alias> aliases;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_SYNTAX_H
