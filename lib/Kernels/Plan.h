// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator that is ready to be called: made once for what stays the same
// (types, epilogues), called with tensors. What a call's sizes, strides and
// alignments need is chosen, compiled and loaded the first time, or before by
// prepare(); from then on a call is its launches alone.

#ifndef TILEWRIGHT_LIB_KERNELS_PLAN_H
#define TILEWRIGHT_LIB_KERNELS_PLAN_H

#include "lib/JIT/Jit.h"
#include "lib/Kernels/Choice.h"
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
  /// Why such tensors get the configuration that they do. Prepares.
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
    std::vector<Launch> launches;
    uint64_t workspaceBytes = 0;
    std::string explanation;
  };

  Plan(std::shared_ptr<Jit> jit, runtime::Device device)
      : jit(std::move(jit)), device(std::move(device)) {}

  Result<const Prepared *> find(std::span<const PlanTensor> tensors);
  Result<std::unique_ptr<Prepared>>
  makePrepared(std::span<const PlanTensor> tensors);
  Result<Options::Words> describe(std::span<const PlanTensor> tensors) const;
  Result<std::shared_ptr<const runtime::LoadedKernel>>
  load(const Kernel &kernel);
  Result<Launch> makeLaunch(const Kernel &kernel, Prepared &prepared,
                            std::map<std::string, uint64_t> &offsets);
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
