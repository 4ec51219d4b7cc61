// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/JIT/CompilationKey.h"

#include "lib/Codegen/Assemble.h"
#include "lib/JIT/BuildIdentity.h"
#include "runtime/Artifact.h"

using namespace tilewright;
using namespace tilewright::jit;

CompilationInputs jit::getInputs(std::string_view text, std::string_view name,
                                 const CompileOptions &options) {
  CompilationInputs inputs;
  inputs.compiler = buildIdentity();
  inputs.text = text;
  inputs.targets = options.targets;
  inputs.numWarps = options.numWarps;
  inputs.machineCode = options.machineCode;
  inputs.lineTables = options.lineTables;
  if (options.machineCode) {
    codegen::AssembleOptions assembler;
    assembler.cudaRoot = options.cudaRoot;
    llvm::Expected<std::string> identity =
        codegen::assemblerIdentity(assembler);
    inputs.assembler =
        identity ? *identity : llvm::toString(identity.takeError());
  }
  if (options.lineTables) {
    inputs.sourceName = name;
    inputs.pathPrefixMap = options.pathPrefixMap;
  }
  return inputs;
}

runtime::CacheKey jit::makeKey(const CompilationInputs &inputs) {
  runtime::KeyBuilder key;
  key.add("format", runtime::artifactVersion)
      .add("compiler", inputs.compiler)
      .add("assembler", inputs.assembler)
      .add("text", inputs.text)
      .add("source name", inputs.sourceName)
      .add("prefixes", inputs.pathPrefixMap.size());
  for (const auto &[prefix, replacement] : inputs.pathPrefixMap)
    key.add("prefix", prefix).add("replacement", replacement);
  key.add("targets", inputs.targets.size());
  for (const std::string &target : inputs.targets)
    key.add("target", target);
  return key.add("warps", inputs.numWarps)
      .add("machine code", uint64_t(inputs.machineCode))
      .add("line tables", uint64_t(inputs.lineTables))
      .finish();
}
