// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweredKernel.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Pipelines/Pipelines.h"

#include <algorithm>
#include <mutex>

using namespace mlir;
using namespace tilewright::test;

std::string tilewright::test::tensorType(ArrayRef<int64_t> shape,
                                         const std::string &element,
                                         const std::string &layout) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ", " + layout + ">";
}

void KernelText::alias(const std::string &name, const std::string &text) {
  aliases += "#" + name + " = " + text + "\n";
}

void KernelText::argument(const std::string &name, const std::string &type) {
  std::string text = "%" + name + ": " + type;
  if (arguments.find(text) == std::string::npos)
    arguments += (arguments.empty() ? "" : ", ") + text;
}

/// The layout of dimension `dim` alone, which expand_dims then takes to
/// `layout`.
static std::string sliceTo(const std::string &layout, unsigned rank,
                           unsigned dim) {
  std::string sliced = layout;
  for (unsigned other = rank; other-- > 0;)
    if (other != dim)
      sliced = "#tilegpu.slice<dim = " + std::to_string(other) +
               ", parent = " + sliced + ">";
  return sliced;
}

std::string KernelText::pointers(const std::string &pointer,
                                 ArrayRef<int64_t> shape,
                                 const std::string &element,
                                 const std::string &layout) {
  argument("arg_" + pointer, "!tt.ptr<" + element + ">");
  std::string prefix = "%p" + std::to_string(next++) + "_";
  std::string pointerType = "!tt.ptr<" + element + ">";
  std::string sum = prefix + "base";
  line(sum + " = tt.splat %arg_" + pointer + " : " + pointerType + " -> " +
       tensorType(shape, pointerType, layout));
  unsigned rank = shape.size();
  int64_t stride = 1;
  for (unsigned dim = rank; dim-- > 0; stride *= shape[dim]) {
    std::string name = prefix + std::to_string(dim);
    std::string sliced = sliceTo(layout, rank, dim);
    std::string type = tensorType({shape[dim]}, "i32", sliced);
    line(name + "_r = tt.make_range {start = 0 : i32, end = " +
         std::to_string(shape[dim]) + " : i32} : " + type);
    line(name + "_c = arith.constant dense<" + std::to_string(stride) +
         "> : " + type);
    line(name + "_m = arith.muli " + name + "_r, " + name + "_c : " + type);
    // Dimensions are put back from the first to the last.
    SmallVector<int64_t> held = {shape[dim]};
    std::string value = name + "_m";
    for (unsigned other = 0; other < rank; ++other) {
      if (other == dim)
        continue;
      held.insert(held.begin() + other, 1);
      std::string parent = layout;
      for (unsigned later = rank; later-- > other + 1;)
        if (later != dim)
          parent = "#tilegpu.slice<dim = " + std::to_string(later) +
                   ", parent = " + parent + ">";
      std::string expandedType = tensorType(held, "i32", parent);
      std::string expanded = name + "_e" + std::to_string(other);
      line(expanded + " = tt.expand_dims " + value + " {axis = " +
           std::to_string(other) + " : i32} : " + type + " -> " + expandedType);
      value = expanded;
      type = expandedType;
    }
    std::string full = tensorType(shape, "i32", layout);
    if (ArrayRef<int64_t>(held) != shape) {
      line(name + "_b = tt.broadcast " + value + " : " + type + " -> " + full);
      value = name + "_b";
    }
    std::string moved = name + "_p";
    line(moved + " = tt.addptr " + sum + ", " + value + " : " +
         tensorType(shape, pointerType, layout) + ", " + full);
    sum = moved;
  }
  return sum;
}

void KernelText::load(const std::string &name, const std::string &pointer,
                      ArrayRef<int64_t> shape, const std::string &element,
                      const std::string &layout) {
  std::string address = pointers(pointer, shape, element, layout);
  line("%" + name + " = tt.load " + address + " : " +
       tensorType(shape, "!tt.ptr<" + element + ">", layout));
}

void KernelText::store(const std::string &name, const std::string &pointer,
                       ArrayRef<int64_t> shape, const std::string &element,
                       const std::string &layout) {
  std::string address = pointers(pointer, shape, element, layout);
  line("tt.store " + address + ", %" + name + " : " +
       tensorType(shape, "!tt.ptr<" + element + ">", layout));
}

std::string KernelText::build() const {
  return aliases + "module attributes {tilegpu.target = \"" + target +
         "\"} {\ntt.func @kernel(" + arguments +
         ") attributes {tilegpu.num_warps = " + std::to_string(warps) +
         " : i32} {\n" + body + "  tt.return\n}\n}\n";
}

LoweredKernel::LoweredKernel(const std::string &text,
                             const std::string &passes) {
  static std::once_flag registered;
  std::call_once(registered, [] { registerAllPasses(); });
  DialectRegistry registry;
  registerAllDialects(registry);
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(
      context.get(), [this](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream(messages) << diagnostic << "\n";
      });
  module = parseSourceString<ModuleOp>(text, ParserConfig(context.get()));
  if (!module)
    return;
  PassManager manager(context.get(), ModuleOp::getOperationName());
  auto pipeline = parsePassPipeline(passes);
  if (failed(pipeline)) {
    module = nullptr;
    return;
  }
  static_cast<OpPassManager &>(manager) = std::move(*pipeline);
  if (failed(manager.run(*module)))
    module = nullptr;
}

LLVM::LLVMFuncOp LoweredKernel::function() {
  return module->lookupSymbol<LLVM::LLVMFuncOp>("kernel");
}

std::string tilewright::test::randomLinearLayout(std::mt19937 &random,
                                                 ArrayRef<int64_t> shape,
                                                 unsigned registerBits,
                                                 unsigned warpBits,
                                                 bool mixed) {
  // Unit vectors of the coordinates, those of the warps (taken from dimension
  // 0) apart.
  std::vector<std::vector<int64_t>> threadBases, warpBases;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    for (int64_t value = 1; value < shape[dim]; value *= 2) {
      std::vector<int64_t> vector(shape.size(), 0);
      vector[dim] = value;
      bool toWarp = dim == 0 && warpBases.size() < warpBits &&
                    value >= (shape[0] >> warpBits);
      (toWarp ? warpBases : threadBases).push_back(vector);
    }
  std::vector<int64_t> zero(shape.size(), 0);
  warpBases.resize(warpBits, zero);
  // Copies, in lanes and in registers.
  threadBases.resize(std::max<size_t>(threadBases.size(), 5 + registerBits),
                     zero);
  std::shuffle(threadBases.begin(), threadBases.end(), random);
  if (mixed)
    for (auto &basis : threadBases)
      for (auto &other : threadBases)
        if (&basis != &other && &basis < &other && random() % 4 == 0)
          for (unsigned dim = 0; dim < shape.size(); ++dim)
            basis[dim] ^= other[dim];
  auto print = [](llvm::ArrayRef<std::vector<int64_t>> bases) {
    std::string text = "[";
    for (const auto &basis : bases) {
      text += text.size() > 1 ? ", [" : "[";
      for (size_t dim = 0; dim < basis.size(); ++dim)
        text += (dim ? ", " : "") + std::to_string(basis[dim]);
      text += "]";
    }
    return text + "]";
  };
  llvm::ArrayRef<std::vector<int64_t>> all(threadBases);
  return "#tilegpu.linear<register = " + print(all.drop_front(5)) +
         ", lane = " + print(all.take_front(5)) +
         ", warp = " + print(warpBases) + ">";
}
