// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot be exported: an operator made up for it, whose calls depend on a
// size in ways that no operator's of the library do. What can is run by
// test/Embedding/Inputs/exported.c.

#include "lib/Kernels/Export.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// y = x, of m numbers.
class CopyProblem : public Problem {
public:
  explicit CopyProblem(const Options &options)
      : m(options.size("m")), manner(options.choice("manner")) {
    unsigned size = signature.add(options.sizeNumber("m"));
    signature.addTensor("x", ElementType::F32, Role::Input, {size}, {1});
    signature.addTensor("y", ElementType::F32, Role::Output, {size}, {1});
  }
  std::vector<Configuration> configurations() const override {
    return {{{64, 1, 1}, 1, 1, 1}};
  }
  std::vector<Kernel> kernels(const Configuration &c) const override {
    int64_t programs = ceilDivide(m, 64);
    Kernel kernel{"copy", signature, {programs}, 1, 1, {}};
    if (manner == "square")
      kernel.grid.x = programs * programs;
    double added = manner == "written" ? double(m) : 0;
    kernel.text = [added](Reading &k) {
      Along rows(k.program(0) * 64.0, 64);
      Value x = k.load(k.tensor(0), {rows});
      k.store(k.tensor(1), {rows}, added ? x + added : x);
    };
    if (manner == "launches" && m > 64)
      return {kernel, kernel};
    return {kernel};
  }

private:
  int64_t m;
  std::string manner;
  Signature signature;
};

Operator makeCopy() {
  using Kind = OperatorOption::Kind;
  return {"copy",
          "",
          "",
          {{"m", Kind::Size, "", "numbers"},
           {"manner",
            Kind::Choice,
            "steps",
            "",
            {"steps", "square", "written", "launches"}}},
          {{"x", {"m"}}, {"y", {"m"}}},
          [](const Options &options) -> Result<std::unique_ptr<Problem>> {
            return std::unique_ptr<Problem>(new CopyProblem(options));
          }};
}

/// The source, or the error.
std::string exportOf(const char *manner) {
  static const Operator copy = makeCopy();
  Jit jit{runtime::CacheOptions()};
  ExportRequest request;
  request.of = &copy;
  request.variants = {{{"m", "1000"}, {"manner", manner}, {"dynamic", "m"}}};
  request.targets = {target::lookup("sm_80")};
  request.machineCode = false;
  request.name = "copy";
  auto sources = exportOperator(request, jit);
  return sources ? sources->source : sources.error().message;
}

} // namespace

TEST(Export, GridsGrowInSteps) {
  std::string source = exportOf("steps");
  EXPECT_NE(source.find("{{1, 64, 0}, {0, 1, 1}, {0, 1, 1}}"),
            std::string::npos)
      << source.substr(0, 2000);
}

TEST(Export, RefusesWhatHasNoFormula) {
  EXPECT_EQ(exportOf("square"),
            "expects grids and numbers that grow in equal steps with the "
            "dynamic size, but copy's do not; leave dynamic out");
  EXPECT_EQ(exportOf("written"),
            "expects code that serves all values of the dynamic size, but that "
            "of 64x1w1s1k1 depends on it; leave dynamic out");
  EXPECT_EQ(exportOf("launches"),
            "expects as many launches for all sizes, but got 1 at 1; leave "
            "dynamic out");
}
