// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last check before LLVM: does the target have everything that a module
// of the LLVM and NVVM dialects uses?
//
// In: the module as it will be translated, and a target. Out: success, or one
// error at each operation, type or global that the target lacks or that the
// NVPTX back end is not known to compile. LLVM's back end aborts the process
// on those ("Cannot select"), so that what is not in the table is refused.
// It rewrites nothing, and it does not check PTX inside inline assembly beyond
// the capability that each instruction's name stands for: the assembler does,
// by an error.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_H

#include "dialects/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <optional>

namespace tilewright::tilegpu {

/// What a row of the admission table is about.
enum class AdmissionSubject : uint8_t {
  /// An operation, by its full name.
  Operation,
  /// An LLVM intrinsic of the NVVM family, by its name ("llvm.nvvm.…").
  Intrinsic,
  /// A PTX instruction inside inline assembly, by its first words.
  Mnemonic,
};

/// One row: something that is admitted, where the target can do it.
struct AdmissionRule {
  AdmissionSubject subject;
  /// The name; with `isPrefix` every name is meant that goes on behind it, and
  /// the longest fitting row counts.
  llvm::StringLiteral name;
  bool isPrefix = false;
  /// What the target must have (nothing: every target does).
  std::optional<target::Capability> needs = std::nullopt;
  /// A PTX version beyond the capability's.
  target::PtxVersion ptxVersion = 0;
};

/// The whole table.
llvm::ArrayRef<AdmissionRule> admissionRules();

/// The row for a name, or null. Names of LLVM's target-independent intrinsics
/// ("llvm.fma.f32") are found as their operations ("llvm.intr.fma").
const AdmissionRule *findAdmissionRule(AdmissionSubject subject,
                                       llvm::StringRef name);

/// Checks every operation of `module`. Emits all errors, not only the first.
llvm::LogicalResult verifyForTarget(mlir::ModuleOp module,
                                    const target::Target &target);

/// The lowest PTX version in which `target` has everything that `module` uses.
/// Meaningful for modules that `verifyForTarget` accepts.
target::PtxVersion requiredPtxVersion(mlir::ModuleOp module,
                                      const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_VERIFYTARGET_H
