// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/EncodingVerifiers.h"
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

LogicalResult tilegpu::verifySharedTile(SharedLayoutInterface encoding,
                                        ArrayRef<int64_t> shape,
                                        unsigned elementBits,
                                        EmitError emitError) {
  if (shape.size() != encoding.getRank())
    return emitError() << "expects rank " << encoding.getRank() << " for "
                       << encoding << ", but got rank " << shape.size();
  // Far beyond any GPU's memory; sizes in bytes stay well within 64 bits.
  if (failed(verifyShapeBits(emitError, "a tile in shared memory", shape, 30)))
    return failure();
  return encoding.verifyTile(shape, elementBits, emitError);
}

/// More than shared memory has bytes.
static constexpr unsigned maxBuffers = 1u << 20;

/// Bytes of one buffer, with padding.
static int64_t countBufferBytes(SharedLayoutInterface encoding,
                                ArrayRef<int64_t> shape, unsigned bits) {
  return encoding.getPadding().size(llvm::product_of(shape)) * bits / 8;
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> shape, Type elementType,
                                  SharedLayoutInterface encoding,
                                  unsigned buffers, bool) {
  if (buffers == 0)
    return emitError() << "expects at least one buffer, but got 0";
  if (buffers > maxBuffers)
    return emitError() << "expects at most " << maxBuffers
                       << " buffers, but got " << buffers;
  unsigned bits = getMemoryBits(elementType);
  if (failed(verifySharedTile(encoding, shape, bits, emitError)))
    return failure();
  // A swizzle is a function of the address, of each buffer's too.
  if (buffers == 1 || !isa<SharedNvmmaAttr>(encoding))
    return success();
  int64_t bytes = countBufferBytes(encoding, shape, bits);
  if (unsigned alignment = encoding.getAlignmentBytes(bits);
      bytes % alignment != 0)
    return emitError() << "expects a multiple of " << alignment
                       << " bytes in each of " << buffers << " buffers under "
                       << encoding << ", but got " << bytes;
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
  return countBufferBytes(getEncoding(), getShape(), getElementBits());
}

layout::LinearLayout MemDescType::toLinearLayout() const {
  return getEncoding().toLinearLayout(getShape());
}

//===----------------------------------------------------------------------===//
// PendingType
//===----------------------------------------------------------------------===//

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tensor) {
  if (isa_and_present<WgmmaAttr>(tensor.getEncoding()))
    return success();
  return emitError() << "expects a tensor under #tilegpu.wgmma, but got "
                     << tensor;
}

//===----------------------------------------------------------------------===//
// TensorMapType
//===----------------------------------------------------------------------===//

/// Of a tensor map, and elements of a box along a dimension but the last, whose
/// atoms are the swizzle's (CUDA driver API, "cuTensorMapEncodeTiled").
static constexpr unsigned maxMapRank = 5, maxBoxSize = 256;

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> box, Type elementType,
                      unsigned swizzleBytes, unsigned ctas) {
  if (box.empty() || box.size() > maxMapRank)
    return emitError() << "expects a box of rank 1 to " << maxMapRank
                       << ", but got rank " << box.size();
  if (!llvm::is_contained({32u, 64u, 128u}, swizzleBytes))
    return emitError() << "expects swizzle 32, 64 or 128, but got "
                       << swizzleBytes;
  unsigned bits = !elementType.isIntOrFloat() ? 0
                  : elementType.isTF32() ? 32
                                         : elementType.getIntOrFloatBitWidth();
  if (!llvm::is_contained({8u, 16u, 32u}, bits))
    return emitError() << "expects elements of 8, 16 or 32 bits, but got "
                       << elementType;
  for (int64_t size : box.drop_back())
    if (size < 1 || size > maxBoxSize)
      return emitError() << "expects sizes from 1 to " << maxBoxSize
                         << " in the box, but got " << size;
  int64_t atom = swizzleBytes * 8 / bits;
  if (box.back() < atom || box.back() % atom != 0 || box.back() > (1 << 20))
    return emitError() << "expects a multiple of " << atom << " elements ("
                       << swizzleBytes
                       << " bytes) in the box's last dimension, but got "
                       << box.back();
  if (!mayBeShared(box, ctas))
    return emitError() << "expects a box that " << ctas
                       << " CTAs share to have parts of whole patterns of its "
                          "swizzle, 8 rows each";
  return success();
}

/// The slowest dimension that is not 1, or the last one.
static unsigned findSharedDimension(ArrayRef<int64_t> box) {
  unsigned dimension = 0;
  while (dimension + 1 < box.size() && box[dimension] == 1)
    ++dimension;
  return dimension;
}

bool TensorMapType::mayBeShared(ArrayRef<int64_t> box, unsigned ctas) {
  if (ctas == 1)
    return true;
  unsigned dimension = findSharedDimension(box);
  int64_t rows = llvm::product_of(box.drop_back());
  return llvm::is_contained({2u, 4u, 8u}, ctas) && dimension + 1 < box.size() &&
         box[dimension] % ctas == 0 &&
         rows % (ctas * SharedNvmmaAttr::patternRows) == 0;
}

unsigned TensorMapType::getSharedDimension() const {
  return findSharedDimension(getBox());
}

SmallVector<int64_t> TensorMapType::getPart() const {
  SmallVector<int64_t> part(getBox());
  if (getCtas() > 1)
    part[getSharedDimension()] /= getCtas();
  return part;
}

Type TensorMapType::getMemoryType() const {
  Type element = getElementType();
  return element.isTF32() ? Float32Type::get(getContext()) : element;
}

unsigned TensorMapType::getElementBits() const {
  return getMemoryBits(getElementType());
}

unsigned TensorMapType::getDataType() const {
  Type element = getElementType();
  if (element.isBF16())
    return 9;
  if (element.isF16())
    return 6;
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return 0;
  case 16:
    return 1;
  default:
    return element.isTF32() ? 11 : element.isF32() ? 7 : 2;
  }
}

unsigned TensorMapType::getSwizzleMode() const {
  return llvm::Log2_32(getSwizzleBytes() / 16);
}

int64_t TensorMapType::getAtomElements() const {
  return getSwizzleBytes() * 8 / getElementBits();
}

int64_t TensorMapType::getBoxBytes() const {
  return llvm::product_of(getBox()) * getElementBits() / 8;
}

RankedTensorType tilegpu::getHeldTensor(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getTensor();
  return dyn_cast<RankedTensorType>(type);
}
