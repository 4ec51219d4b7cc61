// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/CopiesAhead.h"

#include "dialects/Target/Device.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/Work/Work.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/DeferredProducts.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/LoopTiles.h"
#include "passes/TileGPU/SharedTile.h"
#include "passes/TileGPU/SmallLoads.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Of shared memory, that a number takes with what aligns the next tile.
static constexpr int64_t numberBytes = 16;

static int64_t getBytes(Value tile) {
  return cast<MemDescType>(tile.getType()).getBufferBytes();
}

static int64_t getBytes(AsyncCopyOp copy) {
  return getBytes(copy.getDestination());
}

CopiesAhead::CopiesAhead(scf::ForOp loop, const target::Target &target,
                         unsigned launchedCtas, bool acquires)
    : loop(loop), target(target), launchedCtas(launchedCtas),
      acquires(acquires), early(loop) {
  for (auto copy : loop.getBody()->getOps<AsyncCopyOp>())
    copies.push_back(copy);
}

/// Whether the groups that the body waits for are of its own copies, and
/// waited for in the body itself.
bool CopiesAhead::ownsGroups() {
  auto waits = loop.getBody()->getOps<AsyncWaitOp>();
  if (waits.empty())
    return false;
  for (AsyncWaitOp wait : waits)
    for (Value token : wait.getTokens()) {
      auto group = token.getDefiningOp<AsyncCommitOp>();
      if (!group || group->getBlock() != loop.getBody())
        return false;
    }
  for (auto group : loop.getBody()->getOps<AsyncCommitOp>())
    for (Operation *user : group->getUsers())
      if (!isa<AsyncWaitOp>(user) || user->getBlock() != loop.getBody())
        return false;
  return true;
}

/// Stages before that of the copies, for what they load to know where they read
/// (pages, rows to gather), as many as one such load needs another. None where
/// threads would have to hold much of it.
int CopiesAhead::countStagesBefore() {
  constexpr int most = 2;
  constexpr unsigned mostRegisters = 16;
  EarlyOps trial(loop);
  SmallVector<Value> reads;
  for (AsyncCopyOp copy : copies)
    trial.add(copy, most, reads);
  int least = most;
  unsigned held = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<int> stage = trial.getStage(&op);
    if (!stage)
      continue;
    least = std::min(least, *stage);
    if (isLoad(op))
      held += countRegistersOf(op.getResult(0).getType());
  }
  return held <= mostRegisters ? most - least : 0;
}

std::optional<StringRef> CopiesAhead::findObstacle() {
  if (loop.getUnsignedCmp())
    return "it counts without a sign";
  if (!ownsGroups())
    return "it waits for other copies than its own, or in part of it";
  SmallVector<Value> reads;
  for (AsyncCopyOp copy : copies) {
    auto allocation = copy.getDestination().getDefiningOp<LocalAllocOp>();
    if (!allocation || allocation->getBlock() != loop.getBody())
      return "a tile that it copies to is not its own";
    reads.push_back(copy.getPointers());
  }
  first = countStagesBefore();
  for (AsyncCopyOp copy : copies)
    if (!early.add(copy, first, reads))
      return "what it copies depends on what may not run ahead";
  if (LoopWrites(loop).mayReach(reads))
    return "it may write what a later iteration reads";
  return std::nullopt;
}

/// Whether the load is of one number that a copy can bring.
static bool isOfNumber(tt::LoadOp load) {
  if (!load.getType().isIntOrFloat() || load.getOther() || load.mustReread())
    return false;
  unsigned bits = load.getType().getIntOrFloatBitWidth();
  return bits == 32 || bits == 64;
}

