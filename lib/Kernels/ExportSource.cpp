// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/ExportSource.h"

#include <algorithm>
#include <cctype>
#include <cstring>

using namespace tilewright;
using namespace tilewright::kernels;

ExportedArgument ExportedArgument::of(const Number &number) {
  ExportedArgument argument;
  argument.name = number.name;
  argument.size = run::byteSize(number.type);
  argument.kind = number.isInteger() ? Kind::Integer : Kind::Float;
  if (!number.isInteger()) {
    float value = static_cast<float>(number.value);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    argument.bits = bits;
  }
  return argument;
}

ExportedArgument
ExportedOperator::pointerTo(const TensorParameter &tensor,
                            std::map<std::string, uint64_t> &offsets,
                            uint64_t &workspaceBytes) const {
  ExportedArgument argument;
  argument.name = tensor.name;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == tensor.name) {
      argument.bits = i;
      return argument;
    }
  argument.kind = ExportedArgument::Kind::Workspace;
  auto [offset, isNew] = offsets.emplace(tensor.name, workspaceBytes);
  if (isNew)
    workspaceBytes +=
        ceilDivide(tensor.elements * run::byteSize(tensor.type), 256) * 256;
  argument.bits = offset->second;
  return argument;
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

/// "    int64_t m,\n    int64_t n": sizes have a suffix, so that none is a
/// word of C.
static std::string sizeParameters(const ExportedOperator &exported) {
  std::string text;
  for (const std::string &size : exported.sizes)
    text += ",\n    int64_t size_" + size;
  return text;
}

static std::string runPrototype(const ExportedOperator &exported) {
  std::string text = "tilewright_error *" + exported.name + "_run(const " +
                     exported.name + " *module, void *stream" +
                     sizeParameters(exported);
  for (const ExportedTensor &tensor : exported.tensors)
    text += ",\n    uint64_t " + tensor.name;
  return text + ",\n    uint64_t workspace)";
}

static std::string workspacePrototype(const ExportedOperator &exported) {
  return "tilewright_error *" + exported.name + "_workspace_size(const " +
         exported.name + " *module" + sizeParameters(exported) +
         ",\n    uint64_t *bytes)";
}

static std::string describe(const ExportedTensor &tensor) {
  std::string text = "     " + tensor.name + ": device address of ";
  for (size_t d = 0; d < tensor.sizes.size(); ++d)
    text += (d ? " x " : "") +
            (tensor.sizes[d].empty() ? "?" : std::string(tensor.sizes[d]));
  return text + " elements of " + tensor.type +
         (tensor.isOutput ? ", written" : "") + ", a multiple of " +
         std::to_string(tensor.alignment) + "\n";
}

/// The sizes that there is code for, a line each.
static std::string describeSizes(const ExportedOperator &exported) {
  std::string text;
  for (const ExportedVariant &variant : exported.targets.front().variants) {
    text += "    ";
    for (size_t i = 0; i < exported.sizes.size(); ++i)
      text += " " + exported.sizes[i] +
              (exported.dynamicSize == i ? " up to " : " = ") +
              std::to_string(variant.sizes[i]) +
              (i + 1 < exported.sizes.size() ? "," : "\n");
  }
  return text;
}

