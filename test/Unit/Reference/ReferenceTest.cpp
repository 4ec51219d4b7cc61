// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture, and tests of the interpreter's own diagnostics: arguments,
// unknown operations, and runs without an end.

#include "test/Unit/Reference/ReferenceTest.h"
#include "dialects/Tile/Tile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

//===----------------------------------------------------------------------===//
// The fixture
//===----------------------------------------------------------------------===//

ReferenceTest::ReferenceTest() {
  context.loadDialect<tt::TritonDialect, tile::TileDialect, arith::ArithDialect,
                      math::MathDialect, scf::SCFDialect,
                      cf::ControlFlowDialect, ub::UBDialect>();
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diagnostic) { diagnostics += diagnostic.str() + "\n"; });
}

Type ReferenceTest::getType(StringRef name) {
  return parseType(name, &context);
}

tt::FuncOp ReferenceTest::parse(const std::string &text) {
  modules.push_back(parseSourceString<ModuleOp>(text, &context));
  EXPECT_TRUE(modules.back()) << diagnostics << text;
  return modules.back() ? *modules.back()->getOps<tt::FuncOp>().begin()
                        : tt::FuncOp();
}

tt::FuncOp ReferenceTest::parseFile(const std::string &path) {
  modules.push_back(parseSourceFile<ModuleOp>(path, &context));
  EXPECT_TRUE(modules.back()) << diagnostics;
  return modules.back() ? *modules.back()->getOps<tt::FuncOp>().begin()
                        : tt::FuncOp();
}

unsigned ReferenceTest::addReals(StringRef type, const Reals &values) {
  std::string name = "p" + std::to_string(memory.getBuffers().size());
  return memory.addReals(name, getType(type), values);
}

unsigned ReferenceTest::addIntegers(StringRef type, const Integers &values) {
  std::string name = "p" + std::to_string(memory.getBuffers().size());
  return memory.addIntegers(name, getType(type), values);
}

LogicalResult ReferenceTest::run(tt::FuncOp function, Grid grid,
                                 std::vector<Argument> scalars) {
  std::vector<Argument> arguments;
  for (const Buffer &buffer : memory.getBuffers())
    arguments.push_back(Argument::pointer(buffer.address));
  arguments.insert(arguments.end(), scalars.begin(), scalars.end());
  return function ? interpret(function, arguments, grid, memory, options)
                  : failure();
}

bool ReferenceTest::evaluate(const std::string &body, const std::string &type,
                             int64_t count, unsigned &output) {
  std::string parameters;
  for (auto [number, buffer] : llvm::enumerate(memory.getBuffers())) {
    std::string element;
    llvm::raw_string_ostream(element) << buffer.elementType;
    parameters +=
        "%p" + std::to_string(number) + ": !tt.ptr<" + element + ">, ";
  }
  std::string size = std::to_string(count);
  std::string pointers = "tensor<" + size + "x!tt.ptr<" + type + ">>";
  std::string range = "tensor<" + size + "xi32>";
  tt::FuncOp function = parse(
      "tt.func @f(" + parameters + "%out: !tt.ptr<" + type + ">) {\n" + body +
      "\n  %range = tt.make_range {start = 0 : i32, end = " + size +
      " : i32} : " + range + "\n  %base = tt.splat %out : !tt.ptr<" + type +
      "> -> " + pointers +
      "\n  %places = tt.addptr %base, %range : " + pointers + ", " + range +
      "\n  tt.store %places, %r : " + pointers + "\n  tt.return\n}");
  output = memory.addBuffer("out", getType(type), count);
  bool succeeds = succeeded(run(function));
  EXPECT_TRUE(succeeds) << diagnostics;
  return succeeds;
}

Integers ReferenceTest::evaluateIntegers(const std::string &body,
                                         const std::string &type,
                                         int64_t count) {
  ReferenceMemory before = memory;
  unsigned output;
  Integers result(count);
  if (evaluate(body, type, count, output))
    result = memory.getIntegers(output);
  memory = before;
  return result;
}

Reals ReferenceTest::evaluateReals(const std::string &body,
                                   const std::string &type, int64_t count) {
  ReferenceMemory before = memory;
  unsigned output;
  Reals result(count);
  if (evaluate(body, type, count, output))
    result = memory.getReals(output);
  memory = before;
  return result;
}

//===----------------------------------------------------------------------===//
// The run itself
//===----------------------------------------------------------------------===//

TEST_F(ReferenceTest, ChecksArguments) {
  tt::FuncOp function =
      parse("tt.func @f(%n: i32 {tt.divisibility = 16 : i32}, %x: f32) {\n"
            "  tt.return\n}");
  EXPECT_TRUE(
      succeeded(run(function, {}, {Argument::integer(32), Argument::real(1)})));
  EXPECT_TRUE(failed(run(function, {}, {Argument::integer(32)})));
  EXPECT_TRUE(
      failed(run(function, {}, {Argument::integer(24), Argument::real(1)})));
  EXPECT_TRUE(
      failed(run(function, {}, {Argument::integer(32), Argument::integer(1)})));
  EXPECT_EQ(diagnostics,
            "expects 2 arguments, but got 1\n"
            "expects a multiple of 16 as argument 0, but got 24\n"
            "expects a value of type 'f32' as argument 1, but got an "
            "integer\n");
}

