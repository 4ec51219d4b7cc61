// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/Numeric/NumericTest.h"

#include "dialects/Target/Target.h"
#include "dialects/Tile/Tile.h"
#include "lib/Compiler/Compiler.h"
#include "lib/Judges/Emulator/Machine/Launch.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Reference/Reference.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <random>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::numeric;
using reference::readBytes;
using reference::writeBytes;

std::string numeric::tileOf(const std::string &type) {
  return "tensor<" + std::to_string(tileSize) + "x" + type + ">";
}

const std::vector<std::string> &numeric::getTargets() {
  static const std::vector<std::string> targets = compiler::supportedTargets();
  return targets;
}

/// Adds `name` + %offsets as tiles of pointers.
static std::string makePointers(const std::string &name,
                                const std::string &type) {
  std::string pointers = tileOf("!tt.ptr<" + type + ">");
  return "  %" + name + "_base = tt.splat %" + name + "_ptr : !tt.ptr<" + type +
         "> -> " + pointers + "\n  %" + name + "_places = tt.addptr %" + name +
         "_base, %offsets : " + pointers + ", " + tileOf("i32") + "\n";
}

std::string MapKernel::getText() const {
  std::string size = std::to_string(tileSize), parameters, loads;
  for (size_t index = 0; index < inputTypes.size(); ++index) {
    std::string name = "x" + std::to_string(index);
    parameters += "%" + name + "_ptr: !tt.ptr<" + inputTypes[index] + ">, ";
    loads += makePointers(name, inputTypes[index]) + "  %" + name +
             " = tt.load %" + name +
             "_places : " + tileOf("!tt.ptr<" + inputTypes[index] + ">") + "\n";
  }
  return "tt.func public @map(" + parameters + "%r_ptr: !tt.ptr<" + resultType +
         ">) {\n  %program = tt.get_program_id x : i32\n"
         "  %size = arith.constant " +
         size +
         " : i32\n  %first = arith.muli %program, %size : i32\n"
         "  %range = tt.make_range {start = 0 : i32, end = " +
         size + " : i32} : " + tileOf("i32") +
         "\n  %firsts = tt.splat %first : "
         "i32 -> " +
         tileOf("i32") +
         "\n  %offsets = arith.addi %range, %firsts : " + tileOf("i32") + "\n" +
         loads + body + "\n" + makePointers("r", resultType) +
         "  tt.store %r_places, %r : " + tileOf("!tt.ptr<" + resultType + ">") +
         "\n  tt.return\n}\n";
}

//===----------------------------------------------------------------------===//
// Types and codes
//===----------------------------------------------------------------------===//

NumericTest::NumericTest() {
  context.loadDialect<tt::TritonDialect, tilewright::tile::TileDialect,
                      arith::ArithDialect, math::MathDialect>();
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
  });
}

Type NumericTest::getType(const std::string &name) {
  return parseType(name, &context);
}

double NumericTest::decode(const std::string &type, uint64_t bits) {
  return reference::decodeReal(cast<FloatType>(getType(type)), bits);
}

uint64_t NumericTest::encode(const std::string &type, double value) {
  return reference::encodeReal(cast<FloatType>(getType(type)), value);
}

Bits NumericTest::allCodes(unsigned bits) {
  Bits codes(size_t(1) << bits);
  for (size_t code = 0; code < codes.size(); ++code)
    codes[code] = code;
  return codes;
}

Bits NumericTest::sampleCodes(const std::string &type, size_t count) {
  unsigned width = reference::getWidth(getType(type));
  std::mt19937_64 generator(11);
  Bits codes;
  // Numbers of narrower types lie at these, and their midpoints.
  for (uint64_t exponent = 0; exponent < 256; ++exponent)
    for (uint64_t mantissa = 0; mantissa < 32; ++mantissa)
      for (int64_t step : {-1, 0, 1}) {
        double number = std::ldexp(32.0 + mantissa, int(exponent) - 132);
        codes.push_back(encode(type, number) + step);
      }
  for (double special : {0.0, 1.0, double(INFINITY), double(NAN)})
    codes.push_back(encode(type, special));
  size_t positive = codes.size();
  for (size_t index = 0; index < positive; ++index)
    codes.push_back(codes[index] | uint64_t(1) << (width - 1));
  while (codes.size() < count)
    codes.push_back(reference::wrapInteger(generator(), width));
  return codes;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Codes as bytes, whole tiles: zeros follow.
static std::vector<uint8_t> toBytes(const Bits &codes, unsigned width) {
  size_t tiles = (codes.size() + tileSize - 1) / tileSize;
  std::vector<uint8_t> bytes(tiles * tileSize * width);
  for (auto [index, code] : llvm::enumerate(codes))
    writeBytes(bytes.data() + index * width, width, code);
  return bytes;
}

static Bits fromBytes(const std::vector<uint8_t> &bytes, unsigned width,
                      size_t count) {
  Bits codes(count);
  for (auto [index, code] : llvm::enumerate(codes))
    code = readBytes(bytes.data() + index * width, width);
  return codes;
}

Bits NumericTest::runReference(const MapKernel &kernel,
                               const std::vector<Bits> &inputs,
                               uint64_t undefinedBits) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kernel.getText(), &context);
  EXPECT_TRUE(bool(module)) << diagnostics << kernel.getText();
  if (!module)
    return {};
  reference::ReferenceMemory memory;
  std::vector<reference::Argument> arguments;
  size_t count = inputs.front().size();
  uint32_t programs = (count + tileSize - 1) / tileSize;
  auto addBuffer = [&](const std::string &type) -> std::vector<uint8_t> & {
    unsigned number = memory.addBuffer("", getType(type), programs * tileSize);
    arguments.push_back(
        reference::Argument::pointer(memory.getAddress(number)));
    return memory.getBuffer(number).bytes;
  };
  for (auto [type, codes] : llvm::zip_equal(kernel.inputTypes, inputs))
    addBuffer(type) = toBytes(codes, reference::getElementBytes(getType(type)));
  addBuffer(kernel.resultType);
  LogicalResult done = reference::interpret(
      *module->getOps<tt::FuncOp>().begin(), arguments, {programs, 1, 1},
      memory, {.undefinedBits = undefinedBits});
  EXPECT_TRUE(succeeded(done)) << diagnostics;
  return fromBytes(memory.getBuffer(inputs.size()).bytes,
                   reference::getElementBytes(getType(kernel.resultType)),
                   count);
}