static std::string replaceAll(std::string text, std::string_view what,
                              std::string_view by) {
  for (size_t at = text.find(what); at != text.npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string kernels::makeExportHeader(const ExportedOperator &exported) {
  std::string guard = exported.name + "_H";
  std::ranges::transform(guard, guard.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  std::string targets, options, tensors;
  for (const ExportedTarget &target : exported.targets)
    targets += (targets.empty() ? "" : ", ") + target.name;
  for (const std::string &option : exported.options)
    options += " " + option;
  for (const ExportedTensor &tensor : exported.tensors)
    tensors += describe(tensor);
  std::string text = R"(/* Made by tilewright kernels export. */
#ifndef $GUARD
#define $GUARD

#include "tilewright-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* $OPERATOR, with code for $TARGETS, on one device. */
typedef struct $NAME $NAME;

/* Takes the best code that the device runs, and loads all of it. */
tilewright_error *$NAME_load(tilewright_device *device, $NAME **module);
/* NULL is allowed. */
void $NAME_unload($NAME *module);

/* How much memory a call of these sizes needs besides. */
$WORKSPACE;

/* Runs on a CUstream (NULL: the legacy default stream). Allocates nothing and
   waits for nothing, so that it may be captured. Tensors are dense unless the
   options say otherwise.
$TENSORS     workspace: device address of $NAME_workspace_size bytes, a multiple
     of 256; 0 where none is needed
   There is code for
$SIZES*/
$RUN;

#ifdef __cplusplus
}
#endif

#endif /* $GUARD */
)";
  text = replaceAll(text, "$WORKSPACE", workspacePrototype(exported));
  text = replaceAll(text, "$RUN;", runPrototype(exported) + ";");
  text = replaceAll(text, "$TENSORS", tensors);
  text = replaceAll(text, "$SIZES", describeSizes(exported));
  text = replaceAll(text, "$OPERATOR", exported.operatorName + options);
  text = replaceAll(text, "$TARGETS", targets);
  text = replaceAll(text, "$GUARD", guard);
  return replaceAll(text, "$NAME", exported.name);
}

//===----------------------------------------------------------------------===//
// The source
//===----------------------------------------------------------------------===//

static std::string dependenceText(const Dependence &d) {
  return "{" + std::to_string(d.factor) + ", " + std::to_string(d.step) + ", " +
         std::to_string(d.base) + "}";
}

static std::string argumentText(const ExportedArgument &argument) {
  static constexpr const char *kinds[] = {"TENSOR", "WORKSPACE", "NUMBER",
                                          "REAL"};
  return "{" + std::string(kinds[size_t(argument.kind)]) + ", " +
         std::to_string(argument.size) + ", " + std::to_string(argument.bits) +
         "u, " + dependenceText(argument.integer) + "}, /* " + argument.name +
         " */\n";
}

/// The tables: arguments, launches and variants, each row after row, and where
/// the rows of each target begin.
static std::string makeTables(const ExportedOperator &exported) {
  std::string arguments, launches, variants, targets;
  size_t argumentCount = 0, launchCount = 0, variantCount = 0;
  for (const ExportedTarget &target : exported.targets) {
    size_t firstLaunch = launchCount, firstVariant = variantCount;
    for (const ExportedVariant &variant : target.variants) {
      std::string sizes;
      for (int64_t size : variant.sizes)
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
      variants += "    {{" + (sizes.empty() ? "0" : sizes) + "}, " +
                  std::to_string(launchCount) + ", " +
                  std::to_string(variant.launches.size()) + ", " +
                  std::to_string(variant.workspaceBytes) + "u}, /* " +
                  target.name + ": " + variant.configuration + " */\n";
      ++variantCount;
      for (const ExportedLaunch &launch : variant.launches) {
        launches += "    {\"" + launch.kernel + "\", {" +
                    dependenceText(launch.grid[0]) + ", " +
                    dependenceText(launch.grid[1]) + ", " +
                    dependenceText(launch.grid[2]) + "}, " +
                    std::to_string(argumentCount) + ", " +
                    std::to_string(launch.arguments.size()) + "},\n";
        ++launchCount;
        for (const ExportedArgument &argument : launch.arguments)
          arguments += "    " + argumentText(argument);
        argumentCount += launch.arguments.size();
      }
    }
    targets += "    {" + std::to_string(firstVariant) + ", " +
               std::to_string(variantCount - firstVariant) + ", " +
               std::to_string(firstLaunch) + ", " +
               std::to_string(launchCount - firstLaunch) + "}, /* " +
               target.name + " */\n";
  }
  // No table may be empty: where nothing is launched, a row that nobody reads.
  if (!argumentCount)
    arguments = "    {TENSOR, 0, 0u, {0, 1, 0}},\n";
  if (!launchCount)
    launches = "    {\"\", {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}}, 0, 0},\n";
  return "static const argument_row argument_rows[] = {\n" + arguments +
         "};\n\nstatic const launch_row launch_rows[] = {\n" + launches +
         "};\n\nstatic const variant_row variant_rows[] = {\n" + variants +
         "};\n\nstatic const target_row target_rows[] = {\n" + targets +
         "};\n\n";
}

static std::string makeBytes(std::span<const uint8_t> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "static const unsigned char artifact[] = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    text += i % 16 ? "" : "\n    ";
    text += "0x";
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
    text += ',';
  }
  return text + "\n};\n\n";
}

