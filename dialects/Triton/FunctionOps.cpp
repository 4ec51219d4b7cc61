// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and calls: their text, and that both sides of a call agree.

#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

bool FuncOp::isNoInline() {
  auto says = (*this)->getAttrOfType<BoolAttr>("noinline");
  return says && says.getValue();
}

LogicalResult FuncOp::verify() {
  if (failed(verifyTileSizes(*this, getArgumentTypes())))
    return failure();
  return verifyTileSizes(*this, getResultTypes());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function)
    return emitOpError("expects the name of a function of the module, but got ")
           << getCalleeAttr();
  FunctionType type = function.getFunctionType();
  if (TypeRange(type.getInputs()) != TypeRange(getArguments().getTypes()))
    return (emitOpError("expects arguments of types ")
            << type.getInputs() << ", but got " << getArguments().getTypes())
               .attachNote(function.getLoc())
           << "the function is here";
  if (TypeRange(type.getResults()) != TypeRange(getResultTypes()))
    return (emitOpError("expects results of types ")
            << type.getResults() << ", but got " << getResultTypes())
               .attachNote(function.getLoc())
           << "the function is here";
  return success();
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  TypeRange expected = function.getFunctionType().getResults();
  if (expected == TypeRange(getValues().getTypes()))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("expects ")
                                  << expected.size()
                                  << " values of the function's result types (";
  llvm::interleaveComma(expected, diagnostic);
  diagnostic << "), but got " << getNumOperands() << " (";
  llvm::interleaveComma(getValues().getTypes(), diagnostic);
  return diagnostic << ")";
}

LogicalResult PrintOp::verify() {
  if (!getIsSigned().empty() && getIsSigned().size() != getArgs().size())
    return emitOpError("expects isSigned for ")
           << getArgs().size() << " operands, but got " << getIsSigned().size();
  return success();
}
