// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright: the command-line driver. Picks the command; Commands.h has them.

#include "lib/Compiler/Compiler.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace tilewright;

static constexpr llvm::StringLiteral usage =
    R"(Tilewright compiles tile IR (Triton's, and its own) to PTX for NVIDIA GPUs.

usage: tilewright COMMAND [OPTIONS]

  compile    tile IR to any later form: tilegpu IR, LLVM IR, PTX, cubin, artifact
  run        run a kernel (tile IR, PTX or an artifact) on a GPU or the emulator
  cache      list, verify, prune, clear or fill the cache of compiled kernels
  kernels    operators of the library: list, describe, emit, run
  layout     show a layout: which place holds which element, bank conflicts
  targets    list the GPUs that code can be made for
  info       targets, forms and options as JSON, for programs

Each command explains itself with --help. For example:

  tilewright compile kernel.ttir --target=sm_80 --num-warps=4 --emit=ptx -o -
)";

/// At the process' end: output that nobody could write is an error. LLVM's
/// streams would end the process as if it were a fault of ours.
static void finishOutput() {
  llvm::outs().flush();
  std::error_code problem = llvm::outs().error();
  llvm::outs().clear_error();
  if (problem)
    driver::fail("cannot write the output: " + problem.message());
  llvm::errs().clear_error();
  if (problem)
    std::_Exit(1);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  // Behind the streams, so that it is called before they go.
  llvm::outs();
  llvm::errs();
  std::atexit(finishOutput);
  llvm::setBugReportMsg(
      "This is a bug in Tilewright: please report it with the "
      "command line and its input.\n");
  llvm::StringRef command = argc > 1 ? argv[1] : "";
  if (command == "compile")
    return driver::runCompile(argc - 1, argv + 1);
  if (command == "run")
    return driver::runRun(argc - 1, argv + 1);
  if (command == "cache")
    return driver::runCache(argc - 1, argv + 1);
  if (command == "kernels")
    return driver::runKernels(argc - 1, argv + 1);
  if (command == "layout")
    return driver::runLayout(argc - 1, argv + 1);
  if (command == "targets")
    return driver::runTargets(argc - 1, argv + 1);
  if (command == "info")
    return driver::runInfo(argc - 1, argv + 1);
  if (command == "--version" || command == "version") {
    llvm::outs() << compiler::version() << "\n";
    return 0;
  }
  if (command == "--help" || command == "-h" || command == "help") {
    llvm::outs() << usage;
    return 0;
  }
  llvm::errs() << "tilewright: error: expects a command, but got '" << command
               << "'\n\n"
               << usage;
  return 1;
}
