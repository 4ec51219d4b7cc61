// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/JIT/CompilationKey.h"

#include "lib/Codegen/Assemble.h"
#include "lib/JIT/BuildIdentity.h"
#include "runtime/Artifact.h"

using namespace tilewright;
using namespace tilewright::jit;

CompilationInputs jit::getInputs(std::string_view text,
                                 const CompileOptions &options) {
  CompilationInputs inputs;
  inputs.compiler = buildIdentity();
  inputs.text = text;
  inputs.options = options;
  if (options.machineCode) {
    codegen::AssembleOptions assembler;
    assembler.cudaRoot = options.cudaRoot;
    llvm::Expected<std::string> identity =
        codegen::assemblerIdentity(assembler);
    inputs.assembler =
        identity ? *identity : llvm::toString(identity.takeError());
  }
  return inputs;
}

static void add(runtime::KeyBuilder &key, std::string_view name,
                const std::string &value) {
  key.add(name, value);
}

static void add(runtime::KeyBuilder &key, std::string_view name,
                const std::vector<std::string> &values) {
  key.add(name, uint64_t(values.size()));
  for (const std::string &value : values)
    key.add(name, value);
}

/// Numbers, switches and enumerations.
template <typename Value>
static void add(runtime::KeyBuilder &key, std::string_view name, Value value) {
  key.add(name, static_cast<uint64_t>(value));
}

runtime::CacheKey jit::makeKey(const CompilationInputs &inputs) {
  runtime::KeyBuilder key;
  key.add("format", runtime::artifactVersion)
      .add("compiler", inputs.compiler)
      .add("assembler", inputs.assembler)
      .add("text", inputs.text);
  const CompileOptions &options = inputs.options;
  forEachCompileOption([&](const OptionRow &row, auto member) {
    if (row.effect == OptionEffect::Code ||
        (row.effect == OptionEffect::Lines && options.lineTables))
      add(key, row.name, options.*member);
  });
  return key.finish();
}
