// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LLVMChecks.h.

#include "lib/Codegen/LLVMChecks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tilewright::codegen;

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// The location of the MLIR function of that name, or else the module's.
static Location locationOf(ModuleOp module, StringRef function) {
  if (Operation *op = module.lookupSymbol(function))
    return op->getLoc();
  return module.getLoc();
}

/// The location of an LLVM instruction: its debug location if there is one.
static Location locationOf(ModuleOp module, const llvm::Instruction &inst) {
  if (const llvm::DILocation *debug = inst.getDebugLoc().get())
    return FileLineColLoc::get(module.getContext(), debug->getFilename(),
                               debug->getLine(), debug->getColumn());
  return locationOf(module, inst.getFunction()->getName());
}

//===----------------------------------------------------------------------===//
// LLVM's diagnostics
//===----------------------------------------------------------------------===//

namespace {
class MLIRDiagnosticHandler : public llvm::DiagnosticHandler {
public:
  explicit MLIRDiagnosticHandler(DiagnosticState &state) : state(state) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string message;
    llvm::raw_string_ostream stream(message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    switch (info.getSeverity()) {
    case llvm::DS_Error:
      state.sawError = true;
      emitError(locate(info)) << "LLVM: " << message;
      break;
    case llvm::DS_Warning:
      emitWarning(locate(info)) << "LLVM: " << message;
      break;
    case llvm::DS_Remark:
    case llvm::DS_Note:
      break;
    }
    // Handled: LLVM must neither print it nor exit.
    return true;
  }

  // Remarks of LLVM's passes are not ours to pass on.
  bool isAnalysisRemarkEnabled(StringRef) const override { return false; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return false; }
  bool isPassedOptRemarkEnabled(StringRef) const override { return false; }
  bool isAnyRemarkEnabled() const override { return false; }

private:
  Location locate(const llvm::DiagnosticInfo &info) {
    if (const auto *inlineAsm = dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
      if (const llvm::Instruction *inst = inlineAsm->getInstruction())
        return locationOf(state.module, *inst);
    if (const auto *unsupported =
            dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      return locateInSource(*unsupported);
    if (const auto *generic =
            dyn_cast<llvm::DiagnosticInfoGenericWithLoc>(&info))
      return locateInSource(*generic);
    return state.module.getLoc();
  }

  Location locateInSource(const llvm::DiagnosticInfoWithLocationBase &info) {
    if (!info.isLocationAvailable())
      return locationOf(state.module, info.getFunction().getName());
    StringRef path;
    unsigned line, column;
    info.getLocation(path, line, column);
    return FileLineColLoc::get(state.module.getContext(), path, line, column);
  }

  DiagnosticState &state;
};
} // namespace

void tilewright::codegen::installDiagnosticHandler(llvm::LLVMContext &context,
                                                   DiagnosticState &state) {
  context.setDiagnosticHandler(std::make_unique<MLIRDiagnosticHandler>(state),
                               /*RespectFilters=*/false);
}

//===----------------------------------------------------------------------===//
// Source paths
//===----------------------------------------------------------------------===//

/// Whether `prefix` names `path` or a folder above it.
static bool isPathPrefix(StringRef prefix, StringRef path) {
  if (prefix.empty() || !path.starts_with(prefix))
    return false;
  return prefix.ends_with("/") || path.size() == prefix.size() ||
         path[prefix.size()] == '/';
}

static std::string
mapPath(StringRef path,
        ArrayRef<std::pair<std::string, std::string>> prefixMap) {
  for (const auto &[prefix, replacement] : prefixMap)
    if (isPathPrefix(prefix, path))
      return replacement + path.drop_front(prefix.size()).str();
  return path.str();
}

/// The longest path that a system has (PATH_MAX); of names of 16,000 letters
/// CUDA 13's assembler corrupts its memory.
static constexpr size_t longestPath = 4095;

/// `path` as a string of PTX holds it, the end of it where it is too long.
static std::string spellPath(StringRef path) {
  std::string spelt = path.take_back(longestPath).str();
  // PTX has no escape for it (LLVM writes \").
  llvm::replace(spelt, '"', '\'');
  llvm::replace(spelt, '\\', '/');
  return spelt;
}

void tilewright::codegen::mapSourcePaths(
    llvm::Module &llvmModule,
    ArrayRef<std::pair<std::string, std::string>> prefixMap) {
  llvm::DebugInfoFinder finder;
  finder.processModule(llvmModule);
  llvm::SmallSetVector<llvm::DIFile *, 8> files;
  for (llvm::DICompileUnit *unit : finder.compile_units())
    files.insert(unit->getFile());
  for (llvm::DISubprogram *subprogram : finder.subprograms())
    files.insert(subprogram->getFile());
  for (llvm::DIScope *scope : finder.scopes())
    files.insert(scope->getFile());
  files.remove(nullptr);

  llvm::LLVMContext &context = llvmModule.getContext();
  for (llvm::DIFile *file : files) {
    // A file is its name below its directory; either may carry the prefix, as
    // may both together, so they are mapped joined and go back as one name.
    std::string path = file->getFilename().str();
    if (!file->getDirectory().empty() && !StringRef(path).starts_with("/"))
      path = file->getDirectory().str() + "/" + path;
    std::string mapped = spellPath(mapPath(path, prefixMap));
    if (mapped == path)
      continue;
    auto [directory, name] = StringRef(mapped).rsplit('/');
    if (name.empty())
      std::swap(directory, name);
    file->replaceOperandWith(0, llvm::MDString::get(context, name));
    file->replaceOperandWith(1, llvm::MDString::get(context, directory));
  }
}

//===----------------------------------------------------------------------===//
// Undefined functions
//===----------------------------------------------------------------------===//

/// Functions that the CUDA driver resolves when it loads a module (CUDA C++
/// Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory
/// Allocation").
static bool isProvidedByDriver(StringRef name) {
  return llvm::is_contained({"vprintf", "__assertfail", "malloc", "free"},
                            name);
}

LogicalResult
tilewright::codegen::checkCallees(ModuleOp module,
                                  const llvm::Module &llvmModule) {
  bool complete = true;
  for (const llvm::Function &function : llvmModule) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || function.isIntrinsic() ||
        function.use_empty() || isProvidedByDriver(name) ||
        name == "__nvvm_reflect")
      continue;
    complete = false;
    InFlightDiagnostic error = emitError(locationOf(module, name))
                               << "expects a definition of '" << name
                               << "', but got only its declaration";
    if (name.starts_with("__nv_"))
      error.attachNote()
          << "it is a function of CUDA's libdevice (nvvm/libdevice/"
             "libdevice.10.bc of a CUDA toolkit, or the package nvidia-nvvm); "
             "set TILEWRIGHT_CUDA_ROOT to the toolkit's folder";
  }
  return success(complete);
}

