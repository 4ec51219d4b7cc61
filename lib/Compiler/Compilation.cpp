// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/Compilation.h"

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "lib/Codegen/PtxLines.h"
#include "lib/Codegen/StageTimer.h"
#include "lib/Compiler/CSource.h"
#include "lib/Compiler/Compiler.h"
#include "lib/Compiler/Estimate.h"
#include "lib/Compiler/RegisterLimits.h"
#include "lib/Compiler/WarpCount.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "passes/Pipelines/Pipelines.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

void compiler::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  codegen::registerCodegenTranslations(registry);
}

CompilerContext::CompilerContext(unsigned threads) {
  DialectRegistry registry;
  registerDialects(registry);
  context.emplace(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  if (threads > 1) {
    pool.emplace(llvm::hardware_concurrency(threads));
    context->setThreadPool(*pool);
  }
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

namespace {
/// Turns remarks into diagnostics that say what they say, at their place.
class DiagnosticRemarkStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation());
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      diagnostic << argument.val;
  }
};
} // namespace

void compiler::enableRemarks(MLIRContext &context, Remarks remarks) {
  if (remarks == Remarks::None)
    return;
  remark::RemarkCategories categories;
  categories.missed = ".*";
  if (remarks == Remarks::All)
    categories.passed = ".*";
  // It fails only where a streamer cannot open its file: this one has none.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<DiagnosticRemarkStreamer>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Checks what a user gives as tilegpu IR: ops of its dialects alone, and a
/// layout for every tile.
static LogicalResult verifyTileGPUIR(ModuleOp module) {
  auto verifyTile = [](Operation *op, Type type) -> LogicalResult {
    if (!isa<RankedTensorType>(type) || tilegpu::getRegisterLayout(type))
      return success();
    return op->emitError("expects every tile to have a layout in a module with "
                         "tilegpu.target, which is tilegpu IR, but got ")
           << type;
  };
  WalkResult result = module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isKnown = llvm::is_contained(
        {"builtin", "tt", "tilegpu", "arith", "math", "scf", "cf", "ub"},
        op->getName().getDialectNamespace());
    if (!isKnown && !isa<LLVM::AssumeOp, LLVM::UndefOp>(op)) {
      op->emitError("expects an operation of the dialects tt, tilegpu, arith, "
                    "math, scf, cf or ub in tilegpu IR, but got '")
          << op->getName() << "'";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (failed(verifyTile(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verifyTile(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Checks that launches can name the kernels. PTX has symbols of its own for
/// what is no identifier there (passes/TileGPUToLLVM/SymbolNames.h).
static LogicalResult verifyKernelNames(ModuleOp module) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    StringRef name = function.getName();
    if (function.isPublic() && (name.empty() || name.contains('\0')))
      return function->emitOpError(
                 "expects a name for the kernel, without zero "
                 "bytes, but got '")
             << name << "'";
  }
  return success();
}

/// Warns of what the module says by Triton's attributes (of its GPU dialect)
/// and is compiled otherwise: options alone count.
static void warnOfModuleAttributes(ModuleOp module,
                                   const CompileOptions &options) {
  const std::pair<StringRef, uint32_t> rows[] = {
      {"ttg.num-warps", options.numWarps},
      {"ttg.num-ctas", 1},
      {"ttg.threads-per-warp", target::Target::warpSize},
  };
  for (auto [name, actual] : rows) {
    auto said = module->getAttrOfType<IntegerAttr>(name);
    if (said && said.getValue() != actual)
      module->emitWarning("expects ")
          << name << " = " << actual << ", as the options say, but got " << said
          << ", which is not made use of";
  }
}

/// Checks the names of kernels, and what a module with a target says, which is
/// tilegpu IR already, written by hand or printed.
LogicalResult Compilation::check() {
  if (failed(verifyKernelNames(*module)))
    return failure();
  StringRef lowered = tilegpu::lookupTargetName(*module);
  if (lowered.empty()) {
    warnOfModuleAttributes(*module, options);
    return success();
  }
  if (lowered != StringRef(target.name))
    return module->emitError("expects to be compiled for ")
           << lowered << ", which the module names in "
           << tilegpu::TileGPUDialect::targetAttrName << ", but got "
           << StringRef(target.name);
  return verifyTileGPUIR(*module);
}

/// Asks for what is fastest in each function, whose layouts are there; whether
/// the module is that already. Where passes are watched, they run again.
bool Compilation::applyChoice(PipelineOptions &pipeline) {
  bool isMade = false;
  if (!choice) {
    choice = chooseCopies(*module, target, options, pipeline);
    isMade = choice->module && !configure;
  }
  choice->applyTo(pipeline);
  if (!isMade)
    return false;
  module = std::move(choice->module);
  for (mlir::Diagnostic &diagnostic : choice->diagnostics)
    module->getContext()->getDiagEngine().emit(std::move(diagnostic));
  choice->diagnostics.clear();
  return true;
}

void Compilation::choose() {
  if (!leavesCopiesOpen(target, options))
    return;
  Compilation trial(source, target, options, configure);
  ScopedDiagnosticHandler silence(source.getContext(),
                                  [](mlir::Diagnostic &) { return success(); });
  if (succeeded(trial.lower(Emit::TileGPU)))
    choice = std::move(trial.choice);
}

/// Runs the passes that have been added; others may be added then.
static LogicalResult runPasses(PassManager &manager, ModuleOp module) {
  LogicalResult result = manager.run(module);
  manager.clear();
  return result;
}

/// Adds the passes from tile IR to tilegpu IR, and runs those whose results say
/// which ones follow.
LogicalResult Compilation::addTileGPUPasses(PassManager &manager,
                                            PipelineOptions &pipeline) {
  if (failed(runPasses(manager, *module)))
    return failure();
  numWarps = chooseWarps(*module, target, options.numWarps);
  pipeline.numWarps = numWarps;
  buildLayoutPipeline(manager, pipeline);
  if (leavesCopiesOpen(target, options)) {
    if (failed(runPasses(manager, *module)))
      return failure();
    if (applyChoice(pipeline))
      return success();
  }
  buildLoopPipeline(manager, pipeline);
  buildTileGPUPipeline(manager);
  return success();
}

LogicalResult Compilation::lower(Emit emit) {
  codegen::StageTimer timer(&times.passes);
  PassManager manager(module->getContext());
#ifdef NDEBUG
  // What passes make is verified in development; what users give, on parsing.
  manager.enableVerifier(false);
#endif
  if ((configure && failed(configure(manager))) ||
      (!reached && failed(check())))
    return failure();
  PipelineOptions pipeline(target.name, options);
  pipeline.numWarps = numWarps;
  pipeline.ctasPerMultiprocessor = countCtasPerMultiprocessor(target, options);
  if (!options.tensorMaps)
    pipeline.bulkCopies = pipeline.specializeWarps = Preference::Off;
  bool isTileIR = tilegpu::lookupTargetName(source).empty();
  auto isNext = [&](Emit stage) {
    return emit >= stage && (!reached || *reached < stage);
  };
  if (isNext(Emit::Tile) && isTileIR)
    buildTilePipeline(manager, pipeline);
  if (isNext(Emit::TileGPU) && isTileIR) {
    if (failed(addTileGPUPasses(manager, pipeline)))
      return failure();
  } else if (isNext(Emit::TileGPU)) {
    buildTileGPUPipeline(manager);
  }
  bool isLowered = isNext(Emit::LLVMDialect);
  if (isLowered && isForLaunch(target, options)) {
    if (failed(runPasses(manager, *module)))
      return failure();
    limitRegisters(*module, target, options);
  }
  if (isLowered)
    buildTileGPUToLLVMPipeline(manager, pipeline);
  reached = emit;
  if (failed(runPasses(manager, *module)))
    return failure();
  if (isLowered)
    capRegisterLimits(*module, options.maxRegisters);
  return success();
}

std::string Compilation::print() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo(options.lineTables);
  mlir::ModuleOp(*module).print(stream, flags);
  stream << "\n";
  return text;
}

codegen::CodegenOptions Compilation::codegenOptions() const {
  codegen::CodegenOptions result;
  result.lineInfo = options.lineTables;
  for (StringRef entry : options.pathPrefixMap) {
    auto [prefix, replacement] = entry.split('=');
    result.pathPrefixMap.emplace_back(prefix, replacement);
  }
  return result;
}

FailureOr<codegen::PtxCode> Compilation::emitPTX(std::string *llvmIR) {
  return codegen::translateToPTX(*module, target, codegenOptions(),
                                 &times.codegen, llvmIR);
}

FailureOr<std::string> Compilation::emitLLVM() {
  return codegen::translateToLLVMIR(*module, target, codegenOptions(),
                                    &times.codegen);
}

/// Where the text came from that the assembler complains of: the source line of
/// the PTX line, or else its kernel, or the module.
static Location locateMessage(ModuleOp module, StringRef ptx,
                              StringRef message) {
  std::optional<unsigned> line = codegen::findPtxLine(message);
  if (!line)
    return module.getLoc();
  codegen::PtxOrigin origin = codegen::findPtxOrigin(ptx, *line);
  if (origin.line)
    return FileLineColLoc::get(module.getContext(), origin.file, origin.line,
                               origin.column);
  Operation *kernel =
      origin.kernel.empty() ? nullptr : module.lookupSymbol(origin.kernel);
  return kernel ? kernel->getLoc() : module.getLoc();
}

codegen::AssembleOptions Compilation::assembleOptions(bool onlyWhole) const {
  codegen::AssembleOptions assembler;
  assembler.cudaRoot = options.cudaRoot;
  assembler.lineInfo = options.lineTables;
  assembler.fuse = options.fpFusion;
  assembler.onlyWhole = onlyWhole;
  return assembler;
}

/// What comes of `ptx`, which may be more than CUDA's assembler can do; nothing
/// then.
std::optional<codegen::AssembledCode>
Compilation::tryAssembling(StringRef ptx, bool onlyWhole,
                           codegen::AssemblerKind assembler) {
  codegen::StageTimer timer(&times.assembly);
  codegen::AssembleOptions how = assembleOptions(onlyWhole);
  how.assembler = assembler;
  llvm::Expected<codegen::AssembledCode> code =
      codegen::assemble(ptx, target, how);
  if (code)
    return std::move(*code);
  llvm::consumeError(code.takeError());
  return std::nullopt;
}

FailureOr<codegen::AssembledCode> Compilation::assembleOnce(StringRef ptx,
                                                            bool onlyWhole) {
  codegen::StageTimer timer(&times.assembly);
  llvm::Expected<codegen::AssembledCode> code =
      codegen::assemble(ptx, target, assembleOptions(onlyWhole));
  if (code && !code->lost.empty())
    remark::missed(module->getLoc(),
                   remark::RemarkOpts::name("assembler").category("dot"))
        << "CUDA's assembler " + code->lost +
               "; the driver compiles the PTX instead";
  if (code)
    return std::move(*code);
  std::string message = llvm::toString(code.takeError());
  emitError(locateMessage(*module, ptx, message)) << message;
  return failure();
}

FailureOr<codegen::AssembledCode> Compilation::assemble(codegen::PtxCode &ptx,
                                                        bool onlyWhole) {
  FailureOr<codegen::AssembledCode> code = assembleOnce(ptx.text, onlyWhole);
  if (failed(code) || hasSettledLimits)
    return code;
  // The PTX and its limits are the same however often it is asked for.
  hasSettledLimits = true;
  if (raiseRegisterLimits(*module, target, options, ptx, *code))
    return assembleOnce(ptx.text, onlyWhole);
  if (codegen::PtxCode free = ptx;
      dropRegisterLimits(*module, target, options, free, *code)) {
    std::optional<codegen::AssembledCode> other =
        tryAssembling(free.text, onlyWhole, codegen::AssemblerKind::Program);
    if (other && keepsRegisterLimits(*module, *other, *code)) {
      ptx = std::move(free);
      return std::move(*other);
    }
  }
  // What spills nothing, or else little.
  std::optional<std::pair<codegen::PtxCode, codegen::AssembledCode>> best;
  for (CtasMore more : {CtasMore::Most, CtasMore::Fewest}) {
    codegen::PtxCode lower = ptx;
    if (!lowerRegisterLimits(*module, target, options, more, lower, *code))
      break;
    std::optional<codegen::AssembledCode> other =
        tryAssembling(lower.text, onlyWhole, codegen::AssemblerKind::Any);
    if (!other || !isWorthCtas(*other, *code, ptx.text))
      continue;
    bool spills = countSpilledBytes(*other) != 0;
    best = {std::move(lower), std::move(*other)};
    if (!spills)
      break;
  }
  if (!best)
    return code;
  ptx = std::move(best->first);
  return std::move(best->second);
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

static std::vector<uint8_t> toBytes(ArrayRef<char> data) {
  return std::vector<uint8_t>(data.begin(), data.end());
}

LogicalResult Compilation::addTo(runtime::Artifact &artifact,
                                 const codegen::PtxCode &ptx,
                                 const codegen::AssembledCode &assembled) {
  SmallVector<uint32_t> images;
  auto architecture = runtime::Architecture::fromName(target.chip);
  // A cubin for another chip only shows that the PTX is well formed, and one
  // that lost something is slower than the driver's own.
  if (assembled.assembledFor == target.chip && assembled.lost.empty()) {
    images.push_back(artifact.images.size());
    artifact.images.push_back(
        {runtime::ImageKind::Cubin, *architecture, ptx.version,
         /*portableFallback=*/false, toBytes(assembled.cubin)});
  }
  images.push_back(artifact.images.size());
  artifact.images.push_back({runtime::ImageKind::Ptx, *architecture,
                             ptx.version,
                             /*portableFallback=*/false, toBytes(ptx.text)});
  addKernels(artifact, images, assembled);
  // What its readers demand of an artifact, its writer does.
  if (runtime::Result<void> good = runtime::verifyArtifact(artifact); !good)
    return source.emitError(good.error().message);
  return success();
}

/// Parameter `number` of a kernel as its caller sees it, which begins with
/// `argument`.
static runtime::Parameter describeParameter(BlockArgument argument,
                                            size_t number) {
  runtime::Parameter parameter;
  parameter.name = "arg" + std::to_string(number);
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    parameter.name = name.getName().str();
  Type type = argument.getType();
  if (isa<LLVM::LLVMPointerType>(type)) {
    parameter.kind = runtime::ParameterKind::Pointer;
    parameter.size = 8;
    return parameter;
  }
  parameter.kind = isa<FloatType>(type) ? runtime::ParameterKind::Float
                                        : runtime::ParameterKind::Integer;
  parameter.size = std::max(8u, type.getIntOrFloatBitWidth()) / 8;
  return parameter;
}

/// What the caller promises of a kernel's pointer (`tt.divisibility`), which
/// the compiled code relies on; 1 for other parameters.
static uint32_t readAlignment(tt::FuncOp function, unsigned index) {
  auto promise =
      function.getArgAttrOfType<IntegerAttr>(index, "tt.divisibility");
  int64_t factor = promise ? promise.getInt() : 1;
  // No access is wider than 16 bytes; bulk copies want no more either.
  bool isPointer = isa<tt::PointerType>(function.getArgument(index).getType());
  return isPointer && factor > 0
             ? uint32_t(std::min<int64_t>(factor & -factor, 16))
             : 1;
}

/// runtime::Parameter::elementType of a parameter.
static std::string spellElementType(Type type) {
  if (auto pointer = dyn_cast<tt::PointerType>(type))
    type = pointer.getPointeeType();
  else if (auto descriptor = dyn_cast<tt::TensorDescriptorType>(type))
    type = descriptor.getBlockType().getElementType();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Completes the parameters of a kernel by what its source says of them.
static void addSourceFacts(ModuleOp source, StringRef name,
                           std::vector<runtime::Parameter> &parameters) {
  auto function = source.lookupSymbol<tt::FuncOp>(name);
  if (!function || function.getNumArguments() != parameters.size())
    return;
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    parameter.pointerAlignment = readAlignment(function, index);
    parameter.elementType =
        spellElementType(function.getArgument(index).getType());
  }
}

/// What the source calls a kernel.
static StringRef getSourceName(LLVM::LLVMFuncOp function) {
  auto name = function->getAttrOfType<StringAttr>(
      tilegpu::TileGPUDialect::kernelNameAttrName);
  return name ? name.getValue() : function.getName();
}

/// The tensor maps that launches pass behind a kernel's own parameters.
static ArrayRef<Attribute> getTensorMaps(LLVM::LLVMFuncOp function) {
  auto maps = function->getAttrOfType<ArrayAttr>(
      tilegpu::TileGPUDialect::tensorMapsAttrName);
  return maps ? maps.getValue() : ArrayRef<Attribute>();
}

/// Bytes of global memory that a launch passes for each CTA.
static int64_t getScratchBytes(LLVM::LLVMFuncOp function) {
  auto bytes = function->getAttrOfType<IntegerAttr>(
      tilegpu::TileGPUDialect::scratchBytesAttrName);
  return bytes ? bytes.getInt() : 0;
}

/// The parameters of a kernel as its caller sees them.
static std::vector<runtime::Parameter>
describeParameters(LLVM::LLVMFuncOp function, ModuleOp source) {
  std::vector<runtime::Parameter> parameters;
  auto ranks =
      function->getAttrOfType<DenseI32ArrayAttr>(tt::descriptorRanksAttrName);
  unsigned count = function.getNumArguments() - getTensorMaps(function).size() -
                   (getScratchBytes(function) != 0);
  for (unsigned index = 0; index < count; ++index) {
    size_t number = parameters.size();
    runtime::Parameter parameter =
        describeParameter(function.getArgument(index), number);
    if (unsigned rank = ranks ? ranks[number] : 0) {
      // Its address, sizes and strides follow each other.
      parameter.kind = runtime::ParameterKind::Descriptor;
      parameter.size = 0;
      parameter.rank = rank;
      index += 2 * rank;
    }
    parameters.push_back(std::move(parameter));
  }
  addSourceFacts(source, getSourceName(function), parameters);
  return parameters;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Argument `index` of the code, as what a caller passes.
static runtime::Value locateArgument(const runtime::Kernel &kernel,
                                     unsigned index) {
  runtime::Value value;
  for (auto [number, parameter] : llvm::enumerate(kernel.parameters)) {
    value.argument = number;
    unsigned parts = 1 + 2 * parameter.rank;
    if (index >= parts) {
      index -= parts;
      continue;
    }
    value.source = runtime::ValueSource::Argument;
    if (!parameter.rank)
      return value;
    value.source = index == 0 ? runtime::ValueSource::DescriptorPointer
                   : index <= parameter.rank
                       ? runtime::ValueSource::DescriptorShape
                       : runtime::ValueSource::DescriptorStride;
    value.dimension = index ? (index - 1) % parameter.rank : 0;
    return value;
  }
  llvm_unreachable("a map is made of the kernel's own arguments");
}

/// A size or stride as TileGPUDialect::tensorMapsAttrName has it.
static runtime::Value describeNumber(const runtime::Kernel &kernel,
                                     Attribute attribute) {
  auto number = cast<IntegerAttr>(attribute);
  if (number.getType().isIndex())
    return locateArgument(kernel, number.getInt());
  runtime::Value value;
  value.constant = number.getInt();
  return value;
}

/// The recipe of a map ("CUtensorMapL2promotion" of CUDA's driver API: lines of
/// 128 bytes).
static runtime::TensorMapRecipe makeRecipe(const runtime::Kernel &kernel,
                                           DictionaryAttr description) {
  auto map = cast<tilegpu::TensorMapType>(
      cast<TypeAttr>(description.get("map")).getValue());
  runtime::TensorMapRecipe recipe;
  recipe.dataType = map.getDataType();
  recipe.swizzle = map.getSwizzleMode();
  recipe.l2Promotion = 2;
  recipe.elementBytes = map.getElementBits() / 8;
  recipe.base = locateArgument(
      kernel, cast<IntegerAttr>(description.get("base")).getInt());
  // The fastest dimension comes first there.
  for (Attribute size :
       llvm::reverse(cast<ArrayAttr>(description.get("sizes"))))
    recipe.shape.push_back(describeNumber(kernel, size));
  for (Attribute stride :
       llvm::reverse(cast<ArrayAttr>(description.get("strides"))))
    recipe.strides.push_back(describeNumber(kernel, stride));
  for (Attribute number : cast<ArrayAttr>(description.get("nonnegative")))
    recipe.nonNegative.push_back(describeNumber(kernel, number));
  for (int32_t dim :
       cast<DenseI32ArrayAttr>(description.get("signed_dims")).asArrayRef())
    recipe.signedDimensions.push_back(map.getRank() - 1 - dim);
  for (int64_t size : llvm::reverse(map.getPart()))
    recipe.box.push_back(size);
  recipe.box.front() = map.getAtomElements();
  recipe.elementStrides.assign(map.getRank(), 1);
  return recipe;
}

/// Appends the maps' recipes, and the slots in which they are passed.
static void addTensorMaps(LLVM::LLVMFuncOp function,
                          const runtime::Kernel &kernel,
                          runtime::Variant &variant) {
  for (Attribute description : getTensorMaps(function)) {
    runtime::Slot slot;
    uint32_t end = variant.slots.empty() ? 0
                                         : variant.slots.back().offset +
                                               variant.slots.back().size;
    slot.alignment = runtime::tensorMapAlignment;
    slot.offset = llvm::alignTo(end, slot.alignment);
    slot.size = runtime::tensorMapBytes;
    slot.kind = runtime::SlotKind::TensorMap;
    slot.recipe = variant.tensorMaps.size();
    variant.slots.push_back(slot);
    variant.tensorMaps.push_back(
        makeRecipe(kernel, cast<DictionaryAttr>(description)));
  }
}

/// Appends the slot of the memory that a launch passes, if it does.
static void addScratch(LLVM::LLVMFuncOp function, runtime::Variant &variant) {
  variant.globalScratchBytes = getScratchBytes(function);
  if (!variant.globalScratchBytes)
    return;
  variant.globalScratchAlignment = 128;
  runtime::Slot slot;
  slot.kind = runtime::SlotKind::GlobalScratch;
  if (!variant.slots.empty())
    slot.offset =
        llvm::alignTo(variant.slots.back().offset + variant.slots.back().size,
                      slot.alignment);
  variant.slots.push_back(slot);
}

/// Whether the kernel itself waits for the launch before it.
static bool waitsForLaunches(LLVM::LLVMFuncOp function) {
  return llvm::any_of(function.getOps<NVVM::GriddepcontrolOp>(), [](auto op) {
    return op.getKind() == NVVM::GridDepActionKind::wait;
  });
}

void Compilation::addKernels(runtime::Artifact &artifact,
                             ArrayRef<uint32_t> images,
                             const codegen::AssembledCode &assembled) {
  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      continue;
    runtime::Kernel kernel;
    kernel.name = getSourceName(function);
    kernel.parameters = describeParameters(function, source);
    auto known = llvm::find_if(artifact.kernels, [&](const auto &other) {
      return other.name == kernel.name;
    });
    uint32_t number = known - artifact.kernels.begin();
    if (known == artifact.kernels.end())
      artifact.kernels.push_back(kernel);

    runtime::Variant variant;
    variant.kernel = number;
    variant.symbol = function.getName();
    runtime::appendNaturalSlots(kernel, 8, variant.slots);
    addTensorMaps(function, kernel, variant);
    addScratch(function, variant);
    variant.block = {getThreads(function), 1, 1};
    variant.cluster.x = tilegpu::lookupCluster(function);
    variant.numWarps = variant.block.x / target::Target::warpSize;
    if (auto shared = function->getAttrOfType<IntegerAttr>(
            tilegpu::TileGPUDialect::sharedBytesAttrName))
      variant.dynamicSharedBytes = shared.getInt();
    variant.dependentLaunch = waitsForLaunches(function);
    if (options.maxRegisters != CompileOptions().maxRegisters)
      variant.registerCap = options.maxRegisters;
    for (const codegen::KernelResources &resources : assembled.kernels)
      if (resources.name == variant.symbol) {
        variant.registers = resources.registers;
        variant.spillBytes =
            resources.spillStoreBytes + resources.spillLoadBytes;
      }
    for (uint32_t image : images) {
      variant.image = image;
      artifact.variants.push_back(variant);
    }
  }
}

//===----------------------------------------------------------------------===//
// All targets
//===----------------------------------------------------------------------===//

/// Has `work` done for every target, in order, up to the first failure.
static LogicalResult
compileTargets(ModuleOp source, const CompileOptions &options,
               ConfigurePassManager configure, std::vector<StageTimes> *times,
               llvm::function_ref<LogicalResult(Compilation &)> work) {
  for (const std::string &name : options.targets) {
    const target::Target *target = target::lookup(name);
    if (!target)
      return emitError(UnknownLoc::get(source.getContext()))
             << target::unknownTargetMessage(name);
    Compilation compilation(source, *target, options, configure);
    LogicalResult result = work(compilation);
    if (times)
      times->push_back(compilation.stageTimes());
    if (failed(result))
      return failure();
  }
  return success();
}

/// Compiles for one target, into an artifact.
static LogicalResult compileTo(runtime::Artifact &artifact,
                               Compilation &compilation) {
  if (failed(compilation.lower(Emit::Artifact)))
    return failure();
  FailureOr<codegen::PtxCode> ptx = compilation.emitPTX();
  if (failed(ptx))
    return failure();
  FailureOr<codegen::AssembledCode> assembled = codegen::AssembledCode();
  if (compilation.getOptions().machineCode)
    assembled = compilation.assemble(*ptx, /*onlyWhole=*/true);
  if (failed(assembled))
    return failure();
  return compilation.addTo(artifact, *ptx, *assembled);
}

FailureOr<std::vector<std::string>>
compiler::makeForms(ModuleOp source, ArrayRef<Emit> forms,
                    const CompileOptions &options,
                    ConfigurePassManager configure) {
  FailureOr<std::vector<std::string>> outputs = failure();
  (void)compileTargets(source, options, configure, /*times=*/nullptr,
                       [&](Compilation &compilation) {
                         outputs = makeForms(compilation, forms);
                         return LogicalResult(outputs);
                       });
  return outputs;
}

FailureOr<runtime::Artifact>
compiler::compileModule(ModuleOp source, const CompileOptions &options,
                        ConfigurePassManager configure,
                        std::vector<StageTimes> *times) {
  runtime::Artifact artifact;
  artifact.producer = version();
  if (failed(compileTargets(source, options, configure, times,
                            [&](Compilation &compilation) {
                              return compileTo(artifact, compilation);
                            })))
    return failure();
  return artifact;
}

FailureOr<std::string>
compiler::writeArtifact(ModuleOp source, const runtime::Artifact &artifact,
                        Emit form) {
  if (form == Emit::ArtifactJSON)
    return describeArtifact(artifact);
  runtime::Result<std::vector<uint8_t>> bytes =
      runtime::serializeArtifact(artifact);
  if (!bytes) {
    source.emitError(bytes.error().message);
    return failure();
  }
  return std::string(bytes->begin(), bytes->end());
}

/// One of the forms that are made of the artifact.
static FailureOr<std::vector<std::string>>
emitArtifact(ModuleOp source, const runtime::Artifact &artifact, Emit form,
             StringRef headerName) {
  FailureOr<std::string> text = writeArtifact(source, artifact, form);
  if (failed(text))
    return failure();
  if (form != Emit::CHeader)
    return std::vector{std::move(*text)};
  auto [header, code] = makeCSources(artifact, *text, headerName);
  return std::vector{std::move(header), std::move(code)};
}

FailureOr<std::vector<std::string>>
compiler::emitModule(ModuleOp source, Emit form, const CompileOptions &options,
                     ConfigurePassManager configure, StringRef headerName,
                     std::vector<StageTimes> *times) {
  if (tilewright::describe(form).outputs != Outputs::EachTarget) {
    FailureOr<runtime::Artifact> artifact =
        compileModule(source, options, configure, times);
    if (failed(artifact))
      return failure();
    return emitArtifact(source, *artifact, form, headerName);
  }
  std::vector<std::string> outputs;
  LogicalResult result = compileTargets(
      source, options, configure, times, [&](Compilation &compilation) {
        FailureOr<std::vector<std::string>> output =
            makeForms(compilation, form);
        if (succeeded(output))
          outputs.push_back(std::move(output->front()));
        return LogicalResult(output);
      });
  if (failed(result))
    return failure();
  return outputs;
}
