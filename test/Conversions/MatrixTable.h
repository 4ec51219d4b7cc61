// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversions of matrix instructions' accumulators, to each other and to
// operands, by name: what instructions each of them takes on a target.

#ifndef TILEWRIGHT_TEST_CONVERSIONS_MATRIXTABLE_H
#define TILEWRIGHT_TEST_CONVERSIONS_MATRIXTABLE_H

#include "test/Conversions/Cases.h"

namespace tilewright::conversions {

/// A conversion with the names of its layouts.
struct NamedConversion {
  std::string from, to;
  ConversionCase conversion;
};

/// Every accumulator into every other one and into every operand, in four
/// warps: tensors of 64 x 32 in warps above each other, and for right operands
/// of 32 x 64 in warps side by side. Operands have the widths of their
/// instructions' types, accumulators 16 and 32 bits.
std::vector<NamedConversion>
listMatrixConversions(const target::Target &target);

/// Runs them all and prints what each took; how many failed.
unsigned printMatrixTable(const target::Target &target);

} // namespace tilewright::conversions

#endif // TILEWRIGHT_TEST_CONVERSIONS_MATRIXTABLE_H