/// A copy of the number, which the iteration waits for, in place of `load`.
static AsyncCopyOp copyNumber(tt::LoadOp load) {
  OpBuilder builder(load);
  Location location = load.getLoc();
  auto layout = BlockedAttr::get(load.getContext(), /*elements=*/{1},
                                 /*threads=*/{target::Target::warpSize},
                                 /*warps=*/{unsigned(lookupNumWarps(load))},
                                 /*order=*/{0});
  auto spread = [&](Value value) -> Value {
    auto type = RankedTensorType::get({1}, value.getType(), layout);
    return tt::SplatOp::create(builder, location, type, value);
  };
  Value tile = createSharedWords(builder, location, 1, load.getType());
  auto copy = AsyncCopyOp::create(
      builder, location, spread(load.getPtr()), tile,
      load.getMask() ? spread(load.getMask()) : Value(), /*other=*/Value());
  auto group = AsyncCommitOp::create(builder, location, copy.getToken());
  AsyncWaitOp::create(builder, location, group->getResults(), /*pending=*/0);
  Value loaded = LocalLoadOp::create(
      builder, location, RankedTensorType::get({1}, load.getType(), layout),
      tile, /*token=*/Value());
  load.replaceAllUsesWith(
      Value(tt::UnsplatOp::create(builder, location, loaded)));
  load.erase();
  return copy;
}

SmallVector<tt::LoadOp> CopiesAhead::findNumbers() const {
  SmallLoads small(loop, early, target);
  SmallVector<tt::LoadOp> numbers;
  for (Operation *op : small.getLoads())
    if (auto load = dyn_cast<tt::LoadOp>(op); load && isOfNumber(load))
      numbers.push_back(load);
  return numbers;
}

