// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument syntax of `tilewright run`. In: text. Out: arrays and scalars on
// the host, or an error that quotes the text. The only files it opens are the
// .npy files that the text names.
//
//   argument  ::= [OUTPUT '='] source         OUTPUT: the .npy file to which
//   the
//                                             array is written after the launch
//   source    ::= FILE.npy [':' TYPE]         TYPE: reads the elements as
//   another
//                                             type of the same size (bf16 in
//                                             u16)
//               | 'zeros:' TENSOR             all bytes 0
//               | 'poison:' TENSOR            all bytes 0xff: NaN in every
//                                             floating-point type, -1 or the
//                                             largest value in integers
//               | 'full:' TENSOR ':' VALUE
//               | 'arange:' TENSOR [':' START [':' STEP]]
//                                             START + i * STEP, i the flat
//                                             index; defaults 0 and 1
//               | 'random:' TENSOR ':' SEED [':' LOW ':' HIGH]
//               | TYPE ':' VALUE              a scalar
//               | 'null'                      a null pointer
//   TENSOR    ::= {SIZE 'x'} TYPE             128x64xf16; f32 alone: one
//   element TYPE      ::= i1 i8 i16 i32 i64 u8 u16 u32 u64 f8e4m3 f8e5m2 f16
//   bf16 f32 f64
//
// Numbers are decimal (floating-point types also take 'nan' and 'inf'),
// integers also 0x.... An integer that its type cannot hold is an error. The
// first '=' separates OUTPUT.
//
// random: element i is made from output number i of SplitMix64 (Steele, Lea,
// Flood, "Fast Splittable Pseudorandom Number Generators", 2014) started at
// SEED, so the values are the same everywhere. Floating-point elements are LOW
// + u * (HIGH - LOW) with u = (output >> 11) * 2^-53, rounded to the type; LOW
// and HIGH default to -1 and 1. Integer elements are LOW + the high half of the
// 128-bit product output * (HIGH - LOW + 1), HIGH included; the defaults are
// -128 and 127, for unsigned types 0 and 255, for i1 0 and 1.

#ifndef TILEWRIGHT_LIB_RUN_ARGUMENTS_H
#define TILEWRIGHT_LIB_RUN_ARGUMENTS_H

#include "lib/Run/Compare.h"
#include "lib/Run/Tensor.h"

namespace tilewright::run {

/// One argument of a run.
struct RunArgument {
  enum class Kind : uint8_t {
    Tensor, ///< `value` goes to device memory; its address is passed
    Scalar, ///< `value`, of rank 0, is passed itself
    Null,   ///< a null pointer is passed
  };
  Kind kind = Kind::Tensor;
  HostTensor value;
  /// The file that the array is written to after the launch, or empty.
  std::string output;
  /// As it was written, for messages.
  std::string text;
};

/// Parses one argument and makes its value.
Result<RunArgument> parseArgument(std::string_view text);

/// What an argument is expected to hold after the launch.
struct Expectation {
  size_t argument = 0; ///< counted from 0
  HostTensor expected;
  Tolerance tolerance;
};

/// Parses "INDEX=SOURCE[@RELATIVE[,ABSOLUTE]]", SOURCE being an array as above:
/// "2=expected.npy:bf16@1e-2,1e-3". The tolerances default to 0.
Result<Expectation> parseExpectation(std::string_view text);

/// Output number `index` of SplitMix64 started at `seed`.
uint64_t randomBits(uint64_t seed, uint64_t index);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_ARGUMENTS_H
