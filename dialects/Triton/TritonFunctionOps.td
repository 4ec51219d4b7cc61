// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, calls, the program's place in the grid, and what a program says to
// its author.

#ifndef TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD

include "dialects/Triton/TritonOpBase.td"

def FuncOp : Op<TritonDialect, "func",
    [AffineScope, AutomaticAllocationScope, FunctionOpInterface,
     IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "A kernel or a function that kernels call";
  let description = [{
    A public function is a kernel: it runs once for each program of the grid.
    Arguments may promise `tt.divisibility` (of a pointer's address in bytes, or
    of an integer); `noinline = true` asks to keep calls of the function.

    ```mlir
    tt.func public @kernel(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
      tt.return
    }
    ```
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
    /// Whether the function says `noinline = true`.
    bool isNoInline();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CallOp : TritonOp<"call",
    [CallOpInterface, ExpandedBeforePlacement,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function of the module";
  let description = [{
    ```mlir
    %y = tt.call @helper(%x) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
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
  let description = [{
    ```mlir
    tt.return %v : tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

def GetProgramIdOp : TritonOp<"get_program_id", [Pure, HasAxisInfo]> {
  let summary = "The program's index along an axis of the grid";
  let description = [{
    In `[0, tt.get_num_programs of the axis)`.

    ```mlir
    %i = tt.get_program_id x : i32
    ```
  }];
  let arguments = (ins ProgramAxis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def GetNumProgramsOp : TritonOp<"get_num_programs", [Pure, HasAxisInfo]> {
  let summary = "The grid's size along an axis";
  let description = [{
    ```mlir
    %g = tt.get_num_programs y : i32
    ```
  }];
  let arguments = (ins ProgramAxis:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def AssertOp : TritonOp<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stops the program where a condition is false";
  let description = [{
    Triton 3.0 to 3.2 also print the location: `"msg", "file", "function", 12`.

    ```mlir
    tt.assert %c, "index out of bounds" : tensor<64xi1>
    ```
  }];
  let arguments = (ins TritonBoolLike:$condition, StrAttr:$message,
                       OptionalAttr<StrAttr>:$file, OptionalAttr<StrAttr>:$func,
                       OptionalAttr<I32Attr>:$line);
  let assemblyFormat = [{
    $condition `,` $message (`,` $file^ `,` $func `,` $line)? attr-dict
    `:` type($condition)
  }];
}

def PrintOp : TritonOp<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prints values from the device";
  let description = [{
    Prints every element of every operand once, each on its own line, in no
    particular order: the program's ids, the element's coordinates, `prefix`,
    the operand's number where there are several, the value. Integers are signed
    unless `isSigned`, which has an entry for each operand or none, says
    otherwise.

    ```mlir
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex,
                       Variadic<TritonValue>:$args,
                       DefaultValuedOptionalAttr<DenseI32ArrayAttr, "{}">:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_FUNCTIONOPS_TD
