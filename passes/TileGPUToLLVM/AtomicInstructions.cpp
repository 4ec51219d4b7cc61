// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/AtomicInstructions.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

/// The words of 32 bits that a unit of `bits` has, as PTX says it: ".v4" where
/// there are several.
static std::string getVector(unsigned bits) {
  return bits > 32 ? ".v" + std::to_string(bits / 32) : "";
}

std::optional<std::string>
tilegpu::findAtomicInstruction(tt::AtomicOperation operation, Type element,
                               unsigned count, unsigned bits,
                               const target::Target &target) {
  std::string pair = count >= 2 ? "x2" : "";
  if (operation == tt::AtomicOperation::FADD) {
    if (element.isF16() && target.has(Capability::F16Atomics))
      return "add.noftz" + getVector(bits) + ".f16" + pair;
    if (element.isBF16() && target.has(Capability::Bf16Atomics))
      return "add.noftz" + getVector(bits) + ".bf16" + pair;
    if (element.isF32())
      return "add" + getVector(bits) + ".f32";
    if (element.isF64())
      return "add.f64";
    return std::nullopt;
  }
  if (bits < 32 || isa<FloatType>(element))
    return operation == tt::AtomicOperation::XCHG && bits >= 32
               ? std::optional("exch.b" + std::to_string(bits))
               : std::nullopt;
  auto withBits = [&](const char *name) { return name + std::to_string(bits); };
  switch (operation) {
  case tt::AtomicOperation::AND:
    return withBits("and.b");
  case tt::AtomicOperation::OR:
    return withBits("or.b");
  case tt::AtomicOperation::XOR:
    return withBits("xor.b");
  case tt::AtomicOperation::ADD:
    return withBits("add.u");
  case tt::AtomicOperation::MAX:
    return withBits("max.s");
  case tt::AtomicOperation::MIN:
    return withBits("min.s");
  case tt::AtomicOperation::UMAX:
    return withBits("max.u");
  case tt::AtomicOperation::UMIN:
    return withBits("min.u");
  case tt::AtomicOperation::XCHG:
    return withBits("exch.b");
  case tt::AtomicOperation::INC:
    return withBits("inc.u");
  case tt::AtomicOperation::DEC:
    return withBits("dec.u");
  case tt::AtomicOperation::FADD:
  case tt::AtomicOperation::FMAX:
  case tt::AtomicOperation::FMIN:
    break;
  }
  llvm_unreachable("operations on floats have been told apart");
}

static char constraintOf(unsigned bits) {
  return bits == 16 ? 'h' : bits == 32 ? 'r' : 'l';
}

Value tilegpu::emitAtomic(Emitter &emitter, StringRef text,
                          const Address &address, ValueRange operands,
                          Value predicate, bool hasResult, bool unused) {
  unsigned bits = operands.front().getType().getIntOrFloatBitWidth();
  std::string constraints, assembly, list;
  unsigned next = hasResult;
  if (hasResult)
    constraints = std::string("=&") + constraintOf(bits) + ",";
  std::string place = formatAddress(next++, address);
  SmallVector<Value> inputs = {address.pointer};
  constraints += "l";
  for (Value operand : operands) {
    list += ", $" + std::to_string(next++);
    constraints += std::string(",") + constraintOf(bits);
    inputs.push_back(operand);
  }
  if (predicate) {
    if (hasResult && !unused)
      assembly = "mov.b" + std::to_string(bits) + " $0, 0;\n\t";
    assembly += "@$" + std::to_string(next) + " ";
    constraints += ",b";
    inputs.push_back(predicate);
  }
  assembly += text.str() + " " + (hasResult ? "$0, " : "") + place + list + ";";
  SmallVector<Type> results;
  if (hasResult)
    results.push_back(operands.front().getType());
  SmallVector<Value> values =
      emitter.inlineAssembly(assembly, constraints, results, inputs);
  return hasResult ? values.front() : Value();
}

Value tilegpu::emitVectorAtomic(Emitter &emitter, StringRef text,
                                const Address &address, ValueRange words,
                                Value predicate, bool hasResult) {
  unsigned count = words.size(), results = hasResult ? count : 0;
  std::string assembly, constraints;
  auto list = [](unsigned first, unsigned size) {
    std::string numbers;
    for (unsigned index = 0; index < size; ++index)
      numbers += (index ? ", $" : "$") + std::to_string(first + index);
    return "{" + numbers + "}";
  };
  for (unsigned index = 0; index < results; ++index) {
    constraints += "=&r,";
    if (predicate)
      assembly += "mov.b32 $" + std::to_string(index) + ", 0;\n\t";
  }
  SmallVector<Value> inputs = {address.pointer};
  constraints += "l";
  for (Value word : words) {
    constraints += ",r";
    inputs.push_back(word);
  }
  if (predicate) {
    assembly += "@$" + std::to_string(results + inputs.size()) + " ";
    constraints += ",b";
    inputs.push_back(predicate);
  }
  assembly += text.str() + " " + (hasResult ? list(0, count) + ", " : "") +
              formatAddress(results, address) + ", " +
              list(results + 1, count) + ";";
  SmallVector<Value> values = emitter.inlineAssembly(
      assembly, constraints, SmallVector<Type>(results, words[0].getType()),
      inputs);
  return hasResult ? emitter.packVector(values) : Value();
}
