// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.print and tt.assert: calls of the functions that the CUDA driver gives to
// device code (CUDA C++ Programming Guide, "Formatted Output", "Assertion").
// An element is printed once, by its owner; every thread asserts all that it
// holds.

#include "dialects/Layout/F2.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPUToLLVM/Combine.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

//===----------------------------------------------------------------------===//
// Functions and texts
//===----------------------------------------------------------------------===//

Type getGenericPointer(OpBuilder &builder) {
  return LLVM::LLVMPointerType::get(builder.getContext());
}

/// The declaration of a function of the driver's, made where it is missing.
LLVM::LLVMFuncOp declareFunction(ConversionPatternRewriter &rewriter,
                                 ModuleOp module, StringRef name, Type result,
                                 ArrayRef<Type> parameters) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      rewriter, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(result, parameters));
}

/// A generic pointer to `text`, with a 0 behind it.
Value emitText(ConversionPatternRewriter &rewriter, Operation *op,
               StringRef text) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string content = text.str(), name;
  content.push_back('\0');
  for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
    name = "text_" + std::to_string(number);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), content.size());
    LLVM::GlobalOp::create(rewriter, op->getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, name,
                           rewriter.getStringAttr(content), /*alignment=*/0,
                           globalSpace);
  }
  Value address = LLVM::AddressOfOp::create(
      rewriter, op->getLoc(),
      LLVM::LLVMPointerType::get(op->getContext(), globalSpace), name);
  return LLVM::AddrSpaceCastOp::create(rewriter, op->getLoc(),
                                       getGenericPointer(rewriter), address);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// A value as vprintf takes it, and the conversion that prints it.
struct PrintedValue {
  Value value;
  std::string conversion;
};

/// `value` of the tile type `type`, widened to 32 or 64 bits, or to f64.
PrintedValue promote(Emitter &emitter, Value value, Type type, bool isHex,
                     bool isSigned) {
  OpBuilder &builder = emitter.builder;
  Location location = emitter.location;
  if (isa<tt::PointerType>(type))
    return {value, "%p"};
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) && !isHex) {
    if (bits < 64)
      value =
          LLVM::FPExtOp::create(builder, location, builder.getF64Type(), value);
    return {value, "%f"};
  }
  value = emitter.toInteger(value);
  unsigned width = bits <= 32 ? 32 : 64;
  Type wide = builder.getIntegerType(width);
  bool extendsSign = isSigned && !isHex && bits > 1;
  if (bits < width)
    value =
        extendsSign
            ? LLVM::SExtOp::create(builder, location, wide, value).getResult()
            : LLVM::ZExtOp::create(builder, location, wide, value);
  std::string size = width == 64 ? "ll" : "";
  if (isHex)
    return {value,
            "0x%0" + std::to_string(std::max(1u, bits / 4)) + size + "x"};
  return {value, "%" + size + (extendsSign ? "i" : "u")};
}

/// `text` for a format: each % is two.
std::string escapeFormat(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped += c == '%' ? "%%" : std::string(1, c);
  return escaped;
}

