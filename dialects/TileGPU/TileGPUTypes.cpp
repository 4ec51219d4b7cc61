// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"

void TileGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/TileGPU/TileGPUTypes.cpp.inc"
      >();
}

/// `<64x32xf16, #shared[, buffers = 3][, mutable]>`
Type MemDescType::parse(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  Attribute encoding;
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseAttribute(encoding))
    return {};
  auto shared = dyn_cast<SharedLayoutInterface>(encoding);
  if (!shared) {
    parser.emitError(location, "expects a shared layout, but got ") << encoding;
    return {};
  }
  unsigned buffers = 1;
  bool isMutable = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("mutable"))) {
      isMutable = true;
      continue;
    }
    if (parser.parseKeyword("buffers") || parser.parseEqual() ||
        parser.parseInteger(buffers))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MemDescType>(location, parser.getContext(), shape,
                                        elementType, shared, buffers,
                                        isMutable);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    printer << size << "x";
  printer << getElementType() << ", " << getEncoding();
  if (getBuffers() != 1)
    printer << ", buffers = " << getBuffers();
  if (getIsMutable())
    printer << ", mutable";
  printer << ">";
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  SharedLayoutInterface encoding,
                                  unsigned buffers, bool) {
  if (shape.size() != encoding.getRank())
    return emitError() << "expects rank " << encoding.getRank() << " for "
                       << encoding << ", but got rank " << shape.size();
  for (int64_t size : shape)
    if (size <= 0 || !layout::isPowerOfTwo(size))
      return emitError() << "expects every dimension to be a power of two, but "
                            "got "
                         << size;
  if (buffers == 0)
    return emitError() << "expects at least one buffer, but got 0";
  if (auto linear = dyn_cast<SharedLinearAttr>(encoding)) {
    layout::LinearLayout map = linear.getMap();
    for (auto [output, size] : llvm::zip_equal(map.outputs(), shape))
      if ((int64_t(1) << output.bits) != size)
        return emitError() << "expects size " << (int64_t(1) << output.bits)
                           << " in dimension " << output.axis.dimension()
                           << ", which the bases reach, but got " << size;
  }
  return success();
}

int64_t MemDescType::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : getShape())
    count *= size;
  return count;
}

unsigned MemDescType::getElementBits() const {
  return getMemoryBits(getElementType());
}

int64_t MemDescType::getBufferBytes() const {
  return getNumElements() * getElementBits() / 8;
}

layout::LinearLayout MemDescType::toLinearLayout() const {
  return getEncoding().toLinearLayout(getShape());
}
