// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots, run on the CPU. The operands are small integers, whose sums are exact
// in every type. The interpreter has the fragments of the instructions from the
// PTX ISA, so a wrong register is a wrong number.

#include "LoweredKernel.h"

#include "mlir/AsmParser/AsmParser.h"

#include "gtest/gtest.h"

using namespace tilewright::test;

namespace {

struct DotCase {
  const char *target;
  /// The result's layout.
  const char *layout;
  const char *instruction;
  unsigned kWidth;
  const char *operand, *accumulator;
  unsigned warps;
  int64_t batches, rows, columns, k;
};

std::ostream &operator<<(std::ostream &stream, const DotCase &dot) {
  return stream << dot.target << " " << dot.layout << " " << dot.instruction
                << " " << dot.operand << " -> " << dot.accumulator << ", "
                << dot.batches << "x" << dot.rows << "x" << dot.columns << "x"
                << dot.k;
}

std::string dotOperand(const DotCase &dot, unsigned index) {
  return "#tilegpu.dot_operand<index = " + std::to_string(index) +
         ", parent = #l" +
         (dot.kWidth ? ", kWidth = " + std::to_string(dot.kWidth) : "") + ">";
}

std::vector<int64_t> shapeOf(const DotCase &dot, int64_t rows,
                             int64_t columns) {
  if (dot.batches == 0)
    return {rows, columns};
  return {dot.batches, rows, columns};
}

std::string buildDot(const DotCase &dot) {
  KernelText kernel(dot.target, dot.warps);
  kernel.alias("l", dot.layout);
  kernel.alias("a", dotOperand(dot, 0));
  kernel.alias("b", dotOperand(dot, 1));
  auto shapeA = shapeOf(dot, dot.rows, dot.k);
  auto shapeB = shapeOf(dot, dot.k, dot.columns);
  auto shapeC = shapeOf(dot, dot.rows, dot.columns);
  kernel.load("a", "a", shapeA, dot.operand, "#a");
  kernel.load("b", "b", shapeB, dot.operand, "#b");
  kernel.load("c", "c", shapeC, dot.accumulator, "#l");
  std::string types = tensorType(shapeA, dot.operand, "#a") + " * " +
                      tensorType(shapeB, dot.operand, "#b") + " -> " +
                      tensorType(shapeC, dot.accumulator, "#l");
  kernel.line(std::string("%d = tilegpu.mma %a, %b, %c instruction = [") +
              dot.instruction + "] : " + types);
  kernel.store("d", "d", shapeC, dot.accumulator, "#l");
  return kernel.build();
}

/// A tile of numbers in memory.
struct Numbers {
  Numbers(mlir::Type type, size_t count)
      : type(type), bytes(type.getIntOrFloatBitWidth() / 8), values(count) {}
  size_t size() const { return bytes * values.size(); }
  void randomise(std::mt19937 &random) {
    for (int &value : values)
      value = int(random() % 9) - 4;
  }
  std::vector<uint8_t> encode() const {
    std::vector<uint8_t> memory;
    for (int value : values) {
      uint64_t bits = mlir::isa<mlir::IntegerType>(type)
                          ? uint64_t(int64_t(value))
                          : encodeFloat(value, type);
      for (unsigned byte = 0; byte < bytes; ++byte)
        memory.push_back(bits >> 8 * byte);
    }
    return memory;
  }