/// Lower tt.print.
struct LowerPrint : TileGPUPattern<tt::PrintOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::PrintOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    for (Type type : op.getArgs().getTypes())
      if (auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
          real && real.getWidth() < 16)
        return op.emitOpError("expects integers, pointers, f16, bf16, f32 or "
                              "f64, but got ")
               << type;
    Emitter emitter(rewriter, op.getLoc());
    // What is not of a tile every thread prints: Triton's programs count on it.
    if (op.getArgs().empty())
      emitLine(op, {}, escapeFormat(op.getPrefix()), rewriter);
    for (auto [number, operand] : llvm::enumerate(op.getArgs())) {
      ValueRange values = adaptor.getArgs()[number];
      if (isa<RankedTensorType>(operand.getType()))
        printTile(op, number, values, emitter, rewriter);
      else
        printElement(op, number, values.front(), {}, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// One line for each element of operand `number`, from its owner.
  static void printTile(tt::PrintOp op, unsigned number, ValueRange values,
                        Emitter &emitter, ConversionPatternRewriter &rewriter) {
    auto type = cast<RankedTensorType>(op.getArgs()[number].getType());
    LinearLayout layout = toLinearLayout(type);
    ThreadCoordinates coordinates(emitter, layout);
    emitIf(rewriter, op.getLoc(), emitOwnerPredicate(emitter, layout), [&]() {
      Emitter inner(rewriter, op.getLoc());
      uint64_t copies = layout.redundantBits(Axis::Register);
      for (auto [index, value] : llvm::enumerate(values)) {
        if (index & copies)
          continue;
        SmallVector<Value> place;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          place.push_back(coordinates.get(index, Axis::coordinate(dim)));
        printElement(op, number, value, place, rewriter);
      }
    });
  }

  /// "pid (x, y, z) idx (i, j)PREFIX(operand n) VALUE", as Triton prints it,
  /// whose prefixes begin with a blank: no places for a scalar, no number where
  /// there is one operand, and each place as wide as its tile's last.
  static void printElement(tt::PrintOp op, unsigned number, Value value,
                           ArrayRef<Value> place,
                           ConversionPatternRewriter &rewriter) {
    Emitter emitter(rewriter, op.getLoc());
    SmallVector<Value> arguments(place);
    Type type = op.getArgs()[number].getType();
    SmallVector<std::string> conversions;
    if (auto tile = dyn_cast<RankedTensorType>(type))
      for (int64_t size : tile.getShape())
        conversions.push_back(
            "%" + std::to_string(std::to_string(size - 1).size()) + "u");
    std::string format = " idx (" + llvm::join(conversions, ", ") + ")" +
                         escapeFormat(op.getPrefix());
    if (op.getArgs().size() > 1)
      format += "(operand " + std::to_string(number) + ") ";
    bool isSigned = op.getIsSigned().empty() || op.getIsSigned()[number] != 0;
    PrintedValue printed = promote(emitter, value, getElementTypeOrSelf(type),
                                   op.getHex(), isSigned);
    arguments.push_back(printed.value);
    emitLine(op, arguments, format + printed.conversion, rewriter);
  }

  /// Calls vprintf with the program's numbers before `format`.
  static void emitLine(tt::PrintOp op, ArrayRef<Value> arguments,
                       std::string format,
                       ConversionPatternRewriter &rewriter) {
    Location location = op.getLoc();
    Type i32 = rewriter.getI32Type(), pointer = getGenericPointer(rewriter);
    SmallVector<Value> all = {
        NVVM::BlockIdXOp::create(rewriter, location, i32),
        NVVM::BlockIdYOp::create(rewriter, location, i32),
        NVVM::BlockIdZOp::create(rewriter, location, i32)};
    llvm::append_range(all, arguments);
    SmallVector<Type> types;
    for (Value argument : all)
      types.push_back(argument.getType());
    auto record = LLVM::LLVMStructType::getLiteral(op.getContext(), types);
    Value buffer = allocate(op, record, rewriter);
    for (auto [index, argument] : llvm::enumerate(all)) {
      Value place = LLVM::GEPOp::create(
          rewriter, location, pointer, record, buffer,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
      LLVM::StoreOp::create(rewriter, location, argument, place);
    }
    LLVM::LLVMFuncOp function =
        declareFunction(rewriter, op->getParentOfType<ModuleOp>(), "vprintf",
                        i32, {pointer, pointer});
    Value text = emitText(rewriter, op, "pid (%u, %u, %u)" + format + "\n");
    LLVM::CallOp::create(rewriter, location, function,
                         ValueRange{text, buffer});
  }

  /// Memory of the thread for `type`, allocated where the function begins, so
  /// that loops do not allocate.
  static Value allocate(Operation *op, Type type,
                        ConversionPatternRewriter &rewriter) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto function = op->getParentOfType<FunctionOpInterface>();
    rewriter.setInsertionPointToStart(&function.getFunctionBody().front());
    Value one = LLVM::ConstantOp::create(rewriter, op->getLoc(),
                                         rewriter.getI32Type(), 1);
    return LLVM::AllocaOp::create(rewriter, op->getLoc(),
                                  getGenericPointer(rewriter), type, one,
                                  /*alignment=*/8);
  }
};

//===----------------------------------------------------------------------===//
// Asserting
//===----------------------------------------------------------------------===//

/// The place that a failed assertion names: the op's own, or its location's.
struct AssertedPlace {
  std::string file = "unknown", function = "unknown";
  unsigned line = 0;

  explicit AssertedPlace(tt::AssertOp op) {
    if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
      file = place.getFilename().str();
      line = place.getLine();
    }
    if (auto parent = op->getParentOfType<FunctionOpInterface>())
      function = parent.getName().str();
    if (op.getFile() && op.getFunc() && op.getLine()) {
      file = op.getFile()->str();
      function = op.getFunc()->str();
      line = *op.getLine();
    }
  }
};

/// Lower tt.assert.
struct LowerAssert : TileGPUPattern<tt::AssertOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::AssertOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Emitter emitter(rewriter, location);
    Value holds;
    for (Value condition : adaptor.getCondition())
      holds = holds ? emitter.bitAnd(holds, condition) : condition;
    Value fails = emitter.bitXor(holds, emitter.constant(1, 1));
    Type pointer = getGenericPointer(rewriter);
    emitIf(rewriter, location, fails, [&]() {
      AssertedPlace place(op);
      Emitter inner(rewriter, location);
      // The last one is the size of a character.
      LLVM::LLVMFuncOp function = declareFunction(
          rewriter, op->getParentOfType<ModuleOp>(), "__assertfail",
          LLVM::LLVMVoidType::get(op.getContext()),
          {pointer, pointer, rewriter.getI32Type(), pointer,
           rewriter.getI64Type()});
      LLVM::CallOp::create(rewriter, location, function,
                           ValueRange{emitText(rewriter, op, op.getMessage()),
                                      emitText(rewriter, op, place.file),
                                      inner.constant(place.line),
                                      emitText(rewriter, op, place.function),
                                      inner.constant(1, 64)});
    });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilegpu::populateDiagnosticPatterns(const TileGPUTypeConverter &converter,
                                         const target::Target &target,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerPrint, LowerAssert>(converter, target);
}
