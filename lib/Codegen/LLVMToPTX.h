// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the LLVM and NVVM dialects to PTX.
//
// In: a module of the LLVM dialect whose kernels carry `nvvm.kernel`, and a
// target. Out: PTX text, or the optimised LLVM IR that it is made of. Errors
// are MLIR diagnostics; what LLVM would answer with an abort is refused before
// (see passes/TileGPUToLLVM/VerifyTarget). It lowers nothing of our own
// dialects and assembles nothing (see Assemble.h).
//
// Thread-safe: calls share nothing but LLVM's once-only initialisation of the
// back end. Calls that run at the same time may share an MLIRContext only as
// that context allows, since translation loads dialects.

#ifndef TILEWRIGHT_LIB_CODEGEN_LLVMTOPTX_H
#define TILEWRIGHT_LIB_CODEGEN_LLVMTOPTX_H

#include "dialects/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright::codegen {

/// Adds to `registry` what translation needs: the LLVM and NVVM dialects and
/// their translations to LLVM IR. The context of a module to be translated
/// must have been made from such a registry.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// What a caller can ask of the back end. Every member changes the output and
/// so belongs into a cache key.
struct CodegenOptions {
  /// 0: none; 1 to 3: the passes of Optimize.h, and LLVM's code generation of
  /// that level.
  unsigned optimizationLevel = 3;
  /// Emit `.loc` and `.file` from the operations' locations.
  bool lineInfo = false;
  /// (prefix, replacement) for source paths in line tables; the first prefix
  /// that matches whole path components wins.
  std::vector<std::pair<std::string, std::string>> pathPrefixMap;
  /// Files of LLVM bitcode, such as CUDA's libdevice, from which functions
  /// that the module only declares are linked.
  std::vector<std::string> bitcodeLibraries;
  /// Emit at least this PTX version (0: as low as the code allows).
  target::PtxVersion minimumPtxVersion = 0;
};

/// Seconds spent in each stage of one translation.
struct CodegenTimings {
  double translation = 0;
  double optimization = 0;
  double emission = 0;
};

/// PTX, and the version that its `.version` states.
struct PtxCode {
  std::string text;
  target::PtxVersion version = 0;
};

/// Translates `module` to PTX for `target`. The module is left as it is. Fails
/// with an error at the operation concerned where the target lacks something,
/// where a called function is defined nowhere, or where LLVM reports an error.
/// `llvmIR`, if given, gets the optimised LLVM IR that the PTX is made of.
mlir::FailureOr<PtxCode> translateToPTX(mlir::ModuleOp module,
                                        const target::Target &target,
                                        const CodegenOptions &options = {},
                                        CodegenTimings *timings = nullptr,
                                        std::string *llvmIR = nullptr);

/// As `translateToPTX`, but stops at the optimised LLVM IR, as text.
mlir::FailureOr<std::string>
translateToLLVMIR(mlir::ModuleOp module, const target::Target &target,
                  const CodegenOptions &options = {},
                  CodegenTimings *timings = nullptr);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_LLVMTOPTX_H
