// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls operators of the library by name: a matrix product with bias and
// activation, and why it gets the configuration that it does.
#include "tilewright/Operators.h"

#include <cstdio>

using namespace tilewright;

static int fail(const Failure &failure) {
  std::fprintf(stderr, "operators: error: %s\n", failure.message.c_str());
  return 1;
}

int main() {
  auto device = Device::open();
  if (!device)
    return fail(device.failure());
  auto compiler = Compiler::create();
  if (!compiler)
    return fail(compiler.failure());
  auto plan =
      Plan::create(*compiler, *device, "matmul",
                   {{"type", "f32"}, {"bias", "f32"}, {"activation", "relu"}});
  if (!plan)
    return fail(plan.failure());

  const int64_t m = 17, n = 40, k = 33;
  std::vector<float> a(m * k, 0.5f), b(k * n, 2), bias(n, -3), c(m * n);
  Address addresses[4];
  const std::vector<float> *inputs[] = {&a, &b, &bias, &c};
  for (int i = 0; i < 4; ++i) {
    uint64_t bytes = inputs[i]->size() * sizeof(float);
    auto memory = device->allocate(bytes);
    if (!memory)
      return fail(memory.failure());
    addresses[i] = *memory;
    if (auto done = device->write(*memory, inputs[i]->data(), bytes); !done)
      return fail(done.failure());
  }
  // In the order of the operator's tensors: a, b, c, bias, residual.
  const TensorView tensors[] = {{addresses[0], {m, k}},
                                {addresses[1], {k, n}},
                                {addresses[3], {m, n}},
                                {addresses[2], {n}},
                                {}};
  auto workspace = plan->prepare(tensors);
  if (!workspace)
    return fail(workspace.failure());
  Workspace memory;
  if (*workspace) {
    auto allocated = device->allocate(*workspace);
    if (!allocated)
      return fail(allocated.failure());
    memory = {*allocated, *workspace};
  }
  auto done = plan->run(nullptr, tensors, memory);
  if (done)
    done = device->read(c.data(), addresses[3], c.size() * sizeof(float));
  if (!done)
    return fail(done.failure());
  auto text = plan->explain(tensors);
  if (!text)
    return fail(text.failure());
  std::printf("%s: %g ... %g\n%s", device->architecture().c_str(), c.front(),
              c.back(), text->c_str());
  return c.front() == 30 && c.back() == 30 ? 0 : 1;
}