int64_t CopiesAhead::copyNumbers() {
  SmallVector<Value> reads;
  SmallVector<tt::LoadOp> numbers = findNumbers();
  for (tt::LoadOp load : numbers) {
    copies.push_back(copyNumber(load));
    early.add(copies.back(), first, reads);
  }
  llvm::sort(copies, [](AsyncCopyOp a, AsyncCopyOp b) {
    return a->isBeforeInBlock(b);
  });
  return numberBytes * int64_t(numbers.size());
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

/// Bytes of one buffer of each tile that is copied to.
int64_t CopiesAhead::getTileBytes() const {
  int64_t bytes = 0;
  for (AsyncCopyOp copy : copies)
    bytes += getBytes(copy);
  return bytes;
}

/// What copies are made to.
SmallVector<Value> CopiesAhead::listTiles() const {
  return llvm::map_to_vector(
      copies, [](AsyncCopyOp copy) -> Value { return copy.getDestination(); });
}

int64_t CopiesAhead::countBytesBeside(const SharedMemoryBudget &budget) {
  return tilegpu::countBytesBeside(loop, listTiles(), budget);
}

/// Shared memory of a CTA whose tiles have two buffers.
int64_t CopiesAhead::countBytesOfTwo(const SharedMemoryBudget &budget,
                                     int64_t moreBytes) {
  return countBytesBeside(budget) + moreBytes + 2 * getTileBytes();
}

/// CTAs of a multiprocessor, as many as it runs, as are enough, or as there
/// are: f16 1 x 4096 x 14336 by 128 CTAs took 48 us on an H200 where room was
/// left for 128 more.
unsigned CopiesAhead::countEnough(const Occupancy &occupancy, unsigned warps,
                                  int64_t sharedBytes) const {
  unsigned enough = std::min(occupancy.countCtas(sharedBytes),
                             target::countEnoughCtas(warps));
  return launchedCtas ? std::min(enough, launchedCtas) : enough;
}

/// The buffers of the number of CTAs, `fewest` to `enough`, that have the most
/// iterations on their way together, each one less than buffers; of more CTAs
/// where that is the same. Products of e4m3 by tiles of 64 x 64 x 256 in four
/// warps took 1.33 of the time of Triton's code on an H200, with two buffers in
/// each of three CTAs; Triton's two CTAs have three.
static unsigned chooseBuffers(unsigned fewest, unsigned enough,
                              llvm::function_ref<unsigned(unsigned)> count) {
  unsigned chosen = count(enough);
  unsigned most = enough * (chosen - 1);
  for (unsigned ctas = enough; ctas-- > fewest;)
    if (unsigned buffers = count(ctas); ctas * (buffers - 1) > most) {
      most = ctas * (buffers - 1);
      chosen = buffers;
    }
  return chosen;
}

/// Whether products of the loop go on while warps do something else.
static bool hasAsyncProducts(scf::ForOp loop) {
  return loop->walk([](WgmmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The shape and element type of an operand in registers or shared memory.
static std::pair<ArrayRef<int64_t>, Type> getTile(Type type) {
  if (auto tile = dyn_cast<MemDescType>(type))
    return {tile.getShape(), tile.getElementType()};
  auto tensor = cast<RankedTensorType>(type);
  return {tensor.getShape(), tensor.getElementType()};
}

static unsigned getElementBits(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth();
}

/// Whether `operand` of a product is what a tile has, rounded at most.
static bool isOfTile(Value operand, TileRegisters &registers) {
  if (isa<MemDescType>(operand.getType()))
    return true;
  while (Operation *op = registers.findHolder(operand).getDefiningOp()) {
    if (isa<LocalLoadOp>(op))
      return true;
    if (op->getNumOperands() != 1 || !isElementwise(op) ||
        getElementBits(op->getOperand(0)) != getElementBits(operand))
      return false;
    operand = op->getOperand(0);
  }
  return false;
}

/// Whether the products of the loop take what its tiles have, a tenth at most
/// of the time in which memory brings these, as products of few rows do. One
/// CTA is as good as several then: tf32 products of 16 x 4096 x 4096 by tiles
/// of 16 x 64 x 128 took 32 us on an H200 where two CTAs had two buffers each,
/// and there were 64 for 132 multiprocessors; Triton's have four, of one CTA,
/// and take 20. (Weights that are dequantized by one CTA take 1.3 of the time.)
bool CopiesAhead::hasFewMultiplyAdds() {
  const target::Device &device = target::getDefaultDevice(target);
  TileRegisters registers;
  double cycles = 0;
  bool computesOperands = false;
  loop->walk([&](Operation *op) {
    if (!isa<MmaOp, WgmmaOp>(op))
      return;
    for (Value operand : op->getOperands().take_front(2))
      computesOperands |= !isOfTile(operand, registers);
    auto [shape, element] = getTile(op->getOperand(0).getType());
    const target::MatrixRates &rates =
        isa<WgmmaOp>(op) ? device.throughput.asynchronousMatrix
                         : device.throughput.matrix;
    double results = getHeldTensor(op->getResult(0).getType()).getNumElements();
    cycles += results * shape.back() / rates.of(getMatrixType(element));
  });
  double bytesPerCycle = device.memoryBytesPerCycle() / device.multiprocessors;
  return cycles > 0 && !computesOperands &&
         10 * cycles * bytesPerCycle <= getTileBytes();
}

/// The most buffers, up to `wanted`, for which there is room.
unsigned CopiesAhead::countBuffers(unsigned wanted,
                                   const SharedMemoryBudget &budget,
                                   int64_t moreBytes) {
  int64_t tiles = getTileBytes(), converted = 0;
  TileRegisters registers;
  // Conversions beside the tiles want room as well.
  loop.walk([&](ConvertLayoutOp op) {
    if (!registers.getRenamed(op))
      converted = std::max(converted, countTileBytes(op.getType()));
  });
  int64_t ofTwo = countBytesOfTwo(budget, moreBytes);
  if (ofTwo + converted > target.sharedMemoryLimit)
    return 1;
  unsigned warps = std::max(1u, lookupNumWarps(loop));
  Occupancy occupancy = getOccupancy(0);
  auto countWith = [&](unsigned ctas) -> unsigned {
    int64_t most = std::min(occupancy.getMostBytes(ctas),
                            target.sharedMemoryLimit - converted);
    return std::min<int64_t>(wanted, 2 + (most - ofTwo) / tiles);
  };
  unsigned enough = countEnough(occupancy, warps, ofTwo);
  if (hasFewMultiplyAdds())
    return chooseBuffers(/*fewest=*/1, enough, countWith);
  // Products that hold their warps need others to hide them: grouped experts
  // are estimated at 1.03 to 1.15 of the time on an A100 with two CTAs for
  // three.
  return hasAsyncProducts(loop) ? chooseBuffers(/*fewest=*/2, enough, countWith)
                                : countWith(enough);
}

/// The copies that late products alone read: they start a stage later too, so
/// that their tiles are in use for no longer than others. None where these are
/// all, since they are waited for with the others of the step.
SmallVector<AsyncCopyOp>
CopiesAhead::findDelayed(const LateProducts &late) const {
  SmallVector<AsyncCopyOp> delayed;
  for (AsyncCopyOp copy : copies)
    if (late.isAllThatReads(copy.getDestination()))
      delayed.push_back(copy);
  if (delayed.size() == copies.size())
    delayed.clear();
  return delayed;
}

/// Bytes of the tiles that are in use for a stage more than others. Warps of
/// their own bring those of delayed copies as soon as a buffer is free.
int64_t CopiesAhead::countLongerBytes(const LateProducts &late) const {
  llvm::SetVector<Value> tiles = late.findTiles();
  if (!acquires)
    for (AsyncCopyOp copy : findDelayed(late))
      tiles.remove(copy.getDestination());
  int64_t bytes = 0;
  for (Value tile : tiles)
    bytes += getBytes(tile);
  return bytes;
}

int64_t CopiesAhead::countBytesBeyond(Depth depth) const {
  unsigned buffers = depth.stages;
  if (depth.defersProducts && !depth.copiesBehindProducts)
    ++buffers;
  int64_t bytes = (buffers - 1) * getTileBytes();
  if (depth.hasLateProducts)
    bytes += countLongerBytes(LateProducts(loop, early));
  return bytes;
}

/// Iterations from which on it pays that the arithmetic of one more is done for
/// nothing. Of flash-linear-attention's loops of two and of four iterations
/// none was estimated to gain.
static constexpr unsigned enoughIterations = 8;

/// Registers of a thread for addresses and numbers of a loop with late
/// products, beside what any loop has of them: attention by 64 x 128 tiles of
/// 128 columns holds 168 registers of tiles, and takes 255; of 64 x 64 tiles of
/// 256 columns 184, and would spill.
static constexpr unsigned addressRegisters = 16;

/// What a multiprocessor runs where threads hold `moreRegisters` beside the
/// loop's tiles.
Occupancy CopiesAhead::getOccupancy(unsigned moreRegisters) {
  TileRegisters registers;
  unsigned most = RegisterPressure(loop.getRegion(), registers).getMost();
  return Occupancy(target, std::max(1u, lookupNumWarps(loop)),
                   estimateRegisters(most + moreRegisters));
}

/// Whether there are late products, the arithmetic may run for an iteration
/// that is not, and a thread has the registers to hold operands while it makes
/// the next ones, without costing the multiprocessor a CTA that it needs: those
/// hide each other's products as well.
bool CopiesAhead::mayHave(const LateProducts &late, unsigned stages,
                          int64_t sharedBytes) {
  if (late.empty() || mayOverflow(loop, int(stages) + first))
    return false;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (trips && trips->ult(enoughIterations))
    return false;
  TileRegisters registers;
  unsigned most = RegisterPressure(loop.getRegion(), registers).getMost();
  unsigned held = most + late.countHeldRegisters();
  unsigned warps = std::max(1u, lookupNumWarps(loop));
  auto countCtas = [&](unsigned moreRegisters) {
    return countEnough(getOccupancy(moreRegisters), warps, sharedBytes);
  };
  return held + addressRegisters <=
             target.maxTileRegistersOf(warps * target::Target::warpSize) &&
         countCtas(held - most) == countCtas(0);
}

CopiesAhead::Depth CopiesAhead::findDepth(unsigned wanted,
                                          const SharedMemoryBudget &budget,
                                          int64_t moreBytes, bool mayBeLate) {
  moreBytes += findNumbers().size() * (wanted + 1) * numberBytes;
  bool canDefer = canDeferProducts(loop, listTiles());
  unsigned buffers =
      countBuffers(wanted + (canDefer ? 1 : 0), budget, moreBytes);
  if (canDefer && buffers > 3)
    return {.stages = buffers - 1, .defersProducts = true};
  unsigned stages = std::min(buffers, wanted);
  LateProducts late(loop, early);
  if (mayBeLate && mayHave(late, wanted, countBytesOfTwo(budget, moreBytes))) {
    int64_t longer = countLongerBytes(late);
    unsigned most = countBuffers(wanted, budget, moreBytes + longer);
    if (most > 1)
      return {.stages = most, .hasLateProducts = true};
  }
  return {.stages = stages,
          .defersProducts = canDefer && stages == 3,
          .copiesBehindProducts = true};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The first op of the body that reads what `copy` brings.
Operation *CopiesAhead::findReader(AsyncCopyOp copy) {
  Operation *first = nullptr;
  for (Operation *user : listUsers(copy.getDestination())) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    if (here != copy && (!first || here->isBeforeInBlock(first)))
      first = here;
  }
  return first;
}

/// Makes the copies of an iteration one group, with a commit and a wait in the
/// place of those that there are. Waiting for what a second product reads where
/// that stands made tiles be read before their wait in two kernels of
/// flash-linear-attention (chunk_ttt), and comes back when it is known why.
SmallVector<CopiesAhead::Group>
CopiesAhead::formGroups(ArrayRef<AsyncCopyOp> delayed) {
  SmallVector<std::pair<AsyncCopyOp, Operation *>> read =
      llvm::map_to_vector(copies, [&](AsyncCopyOp copy) {
        return std::pair(copy, findReader(copy));
      });
  llvm::stable_sort(read, [](const auto &a, const auto &b) {
    return b.second && (!a.second || a.second->isBeforeInBlock(b.second));
  });
  SmallVector<Group> groups;
  for (auto [copy, reader] : read) {
    if (llvm::is_contained(delayed, copy))
      continue;
    if (groups.empty())
      groups.push_back({{}, reader});
    groups.back().copies.push_back(copy);
    if (!groups.back().reader)
      groups.back().reader = reader;
  }
  SmallVector<Operation *> old;
  for (Operation &op : *loop.getBody())
    if (isa<AsyncWaitOp>(op))
      old.insert(old.begin(), &op);
    else if (isa<AsyncCommitOp>(op))
      old.push_back(&op);
  for (Group &group : groups)
    close(group);
  for (Operation *op : old)
    op->erase();
  return groups;
}

void CopiesAhead::close(Group &group) {
  AsyncCopyOp last = group.copies.front();
  SmallVector<Value> tokens;
  for (AsyncCopyOp copy : copies)
    if (llvm::is_contained(group.copies, copy)) {
      tokens.push_back(copy.getToken());
      last = copy;
    }
  OpBuilder builder(last->getNextNode());
  group.commit = AsyncCommitOp::create(builder, loop.getLoc(), tokens);
  SmallVector<Value> reads;
  early.add(group.commit, first, reads);
  if (group.reader && group.commit->isBeforeInBlock(group.reader))
    builder.setInsertionPoint(group.reader);
  group.wait =
      AsyncWaitOp::create(builder, loop.getLoc(), group.commit->getResults(),
                          /*pending=*/0);
}

unsigned CopiesAhead::useBulkCopies(Depth depth) {
  SmallVector<AsyncCopyOp> delayed;
  if (depth.hasLateProducts)
    delayed = findDelayed(LateProducts(loop, early));
  SmallVector<AsyncCopyOp> others =
      llvm::filter_to_vector(copies, [&](AsyncCopyOp copy) {
        return !llvm::is_contained(delayed, copy);
      });
  unsigned tiles = 0;
  for (auto [list, isDelayed] : {std::pair(&delayed, true), {&others, false}})
    if (auto group = replaceByBulkCopies(loop, *list, acquires)) {
      tiles += group->copy.getMaps().size();
      bulk.push_back({*group, isDelayed});
    }
  copies = std::move(others);
  copies.append(delayed);
  // The loop is another one, and less is needed early.
  if (tiles)
    findEarly(/*delayed=*/{});
  return tiles;
}

/// Has copies, and what they need, run in the first stage, or in the one behind
/// it where they are delayed.
void CopiesAhead::findEarly(ArrayRef<AsyncCopyOp> delayed) {
  EarlyOps anew(loop);
  SmallVector<Value> reads;
  for (const Bulk &of : bulk)
    for (Operation *op : of.group.listEarly())
      anew.add(op, first + of.isDelayed, reads);
  for (AsyncCopyOp copy : copies)
    anew.add(copy, first + llvm::is_contained(delayed, copy), reads);
  early = anew;
}

int CopiesAhead::scheduleEarly(EarlyOps &own, int order) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (own.getStage(&op) && !getScheduledTime(&op))
      setScheduledTime(&op, {*early.getStage(&op), order++});
  return order;
}

/// Bulk copies, with what each needs; gives the order behind them.
int CopiesAhead::scheduleBulkCopies(int order) {
  for (auto barrier : loop.getBody()->getOps<MbarrierInitOp>())
    setScheduledTime(barrier, {first, order++});
  for (const Bulk &of : bulk) {
    EarlyOps own(loop);
    SmallVector<Value> reads;
    for (Operation *op : of.group.listEarly())
      own.add(op, 0, reads);
    order = scheduleEarly(own, order);
  }
  return order;
}

/// Copies in the order of their groups, each with what it needs; gives the
/// order behind them.
int CopiesAhead::scheduleCopies(ArrayRef<Group> groups, int order) {
  for (const Group &group : groups) {
    EarlyOps own(loop);
    SmallVector<Value> reads;
    for (AsyncCopyOp copy : group.copies)
      own.add(copy, 0, reads);
    if (group.commit)
      own.add(group.commit, 0, reads);
    order = scheduleEarly(own, order);
  }
  return order;
}

/// What is early for other reasons than copies.
int CopiesAhead::scheduleLoads(int order) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (std::optional<int> stage = early.getStage(&op);
        stage && !getScheduledTime(&op))
      setScheduledTime(&op, {*stage, order++});
  return order;
}

/// What is not early: all, or up to `last`.
int CopiesAhead::scheduleOthers(int stage, int order, Operation *last) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!getScheduledTime(&op) && !early.getStage(&op))
      setScheduledTime(&op, {stage, order++});
    if (&op == last)
      break;
  }
  return order;
}

