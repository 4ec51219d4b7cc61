// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encodings that are given by their bases, and how bases are written.

#include "dialects/Layout/Encodings.h"
#include "dialects/TileGPU/EncodingVerifiers.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

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
// SharedLinear
//===----------------------------------------------------------------------===//

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

LogicalResult SharedLinearAttr::verifyTile(ArrayRef<int64_t> shape, unsigned,
                                           EmitError emitError) const {
  LinearLayout map = getMap();
  for (auto [output, size] : llvm::zip_equal(map.outputs(), shape))
    if ((int64_t(1) << output.bits) != size)
      return emitError() << "expects size " << (int64_t(1) << output.bits)
                         << " in dimension " << output.axis.dimension()
                         << ", which the bases reach, but got " << size;
  return success();
}

unsigned SharedLinearAttr::getRank() const { return getMap().outputs().size(); }
