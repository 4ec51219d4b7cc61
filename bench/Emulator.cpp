// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast the emulator runs kernels of the corpus, on one core with all checks
// on.
//
//   emulator [--benchmark_filter=REGEX]
//
// Counters: `lanes`, instructions of threads a second; `warps`, instructions of
// warps a second; `plain`, those of warps that are no matrix instructions, in
// the same time.

#include "lib/Compiler/Compiler.h"
#include "lib/Judges/Emulator/Machine/Launch.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>

using namespace tilewright;

namespace {

constexpr uint32_t size = 128, depth = 512;

/// A kernel ready to run: C = A * B in f16, 128 x 128 x 512, one CTA.
struct Product {
  std::unique_ptr<emulator::Program> program;
  emulator::GlobalMemory memory;
  std::vector<uint8_t> parameters;
  emulator::LaunchOptions options;
};

std::string compileKernel(const std::string &file, const char *target) {
  auto buffer = llvm::MemoryBuffer::getFile(
      std::string(TILEWRIGHT_CORPUS_FOLDER) + "/" + file + ".ttir");
  if (!buffer)
    return "";
  CompileOptions options;
  options.targets = {target};
  options.numWarps = 4;
  auto text = compiler::emit((*buffer)->getBuffer(), Emit::PTX, options);
  return text ? text->front() : "";
}

/// A matrix of small integers in f16.
uint64_t makeMatrix(emulator::GlobalMemory &memory, uint32_t elements,
                    std::mt19937 &random) {
  constexpr uint16_t numbers[] = {0x0000, 0x3c00, 0x4000, 0xbc00};
  std::vector<uint16_t> content(elements);
  for (uint16_t &element : content)
    element = numbers[random() % 4];
  uint64_t address = memory.allocate(2 * elements);
  memory.write(address, content.data(), 2 * elements);
  return address;
}

bool prepare(Product &product, const std::string &file, const char *target) {
  std::string ptx = compileKernel(file, target);
  emulator::SyntaxError error;
  product.program = emulator::Program::create(ptx, product.memory, error);
  if (!product.program)
    return false;
  std::mt19937 random(1);
  const uint64_t pointers[] = {makeMatrix(product.memory, size * depth, random),
                               makeMatrix(product.memory, depth * size, random),
                               product.memory.allocate(2 * size * size)};
  const uint32_t numbers[] = {size, size, depth, depth, size, size};
  product.parameters.resize(sizeof(pointers) + sizeof(numbers));
  std::memcpy(product.parameters.data(), pointers, sizeof(pointers));
  std::memcpy(product.parameters.data() + sizeof(pointers), numbers,
              sizeof(numbers));
  product.options.block = {128, 1, 1};
  product.options.dynamicSharedBytes = 64 << 10;
  return true;
}

void runProduct(benchmark::State &state, const char *file, const char *target) {
  Product product;
  if (!prepare(product, file, target))
    return state.SkipWithError("the kernel does not compile or load");
  const emulator::Kernel &kernel = product.program->kernels().front();
  uint64_t lanes = 0, warps = 0, plain = 0;
  for (auto _ : state) {
    emulator::LaunchResult result = emulator::launch(
        kernel, product.parameters, product.memory, product.options);
    if (!result.faults.empty())
      return state.SkipWithError(result.faults.front().message.c_str());
    for (size_t i = 0; i < result.counts.size(); ++i) {
      lanes += result.counts[i].lanes;
      warps += result.counts[i].warps;
      if (!kernel.names[i].starts_with("mma."))
        plain += result.counts[i].warps;
    }
  }
  state.counters["lanes"] = {double(lanes), benchmark::Counter::kIsRate};
  state.counters["warps"] = {double(warps), benchmark::Counter::kIsRate};
  state.counters["plain"] = {double(plain), benchmark::Counter::kIsRate};
}

} // namespace

BENCHMARK_CAPTURE(runProduct, general, "matmul_f16_128x128x64", "sm_80")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(runProduct, aligned, "matmul_f16_128x128x64_aligned", "sm_80")
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
