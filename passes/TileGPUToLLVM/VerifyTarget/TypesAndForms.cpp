// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TypesAndForms.h. Each refusal was seen to make llc 22.1.8 fail for
// -march=nvptx64, unless a reason stands beside it.

#include "passes/TileGPUToLLVM/VerifyTarget/TypesAndForms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Generic, global, shared, constant, local, and a cluster's shared memory.
static bool isKnownAddressSpace(unsigned space) {
  switch (static_cast<NVVM::NVVMMemorySpace>(space)) {
  case NVVM::NVVMMemorySpace::Generic:
  case NVVM::NVVMMemorySpace::Global:
  case NVVM::NVVMMemorySpace::Shared:
  case NVVM::NVVMMemorySpace::Constant:
  case NVVM::NVVMMemorySpace::Local:
  case NVVM::NVVMMemorySpace::SharedCluster:
    return true;
  default:
    return false;
  }
}

/// Wider integers compile in places, but their divisions, conversions and
/// atomics do not, so none is admitted.
static constexpr unsigned widestInteger = 64;

static bool isSupported(Type type) {
  return llvm::TypeSwitch<Type, bool>(type)
      .Case([](IntegerType integer) {
        return integer.getWidth() <= widestInteger;
      })
      .Case<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          [](Type) { return true; })
      .Case([](VectorType vector) {
        return !vector.isScalable() && isSupported(vector.getElementType());
      })
      .Case([](LLVM::LLVMPointerType pointer) {
        return isKnownAddressSpace(pointer.getAddressSpace());
      })
      .Case([](LLVM::LLVMArrayType array) {
        return isSupported(array.getElementType());
      })
      .Case([](LLVM::LLVMStructType structure) {
        return !structure.isOpaque() &&
               llvm::all_of(structure.getBody(), isSupported);
      })
      .Case([](LLVM::LLVMFunctionType function) {
        return !function.isVarArg() && isSupported(function.getReturnType()) &&
               llvm::all_of(function.getParams(), isSupported);
      })
      .Case([](LLVM::LLVMVoidType) { return true; })
      .Default([](Type) { return false; });
}