TEST_F(ReferenceTest, NamesUnknownOperations) {
  tt::FuncOp function = parse(
      "tt.func @f(%x: i32) {\n  %y = tt.elementwise_inline_asm \"mov.b32 $0, "
      "$1;\" {constraints = \"=r,r\", packed_element = 1 : i32, pure = true} "
      "%x : i32 -> i32\n  tt.return\n}");
  EXPECT_TRUE(failed(run(function, {}, {Argument::integer(1)})));
  EXPECT_EQ(diagnostics, "expects an operation that the reference knows, but "
                         "got 'tt.elementwise_inline_asm'\n");
}

/// It runs one program after the other.
TEST_F(ReferenceTest, RefusesSumsOverPrograms) {
  tt::FuncOp function = parse(
      "tt.func @f() {\n  %x = arith.constant dense<1> : tensor<4xi32>\n  %y = "
      "tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : "
      "tensor<4xi32> -> tensor<2xi32>\n  tt.return\n}");
  EXPECT_TRUE(failed(run(function, {}, {})));
  EXPECT_EQ(diagnostics, "expects an operation that the reference knows, but "
                         "got 'tile.reduce_scatter'\n");
}

TEST_F(ReferenceTest, RefusesTilesOfNoSize) {
  EXPECT_TRUE(failed(run(parse("tt.func @f() {\n  %x = ub.poison : "
                               "tensor<?xi32>\n  tt.return\n}"))));
  EXPECT_TRUE(failed(run(parse("tt.func @f() {\n  %x = ub.poison : "
                               "tensor<1048577xi8>\n  tt.return\n}"))));
  EXPECT_TRUE(failed(run(parse(
      "tt.func @f() {\n  %x = arith.constant 1 : i128\n  tt.return\n}"))));
  std::string text = "expects scalars of at most 64 bits, and tiles of at most "
                     "1048576 of them, but got ";
  EXPECT_EQ(diagnostics, text + "'tensor<?xi32>'\n" + text +
                             "'tensor<1048577xi8>'\n" + text + "'i128'\n");
}

TEST_F(ReferenceTest, GivesUpEndlessRuns) {
  options.maximumSteps = 1000;
  tt::FuncOp function =
      parse("tt.func @f() {\n  cf.br ^bb1\n^bb1:\n  cf.br ^bb1\n}");
  EXPECT_TRUE(failed(run(function)));
  EXPECT_EQ(diagnostics, "expects the grid to end within 1000 operations\n");
}

TEST_F(ReferenceTest, GivesUpEndlessRecursion) {
  tt::FuncOp function =
      parse("tt.func @f() {\n  tt.call @f() : () -> ()\n  tt.return\n}");
  EXPECT_TRUE(failed(run(function)));
  EXPECT_EQ(diagnostics, "expects at most 64 calls within each other\n");
}

/// Every program of the grid runs once, and knows where it is.
TEST_F(ReferenceTest, RunsTheWholeGrid) {
  unsigned out = addIntegers("i32", Integers(24, 0));
  tt::FuncOp function = parse(R"(
tt.func @f(%out: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %0 = arith.muli %z, %ny : i32
  %1 = arith.addi %0, %y : i32
  %2 = arith.muli %1, %nx : i32
  %3 = arith.addi %2, %x : i32
  %p = tt.addptr %out, %3 : !tt.ptr<i32>, i32
  %old = tt.load %p : !tt.ptr<i32>
  %4 = arith.addi %3, %old : i32
  tt.store %p, %4 : !tt.ptr<i32>
  tt.return
})");
  ASSERT_TRUE(succeeded(run(function, {4, 3, 2}))) << diagnostics;
  Integers expected(24);
  for (int64_t index = 0; index < 24; ++index)
    expected[index] = index;
  EXPECT_EQ(memory.getIntegers(out), expected);
}

/// What a signed i32 of -5 means to each conversion and extension.
TEST_F(ReferenceTest, WrapsArguments) {
  unsigned out = addIntegers("i64", {0, 0});
  tt::FuncOp function = parse(R"(
tt.func @f(%out: !tt.ptr<i64>, %n: i32) {
  %s = arith.extsi %n : i32 to i64
  %u = arith.extui %n : i32 to i64
  %c1 = arith.constant 1 : i32
  %q = tt.addptr %out, %c1 : !tt.ptr<i64>, i32
  tt.store %out, %s : !tt.ptr<i64>
  tt.store %q, %u : !tt.ptr<i64>
  tt.return
})");
  ASSERT_TRUE(succeeded(run(function, {}, {Argument::integer(-5)})));
  EXPECT_EQ(memory.getIntegers(out), (Integers{-5, 4294967291}));
}
