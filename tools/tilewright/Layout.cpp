// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright layout`: a layout encoding as text or as SVG.

#include "dialects/TileGPU/MatrixFragments.h"
#include "lib/LayoutView/LayoutView.h"
#include "mlir/AsmParser/AsmParser.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using driver::fail;
using driver::writeOutput;
namespace cl = llvm::cl;
using target::Capability;
using target::MatrixInstruction;
using target::Target;

namespace {

/// The command line of `tilewright layout`.
struct LayoutCommandLine {
  cl::OptionCategory category{"Options of tilewright layout"};
  cl::opt<std::string> encoding{cl::Positional, cl::init(""), cl::cat(category),
                                cl::desc("'#tilegpu....'")};
  cl::opt<std::string> shape{
      "shape", cl::value_desc("64x64"), cl::cat(category),
      cl::desc("The tensor's sizes, powers of two (needed)")};
  cl::opt<unsigned> elementBits{
      "element-bits", cl::value_desc("N"), cl::init(16), cl::cat(category),
      cl::desc("Width of an element: 4, 8, 16, 32 or 64 (default 16)")};
  cl::opt<unsigned> numWarps{"num-warps", cl::value_desc("N"), cl::init(0),
                             cl::cat(category),
                             cl::desc("Check that the layout is for N warps")};
  cl::opt<std::string> target{
      "target", cl::value_desc("sm_XX"), cl::cat(category),
      cl::desc(
          "Tell the target's matrix instructions that have the layout, and "
          "its ldmatrix and stmatrix that access it")};
  cl::opt<std::string> access{
      "access", cl::value_desc("'#tilegpu....'"), cl::cat(category),
      cl::desc("Of shared memory: the register layout that accesses it; bank "
               "conflicts are counted and marked")};
  cl::opt<std::string> format{"format", cl::value_desc("text|svg"),
                              cl::init("text"), cl::cat(category),
                              cl::desc("What is written (default text)")};
  cl::opt<std::string> view{
      "view", cl::value_desc("tensor|hardware|both"), cl::init("both"),
      cl::cat(category),
      cl::desc("Which element is where, what each place holds, or both "
               "(default)")};
  cl::opt<bool> full{"full", cl::cat(category),
                     cl::desc("Leave nothing out of large layouts")};
  cl::opt<std::string> output{"o", cl::value_desc("file"), cl::init("-"),
                              cl::cat(category),
                              cl::desc("Where to write (default: to stdout)")};
};

/// Larger tensors are no picture.
constexpr uint64_t maxElements = uint64_t(1) << 20;

/// Writes what the dialect's verifiers say, for as long as it lives.
class ErrorWriter {
public:
  ErrorWriter(MLIRContext &context, llvm::StringRef option)
      : handler(&context, [option](mlir::Diagnostic &diagnostic) {
          llvm::errs() << "tilewright: error: " << option;
          if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
            llvm::errs() << ":" << place.getColumn();
          llvm::errs() << ": " << diagnostic << "\n";
        }) {}

private:
  ScopedDiagnosticHandler handler;
};

/// "64x64" as sizes; none with a message where it is no shape.
std::optional<SmallVector<int64_t>> parseShape(llvm::StringRef text) {
  SmallVector<int64_t> shape;
  uint64_t elements = 1;
  SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    uint64_t size;
    if (part.getAsInteger(10, size) || !layout::isPowerOfTwo(size)) {
      fail("expects --shape as powers of two with an x between, as in 64x64, "
           "but got '" +
           text + "'");
      return std::nullopt;
    }
    if (size > maxElements || elements * size > maxElements) {
      fail("expects --shape of at most " + llvm::Twine(maxElements) +
           " elements, but got '" + text + "'");
      return std::nullopt;
    }
    elements *= size;
    shape.push_back(size);
  }
  return shape;
}

