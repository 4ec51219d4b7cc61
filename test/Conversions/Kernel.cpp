// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a conversion, as text.

#include "dialects/TileGPU/ConversionRules.h"
#include "test/Conversions/Trial.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::conversions;
using layout::Axis;
using layout::LinearLayout;
using llvm::formatv;

namespace {

/// Writes one kernel.
class Writer {
public:
  Writer(const ConversionCase &conversion, llvm::raw_ostream &out)
      : conversion(conversion), out(out),
        element("i" + std::to_string(conversion.elementBits)) {}

  void write();

private:
  /// Elements of one access to global memory, for a thread that has so many.
  unsigned vectorElements(unsigned registers) const {
    return std::min(registers, 128 / conversion.elementBits);
  }
  std::string vectorType(unsigned elements) const {
    return elements == 1 ? element
                         : formatv("vector<{0}x{1}>", elements, element).str();
  }
  /// The address of the thread's register `index` behind %BASE, as %NAME.
  void writeAddress(llvm::StringRef name, llvm::StringRef base, unsigned index);
  void writeThreadStart(llvm::StringRef base, llvm::StringRef argument,
                        unsigned registers);
  void writeLoads(unsigned registers);
  void writeStores(unsigned registers);
  /// "%a0, %a1, ..." and "i8, i8, ...".
  static std::string list(llvm::StringRef prefix, unsigned count);
  std::string types(unsigned count) const;
  /// "tensor<8x16xi8, #tilegpu.linear<...>>".
  std::string tensorType(const LinearLayout &map) const;

  const ConversionCase &conversion;
  llvm::raw_ostream &out;
  std::string element;
};

} // namespace

std::string Writer::list(llvm::StringRef prefix, unsigned count) {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += formatv("{0}%{1}{2}", index ? ", " : "", prefix, index).str();
  return text;
}

std::string Writer::types(unsigned count) const {
  std::string text = element;
  for (unsigned index = 1; index < count; ++index)
    text += ", " + element;
  return text;
}

std::string Writer::tensorType(const LinearLayout &map) const {
  std::string bases;
  for (const layout::AxisBits &input : map.inputs()) {
    bases += (bases.empty() ? "" : ", ") + input.axis.name() + " = [";
    for (unsigned bit = 0; bit < input.bits; ++bit)
      bases += formatv("{0}[{1}, {2}]", bit ? ", " : "",
                       map.basis(input.axis, bit, Axis::coordinate(0)),
                       map.basis(input.axis, bit, Axis::coordinate(1)));
    bases += "]";
  }
  return formatv("tensor<{0}x{1}x{2}, #tilegpu.linear<{3}>>",
                 1u << conversion.tensor.rows, 1u << conversion.tensor.columns,
                 element, bases);
}

void Writer::writeAddress(llvm::StringRef name, llvm::StringRef base,
                          unsigned index) {
  out << formatv("  %{0} = llvm.getelementptr %{1}[{2}] : (!llvm.ptr<1>) -> "
                 "!llvm.ptr<1>, {3}\n",
                 name, base, index, element);
}

void Writer::writeThreadStart(llvm::StringRef base, llvm::StringRef argument,
                              unsigned registers) {
  out << formatv("  %{0}_start = builtin.unrealized_conversion_cast %{1} : "
                 "!tt.ptr<i8> to !llvm.ptr<1>\n"
                 "  %{0}_size = llvm.mlir.constant({2} : i32) : i32\n"
                 "  %{0}_index = llvm.mul %thread, %{0}_size : i32\n"
                 "  %{0} = llvm.getelementptr %{0}_start[%{0}_index] : "
                 "(!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {3}\n",
                 base, argument, registers, element);
}

void Writer::writeLoads(unsigned registers) {
  unsigned count = vectorElements(registers);
  for (unsigned first = 0; first < registers; first += count) {
    std::string vector = formatv("v{0}", first);
    writeAddress(vector + "p", "from", first);
    if (count == 1)
      vector = formatv("a{0}", first);
    out << formatv("  %{0} = llvm.load %v{1}p {{alignment = {2} : i64} : "
                   "!llvm.ptr<1> -> {3}\n",
                   vector, first, count * conversion.elementBits / 8,
                   vectorType(count));
    for (unsigned index = 0; count > 1 && index < count; ++index)
      out << formatv("  %a{0} = llvm.extractelement %{1}[%c{2} : i32] : {3}\n",
                     first + index, vector, index, vectorType(count));
  }
}

void Writer::writeStores(unsigned registers) {
  unsigned count = vectorElements(registers);
  for (unsigned first = 0; first < registers; first += count) {
    std::string vector = formatv("b#{0}", first);
    if (count > 1) {
      vector = formatv("w{0}_0", first);
      out << formatv("  %{0} = llvm.mlir.poison : {1}\n", vector,
                     vectorType(count));
    }
    for (unsigned index = 0; count > 1 && index < count; ++index) {
      std::string next = formatv("w{0}_{1}", first, index + 1);
      out << formatv("  %{0} = llvm.insertelement %b#{1}, %{2}[%c{3} : i32] : "
                     "{4}\n",
                     next, first + index, vector, index, vectorType(count));
      vector = next;
    }
    std::string address = formatv("w{0}p", first);
    writeAddress(address, "to", first);
    out << formatv("  llvm.store %{0}, %{1} {{alignment = {2} : i64} : {3}, "
                   "!llvm.ptr<1>\n",
                   vector, address, count * conversion.elementBits / 8,
                   vectorType(count));
  }
}

void Writer::write() {
  unsigned sources = 1u << conversion.source.inputBits(Axis::Register);
  unsigned results = 1u << conversion.destination.inputBits(Axis::Register);
  std::string from = tensorType(conversion.source),
              to = tensorType(conversion.destination);
  out << formatv("tt.func public @case_{0}(%in: !tt.ptr<i8>, %out: "
                 "!tt.ptr<i8>) attributes {{tilegpu.num_warps = {1} : i32} {{\n"
                 "  %thread = nvvm.read.ptx.sreg.tid.x : i32\n",
                 conversion.number, 1u << conversion.tensor.warps);
  for (unsigned index = 0; index < 16; ++index)
    out << formatv("  %c{0} = llvm.mlir.constant({0} : i32) : i32\n", index);
  writeThreadStart("from", "in", sources);
  writeThreadStart("to", "out", results);
  writeLoads(sources);
  out << formatv("  %x = builtin.unrealized_conversion_cast {0} : {1} to {2}\n",
                 list("a", sources), types(sources), from);
  std::string wish;
  if (conversion.means)
    wish = formatv("{{{0} = \"{1}\"} ", tilegpu::meansAttrName,
                   layout::meansName(*conversion.means));
  out << formatv("  %y = tilegpu.convert_layout %x {0}: {1} -> {2}\n", wish,
                 from, to);
  out << formatv("  %b:{0} = builtin.unrealized_conversion_cast %y : {1} to "
                 "{2}\n",
                 results, to, types(results));
  writeStores(results);
  out << "  tt.return\n}\n";
}

std::string conversions::writeKernel(const ConversionCase &conversion) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Writer(conversion, stream).write();
  return text;
}
