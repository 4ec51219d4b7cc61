// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/Dots/DotKernel.h"

#include "lib/Compiler/Compiler.h"
#include "lib/Run/EmulatorDevice.h"
#include "lib/Run/Run.h"

#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::test;
using Shape = std::vector<int64_t>;

std::ostream &test::operator<<(std::ostream &stream, const DotKernel &kernel) {
  return stream << kernel.target << " " << kernel.operand << " -> "
                << kernel.accumulator << " " << kernel.inputPrecision << ", "
                << kernel.batches << "x" << kernel.rows << "x" << kernel.columns
                << "x" << kernel.k << ", " << kernel.numWarps << " warps";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string tensor(const Shape &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

/// The offsets of a row-major tile along `dim`, as a tile of `shape`; its name.
static std::string emitOffsets(const std::string &name, const Shape &shape,
                               size_t dim, int64_t stride, std::string &text) {
  std::string prefix = "%" + name + std::to_string(dim);
  Shape held = {shape[dim]};
  std::string type = tensor(held, "i32");
  text += "  " + prefix + "r = tt.make_range {start = 0 : i32, end = " +
          std::to_string(shape[dim]) + " : i32} : " + type + "\n";
  text += "  " + prefix + "s = arith.constant dense<" + std::to_string(stride) +
          "> : " + type + "\n";
  text += "  " + prefix + "m = arith.muli " + prefix + "r, " + prefix +
          "s : " + type + "\n";
  std::string value = prefix + "m";
  for (size_t other = 0; other < shape.size(); ++other) {
    if (other == dim)
      continue;
    held.insert(held.begin() + other, 1);
    std::string expanded = prefix + "e" + std::to_string(other);
    text += "  " + expanded + " = tt.expand_dims " + value +
            " {axis = " + std::to_string(other) + " : i32} : " + type + " -> " +
            tensor(held, "i32") + "\n";
    value = expanded;
    type = tensor(held, "i32");
  }
  if (held == shape)
    return value;
  text += "  " + prefix + "b = tt.broadcast " + value + " : " + type + " -> " +
          tensor(shape, "i32") + "\n";
  return prefix + "b";
}

/// Pointers to all elements of the row-major tile at argument `name`.
static std::string emitPointers(const std::string &name, const Shape &shape,
                                const std::string &element, std::string &text) {
  std::string pointer = "!tt.ptr<" + element + ">";
  std::string type = tensor(shape, pointer), value = "%" + name + "_all";
  text += "  " + value + " = tt.splat %" + name + " : " + pointer + " -> " +
          type + "\n";
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
    std::string offsets = emitOffsets(name, shape, dim, stride, text);
    std::string moved = "%" + name + std::to_string(dim) + "p";
    text += "  " + moved + " = tt.addptr " + value + ", " + offsets + " : " +
            type + ", " + tensor(shape, "i32") + "\n";
    value = moved;
  }
  return value;
}

static Shape shapeOf(const DotKernel &kernel, int64_t rows, int64_t columns) {
  if (kernel.batches == 0)
    return {rows, columns};
  return {kernel.batches, rows, columns};
}

std::string test::buildText(const DotKernel &kernel) {
  const std::string &operand = kernel.operand, &sum = kernel.accumulator;
  Shape a = shapeOf(kernel, kernel.rows, kernel.k);
  Shape b = shapeOf(kernel, kernel.k, kernel.columns);
  Shape c = shapeOf(kernel, kernel.rows, kernel.columns);
  std::string text = "tt.func @dot(%a: !tt.ptr<" + operand + ">, %b: !tt.ptr<" +
                     operand + ">, %c: !tt.ptr<" + sum + ">, %d: !tt.ptr<" +
                     sum + ">) {\n";
  auto load = [&](const std::string &name, const Shape &shape,
                  const std::string &element) {
    std::string pointers = emitPointers(name, shape, element, text);
    text += "  %" + name + "_tile = tt.load " + pointers + " : " +
            tensor(shape, "!tt.ptr<" + element + ">") + "\n";
  };
  load("a", a, operand);
  load("b", b, operand);
  load("c", c, sum);
  text += "  %d_tile = tt.dot %a_tile, %b_tile, %c_tile, inputPrecision = " +
          kernel.inputPrecision + " : " + tensor(a, operand) + " * " +
          tensor(b, operand) + " -> " + tensor(c, sum) + "\n";
  std::string pointers = emitPointers("d", c, sum, text);
  text += "  tt.store " + pointers +
          ", %d_tile : " + tensor(c, "!tt.ptr<" + sum + ">") +
          "\n  tt.return\n}\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Compiling and running
//===----------------------------------------------------------------------===//

/// Diagnostics are added to `messages`.
static CompileOptions makeOptions(const DotKernel &kernel,
                                  std::string &messages) {
  CompileOptions options;
  options.targets = {kernel.target};
  options.numWarps = kernel.numWarps;
  options.machineCode = false;
  options.sourceName = "dot.mlir";
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    messages += diagnostic.message + "\n";
  };
  return options;
}

std::string test::compileToPtx(const DotKernel &kernel) {
  std::string messages;
  auto outputs = compiler::emit(buildText(kernel), Emit::PTX,
                                makeOptions(kernel, messages));
  return outputs ? outputs->front() : messages;
}

static run::RunArgument makeArgument(const std::string &element,
                                     const std::vector<double> &values) {
  run::RunArgument argument;
  auto type = run::elementTypeFromName(element);
  argument.value =
      *run::HostTensor::create(*type, {static_cast<int64_t>(values.size())});
  for (size_t index = 0; index < values.size(); ++index) {
    if (run::isFloat(*type))
      run::fromDouble(*type, values[index], argument.value.element(index));
    else
      run::fromInteger(*type, static_cast<int64_t>(values[index]),
                       argument.value.element(index));
  }
  return argument;
}

static std::vector<double> toNumbers(const run::HostTensor &tensor) {
  std::vector<double> numbers;
  for (uint64_t index = 0; index < tensor.elementCount(); ++index)
    numbers.push_back(run::isFloat(tensor.type)
                          ? run::toDouble(tensor.type, tensor.element(index))
                          : static_cast<double>(run::toInteger(
                                tensor.type, tensor.element(index))));
  return numbers;
}

std::vector<double> test::runDot(const DotKernel &kernel,
                                 const std::vector<double> &a,
                                 const std::vector<double> &b,
                                 const std::vector<double> &c) {
  std::string messages;
  auto artifact =
      compiler::compile(buildText(kernel), makeOptions(kernel, messages));
  if (!artifact) {
    ADD_FAILURE() << messages;
    return {};
  }
  run::RunOptions options;
  options.grid = {1, 1, 1};
  options.arguments = {
      makeArgument(kernel.operand, a), makeArgument(kernel.operand, b),
      makeArgument(kernel.accumulator, c),
      makeArgument(kernel.accumulator, std::vector<double>(c.size()))};
  auto device = run::openEmulator({}, nullptr);
  auto report =
      run::runArtifact(*artifact, *device, options, [](std::string_view) {});
  if (!report) {
    ADD_FAILURE() << report.error().message;
    return {};
  }
  return toNumbers(report->results[3]);
}
