// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several forms of one compilation: each stage runs once, and what is wanted is
// written down on the way.

#include "lib/Compiler/Compilation.h"
#include "lib/Compiler/Compiler.h"
#include "lib/Compiler/Estimate.h"
#include "lib/Compiler/EstimateReport.h"
#include "lib/Compiler/LayoutReport.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

namespace {

/// Makes the forms of one compilation.
class FormMaker {
public:
  FormMaker(Compilation &compilation, ArrayRef<Emit> wanted)
      : compilation(compilation), wanted(wanted) {}

  FailureOr<std::vector<std::string>> emit() {
    if (failed(emitModules()) || failed(emitCode()))
      return failure();
    std::vector<std::string> outputs;
    for (Emit form : wanted)
      outputs.push_back(made[form]);
    return outputs;
  }

private:
  bool wants(Emit form) const { return llvm::is_contained(wanted, form); }
  bool wantsBeyond(Emit form) const {
    return llvm::any_of(wanted, [=](Emit other) { return other > form; });
  }

  /// The forms that are MLIR.
  LogicalResult emitModules();
  LogicalResult emitEstimates();
  /// LLVM IR, and what is made of it.
  LogicalResult emitCode();
  LogicalResult emitArtifacts(const codegen::PtxCode &ptx,
                              const codegen::AssembledCode &assembled);

  Compilation &compilation;
  ArrayRef<Emit> wanted;
  std::map<Emit, std::string> made;
};

} // namespace

LogicalResult FormMaker::emitModules() {
  std::optional<LayoutReport> report;
  if (wants(Emit::LayoutReport)) {
    compilation.choose();
    report.emplace(*compilation.getSource().getContext());
  }
  for (Emit form : {Emit::Tile, Emit::TileGPU, Emit::LayoutReport}) {
    if (!wants(form))
      continue;
    if (failed(compilation.lower(form)))
      return failure();
    made[form] = form == Emit::LayoutReport
                     ? report->format(compilation.getTarget().name)
                     : compilation.print();
  }
  if (failed(emitEstimates()))
    return failure();
  if (!wants(Emit::LLVMDialect) && !wantsBeyond(Emit::LLVMDialect))
    return success();
  if (failed(compilation.lower(Emit::LLVMDialect)))
    return failure();
  if (wants(Emit::LLVMDialect))
    made[Emit::LLVMDialect] = compilation.print();
  return success();
}

LogicalResult FormMaker::emitEstimates() {
  for (Emit form : {Emit::Estimate, Emit::EstimateJSON}) {
    if (!wants(form))
      continue;
    FailureOr<ModuleEstimate> estimate = estimateModule(compilation);
    if (failed(estimate))
      return failure();
    made[form] = form == Emit::Estimate ? formatEstimate(*estimate)
                                        : formatEstimateAsJson(*estimate);
  }
  return success();
}

LogicalResult FormMaker::emitCode() {
  if (!wantsBeyond(Emit::LLVMDialect))
    return success();
  if (!wantsBeyond(Emit::LLVM)) {
    FailureOr<std::string> text = compilation.emitLLVM();
    if (succeeded(text))
      made[Emit::LLVM] = std::move(*text);
    return text;
  }
  FailureOr<codegen::PtxCode> ptx =
      compilation.emitPTX(wants(Emit::LLVM) ? &made[Emit::LLVM] : nullptr);
  if (failed(ptx))
    return failure();
  FailureOr<codegen::AssembledCode> assembled = codegen::AssembledCode();
  if (wants(Emit::Cubin) ||
      (wantsBeyond(Emit::Cubin) && compilation.getOptions().machineCode))
    // An artifact has the PTX beside it, for who assembles better.
    assembled = compilation.assemble(*ptx,
                                     /*onlyWhole=*/wantsBeyond(Emit::Cubin));
  if (failed(assembled))
    return failure();
  made[Emit::PTX] = ptx->text;
  made[Emit::Cubin].assign(assembled->cubin.begin(), assembled->cubin.end());
  return emitArtifacts(*ptx, *assembled);
}

LogicalResult
FormMaker::emitArtifacts(const codegen::PtxCode &ptx,
                         const codegen::AssembledCode &assembled) {
  if (!wantsBeyond(Emit::Cubin))
    return success();
  runtime::Artifact artifact;
  artifact.producer = version();
  if (failed(compilation.addTo(artifact, ptx, assembled)))
    return failure();
  for (Emit form : {Emit::Artifact, Emit::ArtifactJSON}) {
    if (!wants(form))
      continue;
    FailureOr<std::string> text =
        writeArtifact(compilation.getSource(), artifact, form);
    if (failed(text))
      return failure();
    made[form] = std::move(*text);
  }
  return success();
}

FailureOr<std::vector<std::string>>
compiler::makeForms(Compilation &compilation, ArrayRef<Emit> forms) {
  return FormMaker(compilation, forms).emit();
}