/// A register layout of a tensor of `shape`; null with a message where it is
/// none.
RegisterLayoutInterface getRegisters(Attribute attribute,
                                     ArrayRef<int64_t> shape,
                                     MLIRContext &context) {
  auto encoding = dyn_cast<RegisterLayoutInterface>(attribute);
  Location location = UnknownLoc::get(&context);
  if (!encoding) {
    emitError(location) << "expects a register layout, but got " << attribute;
    return {};
  }
  auto verifiable = cast<VerifiableTensorEncoding>(attribute);
  if (failed(verifiable.verifyEncoding(shape, Float32Type::get(&context),
                                       [&] { return emitError(location); })))
    return {};
  return encoding;
}

/// The synchronous or asynchronous instruction leaves its result as `encoding`
/// says, or takes an operand so.
bool hasFragment(const MatrixInstruction &instruction, Attribute encoding) {
  if (auto operand = dyn_cast<DotOperandAttr>(encoding))
    return operand.getKWidth() == getRegisterElements(instruction) &&
           hasFragment(instruction, operand.getParent());
  if (auto wgmma = dyn_cast<WgmmaAttr>(encoding))
    return instruction.asynchronous && instruction.admitsN(wgmma.getN());
  auto mma = dyn_cast<MmaAttr>(encoding);
  return mma && !instruction.asynchronous &&
         getMmaFamily(instruction) == mma.getFamily();
}

/// A line for each instruction of the target that has the layout.
void addInstructions(const Target &target, Attribute encoding,
                     std::vector<std::string> &remarks) {
  Attribute innermost = encoding;
  if (auto operand = dyn_cast<DotOperandAttr>(innermost))
    innermost = operand.getParent();
  if (!isa<MmaAttr, WgmmaAttr>(innermost))
    return;
  // The operand types of each shape.
  llvm::MapVector<llvm::StringRef, std::string> types;
  for (const MatrixInstruction *instruction : target.matrixInstructions())
    if (hasFragment(*instruction, encoding)) {
      std::string &list = types[instruction->name];
      std::string type(target::elementTypeName(instruction->a));
      if (!llvm::is_contained(llvm::split(list, ", "), type))
        list += (list.empty() ? "" : ", ") + type;
    }
  std::string name(target.name);
  if (types.empty())
    remarks.push_back("no instruction of " + name + " has this fragment");
  for (auto &[instruction, list] : types)
    remarks.push_back(name + ": " + instruction.str() + " on " + list);
}

/// Reads one encoding, all of the text.
Attribute parseEncoding(llvm::StringRef text, MLIRContext &context) {
  return parseAttribute(text, &context);
}

/// The subject of the picture: shared memory or registers.
std::optional<view::Subject> makeSubject(const LayoutCommandLine &line,
                                         ArrayRef<int64_t> shape,
                                         MLIRContext &context) {
  ErrorWriter writer(context, "the layout");
  Attribute attribute = parseEncoding(line.encoding, context);
  if (!attribute)
    return std::nullopt;
  view::Subject subject{line.encoding,
                        {shape.begin(), shape.end()},
                        line.elementBits,
                        {},
                        {},
                        {}};
  Location location = UnknownLoc::get(&context);
  if (auto shared = dyn_cast<SharedLayoutInterface>(attribute)) {
    if (failed(verifySharedTile(shared, shape, line.elementBits,
                                [&] { return emitError(location); })))
      return std::nullopt;
    subject.map = shared.toLinearLayout(shape);
    subject.padding = shared.getPadding();
    return subject;
  }
  if (!isa<RegisterLayoutInterface>(attribute)) {
    emitError(location) << "expects a layout of dialect tilegpu, but got "
                        << attribute;
    return std::nullopt;
  }
  RegisterLayoutInterface encoding = getRegisters(attribute, shape, context);
  if (!encoding)
    return std::nullopt;
  subject.map = encoding.toLinearLayout(shape);
  if (const Target *target = target::lookup(line.target.getValue()))
    addInstructions(*target, attribute, subject.remarks);
  return subject;
}

