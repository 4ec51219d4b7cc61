// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls and returns (PTX ISA, "call", "ret"). A call is a branch to the code of
// the function, which stands behind the caller's once for each call, and whose
// returns are branches to the instruction behind the call. Parameters are the
// variables that the caller has for them.

#include "lib/Judges/Emulator/Machine/Call.h"

#include "lib/Judges/Emulator/Machine/Decoder.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Going there
//===----------------------------------------------------------------------===//

/// What happens when lanes come to a function.
struct Entry {
  /// Its registers, which hold nothing.
  uint32_t firstRegister = 0, numRegisters = 0;
  /// Its local memory and its results, which were not written.
  LocalPlace local;
  std::vector<LocalPlace> results;
  /// Values that it takes: the source of that number goes to a register or to
  /// local memory.
  struct Argument {
    size_t source;
    Destination destination;
    LocalPlace place;
  };
  std::vector<Argument> arguments;
};

void copyRegister(Warp &warp, uint32_t mask, const Source &from,
                  const Destination &to) {
  forLanes(mask, [&](unsigned lane) {
    if (to.bits == 64)
      warp.write<uint64_t>(to)[lane] = warp.read<uint64_t>(from)[lane];
    else
      warp.write<uint32_t>(to)[lane] = warp.read<uint32_t>(from)[lane];
  });
  warp.define(to, mask, warp.undefinedLanes(from));
}

void executeEntry(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &entry = *static_cast<const Entry *>(instruction.details.get());
  for (uint32_t i = 0; i < entry.numRegisters; ++i)
    warp.define({entry.firstRegister + i, 0, 32}, mask, mask);
  forgetLocal(warp, mask, entry.local);
  for (const LocalPlace &place : entry.results)
    forgetLocal(warp, mask, place);
  for (const Entry::Argument &argument : entry.arguments) {
    const Source &source = instruction.sources[argument.source];
    if (argument.place.bytes)
      storeLocal(warp, mask, source, argument.place);
    else
      copyRegister(warp, mask, source, argument.destination);
  }
}

/// Decodes the call of a function with a body.
class CallDecoder {
public:
  CallDecoder(DecodeContext &context, const Function &callee)
      : context(context), decoder(context.decoder), callee(callee),
        layout(decoder.layoutOf(callee)) {}

  bool decode(const CallParts &parts);

private:
  bool bindAll(const std::vector<Parameter> &formals,
               const ListOperand *actuals, const char *what,
               bool (CallDecoder::*bind)(const Parameter &, const Operand &));
  bool bindVariable(const Parameter &formal, const std::string &name);
  bool bindArgument(const Parameter &formal, const Operand &actual);
  bool bindResult(const Parameter &formal, const Operand &actual);
  bool expectScalar(const Parameter &formal);
  LocalPlace addLocal(const Parameter &formal);

  DecodeContext &context;
  Decoder &decoder;
  const Function &callee;
  const FrameLayout &layout;
  Expansion expansion;
  std::shared_ptr<Entry> entry = std::make_shared<Entry>();
};

/// The caller's variable is the parameter.
bool CallDecoder::bindVariable(const Parameter &formal,
                               const std::string &name) {
  std::optional<LocalPlace> place = decoder.getCallParameter(name);
  if (!place || formal.registerIndex)
    return context.fail(
        std::string("expects a ") +
        (formal.registerIndex ? "register" : "'.param' variable") + " for '" +
        formal.name + "' of '" + callee.name + "', but got '" + name + "'");
  if (formal.bytes && place->bytes != formal.bytes)
    return context.fail("expects " + std::to_string(formal.bytes) +
                        " bytes for '" + formal.name + "' of '" + callee.name +
                        "', but '" + name + "' has " +
                        std::to_string(place->bytes));
  expansion.parameters[formal.name] = *place;
  return true;
}

/// Registers and numbers stand for parameters of one number alone.
bool CallDecoder::expectScalar(const Parameter &formal) {
  return (formal.bytes <= 8 && formal.bytes == bitWidth(formal.type) / 8) ||
         context.fail("expects a '.param' variable for '" + formal.name +
                      "' of '" + callee.name + "'");
}

/// Memory for a parameter that the caller has no variable for.
LocalPlace CallDecoder::addLocal(const Parameter &formal) {
  uint64_t offset = alignTo(expansion.localEnd, std::max(1u, formal.alignment));
  LocalPlace place = {uint32_t(offset), uint32_t(formal.bytes)};
  expansion.localEnd = offset + formal.bytes;
  expansion.parameters[formal.name] = place;
  return place;
}

bool CallDecoder::bindArgument(const Parameter &formal, const Operand &actual) {
  if (const auto *symbol = std::get_if<SymbolOperand>(&actual.value))
    return bindVariable(formal, symbol->name);
  if (!expectScalar(formal) ||
      !context.source(actual, std::max(16u, bitWidth(formal.type))))
    return false;
  Entry::Argument argument{context.out.sources.size() - 1, {}, {}};
  if (formal.registerIndex)
    argument.destination = {expansion.frame.firstRegister +
                                *formal.registerIndex,
                            expansion.frame.firstWord +
                                layout.registerOffsets[*formal.registerIndex],
                            uint8_t(bitWidth(formal.type))};
  else
    argument.place = addLocal(formal);
  entry->arguments.push_back(argument);
  return true;
}

