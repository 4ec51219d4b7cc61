// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a kernel, and the images that are to run it, as JSON has it:
//
//   {"kernel": "FILE.ttir", "numWarps": 4, "grid": [2, 1, 1], "seed": 0,
//    "numStages": 1, "arguments": [{"elements": 640, "before": 64, "values":
//    [0, 1]}, 160, 0.5], "targets": ["sm_80"], "ptx": [{"name": "Triton",
//    "file": "FILE.ptx", "sharedBytes": 166912}]}
//
// An argument is a number (or "inf", "-inf", "nan", for which JSON has none),
// or a buffer of so many elements from the pointer on and (optionally) before
// it, with (optionally) what it holds from the pointer on.

#ifndef TILEWRIGHT_TEST_FOREIGNKERNELS_LAUNCHCASE_H
#define TILEWRIGHT_TEST_FOREIGNKERNELS_LAUNCHCASE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::foreign {

struct LaunchArgument {
  bool isBuffer = false;
  /// A scalar's value.
  double real = 0.0;
  int64_t integer = 0;
  /// A buffer's elements from the pointer on, and those before it.
  int64_t elements = 0, before = 0;
  /// The integers that it holds; empty: whatever is made for it.
  std::vector<int64_t> values;
};

/// PTX of the same kernel by another compiler.
struct ForeignImage {
  std::string name, file;
  uint32_t sharedBytes = 0;
};

struct LaunchCase {
  std::string kernel;
  unsigned numWarps = 4;
  /// 0: what the compiler takes where nothing is said.
  unsigned numStages = 0;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  /// Order of the emulator's warps, lanes and copies; 0: in turn.
  uint64_t seed = 0;
  std::vector<LaunchArgument> arguments;
  /// What the kernel is compiled for.
  std::vector<std::string> targets;
  std::vector<ForeignImage> images;
};

/// Reads a case; errors say where in the document they are.
llvm::Expected<LaunchCase> parseCase(llvm::StringRef text);

} // namespace tilewright::foreign

#endif // TILEWRIGHT_TEST_FOREIGNKERNELS_LAUNCHCASE_H
