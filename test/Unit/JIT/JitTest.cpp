// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a key depends on, and that a kernel is compiled once.

#include "tilewright/Jit.h"

#include "lib/JIT/CompilationKey.h"
#include "test/Unit/Runtime/TemporaryFolder.h"

#include "gtest/gtest.h"

#include <functional>
#include <set>
#include <thread>

using namespace tilewright;
using namespace tilewright::jit;

namespace {

constexpr const char *kernelText = R"(
tt.func public @add(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %sum = arith.addf %v, %v : tensor<64xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %outs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %sum : tensor<64x!tt.ptr<f32>>
  tt.return
}
)";

CompilationInputs sampleInputs() {
  CompilationInputs inputs;
  inputs.compiler = "compiler";
  inputs.assembler = "assembler";
  inputs.text = "text";
  inputs.sourceName = "name";
  inputs.pathPrefixMap = {{"a", "b"}};
  inputs.targets = {"sm_80"};
  inputs.numWarps = 4;
  return inputs;
}

TEST(CompilationKey, DependsOnEveryField) {
  using Change = std::function<void(CompilationInputs &)>;
  const Change changes[] = {
      [](CompilationInputs &) {},
      [](CompilationInputs &inputs) { inputs.compiler += " "; },
      [](CompilationInputs &inputs) { inputs.assembler += " "; },
      [](CompilationInputs &inputs) { inputs.text += " "; },
      [](CompilationInputs &inputs) { inputs.sourceName += " "; },
      [](CompilationInputs &inputs) { inputs.pathPrefixMap.clear(); },
      [](CompilationInputs &inputs) { inputs.pathPrefixMap[0].first = "c"; },
      [](CompilationInputs &inputs) { inputs.pathPrefixMap[0].second = "c"; },
      [](CompilationInputs &inputs) { inputs.targets[0] = "sm_86"; },
      [](CompilationInputs &inputs) { inputs.targets.push_back("sm_80"); },
      [](CompilationInputs &inputs) { inputs.numWarps = 8; },
      [](CompilationInputs &inputs) { inputs.machineCode = true; },
      [](CompilationInputs &inputs) { inputs.lineTables = true; }};
  std::set<runtime::CacheKey> keys;
  for (const Change &change : changes) {
    CompilationInputs inputs = sampleInputs();
    change(inputs);
    keys.insert(makeKey(inputs));
    // The same every time.
    for (int i = 0; i < 100; ++i)
      keys.insert(makeKey(inputs));
  }
  EXPECT_EQ(keys.size(), std::size(changes));
}

TEST(CompilationKey, DependsOnNothingElse) {
  CompileOptions options;
  options.machineCode = false;
  auto key = [&](const char *name) {
    return makeKey(getInputs(kernelText, name, options));
  };
  runtime::CacheKey first = key("a.mlir");
  EXPECT_NE(first, key("b.mlir"));
  options.threads = 8;
  options.cudaRoot = "/nowhere";
  options.remarks = Remarks::All;
  EXPECT_EQ(first, key("a.mlir"));
  options.lineTables = false;
  EXPECT_EQ(key("a.mlir"), key("b.mlir"));
  EXPECT_NE(first, key("a.mlir"));
}

TEST(Jit, CompilesAKernelOnce) {
  runtime::TemporaryFolder folder;
  runtime::CacheOptions cacheOptions;
  cacheOptions.folder = folder.path();
  CompileOptions options;
  options.machineCode = false;
  Jit first(cacheOptions);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      auto artifact = first.compile(kernelText, "k.mlir", options);
      ASSERT_TRUE(artifact) << artifact.error().message;
      EXPECT_EQ((*artifact)->kernels.at(0).name, "add");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(first.cache().counts().compilations, 1u);
  Jit second(cacheOptions);
  auto again = second.compile(kernelText, "k.mlir", options);
  ASSERT_TRUE(again);
  EXPECT_EQ(second.cache().counts().compilations, 0u);
  EXPECT_EQ((*again)->key.size(), 64u);
  options.numWarps = 8;
  ASSERT_TRUE(second.compile(kernelText, "k.mlir", options));
  EXPECT_EQ(second.cache().counts().compilations, 1u);
}

TEST(Jit, SaysWhatDoesNotCompile) {
  Jit jit((runtime::CacheOptions()));
  CompileOptions options;
  options.machineCode = false;
  unsigned diagnostics = 0;
  options.onDiagnostic = [&](const Diagnostic &) { ++diagnostics; };
  for (unsigned attempt = 1; attempt <= 2; ++attempt) {
    auto artifact =
        jit.compile("tt.func @k() { tt.retrun }", "k.mlir", options);
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().message.substr(0, 12), "k.mlir:1:16:");
    EXPECT_GE(diagnostics, attempt);
  }
}

} // namespace
