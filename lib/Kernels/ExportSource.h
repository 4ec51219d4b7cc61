// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exported operator as C: what a header and a source say of it. Plain
// values.

#ifndef TILEWRIGHT_LIB_KERNELS_EXPORTSOURCE_H
#define TILEWRIGHT_LIB_KERNELS_EXPORTSOURCE_H

#include "lib/Kernels/Operator.h"

namespace tilewright::kernels {

/// A number of a call: factor * ceil(x / step) + base, x being the dynamic
/// size.
struct Dependence {
  int64_t factor = 0, step = 1, base = 0;
  int64_t at(int64_t x) const { return factor * ceilDivide(x, step) + base; }
};

/// What a launch passes for one parameter.
struct ExportedArgument {
  enum class Kind : uint8_t { Tensor, Workspace, Integer, Float };
  Kind kind = Kind::Tensor;
  std::string name;
  /// Bytes of the value.
  uint32_t size = 8;
  /// Of a tensor: its number among the operator's; of workspace: the offset; of
  /// a float: its bits.
  uint64_t bits = 0;
  Dependence integer;

  /// Of a number of a signature; how an integer depends on sizes is left open.
  static ExportedArgument of(const Number &number);
};

struct ExportedLaunch {
  /// In the artifact.
  std::string kernel;
  Dependence grid[3];
  std::vector<ExportedArgument> arguments;
};

/// The code for some sizes.
struct ExportedVariant {
  /// In the order of ExportedOperator::sizes.
  std::vector<int64_t> sizes;
  std::string configuration;
  std::vector<ExportedLaunch> launches;
  uint64_t workspaceBytes = 0;
};

struct ExportedTarget {
  std::string name;
  std::vector<ExportedVariant> variants;
};

struct ExportedTensor {
  std::string name, type;
  /// The names of its sizes; "" where a dimension has none.
  std::vector<std::string_view> sizes;
  bool isOutput = false;
  int64_t alignment = 16;
};

struct ExportedOperator {
  std::string name, operatorName;
  /// What is the same for all calls: "type=f16".
  std::vector<std::string> options;
  std::vector<std::string> sizes;
  /// Which of the sizes is dynamic.
  std::optional<size_t> dynamicSize;
  std::vector<ExportedTensor> tensors;
  /// The better ones first.
  std::vector<ExportedTarget> targets;

  /// What a launch passes for a tensor: one of the call, or memory of the
  /// workspace, which gets an offset and grows.
  ExportedArgument pointerTo(const TensorParameter &tensor,
                             std::map<std::string, uint64_t> &offsets,
                             uint64_t &workspaceBytes) const;
};

std::string makeExportHeader(const ExportedOperator &exported);
/// `artifact`: its bytes.
std::string makeExportSource(const ExportedOperator &exported,
                             std::span<const uint8_t> artifact);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EXPORTSOURCE_H
