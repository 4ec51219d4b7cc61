// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/LayoutReport.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright::compiler;

/// The parts of the remark that are columns, with their headings.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> parts[] = {
    {"tensor", "tensor"}, {"from", "from"},   {"to", "to"},
    {"means", "means"},   {"price", "price"}, {"wavefronts", "wavefronts"},
    {"depth", "loops"},   {"plan", "plan"}};

/// "file:line:column" of where an op comes from.
static std::string describePlace(Location location) {
  std::string place = "?";
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = llvm::formatv("{0}:{1}:{2}", file.getFilename().getValue(),
                          file.getLine(), file.getColumn());
    return WalkResult::interrupt();
  });
  return place;
}

/// Keeps the remarks on conversions.
class LayoutReport::Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(LayoutReport &report) : report(report) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (remark.getRemarkName() != "layout-conversion")
      return;
    Row row = {remark.getFunction().str(), describePlace(remark.getLocation())};
    for (const auto &[key, heading] : parts)
      for (const remark::detail::Remark::Arg &argument : remark.getArgs())
        if (argument.key == key) {
          row.push_back(argument.val);
          uint64_t price = 0;
          if (key == "price" && llvm::to_integer(argument.val, price))
            report.price += price;
        }
    report.rows.push_back(std::move(row));
  }

private:
  LayoutReport &report;
};

LayoutReport::LayoutReport(MLIRContext &context) : context(context) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = ".*";
  // It fails only where a streamer cannot open its file: this one has none.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(*this),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

LayoutReport::~LayoutReport() { context.setRemarkEngine(nullptr); }

std::string LayoutReport::format(StringRef target) const {
  Row headings = {"kernel", "place"};
  for (const auto &[key, heading] : parts)
    headings.push_back(heading.str());
  std::vector<size_t> widths(headings.size(), 0);
  std::vector<Row> lines = {headings};
  lines.insert(lines.end(), rows.begin(), rows.end());
  for (const Row &line : lines)
    for (auto [column, cell] : llvm::enumerate(line))
      widths[column] = std::max(widths[column], cell.size());
  std::string text = llvm::formatv("layout conversions for {0}\n", target);
  for (const Row &line : lines) {
    std::string row;
    for (auto [column, cell] : llvm::enumerate(line))
      row += (column ? "  " : "") + cell +
             std::string(widths[column] - cell.size(), ' ');
    text += StringRef(row).rtrim().str() + "\n";
  }
  text += llvm::formatv("{0} conversions, price {1}\n", rows.size(), price);
  return text;
}
