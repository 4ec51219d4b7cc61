// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Decoder.h"

#include "lib/Judges/Emulator/Machine/ControlFlow.h"
#include "lib/Judges/Emulator/Machine/WarpGroups.h"
#include "lib/Judges/Emulator/Syntax/Parser.h"

#include <algorithm>

using namespace tilewright::emulator;

bool Decoder::fail(TextLocation location, std::string message) {
  error = {location, std::move(message)};
  hasFailed = true;
  return false;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool Decoder::layOutFunctions(const std::vector<const Function *> &functions) {
  layouts.clear();
  for (const Function *function : functions)
    if (!layOutFrame(*function, layouts[function], error))
      return false;
  return true;
}

void Decoder::placeParameters(const Function &source) {
  kernelParameters.clear();
  uint32_t end = 0;
  for (const Parameter &parameter : source.parameters) {
    uint32_t offset =
        alignTo(parameterSpaceStart + end, std::max(1u, parameter.alignment)) -
        parameterSpaceStart;
    kernel->parameters.push_back({offset, uint32_t(parameter.bytes)});
    kernelParameters[parameter.name] = offset;
    end = offset + parameter.bytes;
  }
  kernel->parameterBytes = end;
}

FramePlace Decoder::placeFrame(const Function &callee) const {
  return {body->frame.firstRegister + layout->numRegisters,
          body->frame.firstWord + layout->words,
          uint32_t(alignTo(body->localEnd, layoutOf(callee).localAlignment))};
}

//===----------------------------------------------------------------------===//
// Questions of the families
//===----------------------------------------------------------------------===//

Source Decoder::getRegister(uint32_t index) const {
  Source source;
  source.index = body->frame.firstRegister + index;
  source.offset = body->frame.firstWord + layout->registerOffsets[index];
  source.wordBytes = std::max(4u, bitWidth(getRegisterType(index)) / 8);
  return source;
}

Destination Decoder::getSink() const {
  return {noRegister, body->frame.firstWord + layout->sinkOffset, 64};
}

Destination Decoder::getCarry() const {
  return {body->frame.firstRegister + layout->numRegisters - 1,
          body->frame.firstWord + layout->carryOffset, 1};
}

Source Decoder::getConstant(uint64_t bits, unsigned width) {
  Source source;
  if (width == 64) {
    auto &lanes = program.wideConstants[bits];
    if (!lanes) {
      lanes = std::make_unique<uint64_t[]>(warpSize);
      std::fill_n(lanes.get(), warpSize, bits);
    }
    source.constant = lanes.get();
    source.wordBytes = 8;
    return source;
  }
  uint32_t narrow = bits;
  auto &lanes = program.narrowConstants[narrow];
  if (!lanes) {
    lanes = std::make_unique<uint32_t[]>(warpSize);
    std::fill_n(lanes.get(), warpSize, narrow);
  }
  source.constant = lanes.get();
  return source;
}

static std::optional<SpecialRegister::Kind>
findSpecialKind(std::string_view name) {
  using Kind = SpecialRegister::Kind;
  static const std::unordered_map<std::string_view, Kind> kinds = {
      {"tid.x", Kind::TidX},
      {"tid.y", Kind::TidY},
      {"tid.z", Kind::TidZ},
      {"ntid.x", Kind::NtidX},
      {"ntid.y", Kind::NtidY},
      {"ntid.z", Kind::NtidZ},
      {"ctaid.x", Kind::CtaidX},
      {"ctaid.y", Kind::CtaidY},
      {"ctaid.z", Kind::CtaidZ},
      {"nctaid.x", Kind::NctaidX},
      {"nctaid.y", Kind::NctaidY},
      {"nctaid.z", Kind::NctaidZ},
      {"laneid", Kind::LaneId},
      {"warpid", Kind::WarpId},
      {"lanemask_eq", Kind::LanemaskEq},
      {"lanemask_lt", Kind::LanemaskLt},
      {"lanemask_le", Kind::LanemaskLe},
      {"lanemask_gt", Kind::LanemaskGt},
      {"lanemask_ge", Kind::LanemaskGe},
      {"dynamic_smem_size", Kind::DynamicSharedSize},
      {"total_smem_size", Kind::TotalSharedSize},
      {"clusterid.x", Kind::ClusterIdX},
      {"clusterid.y", Kind::ClusterIdY},
      {"clusterid.z", Kind::ClusterIdZ},
      {"nclusterid.x", Kind::NClusterIdX},
      {"nclusterid.y", Kind::NClusterIdY},
      {"nclusterid.z", Kind::NClusterIdZ},
      {"cluster_ctaid.x", Kind::ClusterCtaidX},
      {"cluster_ctaid.y", Kind::ClusterCtaidY},
      {"cluster_ctaid.z", Kind::ClusterCtaidZ},
      {"cluster_nctaid.x", Kind::ClusterNctaidX},
      {"cluster_nctaid.y", Kind::ClusterNctaidY},
      {"cluster_nctaid.z", Kind::ClusterNctaidZ},
      {"cluster_ctarank", Kind::ClusterCtaRank},
      {"cluster_nctarank", Kind::ClusterNctaRank}};
  auto kind = kinds.find(name);
  if (kind == kinds.end())
    return std::nullopt;
  return kind->second;
}

std::optional<Source> Decoder::getSpecialRegister(std::string_view name) const {
  std::optional<SpecialRegister::Kind> kind = findSpecialKind(name);
  for (const SpecialRegister &special : kernel->specialRegisters)
    if (kind && special.kind == *kind)
      return special.place;
  return std::nullopt;
}

/// They stand before all frames, which have them in common.
void Decoder::placeSpecialRegister(std::string_view name) {
  std::optional<SpecialRegister::Kind> kind = findSpecialKind(name);
  if (!kind || getSpecialRegister(name))
    return;
  Source place;
  place.index = kernel->numRegisters++;
  place.offset = kernel->registerWords;
  kernel->registerWords += warpSize;
  kernel->specialRegisters.push_back({*kind, place});
}

std::optional<LocalPlace>
Decoder::getCallParameter(const std::string &symbol) const {
  if (auto bound = body->parameters.find(symbol);
      bound != body->parameters.end())
    return bound->second;
  auto own = layout->callParameters.find(symbol);
  if (own == layout->callParameters.end())
    return std::nullopt;
  return LocalPlace{body->frame.localBegin + own->second.offset,
                    own->second.bytes};
}

std::optional<uint64_t>
Decoder::getSharedAddress(const std::string &symbol) const {
  if (layout->locals.count(symbol) || getCallParameter(symbol))
    return std::nullopt;
  for (const Function *owner : {body->function, (const Function *)nullptr})
    if (auto shared = sharedAddresses.find(owner);
        shared != sharedAddresses.end())
      if (auto found = shared->second.find(symbol);
          found != shared->second.end())
        return found->second;
  return std::nullopt;
}

std::optional<uint64_t> Decoder::getAddress(const std::string &symbol) const {
  if (std::optional<LocalPlace> place = getCallParameter(symbol))
    return place->offset;
  if (auto local = layout->locals.find(symbol); local != layout->locals.end())
    return body->frame.localBegin + local->second.offset;
  if (std::optional<uint64_t> address = getSharedAddress(symbol))
    return address;
  if (auto found = kernelParameters.find(symbol);
      !isInCallee() && found != kernelParameters.end())
    return found->second;
  if (auto found = moduleAddresses.find(symbol); found != moduleAddresses.end())
    return found->second;
  return std::nullopt;
}

std::optional<uint32_t> Decoder::getLabel(const std::string &name) const {
  auto found = labels.find(name);
  if (found == labels.end())
    return std::nullopt;
  return found->second;
}

std::optional<BranchTable>
Decoder::getBranchTable(const std::string &name) const {
  for (const Function::BranchTargets &list : body->function->branchTargets) {
    if (list.name != name)
      continue;
    BranchTable table;
    for (const std::string &target : list.targets)
      table.push_back(getLabel(target).value_or(kernel->code.size()));
    return table;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static const FamilyEntry *findFamily(std::string_view name) {
  static const std::unordered_map<std::string_view, FamilyEntry> decoders = [] {
    std::unordered_map<std::string_view, FamilyEntry> all;
    for (const Family &family :
         {arithmeticFamily(), logicFamily(), moveFamily(), conversionFamily(),
          comparisonFamily(), memoryFamily(), controlFamily(), callFamily(),
          warpFamily(), matrixFamily(), asynchronousFamily(),
          memoryBarrierFamily(), warpGroupFamily(), tensorMapFamily()})
      for (const FamilyEntry &entry : family)
        all.emplace(entry.name, entry);
    return all;
  }();
  auto found = decoders.find(name);
  return found == decoders.end() ? nullptr : &found->second;
}

static std::string spell(const Instruction &in) {
  std::string text = in.name;
  for (const std::string &modifier : in.modifiers)
    text += "." + modifier;
  return text;
}

/// See Kernel::mayDependOnOrder.
static bool mayDependOnOrder(const Instruction &in) {
  auto has = [&](std::string_view modifier) {
    return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) !=
           in.modifiers.end();
  };
  if (in.name == "atom" || in.name == "red")
    return !has("shared") && !has("shared::cta") && !has("shared::cluster");
  if (in.name == "cp" && has("reduce"))
    return true;
  // What calls print comes in the order of CTAs.
  if (in.name == "call")
    return true;
  return in.name == "ld" &&
         (has("volatile") || has("acquire") || has("relaxed") || has("mmio"));
}

bool Decoder::decodeInstruction(const Instruction &in) {
  Decoded out;
  DecodeContext context(*this, in, out);
  if (in.guard) {
    out.guard = getRegister(in.guard->index);
    out.guard.isNegated = in.guard->isNegated;
  }
  const FamilyEntry *family = findFamily(in.name);
  if (!family)
    return fail(in.location, "the emulator does not know the instruction '" +
                                 spell(in) + "'");
  out.isCollective = family->isCollective;
  if (!family->decode(context))
    return hasFailed ? false
                     : context.fail("operands or types that it cannot have");
  if (!context.rest().empty())
    return context.fail("the modifier '." + std::string(context.rest()) +
                        "' is not known");
  kernel->mayDependOnOrder |= mayDependOnOrder(in);
  kernel->code.push_back(std::move(out));
  kernel->locations.push_back(in.location);
  kernel->sources.push_back(in.source);
  kernel->names.push_back(spell(in));
  return true;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool Decoder::expand(Expansion callee) {
  if (callee.localEnd > localMemoryLimit)
    return fail(callee.function->location,
                "expects at most " + std::to_string(localMemoryLimit) +
                    " bytes of local memory, but those of '" +
                    callee.function->name + "' and its callers exceed them");
  callee.call = kernel->code.size();
  bodies.push_back(std::move(callee));
  return true;
}

/// Whether control may come to the end of the body.
static bool fallsOffEnd(const Function &function) {
  for (const Function::Label &label : function.labels)
    if (label.instruction == function.body.size())
      return true;
  if (function.body.empty())
    return true;
  const Instruction &last = function.body.back();
  return last.guard || (last.name != "ret" && last.name != "exit" &&
                        last.name != "bra" && last.name != "brx");
}

/// The end of a body is a `ret`. Where no other body follows nothing needs it.
bool Decoder::decodeEnd() {
  const Function &function = *body->function;
  if (bodies.size() == 1 || !fallsOffEnd(function))
    return true;
  Instruction end;
  end.name = "ret";
  end.location = function.location;
  if (!function.body.empty()) {
    end.location = function.body.back().location;
    end.source = function.body.back().source;
  }
  return decodeInstruction(end);
}

bool Decoder::decodeBody() {
  const Function &function = *body->function;
  layout = &layoutOf(function);
  uint32_t begin = kernel->code.size();
  if (body->call)
    kernel->code[*body->call].target = begin;
  labels.clear();
  for (const Function::Label &label : function.labels)
    labels[label.name] = begin + label.instruction;
  const FramePlace &frame = body->frame;
  kernel->numRegisters = std::max(kernel->numRegisters,
                                  frame.firstRegister + layout->numRegisters);
  kernel->registerWords =
      std::max(kernel->registerWords, frame.firstWord + layout->words);
  kernel->localBytes = std::max<uint64_t>(kernel->localBytes, body->localEnd);
  for (const Instruction &in : function.body)
    if (!decodeInstruction(in))
      return false;
  return decodeEnd();
}

bool Decoder::decodeKernel(const Function &source) {
  program.all.emplace_back();
  kernel = &program.all.back();
  kernel->name = source.name;
  std::copy_n(source.requiredThreads, 3, kernel->requiredThreads);
  std::copy_n(source.maximumThreads, 3, kernel->maximumThreads);
  kernel->maximumRegisters = source.maximumRegisters;
  std::copy_n(source.requiredCluster, 3, kernel->requiredCluster);
  std::vector<const Function *> functions;
  if (!calls.reach(source, functions, error) || !layOutFunctions(functions) ||
      !placeShared(functions))
    return false;
  placeParameters(source);
  for (const Function *function : functions)
    for (const std::string &name : function->specialRegisters)
      placeSpecialRegister(name);
  bodies.clear();
  Expansion &outermost = bodies.emplace_back();
  outermost.function = &source;
  outermost.frame = {kernel->numRegisters, kernel->registerWords, 0};
  outermost.localEnd = layoutOf(source).localBytes;
  // Calls append to the bodies, which do not move then.
  for (size_t i = 0; i < bodies.size(); ++i) {
    body = &bodies[i];
    if (!decodeBody())
      return false;
  }
  findReconvergence(kernel->code);
  kernel->togetherAt = findCollectives(kernel->code);
  if (kernel->usesWarpGroups)
    findProductRegisters(kernel->code, kernel->numRegisters);
  return true;
}

bool Decoder::run() {
  if (!placeModuleVariables())
    return false;
  for (const Function &source : module.functions)
    if (source.isKernel && !source.isExternal && !decodeKernel(source))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

std::unique_ptr<Program> Program::create(std::string_view ptx,
                                         GlobalMemory &memory,
                                         SyntaxError &error) {
  std::optional<Module> module = parsePtx(ptx, error);
  if (!module)
    return nullptr;
  auto program = std::make_unique<Program>();
  program->fileNames = module->files;
  if (Decoder(*module, *program, memory, error).run())
    return program;
  for (const auto &[name, address] : program->variables)
    memory.free(address);
  return nullptr;
}

const Kernel *Program::find(std::string_view name) const {
  for (const Kernel &kernel : all)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

uint64_t Program::variableAddress(std::string_view name) const {
  auto found = variables.find(std::string(name));
  return found == variables.end() ? 0 : found->second;
}
