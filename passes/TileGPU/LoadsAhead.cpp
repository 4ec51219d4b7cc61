// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoadsAhead.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/ConversionRemarks.h"
#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/LoopTiles.h"
#include "passes/TileGPU/SharedTile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Warps of a multiprocessor, four for each of its schedulers, that hide what
/// little latency is left where loads are issued ahead.
static constexpr unsigned enoughWarps = 16;

bool tilegpu::isLoad(Operation &op) {
  std::optional<GlobalAccess> access = getGlobalAccess(&op);
  return access && op.getNumResults() == 1 &&
         hasSingleEffect<MemoryEffects::Read>(&op);
}

unsigned tilegpu::countRegistersOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = getElementTypeOrSelf(type);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  RegisterLayoutInterface layout =
      tensor ? getRegisterLayout(tensor) : RegisterLayoutInterface();
  unsigned elements = layout ? countRegisters(tensor, layout) : 1;
  return llvm::divideCeil(uint64_t(elements) * bits, 32);
}

/// Bytes of shared memory that a conversion by the first of `plans` takes.
static int64_t countSharedBytes(ArrayRef<layout::ConversionPlan> plans,
                                RankedTensorType type) {
  if (plans.empty() || plans.front().means != layout::Means::Shared)
    return 0;
  return countTileBytes(type);
}

LoadsAhead::LoadsAhead(scf::ForOp loop, const target::Target &target,
                       const SharedMemoryBudget &budget)
    : loop(loop), target(target), budget(budget),
      warps(std::max(1u, lookupNumWarps(loop))), addressing(loop) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (isLoad(op))
      loads.insert(&op);
}

bool LoadsAhead::hasLoads() {
  std::optional<APInt> trips = loop.getStaticTripCount();
  return !(trips && trips->ule(1)) && llvm::any_of(loads, [](Operation *load) {
    return isa<RankedTensorType>(load->getResult(0).getType());
  });
}

