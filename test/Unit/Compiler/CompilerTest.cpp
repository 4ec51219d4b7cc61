// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers of the compiler see of good and of bad input.

#include "lib/Compiler/Compiler.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/ParseModule.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>
#include <thread>

using namespace tilewright;

static constexpr llvm::StringLiteral testFolder = TILEWRIGHT_TEST_FOLDER;

static std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path.str();
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// The files in `folder` below the tests' folder that end in `extension`.
static std::vector<std::string> listFiles(llvm::StringRef folder,
                                          llvm::StringRef extension) {
  std::vector<std::string> files;
  std::error_code error;
  std::string root = (testFolder + "/" + folder).str();
  for (llvm::sys::fs::directory_iterator entry(root, error), end;
       entry != end && !error; entry.increment(error))
    if (llvm::sys::path::extension(entry->path()) == extension)
      files.push_back(entry->path());
  llvm::sort(files);
  return files;
}

static std::string readMatmul() {
  return readFile((testFolder + "/Corpus/matmul_f16_32x32x32.ttir").str());
}

TEST(Compiler, RemarksComeAsDiagnosticsWhereAskedFor) {
  std::vector<Diagnostic> heard;
  CompileOptions options;
  options.targets = {"sm_75"};
  options.sourceName = "dots.mlir";
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    heard.push_back(diagnostic);
  };
  std::string text =
      readFile((testFolder + "/Tools/Inputs/two-dots.mlir").str());
  EXPECT_TRUE(compiler::emit(text, Emit::TileGPU, options));
  EXPECT_TRUE(heard.empty());
  options.remarks = Remarks::Missed;
  EXPECT_TRUE(compiler::emit(text, Emit::TileGPU, options));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].severity, Diagnostic::Severity::Remark);
  EXPECT_EQ(heard[0].file, "dots.mlir");
  EXPECT_EQ(heard[0].line, 11u);
  heard.clear();
  options.remarks = Remarks::All;
  heard.clear();
  EXPECT_TRUE(compiler::emit(text, Emit::TileGPU, options));
  // Of each dot, of the conversion between them, and of the function its
  // shared memory and its barriers.
  EXPECT_EQ(heard.size(), 5u);
  // A report has its remarks to itself.
  EXPECT_TRUE(compiler::emit(text, Emit::LayoutReport, options));
  EXPECT_EQ(heard.size(), 5u);
}

TEST(Compiler, BadInputGivesALocatedErrorAndNoOutput) {
  std::vector<std::string> files = listFiles("Diagnostics/Input", ".mlir");
  ASSERT_GE(files.size(), 30u);
  for (const std::string &file : files) {
    std::vector<Diagnostic> errors;
    CompileOptions options;
    options.sourceName = "input.mlir";
    options.onDiagnostic = [&](const Diagnostic &diagnostic) {
      if (diagnostic.severity == Diagnostic::Severity::Error)
        errors.push_back(diagnostic);
    };
    EXPECT_FALSE(compiler::emit(readFile(file), Emit::PTX, options)) << file;
    ASSERT_FALSE(errors.empty()) << file;
    EXPECT_EQ(errors.front().file, "input.mlir") << file;
    EXPECT_GT(errors.front().line, 0u) << file;
    EXPECT_FALSE(errors.front().message.empty()) << file;
  }
}

TEST(Compiler, UnknownTargetNamesTheKnownOnes) {
  std::string message;
  CompileOptions options;
  options.targets = {"sm_42"};
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    message += diagnostic.message;
  };
  EXPECT_FALSE(compiler::emit(readMatmul(), Emit::PTX, options));
  for (const std::string &name : compiler::supportedTargets())
    EXPECT_NE(message.find(name), std::string::npos) << name;
  EXPECT_NE(message.find("sm_42"), std::string::npos);
}