// C99. Numbers of a call follow from its dynamic size by a row's dependence.
static constexpr const char *typesText =
    R"(/* Made by tilewright kernels export. */
#include "$NAME.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = $SIZECOUNT, MOST_ARGUMENTS = $ARGUMENTCOUNT };
/* Which size is dynamic; -1: none. */
enum { DYNAMIC = $DYNAMICINDEX };
static const char *const size_names[] = {$SIZENAMES};

/* factor * ceil(dynamic size / step) + base */
typedef struct {
  int64_t factor, step, base;
} dependence;
enum { TENSOR, WORKSPACE, NUMBER, REAL };
/* bits: a tensor's number, an offset in the workspace, a float */
typedef struct {
  int kind;
  uint32_t size;
  uint64_t bits;
  dependence number;
} argument_row;
typedef struct {
  const char *kernel;
  dependence grid[3];
  uint32_t first_argument, arguments;
} launch_row;
typedef struct {
  int64_t sizes[SIZES];
  uint32_t first_launch, launches;
  uint64_t workspace_size;
} variant_row;
typedef struct {
  uint32_t first_variant, variants, first_launch, launches;
} target_row;

)";

static constexpr const char *functionsText = R"(struct $NAME {
  const target_row *target;
  /* Of the target's launches. */
  tilewright_kernel **kernels;
};

void $NAME_unload($NAME *module) {
  uint32_t i;
  if (!module)
    return;
  for (i = 0; module->kernels && i < module->target->launches; ++i)
    tilewright_kernel_destroy(module->kernels[i]);
  free(module->kernels);
  free(module);
}

static tilewright_error *load_target(const tilewright_program *program,
                                     tilewright_device *device,
                                     const target_row *target, $NAME **module) {
  tilewright_error *error = NULL;
  uint32_t i;
  $NAME *made = ($NAME *)calloc(1, sizeof *made);
  if (made)
    made->kernels = (tilewright_kernel **)calloc(target->launches + 1,
                                                 sizeof *made->kernels);
  if (!made || !made->kernels) {
    free(made);
    return tilewright_error_create(TILEWRIGHT_ERROR_OUT_OF_MEMORY,
                                   "no memory for the kernels' handles");
  }
  made->target = target;
  for (i = 0; !error && i < target->launches; ++i) {
    error = tilewright_kernel_create(
        program, device, launch_rows[target->first_launch + i].kernel,
        &made->kernels[i]);
    if (!error)
      error = tilewright_kernel_prepare(made->kernels[i]);
  }
  if (error)
    $NAME_unload(made);
  else
    *module = made;
  return error;
}

tilewright_error *$NAME_load(tilewright_device *device, $NAME **module) {
  tilewright_program *program = NULL;
  tilewright_error *error =
      tilewright_program_create(artifact, sizeof artifact, &program);
  size_t i;
  *module = NULL;
  /* The last one's error is that of the code that runs on most devices. */
  for (i = 0; program && !*module && i < sizeof target_rows / sizeof *target_rows;
       ++i) {
    tilewright_error_destroy(error);
    error = load_target(program, device, &target_rows[i], module);
  }
  tilewright_program_destroy(program);
  return error;
}

static tilewright_error *refuse_sizes(const int64_t *sizes) {
  char message[512];
  size_t used;
  int i;
  snprintf(message, sizeof message,
           "expects sizes that $NAME was exported for, but got");
  for (i = 0; i < SIZES; ++i) {
    used = strlen(message);
    snprintf(message + used, sizeof message - used, "%s %s=%lld",
             i ? "," : "", size_names[i], (long long)sizes[i]);
  }
  return tilewright_error_create(TILEWRIGHT_ERROR_INVALID_ARGUMENT, message);
}

/* The first variant of the sizes; of the dynamic one, that is large enough. */
static tilewright_error *find(const $NAME *module, const int64_t *sizes,
                              const variant_row **found) {
  uint32_t v;
  int i;
  for (v = 0; v < module->target->variants; ++v) {
    const variant_row *row = &variant_rows[module->target->first_variant + v];
    int fits = 1;
    for (i = 0; i < SIZES; ++i)
      fits &= i == DYNAMIC ? sizes[i] >= 0 && sizes[i] <= row->sizes[i]
                           : sizes[i] == row->sizes[i];
    if (fits) {
      *found = row;
      return NULL;
    }
  }
  return refuse_sizes(sizes);
}

