// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents, and the verification of the ops that make and order them.

#include "dialects/TileGPU/Agents.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Who runs an op
//===----------------------------------------------------------------------===//

static Agent getAgent(WarpSpecializeOp op, unsigned number) {
  Agent agent = {op, number, 0, unsigned(op.getWarps()[number])};
  for (int32_t warps : op.getWarps().take_front(number))
    agent.firstWarp += warps;
  return agent;
}

unsigned Agent::barrierId() const {
  std::optional<ArrayRef<int32_t>> ids = WarpSpecializeOp(op).getBarrierIds();
  return ids ? (*ids)[number] : 0;
}

std::optional<Agent> tilegpu::lookupAgent(Region *region) {
  for (; region; region = region->getParentRegion())
    if (auto op = dyn_cast<WarpSpecializeOp>(region->getParentOp()))
      return getAgent(op, region->getRegionNumber());
  return std::nullopt;
}

std::optional<Agent> tilegpu::lookupAgent(Operation *op) {
  return lookupAgent(op->getParentRegion());
}

SmallVector<Agent> tilegpu::getAgents(WarpSpecializeOp op) {
  SmallVector<Agent> agents;
  for (unsigned number = 0; number < op.getAgents().size(); ++number)
    agents.push_back(getAgent(op, number));
  return agents;
}

bool tilegpu::hasAgents(FunctionOpInterface function) {
  return getAgentRegions(function).size() > 1;
}

SmallVector<Region *> tilegpu::getAgentRegions(FunctionOpInterface function) {
  SmallVector<Region *> regions = {&function.getFunctionBody()};
  for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
    for (Region &region : op.getAgents())
      regions.push_back(&region);
  return regions;
}

bool tilegpu::joinsAgent(Operation *op) {
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return !barrier.getWarp();
  return isa<WarpSpecializeOp, BarrierWaitOp>(op);
}

//===----------------------------------------------------------------------===//
// WarpSpecializeOp
//===----------------------------------------------------------------------===//

/// What `setmaxnreg` can say: it speaks to four warps at a time.
static constexpr int32_t leastRegisters = 24, mostRegisters = 256,
                         registerStep = 8, warpsOfGroup = 4;

static LogicalResult verifyRegisters(WarpSpecializeOp op) {
  if (!op.getRegisters())
    return success();
  ArrayRef<int32_t> registers = *op.getRegisters();
  if (registers.size() != op.getAgents().size())
    return op.emitOpError("expects a number of registers for each of ")
           << op.getAgents().size() << " agents, but got " << registers.size();
  for (auto [count, warps] : llvm::zip_equal(registers, op.getWarps())) {
    if (count < leastRegisters || count > mostRegisters || count % registerStep)
      return op.emitOpError("expects numbers of registers that are multiples "
                            "of ")
             << registerStep << " from " << leastRegisters << " to "
             << mostRegisters << ", but got " << count;
    if (warps % warpsOfGroup)
      return op.emitOpError("expects agents with a number of registers to have "
                            "a multiple of ")
             << warpsOfGroup << " warps, but got " << warps;
  }
  return success();
}

LogicalResult WarpSpecializeOp::verify() {
  auto function =
      dyn_cast_if_present<FunctionOpInterface>(getOperation()->getParentOp());
  if (!function)
    return emitOpError("expects to be in the body of a function, where all its "
                       "warps come by, but got it inside '")
           << getOperation()->getParentOp()->getName() << "'";
  if (getAgents().empty() || getWarps().size() != getAgents().size())
    return emitOpError("expects a number of warps for each agent, one agent at "
                       "least, but got ")
           << getWarps().size() << " numbers and " << getAgents().size()
           << " regions";
  unsigned sum = 0;
  for (int32_t warps : getWarps()) {
    if (warps < 1 || warps > 32 || !layout::isPowerOfTwo(warps))
      return emitOpError("expects agents of a power of two warps from 1 to 32, "
                         "but got ")
             << warps;
    sum += warps;
  }
  if (unsigned all = lookupNumWarps(function); sum != all)
    return emitOpError("expects agents that have the ")
           << all << " warps of the function (tilegpu.num_warps) in sum, but "
           << "got " << sum;
  if (std::optional<ArrayRef<int32_t>> ids = getBarrierIds())
    if (ids->size() != getAgents().size() ||
        llvm::any_of(*ids, [](int32_t id) { return id < 0 || id > 15; }))
      return emitOpError("expects a barrier from 0 to 15 for each agent, but "
                         "got [")
             << *ids << "]";
  return verifyRegisters(*this);
}

/// Tiles and copies stay with the warps that hold or started them.
static LogicalResult verifyOperands(Operation *op, Region &region) {
  for (Value operand : op->getOperands()) {
    bool isForeign = isa<RankedTensorType, TokenType>(operand.getType()) &&
                     !region.isAncestor(operand.getParentRegion());
    if (!isForeign)
      continue;
    if (isa<TokenType>(operand.getType()))
      return op->emitOpError("expects copies to be waited for by the agent "
                             "that starts them, but got a token from outside "
                             "of it");
    return op->emitOpError("expects tiles to reach an agent through shared "
                           "memory, but got ")
           << operand.getType() << " from outside of it";
  }
  return success();
}

LogicalResult WarpSpecializeOp::verifyRegions() {
  for (Region &region : getAgents()) {
    for (Block &block : region)
      if (block.hasNoSuccessors() && !isa<AgentReturnOp>(block.back()))
        return block.back().emitOpError(
            "expects tilegpu.agent_return at the end of an agent");
    WalkResult result = region.walk(
        [&](Operation *op) { return WalkResult(verifyOperands(op, region)); });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Named barriers
//===----------------------------------------------------------------------===//

/// The agent that runs `op` is the one that `known` is, where it is known.
static LogicalResult verifySameAgent(Operation *op, Region *&known) {
  std::optional<Agent> agent = lookupAgent(op);
  if (!agent)
    return op->emitOpError("expects to be run by an agent of "
                           "tilegpu.warp_specialize");
  if (known && known != &agent->region())
    return op->emitOpError("expects one agent to arrive at a named barrier and "
                           "one to wait there, but got several");
  known = &agent->region();
  return success();
}

LogicalResult NamedBarrierOp::verify() {
  if (lookupAgent(getOperation()))
    return emitOpError("expects to be outside of the agents that it orders");
  if (getId() && (int32_t(*getId()) < 1 || int32_t(*getId()) > 15))
    return emitOpError("expects an id from 1 to 15, but got ")
           << int32_t(*getId());
  Region *arriving = nullptr, *waiting = nullptr;
  for (Operation *user : getResult().getUsers()) {
    if (!isa<BarrierArriveOp, BarrierWaitOp>(user))
      return user->emitOpError("expects named barriers to be used by "
                               "tilegpu.barrier_arrive and "
                               "tilegpu.barrier_wait alone");
    Region *&agent = isa<BarrierArriveOp>(user) ? arriving : waiting;
    if (failed(verifySameAgent(user, agent)))
      return failure();
  }
  if (getResult().use_empty())
    return success();
  if (!arriving || !waiting || arriving == waiting ||
      arriving->getParentOp() != waiting->getParentOp())
    return emitOpError("expects one agent to arrive here and another one of "
                       "the same tilegpu.warp_specialize to wait");
  return success();
}

/// As a barrier's: what came before is done.
static void addBarrierEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Write::get(),
                       SharedMemoryResource::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void BarrierArriveOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBarrierEffects(effects);
}

void BarrierWaitOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBarrierEffects(effects);
}