static LogicalResult checkType(Operation *op, Type type) {
  if (isSupported(type))
    return success();
  return op->emitError() << "expects integers of at most " << widestInteger
                         << " bits, f16, bf16, f32, f64, pointers, and fixed "
                            "vectors, arrays and structures of them, but got "
                         << type;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Scopes that NVPTX knows: system, CTA, GPU, cluster.
static LogicalResult checkScope(Operation *op, std::optional<StringRef> scope) {
  if (!scope || llvm::is_contained({"", "block", "device", "cluster"}, *scope))
    return success();
  return op->emitError() << "expects the memory scope \"\", \"block\", "
                            "\"cluster\" or \"device\", but got \""
                         << *scope << "\"";
}

/// Atomics work on generic, global and shared memory.
static LogicalResult checkAtomicPointer(Operation *op, Value pointer) {
  unsigned space =
      cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  if (space == unsigned(NVVM::NVVMMemorySpace::Generic) ||
      space == unsigned(NVVM::NVVMMemorySpace::Global) ||
      space == unsigned(NVVM::NVVMMemorySpace::Shared))
    return success();
  return op->emitError() << "expects an atomic access to generic, global or "
                            "shared memory, but got address space "
                         << space;
}

/// The width of a scalar or vector in bits; 0 for other types.
static unsigned bitWidth(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 64;
  if (auto vector = dyn_cast<VectorType>(type))
    return bitWidth(vector.getElementType()) * vector.getNumElements();
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

/// Atomics exist for whole bytes, up to the width of compare-and-swap, by
/// which LLVM makes those that have no instruction.
static LogicalResult checkAtomicType(Operation *op, Type type) {
  unsigned width = bitWidth(type);
  if (width >= 8 && width <= 64 && llvm::isPowerOf2_32(width))
    return success();
  return op->emitError()
         << "expects an atomic access of 8, 16, 32 or 64 bits, but got "
         << type;
}

static LogicalResult checkAtomic(Operation *op, Value pointer, Type type) {
  if (failed(checkAtomicPointer(op, pointer)))
    return failure();
  return checkAtomicType(op, type);
}

static LogicalResult checkAlloca(LLVM::AllocaOp op) {
  // A dynamic alloca is an instruction of PTX 7.3 that kernels never need.
  if (!matchPattern(op.getArraySize(), m_Constant()))
    return op.emitError()
           << "expects a constant number of elements, but got a dynamic one";
  return checkType(op, op.getElemType());
}

static LogicalResult checkAddressSpaceCast(LLVM::AddrSpaceCastOp op) {
  auto isCluster = [](Type type) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return !pointer || pointer.getAddressSpace() ==
                           unsigned(NVVM::NVVMMemorySpace::SharedCluster);
  };
  auto isGeneric = [](Type type) {
    auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
    return pointer && pointer.getAddressSpace() == 0;
  };
  Type from = op.getArg().getType(), to = op.getRes().getType();
  bool sharedToCluster = isCluster(to) && isa<LLVM::LLVMPointerType>(from) &&
                         cast<LLVM::LLVMPointerType>(from).getAddressSpace() ==
                             unsigned(NVVM::NVVMMemorySpace::Shared);
  // PTX's cvta goes from or to the generic space only.
  if (isGeneric(from) || isGeneric(to) || sharedToCluster)
    return success();
  return op.emitError() << "expects a cast from or to generic pointers, but "
                           "got one from "
                        << from << " to " << to;
}

static LogicalResult checkGlobal(LLVM::GlobalOp op) {
  if (failed(checkType(op, op.getGlobalType())))
    return failure();
  auto space = static_cast<NVVM::NVVMMemorySpace>(op.getAddrSpace());
  if (space != NVVM::NVVMMemorySpace::Generic &&
      space != NVVM::NVVMMemorySpace::Global &&
      space != NVVM::NVVMMemorySpace::Shared &&
      space != NVVM::NVVMMemorySpace::Constant)
    return op.emitError() << "expects a global in global, shared or constant "
                             "memory, but got address space "
                          << op.getAddrSpace();
  if (op.getThreadLocal_())
    return op.emitError() << "expects a global that all threads share, but "
                             "got a thread-local one";
  bool undefined = !op.getValueOrNull();
  if (Block *block = op.getInitializerBlock()) {
    auto result = dyn_cast<LLVM::ReturnOp>(block->getTerminator());
    undefined = result && result.getArg() &&
                isa_and_nonnull<LLVM::UndefOp, LLVM::PoisonOp>(
                    result.getArg().getDefiningOp());
  }
  if (space == NVVM::NVVMMemorySpace::Shared && !undefined)
    return op.emitError() << "expects shared memory without an initial value, "
                             "but got one";
  return success();
}

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

static LogicalResult checkFunction(LLVM::LLVMFuncOp op) {
  if (failed(checkType(op, op.getFunctionType())))
    return failure();
  bool isKernel = op->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
  if (isKernel &&
      !isa<LLVM::LLVMVoidType>(op.getFunctionType().getReturnType()))
    return op.emitError() << "expects a kernel without a result, but got one "
                             "that returns "
                          << op.getFunctionType().getReturnType();
  LLVM::CConv convention = op.getCConv();
  if (convention != LLVM::CConv::C && convention != LLVM::CConv::Fast &&
      convention != LLVM::CConv::PTX_Kernel &&
      convention != LLVM::CConv::PTX_Device)
    return op.emitError() << "expects the calling convention of C or PTX, but "
                             "got "
                          << LLVM::cconv::stringifyCConv(convention);
  if (op.getPersonality() || op.getGarbageCollector())
    return op.emitError() << "expects a function without exception handling "
                             "and garbage collection";
  for (unsigned i = 0; i < op.getNumArguments(); ++i)
    for (StringRef attribute :
         {"llvm.inalloca", "llvm.preallocated", "llvm.swifterror",
          "llvm.swiftself", "llvm.swiftasync", "llvm.nest"})
      if (op.getArgAttr(i, attribute))
        return op.emitError() << "expects arguments without '" << attribute
                              << "', but got it on argument " << i;
  return success();
}

static LogicalResult checkCall(LLVM::CallOp op) {
  if (!op.getCallee())
    return op.emitError()
           << "expects a direct call, but got one through a pointer";
  if (op.getVarCalleeType())
    return op.emitError() << "expects a fixed number of arguments, but got a "
                             "variadic call of '"
                          << *op.getCallee() << "'";
  if (op.getTailCallKind() == LLVM::tailcallkind::TailCallKind::MustTail)
    return op.emitError() << "expects no obligatory tail call, but got one of '"
                          << *op.getCallee() << "'";
  if (!op.getOpBundleOperands().empty())
    return op.emitError() << "expects no operand bundles";
  return success();
}

//===----------------------------------------------------------------------===//
// NVVM
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult checkMatrixAccess(OpTy op) {
  NVVM::LdStMatrixShapeAttr shape = op.getShape();
  if (shape.getM() == 8 && shape.getN() == 8 &&
      op.getEltType() == NVVM::LdStMatrixEltType::B16)
    return success();
  // Others came with Blackwell (PTX ISA, ldmatrix and stmatrix).
  return op.emitError() << "expects 8 x 8 matrices of 16 bits, but got "
                        << shape.getM() << " x " << shape.getN() << " of "
                        << NVVM::stringifyLdStMatrixEltType(op.getEltType());
}

template <typename OpTy>
static LogicalResult checkFloat8(OpTy op, Type type) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return success();
  return op.emitError() << "expects f8E4M3FN or f8E5M2, but got " << type;
}

