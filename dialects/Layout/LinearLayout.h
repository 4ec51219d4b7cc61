// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layouts: which hardware resource holds which tensor element, as a
// linear map over F2.
//
// In: plain integers. Out: plain integers. This folder knows no IR, no target
// and no encoding attribute; it answers questions about maps and nothing else.
// See K. Zhou et al., "Linear Layouts: Robust Code Generation of Efficient
// Tensor Computation Using F2" (2025).

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_LINEARLAYOUT_H
#define TILEWRIGHT_DIALECTS_LAYOUT_LINEARLAYOUT_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::layout {

/// A named axis of a layout: a hardware resource or a tensor coordinate.
class Axis {
public:
  enum Kind : uint8_t {
    Register,  ///< element index within a thread
    Lane,      ///< thread index within a warp
    Warp,      ///< warp index within the group of warps that holds the tensor
    Block,     ///< CTA index within a cluster
    Offset,    ///< element offset in a shared-memory allocation, before padding
    Coordinate ///< tensor coordinate; see coordinate()
  };
  constexpr Axis(Kind kind) : value(kind) {}
  /// The tensor coordinate `dimension`, 0 being the slowest (leftmost) one.
  static constexpr Axis coordinate(unsigned dimension) {
    Axis axis(Coordinate);
    axis.value = static_cast<uint8_t>(Coordinate + dimension);
    return axis;
  }
  constexpr bool isCoordinate() const { return value >= Coordinate; }
  /// The dimension of a coordinate axis.
  constexpr unsigned dimension() const { return value - Coordinate; }
  constexpr bool operator==(const Axis &) const = default;
  constexpr auto operator<=>(const Axis &) const = default;
  /// "register", "lane", "warp", "block", "offset", "dim0", "dim1", ...
  std::string name() const;
  /// The inverse of name().
  static std::optional<Axis> fromName(std::string_view name);

private:
  uint8_t value;
};

/// An axis with its size: 2^bits values.
struct AxisBits {
  Axis axis;
  unsigned bits;
  bool operator==(const AxisBits &) const = default;
};

/// The value of one axis, as taken and given by LinearLayout::apply.
struct AxisValue {
  Axis axis;
  uint64_t value;
  bool operator==(const AxisValue &) const = default;
};

/// A linear map over F2 from the bits of its input axes to the bits of its
/// output axes.
///
/// The map is kept as one column for each input bit: the flat output value of
/// that bit. Flat values concatenate the axes, the first axis in the low bits;
/// at most 63 input bits and 63 output bits in all. Axes are ordered and
/// distinct, and an axis may have 0 bits. Every operation is total on the
/// stated preconditions, which are asserted; the optional results say where an
/// answer may not exist. Values are immutable and compare by value.
class LinearLayout {
public:
  /// The map between no axes.
  LinearLayout() = default;

  /// `columns` has one entry for each input bit, in the order of `inputs`, each
  /// below 2^(output bits).
  LinearLayout(std::vector<AxisBits> inputs, std::vector<AxisBits> outputs,
               std::vector<uint64_t> columns);

  /// input bit i -> output bit i.
  static LinearLayout identity(Axis input, Axis output, unsigned bits);
  /// Every input bit -> 0: `input` only replicates. The output axis has
  /// `outputBits` bits, none of them reached.
  static LinearLayout zeros(Axis input, Axis output, unsigned bits,
                            unsigned outputBits = 0);
  /// The map between no bits of the given axes: the neutral element of the
  /// product that fixes an order of axes.
  static LinearLayout empty(std::span<const Axis> inputs,
                            std::span<const Axis> outputs);

  /// The map of which `find(input, bit, output)` is basis(input, bit, output).
  template <typename FindBasis>
  static LinearLayout fromBases(std::vector<AxisBits> inputs,
                                std::vector<AxisBits> outputs, FindBasis find) {
    std::vector<uint64_t> columns;
    for (const AxisBits &input : inputs)
      for (unsigned bit = 0; bit < input.bits; ++bit) {
        uint64_t column = 0;
        unsigned shift = 0;
        for (const AxisBits &output : outputs) {
          column |= uint64_t(find(input.axis, bit, output.axis)) << shift;
          shift += output.bits;
        }
        columns.push_back(column);
      }
    return LinearLayout(std::move(inputs), std::move(outputs),
                        std::move(columns));
  }

  const std::vector<AxisBits> &inputs() const { return inputAxes; }
  const std::vector<AxisBits> &outputs() const { return outputAxes; }
  const std::vector<uint64_t> &columns() const { return matrix; }
  bool hasInput(Axis axis) const;
  bool hasOutput(Axis axis) const;
  /// Bits of an axis; 0 where the map does not have it.
  unsigned inputBits(Axis axis) const;
  unsigned outputBits(Axis axis) const;
  unsigned totalInputBits() const;
  unsigned totalOutputBits() const;
  /// Position of an axis' lowest bit in flat values. The axis must exist.
  unsigned inputOffset(Axis axis) const;
  unsigned outputOffset(Axis axis) const;
  /// Flat output of bit `bit` of `input`.
  uint64_t column(Axis input, unsigned bit) const;
  /// The part of column(input, bit) that lies in `output`, shifted down to bit
  /// 0.
  uint64_t basis(Axis input, unsigned bit, Axis output) const;
  /// Whether any bit of `input` moves along `output`.
  bool reaches(Axis input, Axis output) const;

