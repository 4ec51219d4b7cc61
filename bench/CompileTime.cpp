// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long compilation takes, stage by stage, and in all up to PTX. The
// assembler's time, which is not ours, is a row of its own.
//
//   compile_time [--benchmark_filter=REGEX]
//
// Each row is named STAGE/KERNEL/TARGET; `all` runs from text to PTX in a fresh
// context, as a driver does.

#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/Compiler.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "passes/Pipelines/Pipelines.h"
#include "llvm/Support/MemoryBuffer.h"

#include <benchmark/benchmark.h>

using namespace mlir;
using namespace tilewright;

namespace {

/// A kernel of the corpus and how it is launched.
struct Sample {
  const char *file;
  unsigned numWarps;
};

constexpr Sample samples[] = {
    {"matmul_f16_128x128x64", 4}, {"matmul_f16_128x128x64_aligned", 4},
    {"matmul_f16_64x64x32", 4},   {"matmul_w4a16_16x64x64", 4},
    {"fused_softmax_1024", 4},    {"cumsum_varlen_64", 1},
    {"vector_add_1024", 4}};

constexpr const char *targets[] = {"sm_75", "sm_80", "sm_90a"};

std::string readKernel(const char *file) {
  std::string path =
      std::string(TILEWRIGHT_CORPUS_FOLDER) + "/" + file + ".ttir";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

using BuildStage = void (*)(OpPassManager &, const PipelineOptions &);

void buildTile(OpPassManager &manager, const PipelineOptions &options) {
  buildTilePipeline(manager, options);
}
void buildLayouts(OpPassManager &manager, const PipelineOptions &options) {
  buildTileToTileGPUPipeline(manager, options);
}
void buildTileGPU(OpPassManager &manager, const PipelineOptions &) {
  buildTileGPUPipeline(manager);
}
void buildToLLVM(OpPassManager &manager, const PipelineOptions &options) {
  buildTileGPUToLLVMPipeline(manager, options);
}

struct Stage {
  const char *name;
  BuildStage build;
};

constexpr Stage stages[] = {{"1-tile", buildTile},
                            {"2-layouts", buildLayouts},
                            {"3-tilegpu", buildTileGPU},
                            {"4-to-llvm", buildToLLVM}};

PipelineOptions getOptions(const Sample &sample, const char *target) {
  return {target, {.numWarps = sample.numWarps}};
}

/// The kernel after the first `count` stages, or null.
OwningOpRef<ModuleOp> prepare(const Sample &sample, const char *target,
                              size_t count, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      readKernel(sample.file), &context, sample.file);
  if (!module)
    return nullptr;
  PassManager manager(&context);
  for (size_t number = 0; number < count; ++number)
    stages[number].build(manager, getOptions(sample, target));
  if (failed(manager.run(*module)))
    return nullptr;
  return module;
}

/// Runs one stage on clones of what the stages before it give.
void runStage(benchmark::State &state, const Sample &sample, const char *target,
              size_t number) {
  compiler::CompilerContext owner(/*threads=*/1);
  MLIRContext &context = owner.get();
  OwningOpRef<ModuleOp> input = prepare(sample, target, number, context);
  if (!input)
    return state.SkipWithError("the kernel does not compile so far");
  PassManager manager(&context);
  stages[number].build(manager, getOptions(sample, target));
  for (auto _ : state) {
    state.PauseTiming();
    OwningOpRef<ModuleOp> module(input->clone());
    state.ResumeTiming();
    if (failed(manager.run(*module)))
      return state.SkipWithError("the stage fails");
    state.PauseTiming();
    module = nullptr;
    state.ResumeTiming();
  }
}

/// Code generation from the LLVM dialect, with its parts as counters (ms).
void runCodegen(benchmark::State &state, const Sample &sample,
                const char *target) {
  compiler::CompilerContext owner(/*threads=*/1);
  MLIRContext &context = owner.get();
  OwningOpRef<ModuleOp> module =
      prepare(sample, target, std::size(stages), context);
  if (!module)
    return state.SkipWithError("the kernel does not compile so far");
  codegen::CodegenOptions codegen;
  codegen.lineInfo = true;
  codegen::CodegenTimings sum;
  for (auto _ : state) {
    codegen::CodegenTimings timings;
    if (failed(codegen::translateToPTX(*module, *target::lookup(target),
                                       codegen, &timings)))
      return state.SkipWithError("code generation fails");
    sum.translation += timings.translation;
    sum.optimization += timings.optimization;
    sum.emission += timings.emission;
  }
  auto average = benchmark::Counter::kAvgIterations;
  state.counters["translate"] = {1e3 * sum.translation, average};
  state.counters["optimize"] = {1e3 * sum.optimization, average};
  state.counters["emit"] = {1e3 * sum.emission, average};
}

/// From text to PTX in a fresh context.
void runAll(benchmark::State &state, const Sample &sample, const char *target) {
  std::string text = readKernel(sample.file);
  CompileOptions options;
  options.targets = {target};
  options.numWarps = sample.numWarps;
  for (auto _ : state)
    if (!compiler::emit(text, Emit::PTX, options))
      return state.SkipWithError("the kernel does not compile");
}

/// The assembler alone.
void runAssembler(benchmark::State &state, const Sample &sample,
                  const char *target) {
  CompileOptions options;
  options.targets = {target};
  options.numWarps = sample.numWarps;
  auto ptx = compiler::emit(readKernel(sample.file), Emit::PTX, options);
  if (!ptx)
    return state.SkipWithError("the kernel does not compile");
  codegen::AssembleOptions assembler;
  assembler.lineInfo = true;
  for (auto _ : state) {
    auto code =
        codegen::assemble(ptx->front(), *target::lookup(target), assembler);
    if (!code) {
      llvm::consumeError(code.takeError());
      return state.SkipWithError("no assembler, or it refuses the text");
    }
  }
}

void registerAll() {
  for (const Sample &sample : samples)
    for (const char *target : targets) {
      std::string suffix =
          "/" + std::string(sample.file) + "/" + std::string(target);
      auto add = [&](const char *stage, auto run) {
        benchmark::RegisterBenchmark((stage + suffix).c_str(), run)
            ->Unit(benchmark::kMillisecond);
      };
      for (size_t number = 0; number < std::size(stages); ++number)
        add(stages[number].name, [&sample, target, number](auto &state) {
          runStage(state, sample, target, number);
        });
      add("5-codegen", [&sample, target](benchmark::State &state) {
        runCodegen(state, sample, target);
      });
      add("all", [&sample, target](benchmark::State &state) {
        runAll(state, sample, target);
      });
      add("assembler", [&sample, target](benchmark::State &state) {
        runAssembler(state, sample, target);
      });
    }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  registerAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
