// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout encodings: parsing, verification, and their maps (built by
// dialects/Layout).

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/MatrixFragments.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

#include "dialects/TileGPU/TileGPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"

void TileGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/TileGPU/TileGPUAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

/// log2 of each element; all are powers of two.
template <typename T>
static SmallVector<unsigned> log2Each(ArrayRef<T> sizes) {
  return llvm::map_to_vector(sizes,
                             [](T size) { return layout::log2Exact(size); });
}

static unsigned productOf(ArrayRef<unsigned> sizes) {
  unsigned product = 1;
  for (unsigned size : sizes)
    product *= size;
  return product;
}

/// The tensor may carry the encoding: rank and shape fit.
static LogicalResult verifyTensor(RegisterLayoutInterface encoding,
                                  ArrayRef<int64_t> shape,
                                  EmitError emitError) {
  if (shape.size() != encoding.getRank())
    return emitError() << "expects a tensor of rank " << encoding.getRank()
                       << " for the layout " << encoding << ", but got rank "
                       << shape.size();
  for (int64_t size : shape)
    if (size <= 0 || !layout::isPowerOfTwo(size))
      return emitError() << "expects every dimension of a tensor with a layout "
                            "to be a power of two, but got "
                         << size;
  return encoding.verifyShape(shape, emitError);
}

static LogicalResult verifyPowersOfTwo(EmitError emitError, StringRef name,
                                       ArrayRef<unsigned> values, size_t rank) {
  if (values.size() != rank)
    return emitError() << "expects " << name << " to have " << rank
                       << " entries, but got " << values.size();
  for (unsigned value : values)
    if (!layout::isPowerOfTwo(value))
      return emitError() << "expects " << name
                         << " to be powers of two, but got " << value;
  return success();
}

static LogicalResult verifyOrder(EmitError emitError,
                                 ArrayRef<unsigned> order) {
  SmallVector<bool> seen(order.size(), false);
  for (unsigned dim : order) {
    if (dim >= order.size() || seen[dim])
      return emitError() << "expects order to be a permutation of 0 to "
                         << order.size() - 1 << ", but got [" << order << "]";
    seen[dim] = true;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocked
//===----------------------------------------------------------------------===//

LogicalResult BlockedAttr::verify(EmitError emitError,
                                  ArrayRef<unsigned> elements,
                                  ArrayRef<unsigned> threads,
                                  ArrayRef<unsigned> warps,
                                  ArrayRef<unsigned> order) {
  size_t rank = order.size();
  assert(rank && "the text has one number at the least");
  if (failed(verifyPowersOfTwo(emitError, "elements", elements, rank)) ||
      failed(verifyPowersOfTwo(emitError, "threads", threads, rank)) ||
      failed(verifyPowersOfTwo(emitError, "warps", warps, rank)) ||
      failed(verifyOrder(emitError, order)))
    return failure();
  if (productOf(threads) != 32)
    return emitError() << "expects 32 threads in a warp, but got "
                       << productOf(threads);
  return success();
}

LinearLayout BlockedAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::blockedLayout(log2Each(getElements()), log2Each(getThreads()),
                               log2Each(getWarps()), getOrder(),
                               log2Each(shape));
}

unsigned BlockedAttr::getRank() const { return getOrder().size(); }
unsigned BlockedAttr::getNumWarps() const { return productOf(getWarps()); }

LogicalResult BlockedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                          EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Mma
//===----------------------------------------------------------------------===//

LogicalResult MmaAttr::verify(EmitError emitError, MmaFamily family,
                              ArrayRef<unsigned> warps) {
  if (warps.size() != 2 && warps.size() != 3)
    return emitError() << "expects warps in 2 or 3 dimensions, but got "
                       << warps.size();
  return verifyPowersOfTwo(emitError, "warps", warps, warps.size());
}

LinearLayout MmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::mmaAccumulator(toFragment(getFamily()), log2Each(getWarps()),
                                log2Each(shape));
}

unsigned MmaAttr::getRank() const { return getWarps().size(); }
unsigned MmaAttr::getNumWarps() const { return productOf(getWarps()); }

LogicalResult MmaAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                      EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// DotOperand
//===----------------------------------------------------------------------===//

