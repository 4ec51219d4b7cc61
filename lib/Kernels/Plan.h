// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator that is ready to be called: made once for what stays the same
// (types, epilogues), called with tensors. What a call's sizes, strides and
// alignments need is chosen, compiled and loaded the first time, or before by
// prepare(); from then on a call is its launches alone.

#ifndef TILEWRIGHT_LIB_KERNELS_PLAN_H
#define TILEWRIGHT_LIB_KERNELS_PLAN_H

#include "lib/JIT/Jit.h"
#include "lib/Kernels/ChoiceNotes.h"
#include "runtime/LoadedKernel.h"

#include <shared_mutex>
#include <unordered_map>

namespace tilewright::kernels {

/// A tensor of a call, in the order of the operator's tensors.
struct PlanTensor {
  /// False: the operator is asked for without it.
  bool isGiven = false;
  uint64_t address = 0;
  uint32_t rank = 0;
  /// In elements.
  const int64_t *sizes = nullptr, *strides = nullptr;
};

struct PlanOptions {
  /// For the device, where empty.
  std::string target;
  bool machineCode = true;
  /// In place of the best one: Configuration::parse.
  std::string configuration;
  /// Of how many candidates the code is estimated before one is taken.
  unsigned refined = 24;
  /// How many candidates are measured, with memory of their own, where a call
  /// needs a choice that nobody has measured yet (0: none). Without a value as
  /// the environment variable TILEWRIGHT_TUNE says, or else none.
  std::optional<unsigned> tuned = {};
};

class Plan {
public:
  /// An operator with the options that are no sizes of its tensors: "type",
  /// "bias". Fails where a word is wrong whatever the tensors are.
  static Result<std::unique_ptr<Plan>>
  create(std::shared_ptr<Jit> jit, runtime::Device device,
         std::string_view name, Options::Words words, PlanOptions options);

  const Operator &of() const { return *known; }

  /// Chooses, compiles and loads what such tensors need; addresses count by
  /// their alignment alone. A tensor of fewer dimensions than the operator's
  /// has leading ones of one element; an input's dimension of one element is
  /// repeated where others have more.
  Result<void> prepare(std::span<const PlanTensor> tensors);
  /// Bytes of memory that such a call needs besides. Prepares.
  Result<uint64_t> workspaceBytes(std::span<const PlanTensor> tensors);
  /// What such tensors get, and the ranking.
  Result<std::string> explain(std::span<const PlanTensor> tensors);

  /// Launches on `stream`. `workspace` is the address of workspaceBytes()
  /// bytes, at a multiple of 256. Of tensors that were prepared it allocates
  /// nothing, compiles nothing and waits for nothing. Any thread may call.
  Result<void> run(std::span<const PlanTensor> tensors,
                   runtime::cuda::StreamHandle stream, uint64_t workspace,
                   uint64_t workspaceSize);

private:
  /// A launch but for its addresses: those of tensors by their index, and of
  /// the workspace.
  struct Launch {
    std::shared_ptr<const runtime::LoadedKernel> kernel;
    runtime::Dimensions grid;
    std::vector<runtime::Argument> arguments;
    /// For each pointer: the operator's tensor, or -1 and an offset in the
    /// workspace.
    std::vector<std::pair<int, uint64_t>> pointers;
  };
  struct Prepared {
    Configuration configuration;
    /// Of this problem's candidates: times, and reasons why some do not run.
    std::vector<Measurement> measurements;
    /// Why nothing was measured, though it was asked for.
    std::string unmeasured;
    std::vector<Launch> launches;
    uint64_t workspaceBytes = 0;
  };
  /// What a call asks for. Sizes that are dynamic are rounded up in `typical`,
  /// by which the configuration is chosen.
  struct Asked {
    std::unique_ptr<Problem> problem, typical;
    std::string problemClass;
  };

  Plan(std::shared_ptr<Jit> jit, runtime::Device device)
      : jit(std::move(jit)), device(std::move(device)) {}

  Result<const Prepared *> find(std::span<const PlanTensor> tensors);
  Result<std::unique_ptr<Prepared>>
  makePrepared(std::span<const PlanTensor> tensors);
  ChoiceNotes notes() const;
  /// What was chosen for the problem before, as the cache says.
  std::optional<Configuration> findNoted(const Asked &asked,
                                         Prepared &prepared) const;
  /// What predictions take the device for.
  target::Device modelled() const;
  std::vector<Candidate> rankFor(const Problem &problem) const;
  Result<std::vector<Measurement>>
  measureFor(const Problem &problem,
             std::span<const Candidate> candidates) const;
  /// The candidates by what is known of them, measured first where that is
  /// asked for.
  std::vector<Candidate> candidatesFor(const Asked &asked,
                                       Prepared &prepared) const;
  Result<Asked> ask(std::span<const PlanTensor> tensors) const;
  Result<std::shared_ptr<const runtime::Artifact>>
  compile(const Kernel &kernel) const;
  /// Nothing where none is loaded.
  std::shared_ptr<const runtime::LoadedKernel>
  findLoaded(const std::string &key);
  /// All kernels, in their order. Those that nothing is known of are compiled
  /// in parallel.
  Result<std::vector<std::shared_ptr<const runtime::LoadedKernel>>>
  load(const std::vector<Kernel> &kernels);
  /// Compiles and loads what `configuration` launches.
  Result<void> fill(Prepared &prepared, const Problem &problem,
                    const Configuration &configuration);
  Result<void> fillBest(Prepared &prepared, const Asked &asked);
  Launch makeLaunch(const Kernel &kernel,
                    std::shared_ptr<const runtime::LoadedKernel> ready,
                    Prepared &prepared,
                    std::map<std::string, uint64_t> &offsets) const;
  Result<void> launchOne(const Launch &launch,
                         std::span<const PlanTensor> tensors,
                         runtime::cuda::StreamHandle stream,
                         uint64_t workspace) const;

  std::shared_ptr<Jit> jit;
  runtime::Device device;
  const Operator *known = nullptr;
  const target::Target *target = nullptr;
  Options::Words words;
  PlanOptions options;
  std::optional<Configuration> wanted;

  std::shared_mutex mutex;
  /// By hash; entries are never removed.
  std::unordered_multimap<
      uint64_t, std::pair<std::vector<int64_t>, std::unique_ptr<Prepared>>>
      prepared;
  /// By their tile IR and options.
  std::map<std::string, std::shared_ptr<const runtime::LoadedKernel>> loaded;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_PLAN_H