/// Whether the product reads nothing but what copies have brought or what the
/// loop finds, and warps go on meanwhile, up to the wait for it. One that takes
/// registers holds them until its last step begins; what makes an operand in
/// the step has copies beside it, which start before.
bool CopiesAhead::readsMeanwhile(Operation *product) {
  auto wgmma = dyn_cast<WgmmaOp>(product);
  if (!wgmma || !isa<MemDescType>(wgmma.getLhs().getType()))
    return false;
  SmallVector<Value> tiles = listTiles();
  return llvm::all_of(wgmma.getSharedOperands(),
                      [&](const SharedOperand &operand) {
                        Value tile = findMemory(operand.descriptor);
                        return llvm::is_contained(tiles, tile) ||
                               loop.isDefinedOutsideOfLoop(tile);
                      });
}

/// Whether the tile is still read behind `product`: its copy may start there
/// too, as it still writes that of another iteration.
bool CopiesAhead::isReadBehind(AsyncCopyOp copy, Operation *product) {
  return llvm::any_of(listUsers(copy.getDestination()), [&](Operation *user) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*user);
    return here != copy && (product->isBeforeInBlock(here) ||
                            (here == product && readsMeanwhile(product)));
  });
}

/// The first product of the body, if copies may start behind it; or null.
/// Matrix units then work while addresses are computed and copies start, which
/// takes a warp as long as a product of 32 x 16 x 128; of products that hold
/// the warps, only with one for each of the four schedulers at most. With two
/// stages the next iteration would wait for the copies that much longer: chunks
/// of 16 tokens take 1300 cycles on an H200 so, however little they compute.
/// Deferred products are under way already.
Operation *CopiesAhead::findLeadingProduct(Depth depth) {
  if (!bulk.empty() || depth.stages < 3 || depth.defersProducts)
    return nullptr;
  int last = first + int(depth.stages) - 1;
  Operation *product = nullptr;
  for (Operation &op : loop.getBody()->without_terminator()) {
    // What the product takes would have to come before it.
    if (early.getStage(&op) == last)
      return nullptr;
    if (!product && isa<MmaOp, WgmmaOp>(op) && !early.getStage(&op))
      product = &op;
  }
  if (!product || (!readsMeanwhile(product) && lookupNumWarps(loop) > 4))
    return nullptr;
  bool mayFollow = llvm::any_of(
      copies, [&](AsyncCopyOp copy) { return isReadBehind(copy, product); });
  return mayFollow ? product : nullptr;
}