LogicalResult DotOperandAttr::verify(EmitError emitError, unsigned index,
                                     RegisterLayoutInterface parent,
                                     unsigned kWidth) {
  if (index > 1)
    return emitError() << "expects index 0 (left) or 1 (right), but got "
                       << index;
  assert(parent && "the parser takes no other attribute");
  if (parent.getRank() != 2 && parent.getRank() != 3)
    return emitError() << "expects a parent of rank 2 or 3, but got rank "
                       << parent.getRank();
  auto mma = dyn_cast<MmaAttr>(parent);
  if (!mma && kWidth != 0)
    return emitError() << "expects kWidth 0 under " << parent << ", but got "
                       << kWidth;
  if (mma && kWidth != 1 && kWidth != 2 && kWidth != 4)
    return emitError() << "expects kWidth 1, 2 or 4, but got " << kWidth;
  if (mma && kWidth == 1 &&
      (mma.getFamily() == MmaFamily::M8N8K4 ||
       mma.getFamily() == MmaFamily::M8N8K4F16))
    return emitError() << "expects kWidth 2 or 4 under "
                       << stringifyMmaFamily(mma.getFamily()) << ", but got 1";
  return success();
}

LinearLayout DotOperandAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  if (auto mma = dyn_cast<MmaAttr>(getParent()))
    return layout::mmaOperand(toFragment(mma.getFamily()), getIndex(),
                              layout::log2Exact(getKWidth()),
                              log2Each(mma.getWarps()), log2Each(shape));
  return getThreadOperandLayout(getParent(), getIndex(), shape);
}

LinearLayout tilegpu::getThreadOperandLayout(RegisterLayoutInterface result,
                                             unsigned index,
                                             ArrayRef<int64_t> shape) {
  SmallVector<int64_t> collapsed(shape);
  collapsed[shape.size() - (index == 0 ? 1 : 2)] = 1;
  return layout::threadOperand(result.toLinearLayout(collapsed), index,
                               log2Each(shape));
}

unsigned DotOperandAttr::getRank() const { return getParent().getRank(); }
unsigned DotOperandAttr::getNumWarps() const {
  return getParent().getNumWarps();
}

LogicalResult DotOperandAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                             EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(EmitError emitError, unsigned dim,
                                RegisterLayoutInterface parent) {
  assert(parent && "the parser takes no other attribute");
  if (parent.getRank() < 2)
    return emitError() << "expects a parent of rank 2 or more, but got rank "
                       << parent.getRank();
  if (dim >= parent.getRank())
    return emitError() << "expects dim in [0, " << parent.getRank()
                       << "), but got " << dim;
  return success();
}

LinearLayout SliceAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> expanded(shape);
  expanded.insert(expanded.begin() + getDim(), 1);
  return layout::sliceLayout(getParent().toLinearLayout(expanded), getDim());
}

unsigned SliceAttr::getRank() const { return getParent().getRank() - 1; }
unsigned SliceAttr::getNumWarps() const { return getParent().getNumWarps(); }

LogicalResult SliceAttr::verifyShape(ArrayRef<int64_t> shape,
                                     EmitError emitError) const {
  SmallVector<int64_t> expanded(shape);
  expanded.insert(expanded.begin() + getDim(), 1);
  return getParent().verifyShape(expanded, emitError);
}

LogicalResult SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Bases in text: [[0, 1], [0, 2]]
//===----------------------------------------------------------------------===//

/// Parses `name = [[c0, c1, …], …]`.
static ParseResult parseBases(AsmParser &parser, StringRef name,
                              std::vector<std::vector<int64_t>> &bases) {
  auto parseVector = [&]() -> ParseResult {
    std::vector<int64_t> &vector = bases.emplace_back();
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
      return parser.parseInteger(vector.emplace_back());
    });
  };
  return failure(parser.parseKeyword(name) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                parseVector));
}

static void printBases(AsmPrinter &printer, const LinearLayout &map,
                       Axis input) {
  printer << StringRef(input.name()) << " = [";
  for (unsigned bit = 0; bit < map.inputBits(input); ++bit) {
    printer << (bit ? ", [" : "[");
    llvm::interleaveComma(map.outputs(), printer.getStream(),
                          [&](const AxisBits &output) {
                            printer << map.basis(input, bit, output.axis);
                          });
    printer << "]";
  }
  printer << "]";
}

