// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of a kernel's layout conversions.
//
// In: the remarks `layout-conversion` of the passes of one compilation. Out:
// the table, as text. It plans nothing and knows no plan: what the columns say
// is what the remarks say.

#ifndef TILEWRIGHT_LIB_COMPILER_LAYOUTREPORT_H
#define TILEWRIGHT_LIB_COMPILER_LAYOUTREPORT_H

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace tilewright::compiler {

class LayoutReport {
public:
  /// Takes the remarks of all passes that run in `context` until
  /// the next report begins there; nobody else gets them.
  explicit LayoutReport(mlir::MLIRContext &context);
  LayoutReport(const LayoutReport &) = delete;
  ~LayoutReport();

  /// A line for each conversion, in the order of the kernels and their ops,
  /// under a line that names the columns; then the sum of the prices.
  std::string format(llvm::StringRef target) const;

private:
  class Collector;
  using Row = std::vector<std::string>;

  mlir::MLIRContext &context;
  std::vector<Row> rows;
  uint64_t price = 0;
};

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_LAYOUTREPORT_H
