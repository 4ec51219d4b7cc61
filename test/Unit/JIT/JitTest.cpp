// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a key depends on, and that a kernel is compiled once.

#include "lib/JIT/Jit.h"

#include "lib/JIT/CompilationKey.h"
#include "test/Unit/Runtime/TemporaryFolder.h"

#include "gtest/gtest.h"

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

/// Gives an option another value than it has.
void change(bool &value) { value = !value; }
void change(uint32_t &value) { ++value; }
void change(std::string &value) { value += " "; }
void change(std::vector<std::string> &value) { value.push_back("a=b"); }
template <typename Value>
void change(Value &value) {
  value = valuesOf(value).back().value;
}

TEST(CompilationKey, DependsOnEveryInput) {
  std::set<runtime::CacheKey> keys;
  auto add = [&](std::string CompilationInputs::*changed) {
    CompilationInputs inputs;
    if (changed)
      inputs.*changed += " ";
    // The same every time.
    for (int i = 0; i < 100; ++i)
      keys.insert(makeKey(inputs));
  };
  add(nullptr);
  add(&CompilationInputs::compiler);
  add(&CompilationInputs::assembler);
  add(&CompilationInputs::text);
  EXPECT_EQ(keys.size(), 4u);
}

/// Those of the options on which the key depends, beginning from `given`.
std::set<std::string_view> optionsInKey(const CompileOptions &given) {
  CompilationInputs inputs;
  inputs.options = given;
  runtime::CacheKey first = makeKey(inputs);
  std::set<std::string_view> found;
  std::set<runtime::CacheKey> keys = {first};
  forEachCompileOption([&](const OptionRow &row, auto member) {
    CompilationInputs changed = inputs;
    change(changed.options.*member);
    runtime::CacheKey key = makeKey(changed);
    if (key == first)
      return;
    found.insert(row.name);
    EXPECT_TRUE(keys.insert(key).second) << row.name;
  });
  return found;
}

/// Those that their rows say to have one of the effects.
std::set<std::string_view> optionsWith(std::set<OptionEffect> effects) {
  std::set<std::string_view> found;
  forEachCompileOption([&](const OptionRow &row, auto) {
    if (effects.contains(row.effect))
      found.insert(row.name);
  });
  return found;
}

TEST(CompilationKey, DependsOnTheOptionsWithAnEffect) {
  auto all = optionsWith({OptionEffect::Code, OptionEffect::Lines});
  EXPECT_EQ(optionsInKey({}), all);
  EXPECT_EQ(optionsInKey({.lineTables = false}),
            optionsWith({OptionEffect::Code}));
  for (const char *name : {"targets", "num_warps", "machine_code",
                           "line_tables", "path_prefix_map", "source_name"})
    EXPECT_TRUE(all.contains(name)) << name;
  for (const char *name : {"cuda_root", "remarks", "threads"})
    EXPECT_FALSE(all.contains(name)) << name;
}

TEST(CompilationKey, TellsListsApart) {
  auto key = [](std::vector<std::string> map) {
    CompilationInputs inputs;
    inputs.options.pathPrefixMap = std::move(map);
    return makeKey(inputs);
  };
  std::set<runtime::CacheKey> keys = {key({}), key({"a=b"}), key({"a=c"}),
                                      key({"c=b"}), key({"a=b", "a=b"})};
  EXPECT_EQ(keys.size(), 5u);
}

TEST(CompilationKey, DoesNotDependOnWhereTheAssemblerIs) {
  CompileOptions options;
  options.machineCode = false;
  runtime::CacheKey first = makeKey(getInputs(kernelText, options));
  options.cudaRoot = "/nowhere";
  options.threads = 8;
  options.remarks = Remarks::All;
  EXPECT_EQ(first, makeKey(getInputs(kernelText, options)));
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
      auto artifact = first.compile(kernelText, options);
      ASSERT_TRUE(artifact) << artifact.error().message;
      EXPECT_EQ((*artifact)->kernels.at(0).name, "add");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(first.cache().counts().compilations, 1u);
  Jit second(cacheOptions);
  auto again = second.compile(kernelText, options);
  ASSERT_TRUE(again);
  EXPECT_EQ(second.cache().counts().compilations, 0u);
  EXPECT_EQ((*again)->key.size(), 64u);
  options.numWarps = 8;
  ASSERT_TRUE(second.compile(kernelText, options));
  EXPECT_EQ(second.cache().counts().compilations, 1u);
}

TEST(Jit, SaysWhatDoesNotCompile) {
  Jit jit((runtime::CacheOptions()));
  CompileOptions options;
  options.machineCode = false;
  options.sourceName = "k.mlir";
  unsigned diagnostics = 0;
  options.onDiagnostic = [&](const Diagnostic &) { ++diagnostics; };
  for (unsigned attempt = 1; attempt <= 2; ++attempt) {
    auto artifact = jit.compile("tt.func @k() { tt.retrun }", options);
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().message.substr(0, 12), "k.mlir:1:16:");
    EXPECT_GE(diagnostics, attempt);
  }
}

} // namespace