/// Builds the map of `axes` with `bases`; the outputs get the size of the
/// largest coordinate that a basis has. `rank` where there is no basis at all
/// is not known from the text, so at least one is demanded.
static FailureOr<LinearLayout>
mapFromBases(AsmParser &parser, SMLoc location, ArrayRef<Axis> axes,
             ArrayRef<std::vector<std::vector<int64_t>>> bases) {
  size_t rank = 0;
  for (const auto &axis : bases)
    for (const std::vector<int64_t> &vector : axis)
      rank = std::max(rank, vector.size());
  if (rank == 0)
    return parser.emitError(location, "expects at least one basis vector");
  std::vector<uint64_t> all(rank, 0);
  for (const auto &axis : bases)
    for (const std::vector<int64_t> &vector : axis) {
      if (vector.size() != rank)
        return parser.emitError(location, "expects basis vectors of ")
               << rank << " coordinates, but got " << vector.size();
      for (size_t dim = 0; dim < rank; ++dim) {
        if (vector[dim] < 0 || vector[dim] >= (int64_t(1) << 20))
          return parser.emitError(location,
                                  "expects coordinates in [0, 2^20), but got ")
                 << vector[dim];
        all[dim] |= vector[dim];
      }
    }
  std::vector<AxisBits> inputs, outputs;
  SmallVector<unsigned> shift;
  unsigned total = 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    unsigned bits = all[dim] ? llvm::Log2_64(all[dim]) + 1 : 0;
    outputs.push_back({Axis::coordinate(dim), bits});
    shift.push_back(total);
    total += bits;
  }
  unsigned inputBits = 0;
  std::vector<uint64_t> columns;
  for (auto [axis, vectors] : llvm::zip_equal(axes, bases)) {
    inputs.push_back({axis, unsigned(vectors.size())});
    inputBits += vectors.size();
    for (const std::vector<int64_t> &vector : vectors) {
      uint64_t column = 0;
      for (size_t dim = 0; dim < rank; ++dim)
        column |= uint64_t(vector[dim]) << shift[dim];
      columns.push_back(column);
    }
  }
  if (total > 40 || inputBits > 40)
    return parser.emitError(location, "expects at most 40 bits, but got ")
           << std::max(total, inputBits);
  return LinearLayout(inputs, outputs, columns);
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

static constexpr Axis registerAxes[] = {Axis::Register, Axis::Lane, Axis::Warp};

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  std::vector<std::vector<int64_t>> bases[3];
  if (parser.parseLess() || parseBases(parser, "register", bases[0]) ||
      parser.parseComma() || parseBases(parser, "lane", bases[1]) ||
      parser.parseComma() || parseBases(parser, "warp", bases[2]) ||
      parser.parseGreater())
    return {};
  FailureOr<LinearLayout> map =
      mapFromBases(parser, location, registerAxes, bases);
  if (failed(map))
    return {};
  return parser.getChecked<LinearAttr>(location, parser.getContext(),
                                       std::move(*map));
}

void LinearAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(registerAxes, printer.getStream(), [&](Axis axis) {
    printBases(printer, getMap(), axis);
  });
  printer << ">";
}

LogicalResult LinearAttr::verify(EmitError emitError, LinearLayout map) {
  if (map.inputBits(Axis::Lane) != 5)
    return emitError() << "expects 5 lane bases, but got "
                       << map.inputBits(Axis::Lane);
  if (map.inputBits(Axis::Warp) > 5)
    return emitError() << "expects at most 5 warp bases, but got "
                       << map.inputBits(Axis::Warp);
  if (!map.isSurjective())
    return emitError() << "expects bases that reach every coordinate, but got "
                          "rank "
                       << map.rank() << " of " << map.totalOutputBits();
  return success();
}

LinearLayout LinearAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  bool isExact = llvm::all_of_zip(getMap().outputs(), shape,
                                  [](const AxisBits &output, int64_t size) {
                                    return (int64_t(1) << output.bits) == size;
                                  });
  return isExact ? getMap() : layout::fitToShape(getMap(), log2Each(shape), {});
}

unsigned LinearAttr::getRank() const { return getMap().outputs().size(); }
unsigned LinearAttr::getNumWarps() const {
  return 1u << getMap().inputBits(Axis::Warp);
}