bool CallDecoder::bindResult(const Parameter &formal, const Operand &actual) {
  if (const auto *symbol = std::get_if<SymbolOperand>(&actual.value)) {
    if (!bindVariable(formal, symbol->name))
      return false;
    entry->results.push_back(expansion.parameters[formal.name]);
    return true;
  }
  if (!expectScalar(formal) ||
      !context.destination(actual, std::max(16u, bitWidth(formal.type))))
    return false;
  if (!formal.registerIndex)
    addLocal(formal);
  expansion.wantedResults.push_back({&formal, context.out.destinations.back()});
  return true;
}

bool CallDecoder::bindAll(const std::vector<Parameter> &formals,
                          const ListOperand *actuals, const char *what,
                          bool (CallDecoder::*bind)(const Parameter &,
                                                    const Operand &)) {
  size_t count = actuals ? actuals->elements.size() : 0;
  if (count != formals.size())
    return context.fail("expects " + std::to_string(formals.size()) + " " +
                        what + " of '" + callee.name + "', but got " +
                        std::to_string(count));
  for (size_t i = 0; i < count; ++i)
    if (!(this->*bind)(formals[i], actuals->elements[i]))
      return false;
  return true;
}

bool CallDecoder::decode(const CallParts &parts) {
  expansion.function = &callee;
  expansion.frame = decoder.placeFrame(callee);
  expansion.localEnd = expansion.frame.localBegin + layout.localBytes;
  if (!bindAll(callee.parameters, parts.arguments, "arguments",
               &CallDecoder::bindArgument) ||
      !bindAll(callee.results, parts.results, "results",
               &CallDecoder::bindResult))
    return false;
  const FramePlace &frame = expansion.frame;
  entry->firstRegister = frame.firstRegister;
  entry->numRegisters = layout.numRegisters;
  entry->local = {frame.localBegin,
                  uint32_t(expansion.localEnd - frame.localBegin)};
  context.out.control = Control::Branch;
  context.out.execute = executeEntry;
  context.out.details = entry;
  return decoder.expand(std::move(expansion));
}

bool decodeCall(DecodeContext &context) {
  context.take("uni");
  CallParts parts(context.in);
  if (!parts.target)
    return context.fail("expects a function");
  if (parts.name().empty())
    return context.fail("expects a function's name, as calls by an address "
                        "are not known");
  const Function *callee = context.decoder.findFunction(parts.name());
  if (!callee || callee->isKernel)
    return context.fail("expects a function that is no kernel, but got '" +
                        std::string(parts.name()) + "'");
  return callee->isExternal ? decodeExternalCall(context, parts)
                            : CallDecoder(context, *callee).decode(parts);
}

//===----------------------------------------------------------------------===//
// Coming back
//===----------------------------------------------------------------------===//

/// The values that a return leaves in the caller's registers: each is a source
/// or in local memory.
struct Results {
  struct Result {
    std::optional<size_t> source;
    LocalPlace place;
    bool isSigned;
  };
  std::vector<Result> results;
};

void executeReturn(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &all = *static_cast<const Results *>(instruction.details.get());
  for (size_t i = 0; i < all.results.size(); ++i) {
    const Results::Result &result = all.results[i];
    const Destination &destination = instruction.destinations[i];
    if (result.source)
      copyRegister(warp, mask, instruction.sources[*result.source],
                   destination);
    else
      loadLocal(warp, mask, destination, result.place, result.isSigned);
  }
}

bool isSigned(DataType type) {
  return type == DataType::S8 || type == DataType::S16 || type == DataType::S32;
}

/// The end of a thread in a kernel.
bool decodeReturn(DecodeContext &context) {
  context.take("uni");
  Decoded &out = context.out;
  const Decoder &decoder = context.decoder;
  if (!decoder.isInCallee()) {
    out.control = Control::Exit;
    return context.expectOperands(0);
  }
  const Expansion &expansion = decoder.expansion();
  out.control = Control::Branch;
  out.target = *expansion.call + 1;
  auto results = std::make_shared<Results>();
  for (const Expansion::WantedResult &wanted : expansion.wantedResults) {
    Results::Result result{{}, {}, isSigned(wanted.result->type)};
    if (wanted.result->registerIndex) {
      result.source = out.sources.size();
      out.sources.push_back(decoder.getRegister(*wanted.result->registerIndex));
    } else {
      result.place = expansion.parameters.at(wanted.result->name);
    }
    out.destinations.push_back(wanted.destination);
    results->results.push_back(result);
  }
  if (!results->results.empty()) {
    out.execute = executeReturn;
    out.details = std::move(results);
  }
  return context.expectOperands(0);
}

} // namespace

Family tilewright::emulator::callFamily() {
  return {{"call", decodeCall}, {"ret", decodeReturn}};
}