/// The access that --access names.
std::optional<view::Access> makeAccess(const LayoutCommandLine &line,
                                       ArrayRef<int64_t> shape,
                                       MLIRContext &context) {
  ErrorWriter writer(context, "--access");
  Attribute attribute = parseEncoding(line.access, context);
  if (!attribute)
    return std::nullopt;
  RegisterLayoutInterface encoding = getRegisters(attribute, shape, context);
  if (!encoding)
    return std::nullopt;
  const Target *target = target::lookup(line.target.getValue());
  return view::Access{line.access, encoding.toLinearLayout(shape),
                      target && target->has(Capability::LdMatrix),
                      target && target->has(Capability::StMatrix)};
}

/// What can be said against the options alone.
int checkOptions(const LayoutCommandLine &line) {
  if (line.encoding.empty())
    return fail(
        "expects a layout, as in '#tilegpu.mma<m16n8, warps = [2, 2]>', "
        "but got none");
  if (line.shape.empty())
    return fail("expects --shape, as in --shape=64x64, but got none");
  if (!llvm::is_contained({4u, 8u, 16u, 32u, 64u}, line.elementBits))
    return fail("expects --element-bits=4, 8, 16, 32 or 64, but got " +
                llvm::Twine(line.elementBits));
  if (!llvm::is_contained({"text", "svg"}, line.format.getValue()))
    return fail("expects --format=text or svg, but got '" + line.format + "'");
  if (!llvm::is_contained({"tensor", "hardware", "both"}, line.view.getValue()))
    return fail("expects --view=tensor, hardware or both, but got '" +
                line.view + "'");
  if (!line.target.empty() && !target::lookup(line.target.getValue()))
    return fail(target::unknownTargetMessage(line.target.getValue()));
  return 0;
}

/// --num-warps against the layout in registers that there is.
int checkWarps(const LayoutCommandLine &line, const view::Subject &subject,
               const std::optional<view::Access> &access) {
  if (line.numWarps == 0)
    return 0;
  if (subject.isShared() && !access)
    return fail("expects --num-warps for a layout in registers, but got shared "
                "memory without --access");
  uint64_t warps = uint64_t(1) << (access ? access->registers : subject.map)
                                      .inputBits(layout::Axis::Warp);
  if (warps != line.numWarps)
    return fail("expects a layout of " + llvm::Twine(line.numWarps) +
                " warps (--num-warps), but got one of " + llvm::Twine(warps));
  return 0;
}

int drawLayout(const LayoutCommandLine &line) {
  std::optional<SmallVector<int64_t>> shape = parseShape(line.shape);
  if (!shape)
    return 1;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TileGPUDialect>();
  std::optional<view::Subject> subject = makeSubject(line, *shape, context);
  if (!subject)
    return 1;
  std::optional<view::Access> access;
  if (!line.access.empty()) {
    if (!subject->isShared())
      return fail("expects --access with a layout of shared memory, but got " +
                  line.encoding);
    access = makeAccess(line, *shape, context);
    if (!access)
      return 1;
  }
  if (int status = checkWarps(line, *subject, access))
    return status;
  view::Options options;
  options.tensorView = line.view != "hardware";
  options.hardwareView = line.view != "tensor";
  options.full = line.full;
  bool isSvg = line.format == "svg";
  if (isSvg) {
    options.rows = 64;
    options.columns = 64;
  }
  view::Picture picture = view::drawLayout(*subject, access, options);
  return writeOutput(line.output,
                     isSvg ? view::toSvg(picture) : view::toText(picture));
}

} // namespace

int driver::runLayout(int argc, const char *const *argv) {
  cl::ResetCommandLineParser();
  LayoutCommandLine line;
  cl::HideUnrelatedOptions(line.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Shows which thread or which bank of shared memory holds which "
          "element.\n\n"
          "  tilewright layout '#tilegpu.mma<m16n8, warps = [1, 1]>' "
          "--shape=16x8 --element-bits=32\n",
          &llvm::errs()))
    return 1;
  if (int status = checkOptions(line))
    return status;
  return drawLayout(line);
}
