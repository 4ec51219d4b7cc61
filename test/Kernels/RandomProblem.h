// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random problems of the library's operators, of any operator that it has: the
// words come from the operator's own table of options.

#ifndef TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H
#define TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H

#include "lib/Kernels/Choice.h"

namespace tilewright::trials {

/// A problem as one would ask for it, and what was chosen for it.
struct RandomProblem {
  const kernels::Operator *of = nullptr;
  kernels::Options::Words words;
  std::unique_ptr<kernels::Problem> problem;
  const target::Target *target = nullptr;
  kernels::Configuration configuration;

  /// The command that runs it: "matmul m=1 ... --target=sm_80 --config=...".
  std::string command() const;
};

/// Limits of the problems.
struct ProblemLimits {
  /// Multiply-adds of dots, and elements of tensors.
  double multiplyAdds = 1 << 20;
  double elements = 1 << 16;
  /// All problems have the best configuration.
  bool isBest = false;
};

/// The problem number `seed`. Sizes are mostly boundaries: 0, 1, those beside
/// powers of two, primes. Unless all have it, half of the problems have the
/// best configuration, the others any that can be.
RandomProblem
makeRandomProblem(uint64_t seed, const ProblemLimits &limits,
                  std::span<const target::Target *const> targets,
                  std::span<const kernels::Operator *const> operators);

} // namespace tilewright::trials

#endif // TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H
