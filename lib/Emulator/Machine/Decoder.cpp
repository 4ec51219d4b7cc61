// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Emulator/Machine/Decoder.h"

#include "lib/Emulator/Machine/ControlFlow.h"
#include "lib/Emulator/Syntax/Parser.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::emulator;

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool Decoder::fail(TextLocation location, std::string message) {
  error = {location, std::move(message)};
  return false;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Memory for the module's global and constant variables; shared ones get their
/// places with each kernel.
bool Decoder::placeModuleVariables() {
  for (const Variable &variable : module.variables) {
    if (variable.space == StateSpace::Shared)
      continue;
    if (variable.space != StateSpace::Global &&
        variable.space != StateSpace::Constant)
      return fail(variable.location,
                  "expects a variable in global, constant or "
                  "shared memory, but got '" +
                      variable.name + "'");
    uint64_t address = memory.allocate(variable.bytes);
    if (!address)
      return fail(variable.location, "no memory for the " +
                                         std::to_string(variable.bytes) +
                                         " bytes of '" + variable.name + "'");
    std::vector<uint8_t> content(variable.bytes, 0);
    std::memcpy(content.data(), variable.initializer.data(),
                std::min<size_t>(content.size(), variable.initializer.size()));
    memory.write(address, content.data(), content.size());
    moduleAddresses[variable.name] = address;
    program.variables[variable.name] = address;
  }
  for (const Variable &variable : module.variables)
    for (const Variable::Relocation &relocation : variable.relocations) {
      auto symbol = moduleAddresses.find(relocation.symbol);
      if (symbol == moduleAddresses.end())
        return fail(
            variable.location,
            "expects the address of a variable in the initializer of '" +
                variable.name + "', but got '" + relocation.symbol + "'");
      uint64_t address = symbol->second + relocation.addend;
      if (!memory.write(moduleAddresses[variable.name] + relocation.offset,
                        &address, sizeof(address)))
        return fail(variable.location, "an address lies beyond the end of '" +
                                           variable.name + "'");
    }
  return true;
}

void Decoder::placeRegisters() {
  registerOffsets.clear();
  uint32_t words = 0;
  for (const RegisterDeclaration &declaration : function->registers) {
    registerOffsets.push_back(words);
    unsigned bits = bitWidth(declaration.type);
    words += declaration.type == DataType::Predicate
                 ? 1
                 : warpSize * (bits <= 32 ? 1 : bits / 32);
    // Lanes begin at a multiple of 64 bytes, so that hosts can take them whole.
    words = alignTo(words, 16);
  }
  sinkOffset = words;
  carryOffset = sinkOffset + 4 * warpSize;
  // The carry is the register after the last that has a name.
  kernel->registerWords = carryOffset + 16;
  kernel->numRegisters = function->registers.size() + 1;
}

void Decoder::placeParameters() {
  uint32_t end = 0;
  for (const Parameter &parameter : function->parameters) {
    uint32_t offset = alignTo(end, std::max(1u, parameter.alignment));
    kernel->parameters.push_back({offset, uint32_t(parameter.bytes)});
    localAddresses[parameter.name] = offset;
    end = offset + parameter.bytes;
  }
  kernel->parameterBytes = end;
}

bool Decoder::placeVariable(const Variable &variable, uint32_t &sharedEnd,
                            uint32_t &localEnd) {
  uint32_t &end = variable.space == StateSpace::Shared ? sharedEnd : localEnd;
  uint64_t offset = alignTo(end, std::max(1u, variable.alignment));
  if (offset + variable.bytes > uint64_t(1) << 30)
    return fail(variable.location, "'" + variable.name + "' is too large");
  localAddresses[variable.name] = offset;
  end = offset + variable.bytes;
  return true;
}

/// Shared variables of the module and of the body, local ones of the body; the
/// arrays without a size stand behind the others.
bool Decoder::placeVariables() {
  uint32_t sharedEnd = 0, localEnd = 0;
  std::vector<const Variable *> unsized;
  auto place = [&](const Variable &variable) {
    if (variable.space == StateSpace::Shared && variable.bytes == 0) {
      unsized.push_back(&variable);
      return true;
    }
    if (variable.space == StateSpace::Shared ||
        variable.space == StateSpace::Local)
      return placeVariable(variable, sharedEnd, localEnd);
    return variable.space == StateSpace::Parameter ||
           fail(variable.location, "expects a shared or local variable in a "
                                   "body, but got '" +
                                       variable.name + "'");
  };
  for (const Variable &variable : module.variables)
    if (variable.space == StateSpace::Shared && !place(variable))
      return false;
  for (const Variable &variable : function->variables)
    if (!place(variable))
      return false;
  kernel->staticSharedBytes = sharedEnd;
  uint32_t alignment = 16;
  for (const Variable *variable : unsized)
    alignment = std::max(alignment, variable->alignment);
  kernel->dynamicSharedOffset = alignTo(sharedEnd, alignment);
  for (const Variable *variable : unsized)
    localAddresses[variable->name] = kernel->dynamicSharedOffset;
  kernel->localBytes = localEnd;
  return true;
}

//===----------------------------------------------------------------------===//
// Questions of the families
//===----------------------------------------------------------------------===//

Source Decoder::getRegister(uint32_t index) const {
  Source source;
  source.index = index;
  source.offset = registerOffsets[index];
  return source;
}

Destination Decoder::getSink() const { return {noRegister, sinkOffset, 64}; }

Destination Decoder::getCarry() const {
  return {uint32_t(function->registers.size()), carryOffset, 1};
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

std::optional<Source> Decoder::getSpecialRegister(std::string_view name) {
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
      {"total_smem_size", Kind::TotalSharedSize}};
  auto kind = kinds.find(name);
  if (kind == kinds.end())
    return std::nullopt;
  for (const SpecialRegister &special : kernel->specialRegisters)
    if (special.kind == kind->second)
      return special.place;
  Source place;
  place.index = kernel->numRegisters++;
  place.offset = kernel->registerWords;
  kernel->registerWords += warpSize;
  kernel->specialRegisters.push_back({kind->second, place});
  return place;
}

std::optional<uint64_t> Decoder::getAddress(const std::string &symbol) const {
  for (const auto *addresses : {&localAddresses, &moduleAddresses})
    if (auto found = addresses->find(symbol); found != addresses->end())
      return found->second;
  return std::nullopt;
}

std::optional<uint32_t> Decoder::getLabel(const std::string &name) const {
  auto found = labels.find(name);
  if (found == labels.end())
    return std::nullopt;
  return found->second;
}

std::optional<std::vector<uint32_t>>
Decoder::getBranchTargets(const std::string &name) const {
  for (const Function::BranchTargets &list : function->branchTargets) {
    if (list.name != name)
      continue;
    std::vector<uint32_t> targets;
    for (const std::string &target : list.targets)
      if (std::optional<uint32_t> place = getLabel(target))
        targets.push_back(*place);
    if (targets.size() == list.targets.size())
      return targets;
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
          comparisonFamily(), memoryFamily(), controlFamily(), warpFamily(),
          matrixFamily(), asynchronousFamily(), memoryBarrierFamily()})
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
    return !has("shared") && !has("shared::cta");
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
    return context.fail("operands or types that it cannot have");
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

bool Decoder::decodeKernel(const Function &source) {
  function = &source;
  program.all.emplace_back();
  kernel = &program.all.back();
  kernel->name = source.name;
  std::copy_n(source.requiredThreads, 3, kernel->requiredThreads);
  std::copy_n(source.maximumThreads, 3, kernel->maximumThreads);
  localAddresses.clear();
  labels.clear();
  for (const Function::Label &label : source.labels)
    labels[label.name] = label.instruction;
  placeRegisters();
  placeParameters();
  if (!placeVariables())
    return false;
  for (const Instruction &in : source.body)
    if (!decodeInstruction(in))
      return false;
  findReconvergence(kernel->code);
  kernel->togetherAt = findCollectives(kernel->code);
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
  if (!Decoder(*module, *program, memory, error).run())
    return nullptr;
  return program;
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
