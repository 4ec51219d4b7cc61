// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random tile kernel and its launch: what the generator gives and a trial
// takes. Plain values; the kernel is text.

#ifndef TILEWRIGHT_TEST_RANDOM_KERNELCASE_H
#define TILEWRIGHT_TEST_RANDOM_KERNELCASE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::fuzz {

/// What a buffer holds before the launch. Floats are small integers, or
/// fractions; integers are any bits.
enum class Content { Numbers, Fractions };

/// A parameter of the kernel, with its argument.
struct Parameter {
  std::string name;
  /// The element's type as text: "f16".
  std::string element;
  bool isPointer = false;
  /// The promise of `tt.divisibility`; 0: none.
  unsigned divisibility = 0;
  /// A scalar's value: an integer.
  int64_t value = 0;
  /// A buffer's elements from the pointer on, and those before it.
  int64_t count = 0, gap = 0;
  Content content = Content::Numbers;
  /// How far floats may be from the reference's, after the launch.
  double tolerance = 0.0;
};

struct KernelCase {
  uint64_t seed = 0;
  /// A module with one kernel.
  std::string text;
  std::string target;
  unsigned numWarps = 4;
  std::array<uint32_t, 2> grid = {1, 1};
  std::vector<Parameter> parameters;
  /// Has the compiler take layouts at random.
  std::optional<uint64_t> layoutSeed;
  /// Takes the number of stages, bulk copies and warps of their own at random.
  std::optional<uint64_t> scheduleSeed;
};

/// What a seed stands for; the same everywhere. The kernel has about `numOps`
/// operations beside those that they need. Every kernel is valid tile IR
/// without undefined behaviour, whose results depend neither on the order of
/// sums nor on roundings by more than the tolerances say. `targets` are names
/// to choose from.
KernelCase makeRandomKernel(uint64_t seed, unsigned numOps,
                            const std::vector<std::string> &targets);

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_KERNELCASE_H