static int64_t evaluate(const dependence *d, const int64_t *sizes) {
  int64_t x = DYNAMIC < 0 ? 0 : sizes[DYNAMIC < 0 ? 0 : DYNAMIC];
  return d->factor * ((x + d->step - 1) / d->step) + d->base;
}

static tilewright_error *launch(const $NAME *module, void *stream,
                                const int64_t *sizes, const uint64_t *tensors,
                                uint64_t workspace, uint32_t number) {
  const launch_row *row = &launch_rows[number];
  tilewright_argument arguments[MOST_ARGUMENTS];
  uint32_t grid[3];
  uint32_t i;
  memset(arguments, 0, sizeof arguments);
  for (i = 0; i < 3; ++i)
    grid[i] = (uint32_t)evaluate(&row->grid[i], sizes);
  for (i = 0; i < row->arguments; ++i) {
    const argument_row *of = &argument_rows[row->first_argument + i];
    arguments[i].kind = of->kind == NUMBER ? TILEWRIGHT_INTEGER
                        : of->kind == REAL ? TILEWRIGHT_FLOAT
                                           : TILEWRIGHT_POINTER;
    arguments[i].size = of->size;
    arguments[i].bits = of->kind == TENSOR      ? tensors[of->bits]
                        : of->kind == WORKSPACE ? workspace + of->bits
                        : of->kind == REAL
                            ? of->bits
                            : (uint64_t)evaluate(&of->number, sizes);
  }
  return tilewright_kernel_launch(
      module->kernels[number - module->target->first_launch], grid, arguments,
      row->arguments, stream, 0);
}

$WORKSPACEPROTOTYPE {
  const int64_t sizes[SIZES] = {$SIZEVALUES};
  const variant_row *row = NULL;
  tilewright_error *error = find(module, sizes, &row);
  *bytes = row ? row->workspace_size : 0;
  return error;
}

$RUNPROTOTYPE {
  const int64_t sizes[SIZES] = {$SIZEVALUES};
  const uint64_t tensors[] = {$TENSORVALUES};
  const variant_row *row = NULL;
  tilewright_error *error = find(module, sizes, &row);
  uint32_t i;
  if (!error && row->workspace_size && !workspace)
    error = tilewright_error_create(TILEWRIGHT_ERROR_INVALID_ARGUMENT,
                                    "expects a workspace, but got 0");
  for (i = 0; !error && i < row->launches; ++i)
    error = launch(module, stream, sizes, tensors, workspace,
                   row->first_launch + i);
  return error;
}
)";

std::string kernels::makeExportSource(const ExportedOperator &exported,
                                      std::span<const uint8_t> artifact) {
  std::string sizeValues, sizeNames, tensorValues;
  for (const std::string &size : exported.sizes) {
    sizeValues += (sizeValues.empty() ? "" : ", ") + ("size_" + size);
    sizeNames += (sizeNames.empty() ? "\"" : ", \"") + size + "\"";
  }
  for (const ExportedTensor &tensor : exported.tensors)
    tensorValues += (tensorValues.empty() ? "" : ", ") + tensor.name;
  size_t most = 1;
  for (const ExportedTarget &target : exported.targets)
    for (const ExportedVariant &variant : target.variants)
      for (const ExportedLaunch &launch : variant.launches)
        most = std::max(most, launch.arguments.size());
  std::string text = std::string(typesText) + makeTables(exported) +
                     makeBytes(artifact) + functionsText;
  text = replaceAll(text, "$SIZECOUNT", std::to_string(exported.sizes.size()));
  text = replaceAll(text, "$ARGUMENTCOUNT", std::to_string(most));
  text = replaceAll(text, "$DYNAMICINDEX",
                    exported.dynamicSize ? std::to_string(*exported.dynamicSize)
                                         : "-1");
  text = replaceAll(text, "$SIZENAMES", sizeNames);
  text = replaceAll(text, "$SIZEVALUES", sizeValues);
  text = replaceAll(text, "$TENSORVALUES", tensorValues);
  text = replaceAll(text, "$WORKSPACEPROTOTYPE", workspacePrototype(exported));
  text = replaceAll(text, "$RUNPROTOTYPE", runPrototype(exported));
  return replaceAll(text, "$NAME", exported.name);
}
