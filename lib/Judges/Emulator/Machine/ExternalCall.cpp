// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the device's runtime that the emulator performs: vprintf and
// __assertfail (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
// What they read they read as a thread would, with its checks.

#include "lib/Judges/Emulator/Machine/Call.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Machine/PrintFormat.h"

using namespace tilewright::emulator;

namespace {

/// What a launch may print.
constexpr size_t outputLimit = size_t(64) << 20;
/// Characters of a text.
constexpr size_t textLimit = 1 << 20;

/// The arguments and the result of a call, each in a variable of the caller or
/// in a register.
struct ExternalCall {
  struct Place {
    LocalPlace local;
    /// The number of the source; nothing: in local memory.
    std::optional<size_t> source;
  };
  std::vector<Place> arguments;
  /// Local memory, the instruction's only destination, or not wanted.
  std::optional<LocalPlace> result;
};

/// One lane at a call.
class Thread {
public:
  Thread(Warp &warp, const Decoded &instruction, unsigned lane)
      : warp(warp), instruction(instruction), lane(lane),
        call(*static_cast<const ExternalCall *>(instruction.details.get())) {}

  /// An argument; nothing, and a fault: it was never written.
  std::optional<uint64_t> argument(size_t index);
  /// Up to `limit` characters of `size` bytes, the low byte of each.
  std::optional<std::string> text(uint64_t address, size_t limit,
                                  unsigned size = 1);
  std::optional<uint64_t> load(uint64_t address, unsigned bytes);

private:
  Warp &warp;
  const Decoded &instruction;
  unsigned lane;
  const ExternalCall &call;
};

std::optional<uint64_t> Thread::argument(size_t index) {
  const ExternalCall::Place &place = call.arguments[index];
  uint64_t value = 0;
  bool isKnown;
  if (place.source) {
    const Source &source = instruction.sources[*place.source];
    isKnown = !(warp.undefinedLanes(source) >> lane & 1);
    storeRegister(warp, source, lane, reinterpret_cast<uint8_t *>(&value),
                  place.local.bytes);
  } else {
    CheckedBytes &local = localMemory(warp, lane);
    isKnown = local.written[place.local.offset];
    std::memcpy(&value, local.data.data() + place.local.offset,
                place.local.bytes);
  }
  if (isKnown)
    return value;
  warp.report(Check::UninitializedRegister,
              "expects a value for argument " + std::to_string(index) +
                  ", but got one that was never written",
              1u << lane);
  return std::nullopt;
}

std::optional<uint64_t> Thread::load(uint64_t address, unsigned bytes) {
  MemoryPlace place = accessMemory(warp, lane, StateSpace::Generic, address,
                                   bytes, bytes, AccessKind::Load);
  if (!place.data)
    return std::nullopt;
  return loadElement(place.data, bytes, /*isSigned=*/false);
}

std::optional<std::string> Thread::text(uint64_t address, size_t limit,
                                        unsigned size) {
  std::string characters;
  while (characters.size() < std::min(limit, textLimit)) {
    std::optional<uint64_t> character =
        load(address + characters.size() * size, size);
    if (!character)
      return std::nullopt;
    if (!*character)
      break;
    characters += static_cast<char>(*character);
  }
  return characters;
}

//===----------------------------------------------------------------------===//
// vprintf
//===----------------------------------------------------------------------===//

/// Prints for one lane. Gives the number of arguments; -1 where it failed.
int32_t print(Warp &warp, const Decoded &instruction, unsigned lane) {
  Thread thread(warp, instruction, lane);
  std::optional<uint64_t> format = thread.argument(0);
  std::optional<uint64_t> list = thread.argument(1);
  if (!format || !list)
    return -1;
  std::optional<std::string> text = thread.text(*format, textLimit);
  if (!text)
    return -1;
  PrintArguments arguments;
  arguments.value = [&](uint64_t offset, unsigned bytes) {
    return thread.load(*list + offset, bytes);
  };
  arguments.text = [&](uint64_t address, size_t limit) {
    return thread.text(address, limit);
  };
  PrintResult result = formatPrint(*text, arguments);
  if (!result.problem.empty())
    warp.report(Check::Execution, result.problem, 1u << lane);
  std::string &printed = warp.cta.result.printed;
  if (printed.size() + result.text.size() > outputLimit) {
    warp.report(Check::Execution,
                "expects at most " + std::to_string(outputLimit) +
                    " bytes to be printed by a launch",
                1u << lane);
    return -1;
  }
  printed += result.text;
  return result.isGood ? int32_t(result.count) : -1;
}

void executePrint(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &call =
      *static_cast<const ExternalCall *>(instruction.details.get());
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    int32_t count = print(warp, instruction, lane);
    if (call.result) {
      CheckedBytes &local = localMemory(warp, lane);
      std::memcpy(local.data.data() + call.result->offset, &count, 4);
      std::memset(local.written.data() + call.result->offset, 1, 4);
    } else if (!instruction.destinations.empty()) {
      writeRegister(warp, instruction.destinations[0], lane, uint32_t(count));
    }
  }
  for (const Destination &destination : instruction.destinations)
    warp.define(destination, mask);
}