template <typename OpTy>
static LogicalResult checkPacking(OpTy op) {
  // Stochastic rounding and .satfinite into 16 bits are Blackwell's.
  if (op.getRnd() == NVVM::FPRoundingMode::RS || op.getRandomBits())
    return op.emitError() << "expects a deterministic rounding, but got a "
                             "stochastic one";
  if (op.getSat() != NVVM::SaturationMode::NONE)
    return op.emitError() << "expects a conversion without saturation";
  return success();
}

static LogicalResult checkNVVM(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<NVVM::LdMatrixOp, NVVM::StMatrixOp>(
          [](auto access) { return checkMatrixAccess(access); })
      .Case<NVVM::ConvertF32x2ToF8x2Op, NVVM::ConvertF16x2ToF8x2Op>(
          [](auto convert) { return checkFloat8(convert, convert.getDstTy()); })
      .Case([](NVVM::ConvertF8x2ToF16x2Op convert) {
        return checkFloat8(convert, convert.getSrcType());
      })
      .Case<NVVM::ConvertF32x2ToF16x2Op, NVVM::ConvertF32x2ToBF16x2Op>(
          [](auto convert) { return checkPacking(convert); })
      .Case([](NVVM::ReduxOp redux) -> LogicalResult {
        if (redux.getVal().getType().isInteger(32))
          return success();
        // redux.sync on f32 is Blackwell's.
        return redux.emitError()
               << "expects i32, but got " << redux.getVal().getType();
      })
      .Case([](NVVM::MembarOp barrier) -> LogicalResult {
        if (barrier.getScope() != NVVM::MemScopeKind::CLUSTER)
          return success();
        return barrier.emitError()
               << "expects the scope of a CTA, the GPU or the system, but got "
                  "that of a cluster, for which there is no membar";
      })
      .Case([](NVVM::MBarrierArriveOp arrive) -> LogicalResult {
        if (!arrive.getCount() &&
            arrive.getScope() == NVVM::MemScopeKind::CTA &&
            !arrive.getRelaxed())
          return success();
        return arrive.emitError()
               << "expects an arrival of one thread at CTA scope; use "
                  "'nvvm.mbarrier.arrive.nocomplete' for a count";
      })
      .Case([](NVVM::MBarrierTestWaitOp wait) -> LogicalResult {
        if (wait.getScope() == NVVM::MemScopeKind::CTA && !wait.getRelaxed() &&
            wait.getStateOrPhase().getType().isInteger(64))
          return success();
        return wait.emitError() << "expects a wait for a state (i64) at CTA "
                                   "scope with acquire semantics";
      })
      .Default([](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static LogicalResult checkConversion(Operation *op) {
  // exp2 on f64 has no instruction and no library (the other types have).
  if (isa<LLVM::Exp2Op>(op) &&
      getElementTypeOrSelf(op->getResult(0).getType()).isF64())
    return op->emitError() << "expects f16, bf16 or f32, but got "
                           << op->getResult(0).getType();
  return success();
}

static LogicalResult checkForm(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](LLVM::AllocaOp alloca) { return checkAlloca(alloca); })
      .Case([](LLVM::GlobalOp global) { return checkGlobal(global); })
      .Case([](LLVM::LLVMFuncOp function) { return checkFunction(function); })
      .Case([](LLVM::CallOp call) { return checkCall(call); })
      .Case([](LLVM::AddrSpaceCastOp cast) {
        return checkAddressSpaceCast(cast);
      })
      .Case([](LLVM::GEPOp gep) { return checkType(gep, gep.getElemType()); })
      .Case<LLVM::LoadOp, LLVM::StoreOp>([](auto access) -> LogicalResult {
        if (failed(checkScope(access, access.getSyncscope())))
          return failure();
        if (access.getOrdering() == LLVM::AtomicOrdering::not_atomic)
          return success();
        Type type = access->getNumResults() ? access->getResult(0).getType()
                                            : access->getOperand(0).getType();
        return checkAtomic(access, access.getAddr(), type);
      })
      .Case([](LLVM::AtomicRMWOp atomic) -> LogicalResult {
        if (failed(checkScope(atomic, atomic.getSyncscope())))
          return failure();
        return checkAtomic(atomic, atomic.getPtr(), atomic.getVal().getType());
      })
      .Case([](LLVM::AtomicCmpXchgOp atomic) -> LogicalResult {
        if (failed(checkScope(atomic, atomic.getSyncscope())))
          return failure();
        return checkAtomic(atomic, atomic.getPtr(), atomic.getVal().getType());
      })
      .Case([](LLVM::FenceOp fence) {
        return checkScope(fence, fence.getSyncscope());
      })
      .Default([](Operation *other) {
        if (isa<NVVM::NVVMDialect>(other->getDialect()))
          return checkNVVM(other);
        return checkConversion(other);
      });
}

LogicalResult tilewright::tilegpu::checkTypesAndForm(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  return checkForm(op);
}
