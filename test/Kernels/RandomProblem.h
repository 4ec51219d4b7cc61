// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random problems of the library's operators, of any operator that it has: the
// words come from the operator's own table of options.

#ifndef TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H
#define TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H

#include "lib/Kernels/Choice.h"

#include <set>

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

/// Which two values of options, or of an option and the target, problems have
/// had together: most faults are of one or two settings (D. R. Kuhn et al.,
/// "Software Fault Interactions and Implications for Software Testing", 2004).
class PairCover {
public:
  /// Of the problems numbered from `first` on the one that has the most pairs
  /// that none had before, and has now.
  uint64_t chooseSeed(uint64_t first, uint64_t count,
                      const ProblemLimits &limits,
                      std::span<const target::Target *const> targets,
                      std::span<const kernels::Operator *const> operators);
  size_t size() const { return seen.size(); }

private:
  static std::vector<std::string> listPairs(const RandomProblem &problem);
  std::set<std::string> seen;
};

} // namespace tilewright::trials

#endif // TILEWRIGHT_TEST_KERNELS_RANDOMPROBLEM_H