  mlir::Type type;
  unsigned bytes;
  std::vector<int> values;
};

void checkDot(const DotCase &dot, std::mt19937 &random) {
  SCOPED_TRACE(dot);
  LoweredKernel lowered(buildDot(dot));
  ASSERT_TRUE(lowered.isValid()) << lowered.diagnostics();
  mlir::MLIRContext *context = lowered.function().getContext();
  int64_t batches = std::max<int64_t>(1, dot.batches);
  mlir::Type operand = mlir::parseType(dot.operand, context);
  mlir::Type accumulator = mlir::parseType(dot.accumulator, context);
  Numbers a(operand, batches * dot.rows * dot.k),
      b(operand, batches * dot.k * dot.columns),
      c(accumulator, batches * dot.rows * dot.columns);
  uint64_t address = LaneInterpreter::globalBase;
  LaneInterpreter machine(dot.warps, a.size() + b.size() + 2 * c.size());
  std::vector<uint64_t> arguments;
  for (Numbers *numbers : {&a, &b, &c}) {
    numbers->randomise(random);
    machine.write<uint8_t>(address, numbers->encode());
    arguments.push_back(address);
    address += numbers->size();
  }
  arguments.push_back(address);
  ASSERT_EQ(machine.run(lowered.function(), arguments), "");
  Numbers expected(accumulator, c.values.size());
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t i = 0; i < dot.rows; ++i)
      for (int64_t j = 0; j < dot.columns; ++j) {
        size_t at = (batch * dot.rows + i) * dot.columns + j;
        int sum = c.values[at];
        for (int64_t k = 0; k < dot.k; ++k)
          sum += a.values[(batch * dot.rows + i) * dot.k + k] *
                 b.values[(batch * dot.k + k) * dot.columns + j];
        expected.values[at] = sum;
      }
  EXPECT_EQ(machine.read<uint8_t>(address, c.size()), expected.encode());
}

constexpr const char *ampere = "#tilegpu.mma<m16n8, warps = [2, 2]>";

constexpr const char *volta = "#tilegpu.mma<m8n8k4, warps = [1, 1]>";

TEST(Dot, MatrixInstructions) {
  std::mt19937 random(1);
  const DotCase cases[] = {
      {"sm_80", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 64, 32, 32},
      {"sm_80", ampere, "16, 8, 16", 2, "f16", "f16", 4, 0, 32, 32, 32},
      {"sm_80", ampere, "16, 8, 16", 2, "bf16", "f32", 4, 0, 32, 64, 16},
      {"sm_80", ampere, "16, 8, 8", 2, "bf16", "f32", 4, 0, 32, 16, 8},
      {"sm_80", ampere, "16, 8, 8", 1, "f32", "f32", 4, 0, 32, 16, 32},
      {"sm_80", ampere, "16, 8, 4", 1, "f32", "f32", 4, 0, 32, 16, 4},
      {"sm_80", ampere, "16, 8, 32", 4, "i8", "i32", 4, 0, 32, 32, 64},
      {"sm_80", ampere, "16, 8, 16", 4, "i8", "i32", 4, 0, 32, 32, 16},
      {"sm_75", ampere, "16, 8, 8", 2, "f16", "f32", 4, 0, 32, 32, 16},
      {"sm_75", ampere, "16, 8, 8", 2, "f16", "f16", 4, 0, 32, 16, 8},
      {"sm_89", ampere, "16, 8, 32", 4, "f8E4M3FN", "f32", 4, 0, 32, 16, 64},
      {"sm_89", ampere, "16, 8, 32", 4, "f8E5M2", "f32", 4, 0, 32, 16, 32},
      {"sm_89", ampere, "16, 8, 16", 4, "f8E4M3FN", "f16", 4, 0, 32, 16, 32},
      {"sm_90a", ampere, "16, 8, 32", 4, "f8E4M3FN", "f32", 4, 0, 32, 32, 64},
      {"sm_90a", ampere, "16, 8, 32", 4, "f8E4M3FN", "f32", 4, 0, 32, 16, 16},
      {"sm_90a", ampere, "16, 8, 16", 2, "f8E4M3FN", "f16", 4, 0, 32, 16, 32},
      {"sm_75", "#tilegpu.mma<m8n8, warps = [2, 1]>", "8, 8, 16", 4, "i8",
       "i32", 2, 0, 16, 32, 32},
      {"sm_70", "#tilegpu.mma<m8n8k4, warps = [1, 2]>", "8, 8, 4", 4, "f16",
       "f32", 2, 0, 32, 32, 16},
      {"sm_70", "#tilegpu.mma<m8n8k4, warps = [2, 2]>", "8, 8, 4", 2, "f16",
       "f32", 4, 0, 32, 64, 8},
      {"sm_70", "#tilegpu.mma<m8n8k4f16, warps = [1, 2]>", "8, 8, 4", 4, "f16",
       "f16", 2, 0, 32, 32, 16},
      {"sm_70", "#tilegpu.mma<m8n8k4f16, warps = [2, 1]>", "8, 8, 4", 2, "f16",
       "f16", 2, 0, 32, 32, 8},
      {"sm_80", "#tilegpu.mma<m8n8, warps = [2, 2]>", "8, 8, 4", 1, "f64",
       "f64", 4, 0, 32, 16, 16}};
  for (const DotCase &dot : cases)
    checkDot(dot, random);
}