//===----------------------------------------------------------------------===//
// Intrinsics without a selection
//===----------------------------------------------------------------------===//

/// Whether NVPTX 22 has no code for the call: "Cannot select" or "no libcall
/// available" with llc for every target and every type tried, except for exp2,
/// which lacks only the double form.
static bool lacksSelection(const llvm::IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::tanh:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sincospi:
  case llvm::Intrinsic::modf:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::lrint:
  case llvm::Intrinsic::llrint:
  case llvm::Intrinsic::lround:
  case llvm::Intrinsic::llround:
  case llvm::Intrinsic::vscale:
    return true;
  case llvm::Intrinsic::powi:
    // A constant exponent becomes multiplications.
    return !isa<llvm::ConstantInt>(call.getArgOperand(1));
  case llvm::Intrinsic::exp2:
    return call.getType()->getScalarType()->isDoubleTy();
  default:
    return false;
  }
}

LogicalResult
tilewright::codegen::checkSelectable(ModuleOp module,
                                     const llvm::Module &llvmModule) {
  bool selectable = true;
  for (const llvm::Function &function : llvmModule) {
    for (const llvm::BasicBlock &block : function) {
      for (const llvm::Instruction &inst : block) {
        const auto *call = dyn_cast<llvm::IntrinsicInst>(&inst);
        if (!call || !lacksSelection(*call))
          continue;
        selectable = false;
        emitError(locationOf(module, inst))
            << "expects code that NVPTX can compile, but got a call of '"
            << call->getCalledFunction()->getName() << "' in function '"
            << function.getName() << "'";
      }
    }
  }
  return success(selectable);
}
