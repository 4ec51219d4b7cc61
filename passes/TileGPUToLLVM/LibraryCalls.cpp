// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.extern_elementwise: functions of CUDA's libdevice, by name. Each is a
// function of Functions/, or a few instructions; no library is linked.

#include "passes/TileGPUToLLVM/Functions/FunctionLibrary.h"
#include "passes/TileGPUToLLVM/LibraryInstructions.h"
#include "passes/TileGPUToLLVM/ScalarPattern.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// What a symbol stands for.
struct LibraryFunction {
  /// As in LibraryInstruction.
  std::string signature;
  /// One of the two is there.
  std::optional<LibraryInstruction> instruction;
  std::string function;
};

} // namespace

/// The function that is called `name`, which for f32 ends with `f`.
static std::optional<LibraryFunction> findFunction(StringRef name) {
  for (bool isFloat : {false, true}) {
    StringRef base = name;
    if (isFloat && !base.consume_back("f"))
      continue;
    std::string signature = functions::getSignature(base).str();
    if (signature.empty())
      continue;
    llvm::replace(signature, 'r', isFloat ? 'f' : 'd');
    return LibraryFunction{signature, std::nullopt, base.str()};
  }
  return std::nullopt;
}

static std::optional<LibraryFunction> lookUp(StringRef symbol) {
  if (!symbol.consume_front("__nv_"))
    return std::nullopt;
  if (auto instruction = findLibraryInstruction(symbol))
    return LibraryFunction{instruction->signature.str(), instruction, ""};
  return findFunction(symbol);
}

static char getLetter(Type type) {
  if (type.isF32())
    return 'f';
  if (type.isF64())
    return 'd';
  if (type.isInteger(32))
    return 'i';
  return type.isInteger(64) ? 'l' : '?';
}

static StringRef spellType(char letter) {
  return letter == 'f'   ? "f32"
         : letter == 'd' ? "f64"
         : letter == 'i' ? "i32"
                         : "i64";
}

/// "(f32, f32) -> f32"
static std::string spellSignature(StringRef signature) {
  std::string text = "(";
  for (auto [index, letter] : llvm::enumerate(signature.drop_front()))
    text += (index ? ", " : "") + spellType(letter).str();
  return text + ") -> " + spellType(signature.front()).str();
}

static LogicalResult verifyCall(tt::ExternElementwiseOp op) {
  std::optional<LibraryFunction> function = lookUp(op.getSymbol());
  if (!function)
    return op.emitOpError("expects a function of libdevice that is known here "
                          "(docs/Numbers.md lists them), but got '")
           << op.getSymbol() << "'";
  std::string signature(1, getLetter(getElementTypeOrSelf(op.getType())));
  for (Value operand : op.getSrcs())
    signature += getLetter(getElementTypeOrSelf(operand.getType()));
  if (signature != function->signature)
    return op.emitOpError("expects ")
           << spellSignature(function->signature) << " for '" << op.getSymbol()
           << "', but got " << op->getOperandTypes() << " -> " << op.getType();
  if (isa<RankedTensorType>(op.getType()) &&
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return op.emitOpError("expects a tile among the operands where the result "
                          "is a tile, but got scalars");
  return success();
}

LogicalResult tilegpu::verifyLibraryCalls(ModuleOp module) {
  WalkResult result = module.walk([](tt::ExternElementwiseOp op) -> WalkResult {
    return failure(failed(verifyCall(op)));
  });
  return failure(result.wasInterrupted());
}

/// Inline PTX's constraints for a signature.
static std::string getConstraints(StringRef signature) {
  std::string text = "=";
  for (char letter : signature)
    text += std::string(text.size() > 1 ? "," : "") +
            (letter == 'i' ? 'r' : letter);
  return text;
}

namespace {

/// Lower tt.extern_elementwise of scalars.
struct LowerLibraryCall : ScalarPattern<tt::ExternElementwiseOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(tt::ExternElementwiseOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    std::optional<LibraryFunction> function = lookUp(op.getSymbol());
    if (!function)
      return {};
    if (!function->instruction)
      return functions::callFunction(emitter.builder, emitter.location,
                                     function->function, operands);
    StringRef text = function->instruction->text;
    if (!text.starts_with("llvm."))
      return emitter.pureAssembly(text, getConstraints(function->signature),
                                  type, operands);
    OperationState state(emitter.location, text, operands, {type});
    return emitter.builder.create(state)->getResult(0);
  }
};

} // namespace

void tilegpu::populateLibraryCallPatterns(const TileGPUTypeConverter &converter,
                                          const target::Target &target,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerLibraryCall>(converter, target);
}