/// The PTX of the kernel; nothing, and a failed test, where there is none.
static std::string compileKernel(const MapKernel &kernel,
                                 const std::string &target, unsigned numWarps) {
  CompileOptions options;
  options.targets = {target};
  options.numWarps = numWarps;
  options.sourceName = "map.mlir";
  std::string messages;
  options.onDiagnostic = [&](const tilewright::Diagnostic &diagnostic) {
    messages += diagnostic.message + "\n";
  };
  auto texts = compiler::emit(kernel.getText(), Emit::PTX, options);
  EXPECT_TRUE(texts.has_value())
      << target << ": " << messages << kernel.getText();
  return texts ? texts->front() : std::string();
}

Bits NumericTest::runCompiled(const MapKernel &kernel,
                              const std::vector<Bits> &inputs,
                              const std::string &target, unsigned numWarps) {
  std::string text = compileKernel(kernel, target, numWarps);
  if (text.empty())
    return {};
  emulator::GlobalMemory memory;
  emulator::SyntaxError error;
  auto program = emulator::Program::create(text, memory, error);
  EXPECT_TRUE(bool(program)) << target << ": PTX line " << error.location.line
                             << ": " << error.message;
  if (!program)
    return {};
  std::vector<uint64_t> addresses;
  std::vector<uint8_t> bytes;
  auto addBuffer = [&](const std::string &type, const Bits &codes) {
    bytes = toBytes(codes, reference::getElementBytes(getType(type)));
    addresses.push_back(memory.allocate(bytes.size()));
    memory.write(addresses.back(), bytes.data(), bytes.size());
  };
  for (auto [type, codes] : llvm::zip_equal(kernel.inputTypes, inputs))
    addBuffer(type, codes);
  size_t count = inputs.front().size();
  addBuffer(kernel.resultType, Bits(count));
  std::vector<uint8_t> parameters(8 * addresses.size());
  for (auto [index, address] : llvm::enumerate(addresses))
    writeBytes(parameters.data() + 8 * index, 8, address);
  const emulator::Kernel *code = program->find("map");
  parameters.resize(code->parameterBytes);
  emulator::LaunchOptions options;
  options.grid[0] = (count + tileSize - 1) / tileSize;
  options.block[0] = 32 * numWarps;
  // The kernels here take what they need of it.
  options.dynamicSharedBytes = target::lookup(target)->sharedMemoryLimit;
  for (const emulator::Fault &fault :
       emulator::launch(*code, parameters, memory, options).faults)
    ADD_FAILURE() << target << ": " << fault.message;
  memory.read(addresses.back(), bytes.data(), bytes.size());
  return fromBytes(
      bytes, reference::getElementBytes(getType(kernel.resultType)), count);
}

void NumericTest::expectReferenceBits(const MapKernel &kernel,
                                      const std::vector<Bits> &inputs) {
  Bits expected = runReference(kernel, inputs);
  auto type = dyn_cast<FloatType>(getType(kernel.resultType));
  for (auto [number, target] : llvm::enumerate(getTargets())) {
    Bits actual = runCompiled(kernel, inputs, target, number % 2 ? 1 : 4);
    ASSERT_EQ(actual.size(), expected.size());
    size_t failures = 0;
    for (size_t index = 0; index < expected.size() && failures < 5; ++index) {
      bool isSame = actual[index] == expected[index];
      if (type && !isSame)
        isSame = std::isnan(reference::decodeReal(type, expected[index])) &&
                 std::isnan(reference::decodeReal(type, actual[index]));
      failures += !isSame;
      EXPECT_TRUE(isSame) << target << ": of 0x" << std::hex << inputs[0][index]
                          << " expects 0x" << expected[index] << ", but got 0x"
                          << actual[index] << "\n"
                          << kernel.body;
    }
  }
}
