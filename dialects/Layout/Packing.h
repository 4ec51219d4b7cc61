// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements smaller than what holds them: two elements of 4 bits in a byte,
// eight of them in a 32-bit register.
//
// A layout always speaks of elements, however small: a register bit or an
// offset bit may select one within its container, the first element in the low
// bits. What moves data moves containers, which have a layout of their own: the
// elements' one divided by the run of elements in a container. Where there is
// no such quotient, elements of one container live in different places, and no
// access moves them whole.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_PACKING_H
#define TILEWRIGHT_DIALECTS_LAYOUT_PACKING_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// The layout of containers, each of 2^bits elements that are neighbours along
/// dimension `dim`: that dimension has `bits` bits less. `unit` (Register, or
/// Offset) is the axis that selects the element in its container, by its lowest
/// bits where it is Offset, by any bits where it is Register. None where one
/// container's elements are not together there.
std::optional<LinearLayout> packElements(const LinearLayout &elements,
                                         Axis unit, unsigned dim,
                                         unsigned bits);

/// The inverse: the layout of the elements, the lowest bits of `unit` selecting
/// one within its container.
LinearLayout unpackElements(const LinearLayout &containers, Axis unit,
                            unsigned dim, unsigned bits);

/// The dimension along which the first 2^bits offsets of `shared` run, in
/// order; none where they are no such run.
std::optional<unsigned> packedDimension(const LinearLayout &shared,
                                        unsigned bits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_PACKING_H