  /// Flat input -> flat output.
  uint64_t apply(uint64_t input) const;
  /// Axes that are not named are 0; the result has every output axis in order.
  std::vector<AxisValue> apply(std::span<const AxisValue> input) const;

  /// Direct product. Axes of `this` come first and take the low bits of an axis
  /// that both have; `other` takes the bits above, on both sides. (The blocked
  /// layouts are such products: registers times lanes times warps.)
  LinearLayout operator*(const LinearLayout &other) const;
  /// The quotient q with *this == divisor * q up to the order of axes, where
  /// there is one. q has every axis of `this`, in its order, those that the
  /// divisor uses up with 0 bits.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  /// outer ∘ *this. The outputs of `this` must be the inputs of `outer`, in any
  /// order; `outer` may have more bits in an axis, which are then 0. The result
  /// has the inputs of `this` and the outputs of `outer`, in their orders.
  LinearLayout compose(const LinearLayout &outer) const;
  /// The inverse of a bijection, none for any other map.
  std::optional<LinearLayout> invert() const;
  /// A map r with *this ∘ r = identity, for a surjective map: each output gets
  /// the numerically smallest preimage that is linear in it (pivots on the
  /// lowest input bits), so replicas are never addressed. None if not
  /// surjective.
  std::optional<LinearLayout> rightInverse() const;
  /// A map c from the inputs of `this` to the inputs of `target` with target ∘
  /// c = *this; replicas in `target` resolve as in rightInverse(), but a bit of
  /// an input axis that both have and whose columns agree is carried over as it
  /// is (so what needs no move stays in place). None where target does not
  /// cover the image. Outputs must be the same axes of the same sizes, in any
  /// order.
  std::optional<LinearLayout> convertTo(const LinearLayout &target) const;

  /// Dimension of the image.
  unsigned rank() const;
  bool isInjective() const { return rank() == totalInputBits(); }
  bool isSurjective() const { return rank() == totalOutputBits(); }
  bool isBijective() const { return isInjective() && isSurjective(); }
  /// A basis of { x : this(x) = 0 }, flat inputs, in reduced echelon form,
  /// ascending: the replication of the layout.
  std::vector<uint64_t> kernel() const;
  /// A basis of the image, flat outputs, in reduced echelon form, ascending.
  std::vector<uint64_t> image() const;
  /// Bits of `input` whose column lies in the span of all columns before it in
  /// flat input order (earlier axes, and lower bits of the same axis): values
  /// that differ in such a bit alone hold copies of what smaller flat inputs
  /// hold. One mask bit for each input bit.
  uint64_t redundantBits(Axis input) const;

  /// The columns of `inputs` and the rows of `outputs` only, in the order
  /// named.
  LinearLayout sublayout(std::span<const Axis> inputs,
                         std::span<const Axis> outputs) const;
  /// The same map with its axes in another order (all of them named).
  LinearLayout reorderInputs(std::span<const Axis> order) const;
  LinearLayout reorderOutputs(std::span<const Axis> order) const;
  /// The same bits under other axis names or sizes: flat values keep their
  /// meaning; total bits must agree.
  LinearLayout reshapeInputs(std::vector<AxisBits> inputs) const;
  LinearLayout reshapeOutputs(std::vector<AxisBits> outputs) const;
  /// Drops the output axis: the layout of a reduction's result. The axes above
  /// keep their own numbers.
  LinearLayout removeOutput(Axis axis) const;
  /// Drops an input axis.
  LinearLayout removeInput(Axis axis) const;
  /// Drops the bits of `input` whose columns are zero, closing the gaps
  /// (registers that hold copies after a slice).
  LinearLayout removeZeroBits(Axis input) const;
  /// Coordinate axis i of the result is coordinate order[i] of this, as in
  /// `tt.trans`; the list of output axes keeps its order, with the sizes moved.
  LinearLayout transposeCoordinates(std::span<const unsigned> order) const;

  /// The largest v, in bits, such that register bits 0..v-1 map to bits 0..v-1
  /// of `output`, in order, and no other column of the layout touches those
  /// rows: 2^v consecutive elements are consecutive registers.
  unsigned contiguousBits(Axis input, Axis output) const;

  bool operator==(const LinearLayout &) const = default;

  /// "(register, lane) -> (dim0, dim1): register=1 -> (0, 1), …; lane=1 -> (1,
  /// 0), …": where each input bit goes, one group for each input axis that has
  /// bits; stable, for tests.
  std::string str() const;

private:
  std::vector<AxisBits> inputAxes;
  std::vector<AxisBits> outputAxes;
  std::vector<uint64_t> matrix;
};

/// log2 of a power of two.
unsigned log2Exact(uint64_t value);
inline bool isPowerOfTwo(uint64_t value) {
  return value && !(value & (value - 1));
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_LINEARLAYOUT_H