static std::string problemOf(const CompileOptions &options) {
  std::string message;
  CompileOptions heard = options;
  heard.onDiagnostic = [&](const Diagnostic &diagnostic) {
    message += diagnostic.message;
  };
  EXPECT_FALSE(compiler::compile(readMatmul(), heard));
  EXPECT_EQ(compiler::findProblem(options), message);
  return message;
}

TEST(Compiler, OptionsHaveTheValuesThatTheirRowsAllow) {
  EXPECT_EQ(compiler::findProblem({}), std::nullopt);
  EXPECT_EQ(problemOf({.numWarps = 3}),
            "expects num_warps to be a power of two from 1 to 32, but got 3");
  EXPECT_EQ(problemOf({.numWarps = 64}),
            "expects num_warps to be a power of two from 1 to 32, but got 64");
  EXPECT_EQ(problemOf({.threads = 0}),
            "expects threads to be from 1 to 1024, but got 0");
  EXPECT_EQ(problemOf({.pathPrefixMap = {"a=b", "c"}}),
            "expects path_prefix_map to be OLD=NEW, but got 'c'");
  EXPECT_EQ(
      compiler::findProblem({.numWarps = 3}, compiler::OptionSpelling::Flag),
      "expects --num-warps to be a power of two from 1 to 32, but got 3");
}

TEST(Compiler, EveryFormHasItsOutputs) {
  CompileOptions options;
  options.targets = {"sm_75", "sm_80"};
  options.machineCode = false;
  options.sourceName = "folder/kernels.mlir";
  for (const EmitForm &form : emitForms) {
    EXPECT_EQ(findEmitForm(form.name), form.value);
    if (form.value == Emit::Cubin) // takes an assembler
      continue;
    auto outputs = compiler::emit(readMatmul(), form.value, options);
    ASSERT_TRUE(outputs) << form.name;
    EXPECT_EQ(outputs->size(), form.outputs == Outputs::One ? 1u : 2u)
        << form.name;
    if (form.value == Emit::CHeader)
      EXPECT_NE(outputs->back().find("#include \"kernels.h\""),
                std::string::npos);
  }
  EXPECT_EQ(findEmitForm("sass"), std::nullopt);
}

TEST(Compiler, GivesSeveralFormsOfOneCompilation) {
  CompileOptions options;
  options.targets = {"sm_80", "sm_75"};
  options.machineCode = false;
  // In any order, and each as if it were the only one.
  const std::vector<Emit> forms = {
      Emit::ArtifactJSON, Emit::PTX,         Emit::Tile,         Emit::LLVM,
      Emit::TileGPU,      Emit::LLVMDialect, Emit::LayoutReport, Emit::PTX};
  auto outputs = compiler::emit(readMatmul(), forms, options);
  ASSERT_TRUE(outputs);
  ASSERT_EQ(outputs->size(), forms.size());
  options.targets.pop_back();
  for (size_t index = 0; index < forms.size(); ++index)
    EXPECT_EQ((*outputs)[index],
              compiler::emit(readMatmul(), forms[index], options)->front())
        << describe(forms[index]).name;
  EXPECT_FALSE(compiler::emit("tt.func", forms, options));
}

TEST(Compiler, AllStagesHaveTheWarpsThatSumsNeed) {
  CompileOptions options;
  options.numWarps = 1;
  std::string text =
      readFile((testFolder + "/Corpus/matmul_f16_128x128x64.ttir").str());
  const std::vector<Emit> forms = {Emit::Tile, Emit::TileGPU, Emit::PTX};
  auto outputs = compiler::emit(text, forms, options);
  ASSERT_TRUE(outputs);
  EXPECT_NE((*outputs)[1].find("tilegpu.num_warps = 4 : i32"),
            std::string::npos);
  EXPECT_NE((*outputs)[2].find(".reqntid 128"), std::string::npos);
  EXPECT_EQ((*outputs)[2], compiler::emit(text, Emit::PTX, options)->front());
}

