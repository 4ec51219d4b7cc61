// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis analysis against evaluation: every claim on every value of random
// tile programs is compared with the value's elements. And a few claims that it
// must make, so that it cannot pass by claiming nothing.

#include "passes/Analysis/AxisAnalysis.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "test/Unit/TileToTileGPU/RandomTileProgram.h"
#include "test/Unit/TileToTileGPU/TileEvaluator.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using tilewright::AxisInfo;
using tilewright::test::RandomTileProgram;
using tilewright::test::Tile;
using tilewright::test::TileEvaluator;
using tilewright::tilegpu::AxisAnalysis;

namespace {

class AxisAnalysisTest : public ::testing::Test {
protected:
  AxisAnalysisTest() {
    context.loadDialect<tilewright::tt::TritonDialect, arith::ArithDialect,
                        scf::SCFDialect, cf::ControlFlowDialect>();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

int64_t getStepBytes(Type type) {
  auto pointer =
      dyn_cast<tilewright::tt::PointerType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getPointeeType().getIntOrFloatBitWidth() / 8 : 1;
}

/// How many claims were compared that say more than nothing.
struct ClaimCounts {
  int64_t contiguity = 0, divisibility = 0, constancy = 0, constant = 0;
  int64_t nonNegative = 0, vectors = 0, spacing = 0, prefixes = 0;
};

/// The claims along `dim` that `tile` contradicts, or an empty string.
std::string compareAxis(const Tile &tile, const AxisInfo &info, unsigned dim,
                        int64_t step, ClaimCounts &counts) {
  int64_t stride = 1;
  for (size_t inner = dim + 1; inner < tile.shape.size(); ++inner)
    stride *= tile.shape[inner];
  int64_t contiguity = info.contiguity[dim];
  int64_t divisibility = info.divisibility[dim];
  int64_t constancy = info.constancy[dim];
  counts.contiguity += contiguity > 1;
  counts.divisibility += divisibility > 1;
  counts.constancy += constancy > 1;
  int64_t spacing = info.spacing[dim];
  counts.spacing += spacing > divisibility && constancy == 1;
  int64_t prefixes = info.prefixes[dim];
  counts.prefixes += prefixes > constancy;
  if (contiguity > tile.shape[dim] || constancy > tile.shape[dim] ||
      prefixes > tile.shape[dim])
    return "a run longer than the dimension";
  for (auto [index, value] : llvm::enumerate(tile.elements)) {
    int64_t at = int64_t(index) / stride % tile.shape[dim];
    int64_t previous = at ? tile.elements[index - stride] : 0;
    if (at % contiguity != 0 && value != previous + step)
      return "contiguity";
    if (at % contiguity == 0 && value % divisibility != 0)
      return "divisibility";
    if (at % constancy != 0 && value != previous)
      return "constancy";
    if (at % prefixes != 0 && value != 0 && previous == 0)
      return "prefixes";
    if (at != 0 && (value - previous) % spacing != 0)
      return "spacing";
  }
  return "";
}

std::string compare(const Tile &tile, const AxisInfo &info, int64_t step,
                    ClaimCounts &counts) {
  if (info.contiguity.size() != tile.shape.size())
    return "rank";
  for (unsigned dim = 0; dim < tile.shape.size(); ++dim)
    if (std::string wrong = compareAxis(tile, info, dim, step, counts);
        !wrong.empty())
      return wrong + " along " + std::to_string(dim);
  counts.constant += info.constant.has_value();
  counts.nonNegative += info.nonNegative;
  if (info.constant && llvm::any_of(tile.elements, [&](int64_t value) {
        return value != *info.constant;
      }))
    return "constant";
  if (info.nonNegative &&
      llvm::any_of(tile.elements, [](int64_t value) { return value < 0; }))
    return "non-negative";
  return "";
}

/// Whether each aligned group of `count` elements along `dim` may be one
/// access.
bool isVectorizable(const Tile &pointers, const Tile *mask, unsigned dim,
                    int64_t count, int64_t bytes) {
  int64_t stride = 1;
  for (size_t inner = dim + 1; inner < pointers.shape.size(); ++inner)
    stride *= pointers.shape[inner];
  for (auto [index, address] : llvm::enumerate(pointers.elements)) {
    int64_t at = int64_t(index) / stride % pointers.shape[dim] % count;
    if (at == 0 && address % (count * bytes) != 0)
      return false;
    if (at != 0 && address != pointers.elements[index - stride] + bytes)
      return false;
    if (at != 0 && mask &&
        mask->elements[index] != mask->elements[index - stride])
      return false;
  }
  return count * bytes <= 16;
}

/// Evaluates one program several times and checks all claims.
class Checker {
public:
  Checker(ModuleOp module, const std::string &text)
      : module(module), text(text), analysis(module) {}

  void check(unsigned seed, ClaimCounts &counts, int64_t &numValues) {
    std::mt19937 random(seed);
    auto function = *module.getOps<tilewright::tt::FuncOp>().begin();
    for (int64_t programId : {0, 1, 5, 6}) {
      llvm::DenseMap<Value, Tile> latest;
      auto observe = [&](Value value, const Tile &tile) {
        ++numValues;
        checkValue(value, tile, counts);
        checkVectors(value, tile, latest, counts);
        latest[value] = tile;
      };
      auto isSignKnown = [&](Value value) {
        const AxisInfo *info = analysis.lookup(value);
        return info && info->constant.has_value();
      };
      TileEvaluator evaluator(programId, observe, isSignKnown);
      auto any = [&](int bound) { return int64_t(random() % bound); };
      evaluator.setArgument(function.getArgument(0), (any(12) - 4) * 8);
      evaluator.setArgument(function.getArgument(1), any(50) - 15);
      evaluator.setArgument(function.getArgument(2), 4096 + 16 * any(64));
      evaluator.setArgument(function.getArgument(3), 8192 + 4 * any(64));
      evaluator.run(function.getBody().front());
      ASSERT_EQ(evaluator.unsupported, "");
    }
  }

private:
  std::string describe(Value value, const AxisInfo &info) {
    std::string description;
    llvm::raw_string_ostream os(description);
    value.print(os);
    os << "\n  ";
    info.print(os);
    os << "\nin\n";
    module.print(os);
    return description;
  }

  void checkValue(Value value, const Tile &tile, ClaimCounts &counts) {
    const AxisInfo *info = analysis.lookup(value);
    ASSERT_TRUE(info) << text;
    std::string wrong =
        compare(tile, *info, getStepBytes(value.getType()), counts);
    ASSERT_EQ(wrong, "") << describe(value, *info);
  }

  /// Checks getVectorElements on pointers, without a mask and with each mask of
  /// their shape computed so far.
  void checkVectors(Value value, const Tile &tile,
                    const llvm::DenseMap<Value, Tile> &latest,
                    ClaimCounts &counts) {
    if (!isa<tilewright::tt::PointerType>(
            getElementTypeOrSelf(value.getType())))
      return;
    int64_t bytes = getStepBytes(value.getType());
    auto checkMask = [&](Value mask, const Tile *maskTile) {
      for (unsigned dim = 0; dim < tile.shape.size(); ++dim) {
        int64_t count = analysis.getVectorElements(value, mask, dim);
        counts.vectors += count > 1;
        ASSERT_TRUE(count == 1 ||
                    isVectorizable(tile, maskTile, dim, count, bytes))
            << count << " elements along " << dim << "\n"
            << describe(value, *analysis.lookup(value));
      }
    };
    checkMask(nullptr, nullptr);
    for (const auto &[mask, maskTile] : latest)
      if (getElementTypeOrSelf(mask.getType()).isInteger(1) &&
          maskTile.shape == tile.shape)
        checkMask(mask, &maskTile);
  }

  ModuleOp module;
  const std::string &text;
  AxisAnalysis analysis;
};

TEST_F(AxisAnalysisTest, ClaimsHoldOnRandomPrograms) {
  ClaimCounts counts;
  int64_t numValues = 0;
  for (unsigned seed = 0; seed < 5000 && !HasFatalFailure(); ++seed) {
    std::string text = RandomTileProgram(seed).write(/*numOps=*/24);
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << text;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Checker(*module, text).check(seed, counts, numValues);
  }
  // The claims compared, so that the test shows that it tests.
  RecordProperty("values", std::to_string(numValues));
  llvm::outs() << numValues << " values; claims: " << counts.contiguity
               << " contiguity, " << counts.divisibility << " divisibility, "
               << counts.constancy << " constancy, " << counts.constant
               << " constants, " << counts.nonNegative << " signs, "
               << counts.vectors << " vectors, " << counts.spacing
               << " spacings, " << counts.prefixes << " prefixes\n";
  EXPECT_GT(counts.contiguity, 10000);
  EXPECT_GT(counts.constancy, 10000);
  EXPECT_GT(counts.vectors, 100);
  EXPECT_GT(counts.spacing, 1000);
  EXPECT_GT(counts.prefixes, 100);
}

/// The vector width of the store in `module`'s first function.
unsigned getStoreVector(ModuleOp module) {
  AxisAnalysis analysis(module);
  unsigned elements = 0;
  module.walk([&](tilewright::tt::StoreOp store) {
    elements = analysis.getVectorElements(store.getPtr(), store.getMask(), 0);
  });
  return elements;
}

std::string getMaskedStore(const std::string &element,
                           const std::string &pointerHint,
                           const std::string &sizeHint) {
  std::string pointers = "tensor<64x!tt.ptr<" + element + ">>";
  return "tt.func @kernel(%p: !tt.ptr<" + element + "> " + pointerHint +
         ", %n: i32 " + sizeHint + ", %value: tensor<64x" + element + ">) {\n" +
         R"(  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %splat = tt.splat %start : i32 -> tensor<64xi32>
  %offsets = arith.addi %splat, %range : tensor<64xi32>
  %bound = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offsets, %bound : tensor<64xi32>
)" + "  %base = tt.splat %p : !tt.ptr<" +
         element + "> -> " + pointers +
         "\n  %x = tt.addptr %base, %offsets : " + pointers +
         ", tensor<64xi32>\n  tt.store %x, %value, %mask : " + pointers +
         "\n  tt.return\n}\n";
}

TEST_F(AxisAnalysisTest, VectorsFollowHints) {
  const std::string by16 = "{tt.divisibility = 16 : i32}";
  const std::string by4 = "{tt.divisibility = 4 : i32}";
  auto getVector = [&](const std::string &element, const std::string &pointer,
                       const std::string &size) {
    OwningOpRef<ModuleOp> module =
        parse(getMaskedStore(element, pointer, size));
    return module ? getStoreVector(*module) : 0;
  };
  EXPECT_EQ(getVector("f16", by16, by16), 8u);
  EXPECT_EQ(getVector("f32", by16, by16), 4u);
  EXPECT_EQ(getVector("i8", by16, by16), 16u);
  EXPECT_EQ(getVector("f64", by16, by16), 2u);
  // The mask may change at any element, or at every fourth.
  EXPECT_EQ(getVector("f16", by16, ""), 1u);
  EXPECT_EQ(getVector("f16", by16, by4), 4u);
  // The address is a multiple of the element's size, or of four bytes.
  EXPECT_EQ(getVector("f16", "", by16), 1u);
  EXPECT_EQ(getVector("f16", by4, by16), 2u);
}

TEST_F(AxisAnalysisTest, FunctionMayBeTheRoot) {
  OwningOpRef<ModuleOp> module = parse(R"(
    tt.func private @helper(%n: i32 {tt.divisibility = 8 : i32}) {
      %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
      tt.return
    })");
  ASSERT_TRUE(module);
  auto function = *module->getOps<tilewright::tt::FuncOp>().begin();
  AxisAnalysis analysis(function);
  const AxisInfo *argument = analysis.lookup(function.getArgument(0));
  ASSERT_TRUE(argument);
  EXPECT_EQ(argument->divisibility.front(), 8);
  Operation &range = function.getBody().front().front();
  ASSERT_TRUE(analysis.lookup(range.getResult(0)));
  EXPECT_EQ(analysis.lookup(range.getResult(0))->contiguity.front(), 16);
}

TEST_F(AxisAnalysisTest, NarrowSumsMayOverflow) {
  OwningOpRef<ModuleOp> module = parse(R"(
    tt.func @kernel(%x: i8) {
      %c127 = arith.constant 127 : i8
      %low = arith.andi %x, %c127 : i8
      %sum = arith.addi %low, %low : i8
      tt.return
    })");
  ASSERT_TRUE(module);
  AxisAnalysis analysis(*module);
  SmallVector<bool> signs;
  module->walk([&](Operation *op) {
    if (isa<arith::AndIOp, arith::AddIOp>(op))
      signs.push_back(analysis.lookup(op->getResult(0))->nonNegative);
  });
  EXPECT_EQ(signs, (SmallVector<bool>{true, false}));
}

} // namespace