bool LoadsAhead::isSmall() {
  constexpr size_t mostOps = 256;
  auto isOfOne = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return !tile || toLinearLayout(tile).inputBits(layout::Axis::Register) == 0;
  };
  return loop.getBody()->getOperations().size() <= mostOps &&
         !loop.getBody()
              ->walk([&](Operation *op) {
                return llvm::all_of(op->getResultTypes(), isOfOne)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

std::optional<StringRef> LoadsAhead::findObstacle() {
  if (loop.getUnsignedCmp())
    return "it counts without a sign";
  if (loop.getBody()
          ->walk([](Operation *op) {
            return isa<LoopLikeOpInterface>(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
          })
          .wasInterrupted())
    return "a loop in it would hold what it loads ahead";
  LoopWrites writes(loop);
  StringRef obstacle;
  loads.remove_if([&](Operation *load) {
    SmallVector<Value> reads = {getGlobalAccess(load)->pointers};
    if (!EarlyOps(loop).add(load, 0, reads))
      obstacle = "what it loads depends on what may not run ahead";
    else if (writes.mayReach(reads))
      obstacle = "it may write what a later iteration reads";
    else
      return false;
    return true;
  });
  SmallVector<Value> reads;
  for (Operation *load : loads)
    addressing.add(load, 0, reads);
  return loads.empty() ? std::optional(obstacle) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

ArrayRef<layout::ConversionPlan>
LoadsAhead::getPlans(ConvertLayoutOp conversion) {
  auto [known, isNew] = plans.try_emplace(conversion);
  auto from = cast<RankedTensorType>(conversion.getSource().getType());
  auto to = cast<RankedTensorType>(conversion.getType());
  if (isNew)
    known->second =
        listPlansOf(conversion, toLinearLayout(from), toLinearLayout(to),
                    getMemoryBits(to.getElementType()), target,
                    budget.getFreeBytes(conversion));
  return known->second;
}

/// The tile by which `reader`, a conversion through shared memory or an
/// allocation that holds a tensor, has its operand there; null where it is no
/// such op.
MemDescType LoadsAhead::planTile(Operation *reader) {
  if (auto allocation = dyn_cast<LocalAllocOp>(reader)) {
    MemDescType type = allocation.getType();
    bool hasViews = llvm::any_of(reader->getUsers(), [](Operation *user) {
      return llvm::any_of(user->getResultTypes(), llvm::IsaPred<MemDescType>);
    });
    if (!allocation.getSource() || hasViews)
      return {};
    return MemDescType::get(type.getContext(), type.getShape(),
                            type.getElementType(), type.getEncoding(),
                            /*buffers=*/1, /*isMutable=*/true);
  }
  auto conversion = dyn_cast<ConvertLayoutOp>(reader);
  if (!conversion)
    return {};
  ArrayRef<layout::ConversionPlan> plans = getPlans(conversion);
  if (plans.empty() || plans.front().means != layout::Means::Shared)
    return {};
  return getSharedTileType(
      cast<RankedTensorType>(conversion.getSource().getType()),
      plans.front().shared->shared);
}

/// Whether `value` is computed of loads of its iteration, element by element:
/// `ops` become the ops by which it is.
bool LoadsAhead::isMadeOfLoads(Value value,
                               llvm::SetVector<Operation *> &ops) const {
  SmallVector<Value> open = {value};
  bool hasLoad = false;
  while (!open.empty()) {
    auto [source, distance] = findSource(open.pop_back_val(), loop);
    if (!source || ops.contains(source))
      continue;
    bool isOwn = distance == 0 && loads.contains(source);
    hasLoad |= isOwn;
    if (isOwn)
      continue;
    bool isCheap =
        isElementwise(source) || isView(source) || makesTileOfScalars(source);
    if (distance != 0 || !isCheap || !isMemoryEffectFree(source) ||
        source->getNumRegions() != 0 || isReader(source))
      return false;
    ops.insert(source);
    llvm::append_range(open, source->getOperands());
  }
  return hasLoad;
}

bool LoadsAhead::isReader(Operation *op) const {
  return llvm::any_of(tiles, [&](const Tile &tile) {
    return llvm::is_contained(tile.readers, op);
  });
}

/// Has `reader` find its operand in shared memory, if that may be stored ahead.
void LoadsAhead::addTile(Operation *reader) {
  // What addresses are computed of runs ahead itself: rows of a table, say.
  if (addressing.getStage(reader))
    return;
  llvm::SetVector<Operation *> ops;
  MemDescType type = planTile(reader);
  if (!type || !isMadeOfLoads(reader->getOperand(0), ops))
    return;
  // What several ops read is stored once, where they want it in one place.
  for (Tile &tile : tiles)
    if (tile.source == reader->getOperand(0) && tile.type == type)
      return tile.readers.push_back(reader);
  tiles.push_back({reader->getOperand(0), type, {reader}});
}

/// Where shared memory does not hold all tiles twice, the largest stay as they
/// are: their loads are held until they are stored, as before, for the
/// iteration itself.
void LoadsAhead::findTiles() {
  tiles.clear();
  for (Operation &op : loop.getBody()->without_terminator())
    addTile(&op);
  while (!haveRoom())
    tiles.erase(llvm::max_element(tiles, [](const Tile &a, const Tile &b) {
      return a.type.getBufferBytes() < b.type.getBufferBytes();
    }));
  storing.clear();
  for (const Tile &tile : tiles)
    isMadeOfLoads(tile.source, storing);
}

/// Whether shared memory holds each tile twice beside what else is there, and
/// the multiprocessor as many CTAs as if it held each once, or enough.
bool LoadsAhead::haveRoom() {
  if (tiles.empty())
    return true;
  int64_t once = 0, others = 0;
  SmallVector<Value> allocated;
  for (const Tile &tile : tiles) {
    once += tile.type.getBufferBytes();
    for (Operation *reader : tile.readers)
      if (auto allocation = dyn_cast<LocalAllocOp>(reader))
        allocated.push_back(allocation);
  }
  loop.walk([&](Operation *op) {
    // Other conversions want room as well; on the same bytes as others they
    // would cost barriers.
    if (auto conversion = dyn_cast<ConvertLayoutOp>(op);
        conversion && !isReader(op))
      others += countSharedBytes(getPlans(conversion),
                                 cast<RankedTensorType>(conversion.getType()));
  });
  others += countBytesBeside(loop, allocated, budget);
  unsigned registers = countBeside();
  for (Operation *load : loads)
    registers += countRegistersOf(load->getResult(0).getType());
  unsigned ctas = countCtas(registers, others + 2 * once);
  return others + 2 * once <= target.sharedMemoryLimit &&
         (ctas * warps >= enoughWarps ||
          ctas == countCtas(registers, others + once));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

std::pair<bool, bool> LoadsAhead::findUses(Operation *load) {
  bool isStored = false, isLate = false;
  llvm::SetVector<Value> values;
  values.insert(load->getResult(0));
  for (size_t next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      // Behind the loop it is of the last iteration.
      if (!user)
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        values.insert(loop.getRegionIterArg(use.getOperandNumber()));
        isLate |= !loop.getResult(use.getOperandNumber()).use_empty();
      } else if (isReader(user)) {
        isStored = true;
      } else if (loads.contains(user)) {
        // An address.
      } else if (storing.contains(user) || addressing.getStage(user)) {
        values.insert_range(user->getResults());
      } else {
        isLate = true;
      }
    }
  return {isStored, isLate};
}

/// Registers that hold what is loaded ahead: for each iteration that a value
/// goes through, and where it is still used when the next one comes, once more.
unsigned LoadsAhead::countHeld(int distance) {
  unsigned held = 0;
  for (Operation *load : loads) {
    auto [isStored, isLate] = findUses(load);
    unsigned copies =
        isLate ? distance + 1 + (isStored ? 1 : 0) : (isStored ? distance : 0);
    held += copies * countRegistersOf(load->getResult(0).getType());
  }
  return held;
}

/// Registers of tiles where most live, without what is loaded ahead, or read
/// for a product from shared memory, piece by piece.
unsigned LoadsAhead::countBeside() {
  TileRegisters registers;
  RegisterPressure pressure(loop.getRegion(), registers);
  llvm::SetVector<Value> others;
  for (Operation *load : loads)
    others.insert(registers.findHolder(load->getResult(0)));
  for (Operation *op : storing)
    for (Value result : op->getResults())
      others.insert(registers.findHolder(result));
  for (const Tile &tile : tiles)
    for (Operation *reader : tile.readers)
      others.insert(registers.findHolder(reader->getResult(0)));
  unsigned most = pressure.getMostWithout(others.getArrayRef(), registers);
  llvm::SetVector<Value> used, holders;
  getUsedValuesDefinedAbove(loop.getRegion(), used);
  for (Value value : used)
    if (holders.insert(registers.findHolder(value)))
      most += registers.count(holders.back());
  return most;
}

unsigned LoadsAhead::countCtas(unsigned tileRegisters,
                               int64_t sharedBytes) const {
  return Occupancy(target, warps, estimateRegisters(tileRegisters))
      .countCtas(sharedBytes);
}

bool LoadsAhead::leavesCtas(int from, int to) {
  unsigned before = countCtas(countRegistersAt(from), 0);
  unsigned after = countCtas(countRegistersAt(to), 0);
  return after == before || after * warps >= enoughWarps;
}

int LoadsAhead::plan(int wanted) {
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    wanted =
        std::min<int64_t>(wanted, int64_t(trips->getLimitedValue(1 << 30)) - 1);
  unsigned limit = target.maxTileRegistersOf(warps * target::Target::warpSize);
  findTiles();
  while (wanted > 0 && !loads.empty() && countRegistersAt(1) > limit) {
    loads.remove(*llvm::max_element(loads, [](Operation *a, Operation *b) {
      return countRegistersOf(a->getResult(0).getType()) <
             countRegistersOf(b->getResult(0).getType());
    }));
    ++leftOut;
    findTiles();
  }
  if (wanted < 1 || loads.empty())
    return 0;
  auto fits = [&](int distance) {
    return estimateRegisters(countRegistersAt(distance)) <= limit &&
           leavesCtas(/*from=*/1, distance);
  };
  int distance = 1, most = isSmall() ? wanted : 1;
  while (distance < most && fits(distance + 1))
    ++distance;
  return distance;
}

/// Whether the loop computes tiles of several times the elements of what it
/// loads: of a row and a column a product, of a row what a state is reduced by.
bool LoadsAhead::computesMore() {
  auto countElements = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? tile.getNumElements() : 1;
  };
  int64_t loaded = 0, computed = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    for (Type type : op.getResultTypes()) {
      int64_t &most = isLoad(op) ? loaded : computed;
      most = std::max(most, countElements(type));
    }
  return computed >= 4 * loaded;
}

/// Whether an address takes the quotient of an unknown number: that takes
/// longer than what it would hide, and once more where the address is used
/// again.
bool LoadsAhead::dividesAhead() {
  return llvm::any_of(loop.getBody()->without_terminator(), [&](Operation &op) {
    return addressing.getStage(&op) && mayDivideByZero(&op);
  });
}

bool LoadsAhead::pay() {
  auto fill = [&](unsigned registers) {
    return llvm::all_of(loads, [&](Operation *load) {
      return countRegistersOf(load->getResult(0).getType()) <= registers;
    });
  };
  // Or whoever has written the loop asks for stages of it (`tl.range`).
  bool isAsked = loop->hasAttr(tt::numStagesAttrName);
  if (isAsked || ((fill(2) || (fill(8) && computesMore())) && !dividesAhead()))
    return leavesCtas(/*from=*/0, 1);
  return hasProducts(loop) &&
         countCtas(countRegistersAt(1), 0) == countCtas(countRegistersAt(0), 0);
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// Has `op`, and what renames its result for one user, stand before the first
/// op that uses it.
static void sink(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  if (!first)
    return;
  if (isView(first) && op->hasOneUse())
    sink(first);
  op->moveBefore(first);
}

void LoadsAhead::makeTile(const Tile &tile, EarlyOps &early, int stage) {
  Operation *first = tile.readers.front();
  OpBuilder builder(first);
  Location location = first->getLoc();
  auto allocation = LocalAllocOp::create(builder, location, tile.type,
                                         /*source=*/Value(),
                                         /*offset=*/IntegerAttr());
  auto store = LocalStoreOp::create(builder, location, tile.source, allocation);
  SmallVector<Value> reads;
  early.add(store, stage, reads);
  for (Operation *reader : tile.readers) {
    if (isa<LocalAllocOp>(reader)) {
      reader->replaceAllUsesWith(ValueRange{allocation.getResult()});
    } else {
      auto conversion = cast<ConvertLayoutOp>(reader);
      remarkOnConversion(conversion, getPlans(conversion),
                         budget.getFreeBytes(conversion));
      builder.setInsertionPoint(reader);
      auto load = LocalLoadOp::create(builder, reader->getLoc(),
                                      reader->getResult(0).getType(),
                                      allocation, /*token=*/Value());
      reader->replaceAllUsesWith(load);
      sink(load);
    }
    reader->erase();
  }
}

int64_t LoadsAhead::schedule(int distance) {
  EarlyOps early(loop);
  SmallVector<Value> reads;
  int last = getLastStage(distance);
  for (Operation *load : loads) {
    auto [isStored, isLate] = findUses(load);
    if (isStored || isLate)
      early.add(load, isStored ? 0 : last - distance, reads);
  }
  int64_t bytes = 0;
  for (const Tile &tile : tiles) {
    makeTile(tile, early, distance);
    bytes += tile.type.getBufferBytes();
  }
  early.cloneForLaterStages(last);
  // What was loaded is stored before more is loaded: registers go from the one
  // to the other.
  int order = 0;
  auto give = [&](llvm::function_ref<bool(std::optional<int>)> isNext) {
    for (Operation &op : loop.getBody()->without_terminator())
      if (std::optional<int> stage = early.getStage(&op);
          !getScheduledTime(&op) && isNext(stage))
        setScheduledTime(&op, {stage.value_or(last), order++});
  };
  give([&](std::optional<int> stage) {
    return stage == distance && !tiles.empty();
  });
  give([](std::optional<int> stage) { return stage.has_value(); });
  give([](std::optional<int>) { return true; });
  return bytes;
}
