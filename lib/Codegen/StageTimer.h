// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures how long a part of a function takes.

#ifndef TILEWRIGHT_LIB_CODEGEN_STAGETIMER_H
#define TILEWRIGHT_LIB_CODEGEN_STAGETIMER_H

#include <chrono>

namespace tilewright::codegen {

/// Adds the seconds of its life to a counter, or to none if that is null.
class StageTimer {
public:
  explicit StageTimer(double *seconds)
      : seconds(seconds), start(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    if (seconds)
      *seconds += std::chrono::duration<double>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  }
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;

private:
  double *seconds;
  std::chrono::steady_clock::time_point start;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_STAGETIMER_H
