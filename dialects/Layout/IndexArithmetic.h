// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic: a linear layout applied to values that are known at run
// time, as few machine operations.
//
// In: a layout and a value, or a constant, for each input axis. Out: a value
// for each output axis, emitted through a builder that the caller supplies (IR
// on one side, plain numbers in tests). It emits no memory access and knows no
// IR.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_INDEXARITHMETIC_H
#define TILEWRIGHT_DIALECTS_LAYOUT_INDEXARITHMETIC_H

#include "dialects/Layout/LinearLayout.h"

#include <cassert>
#include <concepts>

namespace tilewright::layout {

/// What emitApply emits through. `Value` is cheap to copy; all values are
/// unsigned integers of one width that holds every input and output of the
/// layout.
///  - constant(c): the value c
///  - bitwiseAnd(v, mask): v & mask
///  - bitwiseOr(a, b): a | b, where no bit can be set in both: an `or
///  disjoint`, or an add
///  - bitwiseXor(a, b): a ^ b
///  - shiftLeft(v, n), shiftRight(v, n): logical shifts by n > 0; no set bit is
///  lost to the left
///  - multiply(v, factor): v * factor, without carries and without overflow
template <typename B>
concept IndexBuilder =
    requires(B builder, typename B::Value value, uint64_t number, unsigned n) {
      { builder.constant(number) } -> std::same_as<typename B::Value>;
      { builder.bitwiseAnd(value, number) } -> std::same_as<typename B::Value>;
      { builder.bitwiseOr(value, value) } -> std::same_as<typename B::Value>;
      { builder.bitwiseXor(value, value) } -> std::same_as<typename B::Value>;
      { builder.shiftLeft(value, n) } -> std::same_as<typename B::Value>;
      { builder.shiftRight(value, n) } -> std::same_as<typename B::Value>;
      { builder.multiply(value, number) } -> std::same_as<typename B::Value>;
    };

/// The value of one input axis: `value` where it is given, otherwise the number
/// `constant`. Either is below 2^inputBits(axis).
template <typename Value>
struct IndexInput {
  Axis axis;
  std::optional<Value> value;
  uint64_t constant = 0;
};

/// One summand of an output: ((x & mask) shifted) * factor, for an input axis
/// x. The copies that the factor makes never overlap.
struct IndexTerm {
  /// Input bits that take part.
  uint64_t mask;
  /// Whether bits outside `mask` would survive the shift, so that the `and` is
  /// needed.
  bool needsMask;
  /// Bits to shift left; negative: right.
  int shift;
  /// 1: no multiplication.
  uint64_t factor;
  /// The output bits that can be set.
  uint64_t reach;
};

/// The summands, under xor, of the part of `output` that comes from `input`:
/// few and cheap. Input bits whose columns are one bit at a common distance
/// share one term; a column of several bits is a multiplication where that is
/// cheaper.
std::vector<IndexTerm> indexTerms(const LinearLayout &layout, Axis input,
                                  Axis output);

/// The bits of `output` that some bit of `inputs` reaches.
uint64_t reachableBits(const LinearLayout &layout, std::span<const Axis> inputs,
                       Axis output);

/// value ^ constant, given the bits that `value` can have. The part of the
/// constant outside them is or-ed last, so that it can become the immediate
/// offset of an address.
template <IndexBuilder Builder>
typename Builder::Value emitXorConstant(typename Builder::Value value,
                                        uint64_t reach, uint64_t constant,
                                        Builder &builder) {
  if (uint64_t shared = constant & reach)
    value = builder.bitwiseXor(value, builder.constant(shared));
  if (uint64_t apart = constant & ~reach)
    value = builder.bitwiseOr(value, builder.constant(apart));
  return value;
}

/// Emits one term of `input`.
template <IndexBuilder Builder>
typename Builder::Value emitTerm(const IndexTerm &term,
                                 typename Builder::Value input,
                                 Builder &builder) {
  if (term.needsMask)
    input = builder.bitwiseAnd(input, term.mask);
  if (term.shift > 0)
    input = builder.shiftLeft(input, term.shift);
  if (term.shift < 0)
    input = builder.shiftRight(input, -term.shift);
  if (term.factor != 1)
    input = builder.multiply(input, term.factor);
  return input;
}

/// Emits layout(inputs): a value for each output axis, in order. Input axes
/// that are not named are 0. Constant inputs fold into one constant, applied
/// last (see emitXorConstant); an output that no value reaches is a constant.
template <IndexBuilder Builder>
std::vector<std::pair<Axis, typename Builder::Value>>
emitApply(const LinearLayout &layout,
          std::span<const IndexInput<typename Builder::Value>> inputs,
          Builder &builder) {
  using Value = typename Builder::Value;
  std::vector<AxisValue> constants;
  for (const IndexInput<Value> &input : inputs)
    if (!input.value)
      constants.push_back({input.axis, input.constant});

  std::vector<std::pair<Axis, Value>> results;
  for (const AxisValue &constant : layout.apply(constants)) {
    // Summands that overlap are joined by xor; what is left has no bit in
    // common.
    struct Part {
      Value value;
      uint64_t reach;
    };
    std::vector<Part> parts;
    for (const IndexInput<Value> &input : inputs) {
      if (!input.value)
        continue;
      for (const IndexTerm &term :
           indexTerms(layout, input.axis, constant.axis)) {
        Part part = {emitTerm(term, *input.value, builder), term.reach};
        for (size_t i = 0; i < parts.size();) {
          if (!(parts[i].reach & part.reach)) {
            ++i;
            continue;
          }
          part.value = builder.bitwiseXor(parts[i].value, part.value);
          part.reach |= parts[i].reach;
          parts.erase(parts.begin() + i);
          // The join may overlap what was passed over.
          i = 0;
        }
        parts.push_back(part);
      }
    }
    if (parts.empty()) {
      results.emplace_back(constant.axis, builder.constant(constant.value));
      continue;
    }
    Part sum = parts.front();
    for (size_t i = 1; i < parts.size(); ++i)
      sum = {builder.bitwiseOr(sum.value, parts[i].value),
             sum.reach | parts[i].reach};
    results.emplace_back(
        constant.axis,
        emitXorConstant(sum.value, sum.reach, constant.value, builder));
  }
  return results;
}

/// A builder that computes instead of emitting, checks what the concept
/// promises to builders, and counts.
class EvaluatingBuilder {
public:
  using Value = uint64_t;

  Value constant(uint64_t number) { return number; }
  Value bitwiseAnd(Value value, uint64_t mask) {
    ++count;
    return value & mask;
  }
  Value bitwiseOr(Value a, Value b) {
    assert(!(a & b) && "the operands of a disjoint or share a bit");
    ++count;
    return a | b;
  }
  Value bitwiseXor(Value a, Value b) {
    ++count;
    ++xorCount;
    return a ^ b;
  }
  Value shiftLeft(Value value, unsigned n) {
    assert(n && "a shift by nothing");
    ++count;
    return value << n;
  }
  Value shiftRight(Value value, unsigned n) {
    assert(n && "a shift by nothing");
    ++count;
    return value >> n;
  }
  Value multiply(Value value, uint64_t factor) {
    ++count;
    return value * factor;
  }

  /// Operations so far, constants aside.
  unsigned operations() const { return count; }
  /// The xors among them.
  unsigned xors() const { return xorCount; }

private:
  unsigned count = 0;
  unsigned xorCount = 0;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_INDEXARITHMETIC_H
