// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op of tile IR and of tilegpu answers every question that passes and
// oracles ask: nothing is found out by its name. What a test cannot see from an
// op's name (whether results are scalars, say) stands in a table of exceptions,
// each with the reason; an exception that is not needed fails too.

#include "dialects/TileGPU/Placement/Placement.h"
#include "dialects/TileGPU/Work/Work.h"
#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Validation/TileGPUReading.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/Tile/TileIROps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

namespace {

struct Exception {
  StringRef name;
  StringRef reason;
};

class AnswersTest : public ::testing::Test {
protected:
  AnswersTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The ops that have to answer: those of the dialects of tile IR that it does
  /// not refuse, and of tilegpu; without functions.
  SmallVector<RegisteredOperationName> getOps() {
    SmallVector<RegisteredOperationName> ops =
        getRegisteredOps(context, "tilegpu");
    for (StringRef dialect : tile::getTileIRDialects())
      for (RegisteredOperationName name : getRegisteredOps(context, dialect))
        if (!tile::lacksLowering(name))
          ops.push_back(name);
    llvm::erase_if(ops, [](RegisteredOperationName name) {
      return name.hasInterface<FunctionOpInterface>();
    });
    return ops;
  }

  /// Every op is one that `answers` accepts, or an exception, never both.
  void expectAnswers(llvm::function_ref<bool(RegisteredOperationName)> answers,
                     ArrayRef<Exception> exceptions) {
    llvm::StringSet<> excepted;
    for (const Exception &exception : exceptions)
      excepted.insert(exception.name);
    for (RegisteredOperationName name : getOps()) {
      bool isExcepted = excepted.erase(name.getStringRef());
      EXPECT_NE(answers(name), isExcepted)
          << name.getStringRef().str()
          << (isExcepted ? " answers: it is no exception" : " has no answer");
    }
    for (StringRef left : excepted.keys())
      ADD_FAILURE() << left.str() << " is excepted, but there is no such op";
  }

  MLIRContext context;
};

/// Whether ops of a name may have memory effects of their own.
bool hasEffects(RegisteredOperationName name) {
  return name.hasInterface<MemoryEffectOpInterface>() &&
         !name.hasTrait<OpTrait::AlwaysSpeculatableImplTrait>() &&
         !name.hasTrait<OpTrait::IsTerminator>();
}

bool isElementwise(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() ||
         name.hasTrait<ElementwiseOnTiles>();
}

bool isOf(RegisteredOperationName name, StringRef dialect) {
  return name.getDialectNamespace() == dialect;
}

} // namespace

TEST_F(AnswersTest, thereAreOps) { EXPECT_GT(getOps().size(), 150u); }

TEST_F(AnswersTest, valuesOnWholeTiles) {
  validation::TileGPUReading reading;
  StringRef together = "programs come to it together, which the emulator runs";
  expectAnswers(
      [&](RegisteredOperationName name) {
        return reference::Interpreter::knows(name) ||
               reading.getOps().lookup(name);
      },
      {{"tt.elementwise_inline_asm", "text of PTX, which the emulator runs"},
       {"tile.reduce_scatter", together},
       {"tilegpu.store_parts", together}});
}

TEST_F(AnswersTest, placement) {
  StringRef scalar = "gives a scalar";
  StringRef replaced = "tile-structure-control-flow and canonicalization "
                       "replace it before";
  expectAnswers(
      [](RegisteredOperationName name) {
        return name.hasInterface<tilegpu::PlacementOpInterface>() ||
               name.hasInterface<ValueMergeOpInterface>() ||
               name.hasTrait<ExpandedBeforePlacement>() ||
               // Their types say where they are.
               isOf(name, "tilegpu") ||
               // What gives nothing takes tensors wherever they are.
               name.hasTrait<OpTrait::ZeroResults>();
      },
      {{"tt.get_program_id", scalar},
       {"tt.get_num_programs", scalar},
       {"tt.unsplat", scalar},
       {"scf.execute_region", replaced},
       {"scf.index_switch", replaced}});
}

TEST_F(AnswersTest, elementCost) {
  expectAnswers(
      [](RegisteredOperationName name) {
        return !isElementwise(name) ||
               name.hasInterface<ElementCostOpInterface>();
      },
      {});
}