/// The shape for which a map was written is the size of its outputs; along
/// dimensions of one element it holds copies.
static LogicalResult verifyMapShape(const LinearLayout &map,
                                    ArrayRef<int64_t> shape,
                                    EmitError emitError) {
  for (auto [output, size] : llvm::zip_equal(map.outputs(), shape))
    if ((int64_t(1) << output.bits) != size && size != 1)
      return emitError() << "expects size " << (int64_t(1) << output.bits)
                         << " in dimension " << output.axis.dimension()
                         << ", which the bases reach, but got " << size;
  return success();
}

LogicalResult LinearAttr::verifyShape(ArrayRef<int64_t> shape,
                                      EmitError emitError) const {
  return verifyMapShape(getMap(), shape, emitError);
}

LogicalResult LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         EmitError emitError) const {
  return verifyTensor(*this, shape, emitError);
}

//===----------------------------------------------------------------------===//
// Shared layouts
//===----------------------------------------------------------------------===//

LogicalResult SharedSwizzledAttr::verify(EmitError emitError, unsigned vector,
                                         unsigned perPhase, unsigned maxPhase,
                                         ArrayRef<unsigned> order) {
  unsigned values[] = {vector, perPhase, maxPhase};
  if (failed(verifyPowersOfTwo(emitError, "vector, perPhase and maxPhase",
                               values, 3)))
    return failure();
  assert(!order.empty() && "the text has one number at the least");
  return verifyOrder(emitError, order);
}

LinearLayout SharedSwizzledAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::sharedSwizzled(
      layout::log2Exact(getVector()), layout::log2Exact(getPerPhase()),
      layout::log2Exact(getMaxPhase()), getOrder(), log2Each(shape));
}

unsigned SharedSwizzledAttr::getRank() const { return getOrder().size(); }

LogicalResult SharedNvmmaAttr::verify(EmitError emitError,
                                      unsigned swizzleBytes,
                                      unsigned elementBits,
                                      ArrayRef<unsigned> order) {
  if (!llvm::is_contained({0u, 32u, 64u, 128u}, swizzleBytes))
    return emitError() << "expects swizzle 0, 32, 64 or 128, but got "
                       << swizzleBytes;
  if (!llvm::is_contained({8u, 16u, 32u}, elementBits))
    return emitError() << "expects elementBits 8, 16 or 32, but got "
                       << elementBits;
  if (order.size() < 2)
    return emitError() << "expects a layout of rank 2 or more, but got rank "
                       << order.size();
  return verifyOrder(emitError, order);
}

LinearLayout SharedNvmmaAttr::toLinearLayout(ArrayRef<int64_t> shape) const {
  return layout::sharedNvmma(getSwizzleBytes(), getElementBits(), getOrder(),
                             log2Each(shape));
}

unsigned SharedNvmmaAttr::getRank() const { return getOrder().size(); }

unsigned SharedNvmmaAttr::getAlignmentBytes(unsigned) const {
  // The swizzle is a function of the address: eight rows of the pattern.
  return getSwizzleBytes() ? getSwizzleBytes() * 8 : 16;
}

static constexpr Axis offsetAxes[] = {Axis::Offset};

Attribute SharedLinearAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  std::vector<std::vector<int64_t>> bases[1];
  if (parser.parseLess() || parseBases(parser, "offset", bases[0]) ||
      parser.parseGreater())
    return {};
  FailureOr<LinearLayout> map =
      mapFromBases(parser, location, offsetAxes, bases);
  if (failed(map))
    return {};
  return parser.getChecked<SharedLinearAttr>(location, parser.getContext(),
                                             std::move(*map));
}

void SharedLinearAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBases(printer, getMap(), Axis::Offset);
  printer << ">";
}

LogicalResult SharedLinearAttr::verify(EmitError emitError, LinearLayout map) {
  if (!map.isBijective())
    return emitError() << "expects bases that reach every coordinate once, but "
                          "got rank "
                       << map.rank() << " from " << map.totalInputBits()
                       << " to " << map.totalOutputBits() << " bits";
  return success();
}

LinearLayout SharedLinearAttr::toLinearLayout(ArrayRef<int64_t>) const {
  return getMap();
}

unsigned SharedLinearAttr::getRank() const { return getMap().outputs().size(); }
