// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, calls, and the program's place in the grid.

#ifndef TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD

include "dialects/Triton/TritonOpBase.td"

def FuncOp : Op<TritonDialect, "func",
    [AffineScope, AutomaticAllocationScope, FunctionOpInterface,
     IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "A kernel or a function that kernels call";
  let description = [{
    A public function is a kernel: it runs once for each program of the grid
    and returns nothing. Arguments may promise `tt.divisibility` (of a pointer's
    address in bytes, or of an integer).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() {
      return isExternal() ? nullptr : &getBody();
    }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    static ::llvm::StringRef getDefaultDialect() { return "tt"; }
  }];
  let hasCustomAssemblyFormat = 1;
}

def CallOp : TritonOp<"call",
    [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of the module";
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<TritonValue>:$arguments,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<TritonValue>:$results);
  let assemblyFormat = [{
    $callee `(` $arguments `)` attr-dict `:` functional-type($arguments, results)
  }];
  let extraClassDeclaration = [{
    ::mlir::Operation::operand_range getArgOperands() {
      return getArguments();
    }
    ::mlir::MutableOperandRange getArgOperandsMutable() {
      return getArgumentsMutable();
    }
    ::mlir::CallInterfaceCallable getCallableForCallee() {
      return getCalleeAttr();
    }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(
          ::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def ReturnOp : TritonOp<"return",
    [HasParent<"::tilewright::tt::FuncOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Returns from a function";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def GetProgramIdOp : TritonOp<"get_program_id", [Pure]> {
  let summary = "The program's index along an axis of the grid";
  let arguments = (ins ProgramAxis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def GetNumProgramsOp : TritonOp<"get_num_programs", [Pure]> {
  let summary = "The grid's size along an axis";
  let arguments = (ins ProgramAxis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def AssertOp : TritonOp<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stops the program where a condition is false";
  let arguments = (ins TritonBoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def PrintOp : TritonOp<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints values from the device";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex,
                       Variadic<TritonValue>:$args,
                       DefaultValuedOptionalAttr<DenseI32ArrayAttr, "{}">:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}

#endif // TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD
