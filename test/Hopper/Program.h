// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PTX kernel of one instruction of sm_90a, with what it must give: made by
// the families of this folder, run by the emulator and by a GPU.

#ifndef TILEWRIGHT_TEST_HOPPER_PROGRAM_H
#define TILEWRIGHT_TEST_HOPPER_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::hopper {

/// Every byte of an output before the kernel runs.
constexpr uint8_t outputFill = 0xa5;

/// A tensor map among a program's parameters, as cuTensorMapEncodeTiled is
/// told.
struct TensorMapParameter {
  /// Of the output instead of the input.
  bool isOfOutput = false;
  /// Where in it the tensor begins.
  uint64_t offset = 0;
  uint32_t dataType = 0, rank = 1, swizzle = 0, fill = 0;
  uint64_t shape[5] = {1, 1, 1, 1, 1}, strides[4] = {};
  uint32_t box[5] = {1, 1, 1, 1, 1}, elementStrides[5] = {1, 1, 1, 1, 1};
};

/// Its parameters are the addresses of `input` and of an output of
/// `expected.size()` bytes, and its tensor maps. It runs in one CTA.
struct HopperProgram {
  /// Of the kernel, and in reports.
  std::string name;
  /// The kernel, without a module's head.
  std::string text;
  std::vector<uint8_t> input;
  std::vector<uint8_t> expected;
  std::vector<TensorMapParameter> maps;
  uint32_t threads = 128;
};

/// What stands before kernels: the first version with all that they have.
inline constexpr const char *moduleHead =
    ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// Random numbers of a program, the same in every run.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15 + 1) {}
  /// From 0 to `count` - 1.
  uint32_t below(uint32_t count) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (state >> 32) * count >> 32;
  }
  bool flip() { return below(2); }

private:
  uint64_t state;
};

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_PROGRAM_H