/// What an op takes of a warp, once tensors have layouts (Work.h).
TEST_F(AnswersTest, work) {
  StringRef replaced = "others take its place when tensors get layouts, or "
                       "before barriers are placed";
  StringRef few = "is an instruction or none, whatever its tensors are";
  StringRef control = "becomes branches";
  expectAnswers(
      [](RegisteredOperationName name) {
        return name.hasInterface<tilegpu::WorkOpInterface>() ||
               name.hasInterface<GlobalAccessOpInterface>() ||
               name.hasInterface<tilegpu::SharedAccessOpInterface>() ||
               name.hasInterface<CoordinateMapOpInterface>() ||
               name.hasInterface<ElementCostOpInterface>() ||
               name.hasTrait<OpTrait::ConstantLike>() ||
               name.hasTrait<OpTrait::IsTerminator>() ||
               name.hasTrait<ExpandedBeforePlacement>() || isElementwise(name);
      },
      {{"tt.dot", replaced},
       {"tt.gather", replaced},
       {"tt.histogram", replaced},
       {"tt.assert", few},
       {"tt.get_num_programs", few},
       {"tt.get_program_id", few},
       {"tt.make_range", few},
       {"tt.print", few},
       {"tt.splat", few},
       {"tt.split", few},
       {"tt.unsplat", few},
       {"tilegpu.named_barrier", few},
       {"tilegpu.warp_specialize", "its agents do the work"},
       {"scf.execute_region", control},
       {"scf.for", control},
       {"scf.if", control},
       {"scf.index_switch", control},
       {"scf.while", control}});
}

TEST_F(AnswersTest, axisInformation) {
  StringRef sums = "combines elements: nothing is known of sums";
  StringRef floats = "gives floats";
  StringRef other = "gives neither integers nor pointers to scalars";
  expectAnswers(
      [](RegisteredOperationName name) {
        return name.hasInterface<AxisInfoOpInterface>() ||
               // The rule of all others; data flow joins where values meet.
               isElementwise(name) ||
               name.hasInterface<RegionBranchOpInterface>() ||
               name.hasInterface<CallOpInterface>() ||
               // Anything may have been stored.
               hasEffects(name) || name.hasTrait<OpTrait::ZeroResults>();
      },
      {{"tt.dot", sums},
       {"tt.dot_scaled", floats},
       {"tt.reduce", sums},
       {"tt.scan", sums},
       {"tt.histogram", sums},
       {"tile.dequantize", floats},
       {"tile.solve_unit_lower", floats},
       {"tilegpu.mma", sums},
       {"tilegpu.partial_reduce", sums},
       {"tilegpu.pend", sums},
       {"tt.advance", other},
       {"tt.make_tensor_descriptor", other},
       {"tt.make_tensor_ptr", other},
       {"tilegpu.memdesc_index", other},
       {"tilegpu.memdesc_trans", other},
       {"tilegpu.tensor_map", other},
       {"ub.poison", "may be anything"}});
}

TEST_F(AnswersTest, memoryEffects) {
  expectAnswers(
      [](RegisteredOperationName name) {
        return name.hasInterface<MemoryEffectOpInterface>() ||
               name.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      },
      {{"tt.call", "has its callee's, which is inlined"},
       {"ub.unreachable", "is never executed"},
       {"tilegpu.warp_specialize",
        "has those of its agents, in no order that one could say"}});
}

TEST_F(AnswersTest, sharedAccesses) {
  StringRef none = "has its effect on no descriptor";
  expectAnswers(
      [](RegisteredOperationName name) {
        return !isOf(name, "tilegpu") || !hasEffects(name) ||
               name.hasInterface<tilegpu::SharedAccessOpInterface>();
      },
      {{"tilegpu.async_commit", none},
       {"tilegpu.async_wait", none},
       {"tilegpu.bulk_store_wait", none},
       {"tilegpu.barrier", none},
       {"tilegpu.barrier_arrive", none},
       {"tilegpu.barrier_wait", none},
       {"tilegpu.named_barrier", none},
       {"tilegpu.proxy_fence", none},
       {"tilegpu.wgmma_wait", none}});
}