TEST(Dot, Batches) {
  std::mt19937 random(2);
  checkDot({"sm_80", "#tilegpu.mma<m16n8, warps = [2, 1, 2]>", "16, 8, 16", 2,
            "f16", "f32", 4, 4, 16, 32, 32},
           random);
}

/// More elements of K in a row than a register holds: both operands permute K
/// in the same way.
TEST(Dot, WideOperands) {
  std::mt19937 random(3);
  checkDot({"sm_80", ampere, "16, 8, 16", 4, "f16", "f32", 4, 0, 32, 16, 64},
           random);
  checkDot({"sm_80", ampere, "16, 8, 8", 4, "f32", "f32", 4, 0, 32, 16, 16},
           random);
}

/// Threads and registers that hold copies of a small tile.
TEST(Dot, TilesSmallerThanTheWarps) {
  std::mt19937 random(4);
  checkDot({"sm_80", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 16, 8, 16},
           random);
  checkDot({"sm_80", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 8, 4, 32},
           random);
}

/// Less of K than the instruction takes: words, lanes and elements of words
/// that lie beyond it are zero.
TEST(Dot, FewElementsOfK) {
  std::mt19937 random(5);
  const DotCase cases[] = {
      {"sm_80", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 32, 16, 8},
      {"sm_80", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 32, 16, 4},
      {"sm_80", ampere, "16, 8, 16", 2, "bf16", "f32", 4, 0, 32, 16, 1},
      {"sm_80", ampere, "16, 8, 8", 1, "f32", "f32", 4, 0, 32, 16, 2},
      {"sm_80", ampere, "16, 8, 32", 4, "i8", "i32", 4, 0, 32, 16, 8},
      {"sm_80", ampere, "16, 8, 32", 4, "i8", "i32", 4, 0, 2, 1, 2},
      {"sm_70", volta, "8, 8, 4", 2, "f16", "f32", 1, 0, 16, 16, 2},
      {"sm_70", volta, "8, 8, 4", 2, "f16", "f32", 1, 0, 4, 2, 1},
      {"sm_80", "#tilegpu.mma<m8n8, warps = [2, 2]>", "8, 8, 4", 1, "f64",
       "f64", 4, 0, 8, 16, 2}};
  for (const DotCase &dot : cases)
    checkDot(dot, random);
}

void expectDiagnostic(const DotCase &dot, const std::string &text) {
  SCOPED_TRACE(dot);
  LoweredKernel lowered(buildDot(dot));
  EXPECT_FALSE(lowered.isValid());
  EXPECT_NE(lowered.diagnostics().find(text), std::string::npos)
      << lowered.diagnostics();
}

TEST(Dot, RequestsThatAreDiagnosed) {
  expectDiagnostic(
      {"sm_75", ampere, "16, 8, 16", 2, "f16", "f32", 4, 0, 32, 16, 16},
      "expects an instruction that sm_75 has for 'f16' x 'f16' -> 'f32' "
      "(m16n8k8), but got m16n8k16");
  expectDiagnostic({"sm_80", "#tilegpu.mma<m8n8, warps = [2, 2]>", "16, 8, 16",
                    2, "f16", "f32", 4, 0, 32, 16, 16},
                   "expects an instruction of the result's family");
  expectDiagnostic(
      {"sm_80", ampere, "16, 8, 8", 4, "f16", "f32", 4, 0, 32, 16, 8},
      "expects fragments that fill the instruction along K");
}

} // namespace
