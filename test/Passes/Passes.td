// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that only tests run; tilewright-opt has them, the compiler does not.

#ifndef TILEWRIGHT_TEST_PASSES_PASSES_TD
#define TILEWRIGHT_TEST_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def Miscompile : Pass<"test-miscompile", "::mlir::ModuleOp"> {
  let summary = "Changes what the module computes";
  let description = [{
    Wrong on purpose: tests of what finds wrong passes run it.
  }];
  let options = [Option<
    "mistake", "mistake", "::tilewright::test::Mistake",
    "::tilewright::test::Mistake::Subtract", "what it does",
    [{::llvm::cl::values(
        clEnumValN(::tilewright::test::Mistake::Subtract, "subtract",
                   "the first arith.addi becomes arith.subi"),
        clEnumValN(::tilewright::test::Mistake::Unmask, "unmask",
                   "stores lose their masks"),
        clEnumValN(::tilewright::test::Mistake::Remove, "remove",
                   "functions are removed"))}]>];
}

def PrintAxisInfo : Pass<"test-print-axis-info", "::mlir::ModuleOp"> {
  let summary = "Prints what the axis analysis knows of each integer and pointer";
  let description = [{
    Writes to the standard error stream, and changes nothing.
  }];
}

def PrintSharedMemoryBudget
    : Pass<"test-print-shared-memory-budget", "::mlir::ModuleOp"> {
  let summary = "Says how many bytes of shared memory each conversion may have";
  let description = [{
    A remark at each `tilegpu.convert_layout`. It changes nothing.
  }];
}

def VerifyBarriers : Pass<"tilegpu-verify-barriers", "::mlir::ModuleOp"> {
  let summary = "Checks that barriers are enough, and that all are needed";
  let description = [{
    Lists which warp touches which byte by applying the layouts to every
    register of every thread, and follows every path from each access. An error
    is

    - a path between conflicting accesses without the barrier that they need,
      or without the wait for a copy;
    - a barrier marked `shared` without which there is none such, or that could
      be one of the warp;
    - an access by an agent that need not know, by named barriers, that a
      conflicting one of another agent is done.

    The pass shares no code with `tilegpu-insert-barriers`. It is for tests: it
    takes time in proportion to threads and bytes, and changes nothing.

    Preconditions: as of `tilegpu-insert-barriers`, which has run.

    `tilewright-opt kernel.mlir --tilegpu-verify-barriers`
  }];
}

#endif // TILEWRIGHT_TEST_PASSES_PASSES_TD