TEST(Compiler, CapsTheRegistersOfAThread) {
  CompileOptions options;
  options.machineCode = false;
  auto ptx = compiler::emit(readMatmul(), Emit::PTX, options);
  ASSERT_TRUE(ptx);
  EXPECT_EQ(ptx->front().find(".maxnreg 64"), std::string::npos);
  options.maxRegisters = 64;
  ptx = compiler::emit(readMatmul(), Emit::PTX, options);
  ASSERT_TRUE(ptx);
  EXPECT_NE(ptx->front().find(".maxnreg 64"), std::string::npos);
  auto artifact = compiler::compile(readMatmul(), options);
  ASSERT_TRUE(artifact);
  EXPECT_EQ(artifact->variants.front().registerCap, 64u);
  options.maxRegisters = 256;
  EXPECT_EQ(compiler::findProblem(options),
            "expects max_registers to be from 1 to 255, but got 256");
}

TEST(Compiler, GivesOneTextForEachTarget) {
  CompileOptions options;
  options.targets = {"sm_75", "sm_80", "sm_90a"};
  auto outputs = compiler::emit(readMatmul(), Emit::PTX, options);
  ASSERT_TRUE(outputs);
  ASSERT_EQ(outputs->size(), 3u);
  for (size_t index = 0; index < 3; ++index)
    EXPECT_NE((*outputs)[index].find(".target " + options.targets[index]),
              std::string::npos);
}

TEST(Compiler, CallsOnEightThreadsGiveTheSameBytes) {
  std::string text = readMatmul();
  auto expected = compiler::emit(text, Emit::PTX, {});
  ASSERT_TRUE(expected);
  std::vector<std::optional<std::vector<std::string>>> outputs(8);
  std::vector<std::thread> threads;
  for (auto &output : outputs)
    threads.emplace_back(
        [&]() { output = compiler::emit(text, Emit::PTX, {}); });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &output : outputs)
    EXPECT_EQ(output, expected);
}

TEST(Compiler, MapsPathsInLineTables) {
  CompileOptions options;
  options.pathPrefixMap = {"test/Corpus=elsewhere"};
  auto outputs = compiler::emit(readMatmul(), Emit::PTX, options);
  ASSERT_TRUE(outputs);
  EXPECT_NE(outputs->front().find("elsewhere/kernels/matmul_f16.py"),
            std::string::npos);
  EXPECT_EQ(outputs->front().find("test/Corpus"), std::string::npos);
}

/// PTX of a file's kernels for sm_90a, and what was said, where somebody
/// watches the passes or nobody does.
static std::pair<std::string, std::vector<std::string>>
compileWatched(const std::string &path, bool isWatched) {
  compiler::CompilerContext owner(/*threads=*/1);
  mlir::MLIRContext &context = owner.get();
  compiler::enableRemarks(context, Remarks::All);
  std::vector<std::string> said;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          said.push_back(diagnostic.str());
                                          return mlir::success();
                                        });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(readFile(path), path),
      llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      compiler::parseModule(sources, context);
  CompileOptions options;
  options.targets = {"sm_90a"};
  auto configure = [](mlir::PassManager &) { return mlir::success(); };
  auto forms = compiler::makeForms(
      *module, {Emit::PTX}, options,
      isWatched ? compiler::ConfigurePassManager(configure) : nullptr);
  return {succeeded(forms) ? forms->front() : "", said};
}

TEST(Compiler, WhatIsChosenIsWhatIsCompiled) {
  for (const char *name :
       {"Run/bulk-copies.mlir", "Run/late-bulk-copies.mlir",
        "Run/specialize-warps.mlir", "Corpus/matmul_f16_64x64x32.ttir",
        "Corpus/causal_attention_f16_64_64x32.ttir"}) {
    std::string path = (testFolder + "/" + name).str();
    auto [watched, said] = compileWatched(path, /*isWatched=*/true);
    auto [taken, repeated] = compileWatched(path, /*isWatched=*/false);
    EXPECT_FALSE(watched.empty()) << name;
    EXPECT_EQ(watched, taken) << name;
    EXPECT_EQ(said, repeated) << name;
  }
}
