// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk over a module, in two parts: what each operation needs of the
// target (Requirements), and forms that no target has (TypesAndForms.cpp).

#include "passes/TileGPUToLLVM/VerifyTarget/VerifyTarget.h"

#include "passes/TileGPUToLLVM/VerifyTarget/MatrixIntrinsics.h"
#include "passes/TileGPUToLLVM/VerifyTarget/TypesAndForms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

//===----------------------------------------------------------------------===//
// What an operation needs
//===----------------------------------------------------------------------===//

namespace {
/// Something that an operation needs; without a rule it is unknown. A
/// diagnostic calls it "KIND 'NAME'".
struct Requirement {
  StringLiteral kind;
  StringRef name;
  const AdmissionRule *rule;
};

InFlightDiagnostic &&operator<<(InFlightDiagnostic &&diagnostic,
                                const Requirement &requirement) {
  return std::move(diagnostic)
         << requirement.kind << " '" << requirement.name << "'";
}

/// The rows of the admission table that a module asks for, each searched once.
class RuleLookup {
public:
  const AdmissionRule *find(AdmissionSubject subject, StringRef name) {
    auto [entry, isNew] = rules[size_t(subject)].try_emplace(name, nullptr);
    if (isNew)
      entry->second = findAdmissionRule(subject, name);
    return entry->second;
  }

private:
  llvm::StringMap<const AdmissionRule *> rules[3];
};

/// Everything that one operation needs.
struct Requirements {
  SmallVector<Requirement, 2> rules;
  /// A matrix instruction (null with `isMatrix`: no target has it).
  bool isMatrix = false;
  const target::MatrixInstruction *matrix = nullptr;
  /// Further capabilities that attributes stand for.
  SmallVector<Capability, 1> capabilities;
  target::PtxVersion ptxVersion = 0;
};
} // namespace

static std::optional<target::ElementType> elementType(NVVM::MMATypes type) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return target::ElementType::F16;
  case NVVM::MMATypes::bf16:
    return target::ElementType::BF16;
  case NVVM::MMATypes::tf32:
    return target::ElementType::TF32;
  case NVVM::MMATypes::f32:
    return target::ElementType::F32;
  case NVVM::MMATypes::f64:
    return target::ElementType::F64;
  case NVVM::MMATypes::s8:
    return target::ElementType::S8;
  case NVVM::MMATypes::u8:
    return target::ElementType::U8;
  case NVVM::MMATypes::s4:
    return target::ElementType::S4;
  case NVVM::MMATypes::u4:
    return target::ElementType::U4;
  case NVVM::MMATypes::s32:
    return target::ElementType::S32;
  case NVVM::MMATypes::e4m3:
    return target::ElementType::E4M3;
  case NVVM::MMATypes::e5m2:
    return target::ElementType::E5M2;
  default:
    return std::nullopt;
  }
}

/// The row of a synchronous matrix instruction, of any target.
static const target::MatrixInstruction *findMatrix(NVVM::MmaOp op) {
  std::optional<NVVM::MMATypes> aType = op.getMultiplicandAPtxType();
  std::optional<NVVM::MMATypes> bType = op.getMultiplicandBPtxType();
  // Without the attributes the operands' own types say it.
  if (!aType && !op.getOperandA().empty())
    aType = NVVM::MmaOp::inferOperandMMAType(op.getOperandA()[0].getType(),
                                             /*isAccumulator=*/false);
  if (!bType && !op.getOperandB().empty())
    bType = NVVM::MmaOp::inferOperandMMAType(op.getOperandB()[0].getType(),
                                             /*isAccumulator=*/false);
  if (!aType || !bType)
    return nullptr;
  std::optional<target::ElementType> a = elementType(*aType);
  std::optional<target::ElementType> b = elementType(*bType);
  std::optional<target::ElementType> accumulator =
      elementType(op.resultPtxType());
  NVVM::MMAShapeAttr shape = op.getShape();
  for (const target::MatrixInstruction &row : target::allMatrixInstructions())
    if (!row.asynchronous && row.m == unsigned(shape.getM()) &&
        row.n == unsigned(shape.getN()) && row.k == unsigned(shape.getK()) &&
        row.a == a && row.b == b && row.accumulator == accumulator)
      return &row;
  return nullptr;
}

