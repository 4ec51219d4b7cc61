// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op says to who follows integers and addresses through a kernel for a
// launch that is known: a grid, one of its programs, the values of arguments.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_TD
#define TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def GridOpInterface : OpInterface<"GridOpInterface"> {
  let cppNamespace = "::tilewright";
  let description = "Returns a program's place in the grid, or the grid's size.";
  let methods = [
    InterfaceMethod<"Which of these, along which axis.",
      "::tilewright::GridQuantity", "getGridQuantity", (ins)>
  ];
}

def AddressOpInterface : OpInterface<"AddressOpInterface"> {
  let cppNamespace = "::tilewright";
  let description = [{
    Returns pointers at an offset, in elements, from other pointers: pointers
    and offsets are scalars, or tiles of one shape.
  }];
  let methods = [
    InterfaceMethod<"The pointers, the offsets, and the size of an element.",
      "::tilewright::AddressSum", "getAddressSum", (ins)>
  ];
}

#endif // TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_TD
