// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Pointers.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using layout::VectorAccess;

//===----------------------------------------------------------------------===//
// PointerRegisters
//===----------------------------------------------------------------------===//

static bool isPointerTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<tt::PointerType>(type.getElementType()) &&
         getRegisterLayout(type);
}

/// The patterns of these ops (and of branches) ask a PointerReader for the
/// registers of this operand.
static bool readsThroughPointerReader(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<tt::LoadOp, tt::StoreOp, tt::AtomicRMWOp, tt::AtomicCASOp,
          tt::AddPtrOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp,
          tt::ReshapeOp>(op))
    return use.getOperandNumber() == 0;
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return use.get() == copy.getPointers();
  return isa<cf::BranchOp, cf::CondBranchOp>(op);
}

/// The patterns of these ops give only the registers that are kept; block
/// arguments have no others.
static bool givesKeptRegisters(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return !op || isa<tt::SplatOp, tt::AddPtrOp, tt::ExpandDimsOp,
                    tt::BroadcastOp, tt::TransOp, tt::ReshapeOp>(op);
}

/// The bits of a tensor's register index that need no pointers of their own.
static uint64_t chooseOmittedBits(Value value,
                                  const RegisterStepAnalysis &steps) {
  if (!isPointerTensor(value) || !givesKeptRegisters(value) ||
      !llvm::all_of(value.getUses(), readsThroughPointerReader))
    return 0;
  const RegisterSteps *known = steps.lookup(value);
  if (!known)
    return 0;
  uint64_t bits = 0;
  for (auto [bit, step] : llvm::enumerate(*known))
    if (step)
      bits |= uint64_t(1) << bit;
  return bits;
}

PointerRegisters::PointerRegisters(Operation *root) : steps(root) {
  auto decide = [&](Value value) {
    if (uint64_t bits = chooseOmittedBits(value, steps))
      omitted[value] = bits;
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), decide);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), decide);
  });
  root->walk([&](BranchOpInterface branch) {
    for (OpOperand &operand : branch->getOpOperands())
      if (auto argument =
              branch.getSuccessorBlockArgument(operand.getOperandNumber()))
        omittedByTarget[&operand] = getOmittedBits(*argument);
  });
}

uint64_t PointerRegisters::getOmittedBits(Value tensor) const {
  return omitted.lookup(tensor);
}

/// The registers of `tensor` without `omitted` bits.
static SmallVector<unsigned> listRegisters(Value tensor, uint64_t omitted) {
  unsigned bits = toLinearLayout(cast<RankedTensorType>(tensor.getType()))
                      .inputBits(Axis::Register);
  SmallVector<unsigned> registers;
  for (unsigned index = 0; index < (1u << bits); ++index)
    if (!(index & omitted))
      registers.push_back(index);
  return registers;
}

SmallVector<unsigned> PointerRegisters::getKept(Value tensor) const {
  return listRegisters(tensor, getOmittedBits(tensor));
}

SmallVector<unsigned> PointerRegisters::getPassed(OpOperand &operand) const {
  return listRegisters(operand.get(), omittedByTarget.lookup(&operand));
}