/// The instructions' names in inline PTX: the first word of each statement,
/// without guards, labels, and block or declaration syntax.
static SmallVector<StringRef> mnemonics(StringRef assembly) {
  SmallVector<StringRef> result;
  SmallVector<StringRef> statements;
  llvm::SplitString(assembly, statements, ";\n{}");
  for (StringRef statement : statements) {
    statement = statement.trim();
    if (statement.starts_with("//") || statement.starts_with("."))
      continue;
    if (statement.starts_with("@"))
      statement = statement.drop_until(llvm::isSpace).ltrim();
    StringRef word = statement.take_until(llvm::isSpace);
    if (!word.empty() && !word.ends_with(":"))
      result.push_back(word);
  }
  return result;
}

/// The name under which the table has an instruction: atomics without their
/// memory order, scope and state space, which every target has ("atom.add.f32"
/// for "atom.relaxed.gpu.global.add.f32"); loads and stores with the hint that
/// not every target has, the rarest one ("ld.L2::cache_hint").
static std::string getRuleName(StringRef mnemonic) {
  SmallVector<StringRef> parts;
  mnemonic.split(parts, '.');
  if (parts.front() == "ld" || parts.front() == "st") {
    StringRef hint;
    for (StringRef part : parts)
      if (part.starts_with("L1::evict_") || part == "L2::cache_hint")
        hint = part;
    return hint.empty() ? mnemonic.str() : (parts.front() + "." + hint).str();
  }
  if (parts.front() != "atom" && parts.front() != "red")
    return mnemonic.str();
  llvm::erase_if(parts, [](StringRef part) {
    return llvm::is_contained({"relaxed", "acquire", "release", "acq_rel",
                               "cta", "gpu", "sys", "global", "shared"},
                              part);
  });
  return llvm::join(parts, ".");
}

static void addIntrinsic(Requirements &needs, StringRef name,
                         RuleLookup &rules) {
  if (name.starts_with(matrixIntrinsicPrefix)) {
    needs.isMatrix = true;
    needs.matrix = findMatrixIntrinsic(name);
    return;
  }
  needs.rules.push_back(
      {"intrinsic", name, rules.find(AdmissionSubject::Intrinsic, name)});
}

/// Whether a memory scope reaches across the CTAs of a cluster.
static bool isClusterScope(std::optional<StringRef> scope) {
  return scope && *scope == "cluster";
}

static Requirements requirementsOf(Operation *op, RuleLookup &rules) {
  Requirements needs;
  StringRef name = op->getName().getStringRef();
  needs.rules.push_back(
      {"operation", name, rules.find(AdmissionSubject::Operation, name)});

  llvm::TypeSwitch<Operation *>(op)
      .Case([&](NVVM::MmaOp mma) {
        needs.isMatrix = true;
        needs.matrix = findMatrix(mma);
      })
      .Case([&](LLVM::LLVMFuncOp function) {
        for (StringRef attribute :
             {NVVM::NVVMDialect::getClusterDimAttrName(),
              NVVM::NVVMDialect::getClusterMaxBlocksAttrName(),
              NVVM::NVVMDialect::getBlocksAreClustersAttrName()})
          if (function->hasAttr(attribute))
            needs.capabilities.push_back(Capability::Clusters);
      })
      .Case([&](LLVM::CallIntrinsicOp call) {
        addIntrinsic(needs, call.getIntrin(), rules);
      })
      .Case([&](LLVM::CallOp call) {
        if (std::optional<StringRef> callee = call.getCallee())
          if (callee->starts_with("llvm."))
            addIntrinsic(needs, *callee, rules);
      })
      .Case([&](LLVM::InlineAsmOp assembly) {
        for (StringRef mnemonic : mnemonics(assembly.getAsmString()))
          if (const AdmissionRule *rule =
                  rules.find(AdmissionSubject::Mnemonic, getRuleName(mnemonic)))
            needs.rules.push_back({"instruction", mnemonic, rule});
      })
      .Case<LLVM::LoadOp, LLVM::StoreOp, LLVM::AtomicRMWOp,
            LLVM::AtomicCmpXchgOp, LLVM::FenceOp>([&](auto access) {
        if (isClusterScope(access.getSyncscope()))
          needs.capabilities.push_back(Capability::Clusters);
      })
      .Case([&](NVVM::MBarrierTestWaitOp wait) {
        // A phase instead of a state (PTX ISA, mbarrier.test_wait).
        if (wait.getStateOrPhase().getType().isInteger(32))
          needs.ptxVersion = 71;
      })
      .Case([&](NVVM::ConvertFloatToTF32Op convert) {
        // Other roundings, and saturation, are Hopper's (PTX ISA, cvt).
        if (convert.getRnd() != NVVM::FPRoundingMode::RNA ||
            convert.getSat() != NVVM::SaturationMode::NONE)
          needs.capabilities.push_back(Capability::MBarrierTransactions);
      });

  // Pointers into another CTA's shared memory.
  auto pointsIntoCluster = [](Type type) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && pointer.getAddressSpace() ==
                          unsigned(NVVM::NVVMMemorySpace::SharedCluster);
  };
  if (llvm::any_of(op->getOperandTypes(), pointsIntoCluster) ||
      llvm::any_of(op->getResultTypes(), pointsIntoCluster))
    needs.capabilities.push_back(Capability::Clusters);
  return needs;
}

