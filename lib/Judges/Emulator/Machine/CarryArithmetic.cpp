// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of more than one word (PTX ISA, "Extended-Precision Integer Arithmetic
// Instructions"). The condition code's carry is a predicate of each lane that
// no text can name.

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/Warp.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

using namespace tilewright::emulator;

namespace {

enum class Operation : uint8_t { Add, Subtract, AddLow, AddHigh };

/// a + b + carry, or a - b - carry, which borrows.
template <typename Word>
Word addWithCarry(Word a, Word b, bool isSubtraction, bool &carry) {
  Word sum = isSubtraction ? a - b : a + b;
  bool first = isSubtraction ? a < b : sum < a;
  Word result = isSubtraction ? sum - carry : sum + carry;
  carry = first || (carry && (isSubtraction ? sum == 0 : result == 0));
  return result;
}

/// In flags: [0] the operation, [1] whether the last source is the carry, [2]
/// signed.
template <typename Word>
void execute(Warp &warp, const Decoded &instruction, uint32_t mask) {
  auto operation = static_cast<Operation>(instruction.flags[0]);
  const std::vector<Source> &sources = instruction.sources;
  const Word *a = warp.read<Word>(sources[0]), *b = warp.read<Word>(sources[1]);
  bool isProduct = operation >= Operation::AddLow;
  const Word *c = isProduct ? warp.read<Word>(sources[2]) : nullptr;
  uint32_t carries =
      instruction.flags[1] ? warp.readPredicate(sources.back()) : 0;
  uint32_t unknown = warp.undefinedLanes(instruction);
  Word *d = warp.write<Word>(instruction.destinations[0]);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    Word first = a[lane], second = b[lane];
    if (isProduct) {
      first = operation == Operation::AddLow
                  ? first * second
                  : Word(multiplyHigh(first, second, 8 * sizeof(Word),
                                      instruction.flags[2]));
      second = c[lane];
    }
    bool carry = carries >> lane & 1;
    d[lane] = addWithCarry<Word>(first, second,
                                 operation == Operation::Subtract, carry);
    carries = (carries & ~(1u << lane)) | uint32_t(carry) << lane;
  }
  warp.define(instruction.destinations[0], mask, unknown);
  if (instruction.destinations.size() > 1) {
    warp.writePredicate(instruction.destinations[1], carries, mask);
    warp.define(instruction.destinations[1], mask, unknown);
  }
}

} // namespace

bool tilewright::emulator::decodeCarryArithmetic(DecodeContext &context,
                                                 DataType type) {
  std::string_view name = context.in.name;
  Decoded &out = context.out;
  bool writesCarry = context.take("cc"), readsCarry = name.back() == 'c';
  bool isProduct = name.starts_with("mad");
  std::optional<unsigned> half;
  if (isProduct && !(half = context.takeOneOf({"lo", "hi"})))
    return false;
  Operation operation =
      isProduct ? *half == 0 ? Operation::AddLow : Operation::AddHigh
      : name.starts_with("sub") ? Operation::Subtract
                                : Operation::Add;
  unsigned bits = bitWidth(type);
  out.flags[0] = static_cast<uint8_t>(operation);
  out.flags[1] = readsCarry;
  out.flags[2] = type == DataType::S32 || type == DataType::S64;
  out.execute = bits == 64 ? execute<uint64_t> : execute<uint32_t>;
  if ((bits != 32 && bits != 64) || !context.expectOperands(isProduct ? 4 : 3))
    return false;
  for (size_t i = 1; i < context.in.operands.size(); ++i)
    if (!context.source(i, bits))
      return false;
  if (!context.destination(0, bits))
    return false;
  Destination carry = context.decoder.getCarry();
  if (readsCarry)
    out.sources.push_back({.index = carry.index, .offset = carry.offset});
  if (writesCarry)
    out.destinations.push_back(carry);
  return true;
}
