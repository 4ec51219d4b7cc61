// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/TritonGPU.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::ttg;

#include "dialects/Triton/TritonGPUDialect.cpp.inc"

void TritonGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Triton/TritonGPUOps.cpp.inc"
      >();
}

static ParseResult parseSpaces(OpAsmParser &parser, StringAttr &spaces) {
  std::string text;
  do {
    SMLoc place = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    bool isKnown = llvm::StringSwitch<bool>(name)
                       .Cases({"all", "none", "local"}, true)
                       .Cases({"global_read", "global_write"}, true)
                       .Cases({"tensor_read", "tensor_write"}, true)
                       .Default(false);
    if (!isKnown)
      return parser.emitError(place)
             << "expects all, none, local, global_read, global_write, "
                "tensor_read or tensor_write, but got "
             << name;
    text += (text.empty() ? "" : "|") + name.str();
  } while (succeeded(parser.parseOptionalVerticalBar()));
  spaces = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printSpaces(OpAsmPrinter &printer, Operation *, StringAttr spaces) {
  printer << spaces.getValue();
}

#define GET_OP_CLASSES
#include "dialects/Triton/TritonGPUOps.cpp.inc"