/// All up to `product`, in front of it those copies that may not start behind.
int CopiesAhead::scheduleLeadingProduct(Operation *product, int stage,
                                        int order) {
  EarlyOps own(loop);
  SmallVector<Value> reads;
  for (AsyncCopyOp copy : copies)
    if (!isReadBehind(copy, product))
      own.add(copy, 0, reads);
  return scheduleOthers(stage, scheduleEarly(own, order), product);
}

scf::ForOp CopiesAhead::schedule(Depth depth) {
  int last = first + int(depth.stages) - 1, order = 0;
  std::optional<LateProducts> late;
  SmallVector<AsyncCopyOp> delayed;
  if (depth.hasLateProducts) {
    delayed = findDelayed(late.emplace(loop, early));
    if (!delayed.empty())
      findEarly(delayed);
  } else {
    // In registers, of which late products leave none.
    SmallVector<Value> reads;
    SmallLoads small(loop, early, target);
    int distance = small.findDistance(int(depth.stages) - 1);
    for (Operation *load : small.getLoads())
      early.add(load, last - distance, reads);
  }
  early.cloneForLaterStages(last);
  SmallVector<Group> groups;
  if (!copies.empty())
    groups = formGroups(delayed);
  // The loop is another one then; ops of its body are those that they were.
  if (depth.defersProducts)
    loop = deferProducts(loop);
  for (const Bulk &of : bulk)
    setScheduledTime(of.group.wait, {last + of.isDelayed, order++});
  if (!groups.empty())
    setScheduledTime(groups.front().wait, {last, order++});
  if (late)
    late->schedule(last + 1, order, [&] {
      order = scheduleBulkCopies(order);
      // Before the others, and so in their group of the step.
      order = scheduleCopies(Group{delayed, nullptr}, order);
      order = scheduleCopies(groups, order);
    });
  else if (depth.defersProducts && depth.copiesBehindProducts) {
    order = scheduleBulkCopies(scheduleOthers(last, order));
    scheduleLoads(scheduleCopies(groups, order));
  } else {
    if (Operation *product = findLeadingProduct(depth))
      order = scheduleLeadingProduct(product, last, order);
    order = scheduleCopies(groups, scheduleBulkCopies(order));
    scheduleOthers(last, scheduleLoads(order));
  }
  return loop;
}
