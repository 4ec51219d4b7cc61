// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's operators for C++: tilewright-c/Operators.h with owners.
//
//   auto plan = Plan::create(compiler, device, "matmul",
//                            {{"type", "f16"}, {"activation", "gelu"}});
//   TensorView tensors[] = {{a, {m, k}}, {b, {k, n}}, {c, {m, n}}, {}, {}};
//   plan->run(stream, tensors);

#ifndef TILEWRIGHT_OPERATORS_H
#define TILEWRIGHT_OPERATORS_H

#include "tilewright-c/Operators.h"
#include "tilewright/Compiling.h"

#include <utility>
#include <vector>

namespace tilewright {

/// A tensor of a call; the default one is not there.
class TensorView {
public:
  TensorView() = default;
  /// A dense tensor.
  TensorView(Address address, std::vector<int64_t> sizes)
      : TensorView(address, sizes, dense(sizes)) {}
  /// Strides in elements.
  TensorView(Address address, std::vector<int64_t> sizes,
             std::vector<int64_t> strides)
      : address(address), extents(std::move(sizes)), steps(std::move(strides)),
        isGiven(true) {}

  tilewright_tensor get() const {
    if (!isGiven)
      return {};
    return {address.value, extents.size(), extents.data(), steps.data()};
  }

private:
  static std::vector<int64_t> dense(const std::vector<int64_t> &sizes) {
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;)
      strides[d - 1] = strides[d] * sizes[d];
    return strides;
  }
  Address address;
  std::vector<int64_t> extents, steps;
  bool isGiven = false;
};

/// Memory that a call uses besides its tensors.
struct Workspace {
  Address address;
  uint64_t size = 0;
};

/// An operator that is ready to be called. Any thread may use it.
class Plan {
public:
  using Words = std::vector<std::pair<std::string, std::string>>;

  /// `words`: the operator's options that are no sizes. Further ones:
  /// tilewright_plan_options.
  static Expected<Plan> create(const Compiler &compiler, const Device &device,
                               const char *operatorName, const Words &words,
                               tilewright_plan_options options = {}) {
    std::vector<const char *> names, values;
    for (const auto &[name, value] : words) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
    options.struct_size = sizeof options;
    options.names = names.data();
    options.values = values.data();
    options.count = names.size();
    tilewright_plan *plan = nullptr;
    if (tilewright_error *error = tilewright_plan_create(
            compiler.handle(), device.handle(), operatorName, &options, &plan))
      return Failure::take(error);
    return Plan(plan);
  }

  /// Prepares calls with such tensors; gives the bytes of workspace that they
  /// need.
  template <typename Tensors>
  Expected<uint64_t> prepare(const Tensors &tensors) const {
    uint64_t size = 0;
    auto given = views(tensors);
    if (tilewright_error *error = tilewright_plan_prepare(
            handle(), given.data(), given.size(), &size))
      return Failure::take(error);
    return size;
  }
  template <typename Tensors>
  Expected<void> run(void *stream, const Tensors &tensors,
                     Workspace workspace = {}) const {
    auto given = views(tensors);
    return detail::check(
        tilewright_plan_run(handle(), given.data(), given.size(), stream,
                            workspace.address.value, workspace.size));
  }
  /// What such calls get, and why.
  template <typename Tensors>
  Expected<std::string> explain(const Tensors &tensors) const {
    auto given = views(tensors);
    tilewright_bytes *bytes = nullptr;
    if (tilewright_error *error = tilewright_plan_explain(
            handle(), given.data(), given.size(), &bytes))
      return Failure::take(error);
    std::string text(static_cast<const char *>(tilewright_bytes_data(bytes)),
                     tilewright_bytes_size(bytes));
    tilewright_bytes_destroy(bytes);
    return text;
  }

  tilewright_plan *handle() const { return owner.get(); }

private:
  explicit Plan(tilewright_plan *plan) : owner(plan) {}
  template <typename Tensors>
  static std::vector<tilewright_tensor> views(const Tensors &tensors) {
    std::vector<tilewright_tensor> given;
    for (const TensorView &tensor : tensors)
      given.push_back(tensor.get());
    return given;
  }
  detail::Owner<tilewright_plan, tilewright_plan_destroy> owner;
};

} // namespace tilewright

#endif // TILEWRIGHT_OPERATORS_H