//===----------------------------------------------------------------------===//
// Diagnosing
//===----------------------------------------------------------------------===//

static LogicalResult checkCapability(Operation *op, const Requirement &what,
                                     Capability capability,
                                     const target::Target &target) {
  if (target.has(capability))
    return success();
  return op->emitError() << what << " needs "
                         << target::capabilityName(capability)
                         << ", but target " << target.name << " lacks it";
}

static LogicalResult checkMatrix(NVVM::MmaOp op, const Requirements &needs,
                                 const target::Target &target) {
  NVVM::MMAShapeAttr shape = op.getShape();
  std::string spelling = ("m" + Twine(shape.getM()) + "n" +
                          Twine(shape.getN()) + "k" + Twine(shape.getK()))
                             .str();
  if (needs.matrix && target.has(needs.matrix->capability))
    return success();
  InFlightDiagnostic error =
      op->emitError() << "operation 'nvvm.mma.sync' of shape " << spelling;
  if (!needs.matrix)
    return error << " has types that no target's matrix instruction has";
  error << " on " << target::elementTypeName(needs.matrix->a) << " and "
        << target::elementTypeName(needs.matrix->b) << " needs "
        << target::capabilityName(needs.matrix->capability) << ", but target "
        << target.name << " lacks it";
  return error;
}

static LogicalResult checkOperation(Operation *op, const target::Target &target,
                                    RuleLookup &rules) {
  Requirements needs = requirementsOf(op, rules);
  for (const Requirement &requirement : needs.rules) {
    if (!requirement.rule)
      return op->emitError()
             << requirement
             << " is not known to compile for NVIDIA GPUs through LLVM";
    if (requirement.rule->needs &&
        failed(
            checkCapability(op, requirement, *requirement.rule->needs, target)))
      return failure();
  }
  for (Capability capability : needs.capabilities)
    if (failed(checkCapability(op, needs.rules[0], capability, target)))
      return failure();
  if (auto mma = dyn_cast<NVVM::MmaOp>(op))
    if (failed(checkMatrix(mma, needs, target)))
      return failure();
  return checkTypesAndForm(op);
}

LogicalResult tilegpu::verifyForTarget(ModuleOp module,
                                       const target::Target &target) {
  bool valid = true;
  RuleLookup rules;
  module->walk([&](Operation *op) {
    if (op != module)
      valid &= succeeded(checkOperation(op, target, rules));
  });
  return success(valid);
}

target::PtxVersion tilegpu::requiredPtxVersion(ModuleOp module,
                                               const target::Target &target) {
  target::PtxVersion version = target.ptxVersion({});
  auto raise = [&](std::optional<Capability> capability,
                   target::PtxVersion atLeast) {
    version = std::max(version, atLeast);
    if (capability)
      version = std::max(version, target.ptxVersionOf(*capability).value_or(0));
  };
  RuleLookup rules;
  module->walk([&](Operation *op) {
    if (op == module)
      return;
    Requirements needs = requirementsOf(op, rules);
    for (const Requirement &requirement : needs.rules)
      if (requirement.rule)
        raise(requirement.rule->needs, requirement.rule->ptxVersion);
    for (Capability capability : needs.capabilities)
      raise(capability, 0);
    if (needs.matrix)
      raise(needs.matrix->capability, needs.matrix->ptxVersion);
    raise(std::nullopt, needs.ptxVersion);
  });
  return version;
}
