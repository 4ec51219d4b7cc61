// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of `tt`: what they may hold, and the two spellings of a descriptor.

#include "dialects/Triton/Triton.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

#define GET_TYPEDEF_CLASSES
#include "dialects/Triton/TritonTypes.cpp.inc"

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Triton/TritonTypes.cpp.inc"
      >();
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointeeType, int addressSpace) {
  Type element = getElementTypeOrSelf(pointeeType);
  if (!element.isIntOrFloat() && !isa<PointerType>(element))
    return emitError() << "expects a pointer to integers, floats, pointers or "
                          "tiles of them, but got "
                       << pointeeType;
  if (isa<ShapedType>(pointeeType) && !isa<RankedTensorType>(pointeeType))
    return emitError() << "expects a ranked tile, but got " << pointeeType;
  if (addressSpace < 0)
    return emitError() << "expects a non-negative address space, but got "
                       << addressSpace;
  return success();
}

Attribute PointerType::getMemorySpace() const {
  return IntegerAttr::get(IntegerType::get(getContext(), 32),
                          getAddressSpace());
}

Type PointerType::getElementType() const { return getPointeeType(); }

bool PointerType::hasPtrMetadata() const { return false; }

FailureOr<PtrLikeTypeInterface>
PointerType::clonePtrWith(Attribute memorySpace,
                          std::optional<Type> elementType) const {
  auto space = dyn_cast_if_present<IntegerAttr>(memorySpace);
  if (!space)
    return failure();
  return cast<PtrLikeTypeInterface>(
      get(elementType.value_or(getPointeeType()), space.getInt()));
}

LogicalResult
TensorDescriptorType::verify(function_ref<InFlightDiagnostic()> emitError,
                             RankedTensorType blockType, bool) {
  if (blockType.getElementType().isIntOrFloat() && blockType.getRank() > 0)
    return success();
  return emitError() << "expects a block of integers or floats of rank 1 or "
                        "more, but got "
                     << blockType;
}

/// `<64x64xf16>`, or the older `<tensor<64x64xf16>>`.
Type TensorDescriptorType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  SMLoc location = parser.getCurrentLocation();
  RankedTensorType block;
  Type type;
  OptionalParseResult old = parser.parseOptionalType(type);
  bool isOldSpelling = old.has_value();
  if (isOldSpelling) {
    block = dyn_cast_if_present<RankedTensorType>(type);
    if (failed(*old))
      return {};
    if (!block) {
      parser.emitError(location, "expects a ranked tile, but got ") << type;
      return {};
    }
  } else {
    SmallVector<int64_t> shape;
    Type element;
    Attribute encoding;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
        parser.parseType(element))
      return {};
    if (succeeded(parser.parseOptionalComma()) &&
        parser.parseAttribute(encoding))
      return {};
    block = RankedTensorType::getChecked(
        [&]() { return parser.emitError(location); }, shape, element, encoding);
    if (!block)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return TensorDescriptorType::getChecked(
      [&]() { return parser.emitError(location); }, parser.getContext(), block,
      isOldSpelling);
}

void TensorDescriptorType::print(AsmPrinter &printer) const {
  RankedTensorType block = getBlockType();
  if (getIsOldSpelling()) {
    printer << "<" << block << ">";
    return;
  }
  printer << "<";
  for (int64_t size : block.getShape())
    printer << size << "x";
  printer << block.getElementType();
  if (block.getEncoding())
    printer << ", " << block.getEncoding();
  printer << ">";
}
