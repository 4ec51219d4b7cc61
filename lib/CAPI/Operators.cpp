// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of the library: tilewright-c/Operators.h over lib/Kernels.

#include "tilewright-c/Operators.h"

#include "dialects/Target/Target.h"
#include "lib/CAPI/Handles.h"
#include "lib/Kernels/CodedWeights.h"
#include "lib/Kernels/Plan.h"
#include "runtime/CAPI/Handles.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::runtime::capi;

struct tilewright_plan {
  std::unique_ptr<Plan> plan;
};

// (The names in the tables are literals, so that they end in a zero.)
const char *tilewright_operator_name(size_t index) {
  std::span<const Operator> operators = allOperators();
  return index < operators.size() ? operators[index].name.data() : nullptr;
}

const char *tilewright_operator_tensor_name(const char *operator_name,
                                            size_t index) {
  auto known = findOperator(operator_name ? operator_name : "");
  if (!known || index >= (*known)->tensors.size())
    return nullptr;
  return (*known)->tensors[index].name.data();
}

/// The options as the library has them.
static tilewright_error *readOptions(const tilewright_plan_options *given,
                                     Options::Words &words,
                                     PlanOptions &options) {
  tilewright_plan_options own;
  if (tilewright_error *error =
          readStruct(given, own, offsetof(tilewright_plan_options, target),
                     "tilewright_plan_options"))
    return error;
  for (size_t i = 0; i < own.count; ++i) {
    if (!own.names || !own.values || !own.names[i] || !own.values[i])
      return refuse("expects a name and a value as option " +
                    std::to_string(i) + ", but got null");
    words[own.names[i]] = own.values[i];
  }
  if (own.target)
    options.target = own.target;
  if (own.configuration)
    options.configuration = own.configuration;
  if (own.machine_code > TILEWRIGHT_OFF)
    return refuse("expects machine_code to be a tilewright_switch (0 to 2), "
                  "but got " +
                  std::to_string(own.machine_code));
  options.machineCode = own.machine_code != TILEWRIGHT_OFF;
  if (own.tune > 1024)
    return refuse("expects tune to be at most 1024 candidates, but got " +
                  std::to_string(own.tune));
  if (own.tune)
    options.tuned = unsigned(own.tune);
  return nullptr;
}

tilewright_error *tilewright_plan_create(tilewright_compiler *compiler,
                                         const tilewright_device *device,
                                         const char *operator_name,
                                         const tilewright_plan_options *given,
                                         tilewright_plan **plan) {
  if (!compiler || !device || !operator_name || !plan)
    return refuse("expects a compiler, a device, the name of an operator and a "
                  "place for the plan, but got null");
  *plan = nullptr;
  Options::Words words;
  PlanOptions options;
  if (tilewright_error *error = readOptions(given, words, options))
    return error;
  auto created = Plan::create(compiler->jit, device->device, operator_name,
                              std::move(words), std::move(options));
  if (!created)
    return fail(created.takeError());
  *plan = new tilewright_plan{std::move(*created)};
  return nullptr;
}

void tilewright_plan_destroy(tilewright_plan *plan) { delete plan; }

namespace {

/// A call's tensors as the library has them; on the stack.
class Tensors {
public:
  Tensors(const tilewright_tensor *given, size_t count) {
    used = std::min(count, std::size(tensors));
    for (size_t i = 0; i < used; ++i)
      tensors[i] = {given[i].sizes != nullptr, given[i].address,
                    uint32_t(std::min<uint64_t>(given[i].rank, UINT32_MAX)),
                    given[i].sizes, given[i].strides};
  }
  std::span<const PlanTensor> get() const { return {tensors, used}; }

private:
  PlanTensor tensors[64];
  size_t used;
};

} // namespace

tilewright_error *tilewright_plan_prepare(tilewright_plan *plan,
                                          const tilewright_tensor *tensors,
                                          size_t count,
                                          uint64_t *workspace_size) {
  if (workspace_size)
    *workspace_size = 0;
  if (!plan || !tensors)
    return refuse("expects a plan and tensors, but got null");
  auto bytes = plan->plan->workspaceBytes(Tensors(tensors, count).get());
  if (!bytes)
    return fail(bytes.takeError());
  if (workspace_size)
    *workspace_size = *bytes;
  return nullptr;
}

tilewright_error *tilewright_plan_run(tilewright_plan *plan,
                                      const tilewright_tensor *tensors,
                                      size_t count, void *stream,
                                      uint64_t workspace,
                                      uint64_t workspace_size) {
  if (!plan || !tensors)
    return refuse("expects a plan and tensors, but got null");
  return toError(
      plan->plan->run(Tensors(tensors, count).get(),
                      static_cast<runtime::cuda::StreamHandle>(stream),
                      workspace, workspace_size));
}

tilewright_error *tilewright_plan_explain(tilewright_plan *plan,
                                          const tilewright_tensor *tensors,
                                          size_t count,
                                          tilewright_bytes **text) {
  if (!plan || !tensors || !text)
    return refuse("expects a plan, tensors and a place for the text, but got "
                  "null");
  *text = nullptr;
  auto explained = plan->plan->explain(Tensors(tensors, count).get());
  if (!explained)
    return fail(explained.takeError());
  *text = new tilewright_bytes{{explained->begin(), explained->end()}};
  return nullptr;
}

tilewright_error *tilewright_prepacked_unit_describe(
    const char *family, const char *weights, const char *order,
    tilewright_prepacked_unit *unit, uint32_t *places, size_t count) {
  if (!family || !weights || !order || !unit || (count && !places))
    return refuse("expects a family, weights, an order, a unit and places for "
                  "its codes, but got null");
  std::string names;
  bool isKnown = false;
  for (std::string_view known : PrepackedOrder::families()) {
    names += (names.empty() ? "" : ", ") + std::string(known);
    isKnown |= known == family;
  }
  if (!isKnown)
    return refuse("expects a family of prepacked weights (" + names +
                  "), but got '" + family + "'");
  std::optional<Coding> coding = codingFromNames(weights, order);
  if (!coding)
    return refuse("expects weights and an order as quantized_matmul takes "
                  "them, but got '" +
                  std::string(weights) + "' and '" + order + "'");
  PrepackedOrder known = PrepackedOrder::of(family, *coding);
  *unit = {uint64_t(known.rows()), uint64_t(known.columns()),
           uint64_t(known.words()), uint64_t(known.span())};
  if (!count)
    return nullptr;
  std::vector<uint32_t> all = known.codePlaces();
  if (count != all.size())
    return refuse("expects room for " + std::to_string(all.size()) +
                  " places, but got " + std::to_string(count));
  std::copy(all.begin(), all.end(), places);
  return nullptr;
}

const char *tilewright_prepacked_family(const char *name) {
  const target::Target *found = target::lookup(name ? name : "");
  return found ? PrepackedOrder::familyOf(*found).data() : nullptr;
}