const Step &PointerRegisters::getStep(Value tensor, unsigned bit) const {
  assert((getOmittedBits(tensor) >> bit & 1) && "the bit is kept");
  return *(*steps.lookup(tensor))[bit];
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::string tilegpu::formatAddress(unsigned operand, const Address &address) {
  std::string text = "[$" + std::to_string(operand);
  if (address.bytes != 0)
    text += "+" + std::to_string(address.bytes);
  return text + "]";
}

/// A tensor of `shape` in memory, with neighbours along `fastest` side by side.
static LinearLayout makeMemory(ArrayRef<int64_t> shape, unsigned fastest) {
  auto along = [&](unsigned dim) {
    return LinearLayout::identity(Axis::Offset, Axis::coordinate(dim),
                                  llvm::Log2_64(shape[dim]));
  };
  LinearLayout memory = along(fastest);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (dim != fastest)
      memory = memory * along(dim);
  return memory;
}

GlobalVectors tilegpu::planGlobalVectors(const GlobalAccess &access,
                                         Type element, unsigned widestBits,
                                         const AxisAnalysis &axes) {
  auto type = dyn_cast<RankedTensorType>(access.pointers.getType());
  if (!type)
    return {{1, {0}, {0}}};
  LinearLayout registers = toLinearLayout(type);
  unsigned bits = getMemoryBits(element);
  GlobalVectors best = {{0, {}, {}}};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto countProven = [&](MaskedVectors masked) {
      return axes.getVectorElements(access.pointers, access.mask, dim, masked);
    };
    GlobalVectors vectors = {layout::accessVector(
        registers, makeMemory(type.getShape(), dim), bits,
        std::max(bits,
                 std::min(countProven(access.masked) * bits, widestBits)))};
    vectors.maskedElements =
        std::min(vectors.vectorElements, countProven(MaskedVectors::Whole));
    if (std::tie(vectors.vectorElements, vectors.maskedElements) >
        std::tie(best.vectorElements, best.maskedElements))
      best = std::move(vectors);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// PointerReader
//===----------------------------------------------------------------------===//

PointerReader::PointerReader(ConversionPatternRewriter &rewriter,
                             Location location,
                             const PointerRegisters &registers, Value tensor,
                             ValueRange kept)
    : rewriter(rewriter), emitter(rewriter, location), registers(registers),
      tensor(tensor), omitted(registers.getOmittedBits(tensor)) {
  if (!isa<RankedTensorType>(tensor.getType())) {
    pointers[0] = kept.front();
    return;
  }
  for (auto [index, pointer] : llvm::zip_equal(registers.getKept(tensor), kept))
    pointers[index] = pointer;
}

Address PointerReader::getAddress(unsigned index) {
  // What is constant comes last: instructions have a place for it.
  Address address;
  unsigned variable = index;
  for (uint64_t bits = index & omitted; bits; bits &= bits - 1) {
    unsigned bit = llvm::countr_zero(bits);
    const Step &step = registers.getStep(tensor, bit);
    address.bytes += step.constant;
    if (step.terms.empty())
      variable &= ~(1u << bit);
  }
  address.pointer = getVariablePart(variable);
  if (!llvm::isInt<32>(address.bytes))
    return {emitter.advance(address.pointer, address.bytes), 0};
  return address;
}

Value PointerReader::getPointer(unsigned index) {
  Address address = getAddress(index);
  return emitter.advance(address.pointer, address.bytes);
}

/// pointer + scalar * factor, in inline PTX: one instruction, which LLVM would
/// replace by additions of 64 bits that take two each; and its strength
/// reduction takes a time quadratic in the number of such addresses (250 ms for
/// the tiles of a matrix product, seen with LLVM 22).
static Value emitMultiplyAdd(Value pointer, Value scalar, int64_t factor,
                             Emitter &emitter) {
  bool isWide = scalar.getType().isInteger(32) && llvm::isInt<32>(factor);
  if (!isWide && !scalar.getType().isInteger(64))
    scalar = LLVM::SExtOp::create(emitter.builder, emitter.location,
                                  emitter.builder.getI64Type(), scalar);
  std::string text = std::string(isWide ? "mad.wide.s32" : "mad.lo.s64") +
                     " $0, $1, " + std::to_string(factor) + ", $2;";
  return emitter.pureAssembly(text, isWide ? "=l,r,l" : "=l,l,l",
                              pointer.getType(), {scalar, pointer});
}

/// The register's pointer, less the constants of its steps.
Value PointerReader::getVariablePart(unsigned index) {
  if (Value known = pointers.lookup(index))
    return known;
  llvm::MapVector<Value, int64_t> sum;
  for (uint64_t bits = index & omitted; bits; bits &= bits - 1)
    for (auto [scalar, factor] :
         registers.getStep(tensor, llvm::countr_zero(bits)).terms)
      sum[scalar] += factor;
  Value pointer = getVariablePart(index & ~omitted);
  for (auto [scalar, factor] : sum)
    pointer = emitMultiplyAdd(pointer, rewriter.getRemappedValue(scalar),
                              factor, emitter);
  return pointers[index] = pointer;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Lower tt.addptr of tensors; of scalars it is an elementwise op.
struct LowerPointerTensor : TileGPUPattern<tt::AddPtrOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::AddPtrOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "a scalar");
    auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(op.getType()));
    Type element =
        rewriter.getIntegerType(getMemoryBits(pointer.getPointeeType()));
    Emitter emitter(rewriter, op.getLoc());
    PointerReader source(rewriter, op.getLoc(), converter.pointers, op.getPtr(),
                         adaptor.getPtr());
    SmallVector<Value> results;
    for (unsigned index : converter.pointers.getKept(op.getResult()))
      results.push_back(emitter.gep(source.getPointer(index), element,
                                    adaptor.getOffset()[index]));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

void tilegpu::populatePointerPatterns(const TileGPUTypeConverter &converter,
                                      const target::Target &target,
                                      RewritePatternSet &patterns) {
  patterns.add<LowerPointerTensor>(converter, target);
}