//===----------------------------------------------------------------------===//
// __assertfail
//===----------------------------------------------------------------------===//

/// Tells of the lowest lane's assertion and ends the launch.
void executeAssertionFailure(Warp &warp, const Decoded &instruction,
                             uint32_t mask) {
  Thread thread(warp, instruction, std::countr_zero(mask));
  uint64_t size = thread.argument(4).value_or(1);
  auto text = [&](size_t index) -> std::string {
    std::optional<uint64_t> address = thread.argument(index);
    bool isSize = size == 1 || size == 2 || size == 4;
    std::optional<std::string> found;
    if (address && *address && isSize)
      found = thread.text(*address, textLimit, unsigned(size));
    return found.value_or("?");
  };
  std::string message = text(0), file = text(1), function = text(3);
  uint64_t line = thread.argument(2).value_or(0);
  warp.report(Check::Execution,
              "assertion '" + message + "' failed at " + file + ":" +
                  std::to_string(uint32_t(line)) + ", in function '" +
                  function + "'",
              mask);
  warp.cta.stopped = true;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// A function that is performed: the bytes of its arguments and of its result.
struct External {
  std::string_view name;
  Handler execute;
  std::vector<unsigned> arguments;
  unsigned result;
  Control control;
};

const External *findExternal(std::string_view name) {
  static const External all[] = {
      {"vprintf", executePrint, {8, 8}, 4, Control::Next},
      {"__assertfail",
       executeAssertionFailure,
       {8, 8, 4, 8, 8},
       0,
       Control::Stop}};
  for (const External &external : all)
    if (external.name == name)
      return &external;
  return nullptr;
}

/// The variable of `bytes` bytes that the operand names.
std::optional<LocalPlace> takeVariable(DecodeContext &context,
                                       const SymbolOperand &symbol,
                                       unsigned bytes) {
  std::optional<LocalPlace> place =
      context.decoder.getCallParameter(symbol.name);
  if (!place || place->bytes != bytes) {
    context.fail("expects a '.param' variable of " + std::to_string(bytes) +
                 " bytes, but got '" + symbol.name + "'");
    return std::nullopt;
  }
  return place;
}

bool takeArgument(DecodeContext &context, const Operand &operand,
                  unsigned bytes, ExternalCall &call) {
  ExternalCall::Place place;
  place.local.bytes = bytes;
  if (const auto *symbol = std::get_if<SymbolOperand>(&operand.value)) {
    std::optional<LocalPlace> found = takeVariable(context, *symbol, bytes);
    if (!found)
      return false;
    place.local = *found;
  } else if (context.source(operand, bytes * 8)) {
    place.source = context.out.sources.size() - 1;
  } else {
    return false;
  }
  call.arguments.push_back(place);
  return true;
}

bool takeResult(DecodeContext &context, const ListOperand *results,
                unsigned bytes, ExternalCall &call) {
  if (!results || results->elements.empty())
    return true;
  if (results->elements.size() > 1 || bytes == 0)
    return context.fail("expects fewer results");
  const Operand &operand = results->elements[0];
  const auto *symbol = std::get_if<SymbolOperand>(&operand.value);
  if (!symbol)
    return context.destination(operand, bytes * 8);
  call.result = takeVariable(context, *symbol, bytes);
  return call.result.has_value();
}

} // namespace

bool tilewright::emulator::decodeExternalCall(DecodeContext &context,
                                              const CallParts &parts) {
  std::string name(parts.name());
  const External *external = findExternal(name);
  if (!external && (name == "malloc" || name == "free"))
    return context.fail("'" + name +
                        "' needs a heap on the device, which the "
                        "emulator does not have");
  if (!external)
    return context.fail("expects a function with a body in this module, "
                        "vprintf or __assertfail, but got '" +
                        name + "'");
  auto call = std::make_shared<ExternalCall>();
  size_t count = parts.arguments ? parts.arguments->elements.size() : 0;
  if (count != external->arguments.size())
    return context.fail(
        "expects " + std::to_string(external->arguments.size()) +
        " arguments of '" + name + "', but got " + std::to_string(count));
  for (size_t i = 0; i < count; ++i)
    if (!takeArgument(context, parts.arguments->elements[i],
                      external->arguments[i], *call))
      return false;
  if (!takeResult(context, parts.results, external->result, *call))
    return false;
  context.out.control = external->control;
  context.out.execute = external->execute;
  context.out.details = std::move(call);
  return true;
}
