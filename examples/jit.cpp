// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a kernel while the program runs, and launches it:
//   jit add.mlir
#include "tilewright/Compiling.h"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace tilewright;

static int fail(const Failure &failure) {
  std::fprintf(stderr, "jit: error: %s\n", failure.message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  std::stringstream text;
  text << std::ifstream(argc > 1 ? argv[1] : "add.mlir").rdbuf();

  auto device = Device::open();
  if (!device)
    return fail(device.failure());
  auto compiler = Compiler::create();
  if (!compiler)
    return fail(compiler.failure());
  CompileOptions options;
  auto target = findTargetFor(*device);
  if (!target)
    return fail({TILEWRIGHT_ERROR_UNSUPPORTED,
                 "no target's code runs on " + device->architecture()});
  options.targets = {*target};
  options.onDiagnostic = [](const Diagnostic &diagnostic) {
    std::fprintf(stderr, "line %u: %s\n", diagnostic.line,
                 diagnostic.message.c_str());
  };
  auto program = compiler->compile(text.str(), options);
  if (!program)
    return fail(program.failure());
  auto kernel = program->kernel(*device, "add");
  if (!kernel)
    return fail(kernel.failure());

  const int count = 1000;
  std::vector<float> x(count, 1.5f), y(count, 2.25f), sum(count);
  Address addresses[3];
  for (Address &address : addresses)
    if (auto memory = device->allocate(count * sizeof(float)))
      address = *memory;
  auto done = device->write(addresses[0], x.data(), count * sizeof(float));
  if (done)
    done = device->write(addresses[1], y.data(), count * sizeof(float));
  if (done) // the stream is the legacy default stream
    done = kernel->launch(nullptr, {(count + 63) / 64}, addresses[0],
                          addresses[1], addresses[2], int32_t(count));
  if (done)
    done = device->read(sum.data(), addresses[2], count * sizeof(float));
  if (!done)
    return fail(done.failure());
  std::printf("%s: %g ... %g\n", device->architecture().c_str(), sum[0],
              sum[count - 1]);
  return 0;
}
