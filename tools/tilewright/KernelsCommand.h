// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the actions of `tilewright kernels` share: the command line, and the
// problem that it asks for.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELSCOMMAND_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELSCOMMAND_H

#include "lib/Kernels/Choice.h"
#include "runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

namespace tilewright::driver {

/// The command line of `tilewright kernels`.
struct KernelsCommandLine {
  llvm::cl::OptionCategory category{"Options of tilewright kernels"};
  llvm::cl::opt<std::string> action{
      llvm::cl::Positional, llvm::cl::init("list"), llvm::cl::cat(category),
      llvm::cl::desc("list|describe|emit|run|tune|bench|export")};
  llvm::cl::list<std::string> words{llvm::cl::Positional,
                                    llvm::cl::cat(category),
                                    llvm::cl::desc("OPERATOR name=value...")};
  llvm::cl::opt<std::string> target{
      "target", llvm::cl::value_desc("sm_XX"), llvm::cl::cat(category),
      llvm::cl::desc("GPU to choose and compile for (default that which the "
                     "problem runs on, else sm_80); of 'export' several, with "
                     "commas")};
  llvm::cl::opt<std::string> output{
      "o", llvm::cl::value_desc("NAME.h"), llvm::cl::cat(category),
      llvm::cl::desc("The header that 'export' writes; NAME.c lies beside it")};
  llvm::cl::opt<bool> machineCode{
      "machine-code", llvm::cl::init(true), llvm::cl::cat(category),
      llvm::cl::desc("Whether 'export' assembles PTX (default yes)")};
  llvm::cl::opt<std::string> configuration{
      "config", llvm::cl::value_desc("128x64x32w4s3k1"),
      llvm::cl::cat(category),
      llvm::cl::desc(
          "In place of the best one: tile, warps, stages, split; of 'tune' "
          "several, with commas, which are timed alone")};
  llvm::cl::opt<bool> explain{
      "explain", llvm::cl::cat(category),
      llvm::cl::desc("Tell which configurations there are, what each is "
                     "predicted to take, and took where that was measured, why "
                     "some cannot be")};
  llvm::cl::opt<unsigned> refined{
      "refine", llvm::cl::value_desc("N"), llvm::cl::init(0),
      llvm::cl::cat(category),
      llvm::cl::desc("Estimate the code of the N best candidates, and choose "
                     "by that (default 0: none)")};
  llvm::cl::opt<unsigned> best{
      "best", llvm::cl::value_desc("N"), llvm::cl::init(8),
      llvm::cl::cat(category),
      llvm::cl::desc(
          "How many candidates 'tune' and 'bench' time (default 8)")};
  llvm::cl::opt<std::string> gpu{
      "gpu", llvm::cl::value_desc("name"), llvm::cl::cat(category),
      llvm::cl::desc("GPU that predictions are for (default the one that the "
                     "problem runs on, else the target's own)")};
  llvm::cl::opt<std::string> device{
      "device", llvm::cl::value_desc("auto|cuda|cuda:N|emulator"),
      llvm::cl::init("auto"), llvm::cl::cat(category),
      llvm::cl::desc("Where to run (default auto: a GPU if there is one)")};
  llvm::cl::opt<uint64_t> seed{
      "seed", llvm::cl::value_desc("N"), llvm::cl::init(0),
      llvm::cl::cat(category),
      llvm::cl::desc("Of the random inputs (default 0)")};
  llvm::cl::opt<unsigned> repeat{
      "repeat", llvm::cl::value_desc("N"), llvm::cl::init(0),
      llvm::cl::cat(category),
      llvm::cl::desc("Launch N times more and time them; how often 'tune' and "
                     "'bench' time each (default there 10)")};
};

/// A problem, and what is thought of its configurations.
struct AskedProblem {
  const kernels::Operator *of = nullptr;
  kernels::Options::Words words;
  std::unique_ptr<kernels::Problem> problem;
  const target::Target *target = nullptr;
  std::vector<kernels::Candidate> candidates;
};

/// The problem of `words` (OPERATOR name=value...), of no target yet.
runtime::Result<AskedProblem> readProblem(llvm::ArrayRef<std::string> words);

/// The same, ranked for `gpu`, or where
/// there is none for the GPU that the command line names.
runtime::Result<AskedProblem> askFor(const KernelsCommandLine &line,
                                     llvm::ArrayRef<std::string> words,
                                     const std::optional<runtime::Device> &gpu);

/// OPERATOR name=value,value...: the words of all combinations. What a tensor
/// is like, and which sizes are dynamic, is one value with commas.
std::vector<std::vector<std::string>> sweep(llvm::ArrayRef<std::string> words);

/// What is going on, on a terminal alone.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}
  ~Progress() { clear(); }
  void begin(llvm::StringRef what);
  void clear();

private:
  size_t total, number = 0;
};

/// `tilewright kernels export`: code for several targets and sizes as C.
int exportKernels(const KernelsCommandLine &line);

/// `tilewright kernels tune`: times the first candidates, says what each was
/// predicted to take and took, and keeps that for later choices on the GPU.
int tuneKernels(const KernelsCommandLine &line);

/// `tilewright kernels bench`: for each problem of a sweep the time of what is
/// chosen, beside the prediction and the best.
int benchKernels(const KernelsCommandLine &line);

} // namespace tilewright::driver

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELSCOMMAND_H
