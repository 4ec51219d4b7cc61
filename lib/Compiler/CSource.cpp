// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/CSource.h"

#include <algorithm>
#include <set>

using namespace tilewright;
using namespace tilewright::compiler;
using runtime::Artifact;
using runtime::Kernel;
using runtime::Parameter;
using runtime::ParameterKind;

/// Words that C or C++ keep for themselves, and those of our functions and of
/// the headers that they include.
static bool isTaken(std::string_view word) {
  static const std::set<std::string_view> words = {
      "alignas",   "alignof",   "and",       "asm",
      "auto",      "bool",      "break",     "case",
      "catch",     "char",      "class",     "const",
      "constexpr", "continue",  "default",   "delete",
      "do",        "double",    "else",      "enum",
      "explicit",  "export",    "extern",    "false",
      "float",     "for",       "friend",    "goto",
      "if",        "inline",    "int",       "long",
      "mutable",   "namespace", "new",       "not",
      "nullptr",   "operator",  "or",        "private",
      "protected", "public",    "register",  "requires",
      "restrict",  "return",    "short",     "signed",
      "sizeof",    "static",    "struct",    "switch",
      "template",  "this",      "throw",     "true",
      "try",       "typedef",   "typename",  "union",
      "unsigned",  "using",     "virtual",   "void",
      "volatile",  "while",     "xor",       "module",
      "stream",    "grid_x",    "grid_y",    "grid_z",
      "scratch",   "grid",      "arguments", "tilewright_value",
      "names",     "artifact",  "program",   "error",
      "made",      "device",    "i",         "NULL",
      "calloc",    "memcpy",    "int8_t",    "int16_t",
      "int32_t",   "int64_t",   "uint8_t",   "uint16_t",
      "uint32_t",  "uint64_t",  "size_t"};
  return words.count(word) != 0;
}

/// `text` with everything that is no letter or digit as '_'.
static std::string toIdentifier(std::string_view text) {
  std::string name;
  for (char c : text) {
    bool isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9');
    name += isWord ? c : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
    name.insert(0, "k");
  return name;
}

/// `text` for a comment: without line ends, ends of comments, or trigraphs.
static std::string toComment(std::string_view text) {
  std::string safe;
  for (char c : text)
    safe += c < ' ' || c > '~' || c == '*' || c == '?' || c == '\\' ? '_' : c;
  return safe;
}

/// `text` as a string of C.
static std::string toLiteral(std::string_view text) {
  std::string literal = "\"";
  for (char c : text) {
    bool isPlain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
    if (isPlain) {
      literal += c;
      continue;
    }
    // Always three digits, so that none that follows counts.
    literal += '\\';
    for (int shift : {6, 3, 0})
      literal += char('0' + (uint8_t(c) >> shift & 7));
  }
  return literal + '"';
}

/// A name like `wanted` that `used` does not have; adds it there.
static std::string makeUnique(std::string wanted, std::set<std::string> &used) {
  if (isTaken(wanted))
    wanted += "_";
  std::string name = wanted;
  for (unsigned i = 2; !used.insert(name).second; ++i)
    name = wanted + "_" + std::to_string(i);
  return name;
}

static const char *typeOf(const Parameter &parameter) {
  switch (parameter.kind) {
  case ParameterKind::Pointer:
    return "uint64_t ";
  case ParameterKind::Integer:
    return parameter.size == 1   ? "int8_t "
           : parameter.size == 2 ? "int16_t "
           : parameter.size == 4 ? "int32_t "
                                 : "int64_t ";
  case ParameterKind::Float:
    // Narrow floats go by their bits.
    return parameter.size == 1   ? "uint8_t "
           : parameter.size == 2 ? "uint16_t "
           : parameter.size == 4 ? "float "
                                 : "double ";
  case ParameterKind::Descriptor:
    return "const tilewright_argument *";
  case ParameterKind::Untyped:
    return "const void *";
  }
  return "const void *";
}

static std::string describe(const Parameter &parameter) {
  std::string size = std::to_string(parameter.size);
  switch (parameter.kind) {
  case ParameterKind::Pointer:
    return "device address, a multiple of " +
           std::to_string(parameter.pointerAlignment);
  case ParameterKind::Integer:
    return "integer";
  case ParameterKind::Float:
    return parameter.size < 4 ? "bits of a floating-point number"
                              : "floating-point number";
  case ParameterKind::Descriptor:
    return "TILEWRIGHT_DESCRIPTOR of rank " + std::to_string(parameter.rank);
  case ParameterKind::Untyped:
    return size + " bytes";
  }
  return "";
}

namespace {
/// The names that a kernel has in C.
struct NamedKernel {
  const Kernel *kernel;
  std::string name;
  std::vector<std::string> parameters;
  bool hasScratch = false;
};
} // namespace

static std::vector<NamedKernel> nameKernels(const Artifact &artifact,
                                            const std::string &prefix) {
  std::set<std::string> used = {prefix};
  std::vector<NamedKernel> kernels;
  for (size_t i = 0; i < artifact.kernels.size(); ++i) {
    NamedKernel named;
    named.kernel = &artifact.kernels[i];
    named.name = makeUnique(toIdentifier(named.kernel->name), used);
    std::set<std::string> usedHere;
    for (const Parameter &parameter : named.kernel->parameters)
      named.parameters.push_back(makeUnique(
          parameter.name.empty() ? "argument" : toIdentifier(parameter.name),
          usedHere));
    for (const runtime::Variant &variant : artifact.variants)
      named.hasScratch |= variant.kernel == i && variant.globalScratchBytes;
    kernels.push_back(std::move(named));
  }
  return kernels;
}

static std::string prototypeOf(const NamedKernel &named,
                               const std::string &prefix) {
  std::string text = "tilewright_error *" + named.name + "_launch(const " +
                     prefix +
                     " *module, void *stream,\n    uint32_t grid_x, uint32_t "
                     "grid_y, uint32_t grid_z";
  for (size_t i = 0; i < named.parameters.size(); ++i)
    text += std::string(",\n    ") + typeOf(named.kernel->parameters[i]) +
            named.parameters[i];
  if (named.hasScratch)
    text += ",\n    uint64_t scratch";
  return text + ")";
}

static std::string makeHeader(const std::vector<NamedKernel> &kernels,
                              const std::string &prefix,
                              const std::string &targets) {
  std::string guard = prefix + "_H";
  std::transform(guard.begin(), guard.end(), guard.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  });
  std::string text =
      "/* Made by tilewright compile --emit=c-header. Kernels for " + targets +
      ". */\n#ifndef " + guard + "\n#define " + guard +
      "\n\n#include \"tilewright-c/Runtime.h\"\n\n#ifdef __cplusplus\nextern "
      "\"C\" {\n#endif\n\n/* The kernels on one device. */\ntypedef struct " +
      prefix + " " + prefix +
      ";\n\n/* Picks the image that fits the device and loads every kernel. "
      "*/\ntilewright_error *" +
      prefix + "_load(tilewright_device *device, " + prefix +
      " **module);\n/* NULL is allowed. */\nvoid " + prefix + "_unload(" +
      prefix + " *module);\n";
  for (const NamedKernel &named : kernels) {
    text += "\n/* Launches '" + toComment(named.kernel->name) +
            "' on a CUstream (NULL: the legacy default stream):\n";
    for (size_t i = 0; i < named.parameters.size(); ++i)
      text += "     " + named.parameters[i] + ": " +
              describe(named.kernel->parameters[i]) + "\n";
    if (named.hasScratch)
      text += "     scratch: address of the grid's scratch memory\n";
    text += "*/\n" + prototypeOf(named, prefix) + ";\n";
  }
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + guard +
         " */\n";
}

/// The element of the array of arguments for a parameter.
static std::string initializerOf(const Parameter &parameter,
                                 const std::string &name) {
  std::string size = std::to_string(parameter.size);
  std::string rest = ", 0, 0, 0, 0}";
  switch (parameter.kind) {
  case ParameterKind::Pointer:
    return "{TILEWRIGHT_POINTER, 8, " + name + rest;
  case ParameterKind::Integer:
    return "{TILEWRIGHT_INTEGER, " + size + ", (uint64_t)(int64_t)" + name +
           rest;
  case ParameterKind::Float:
    return "{TILEWRIGHT_FLOAT, " + size + ", 0" + rest;
  case ParameterKind::Descriptor:
    return "*" + name;
  case ParameterKind::Untyped:
    return "{TILEWRIGHT_UNTYPED, " + size + ", 0, 0, 0, 0, " + name + "}";
  }
  return "";
}

static std::string makeLaunch(const NamedKernel &named,
                              const std::string &prefix, size_t index) {
  std::string text = prototypeOf(named, prefix) + " {\n";
  size_t count = named.parameters.size();
  text += "  uint32_t grid[3];\n";
  if (count)
    text += "  tilewright_argument arguments[" + std::to_string(count) + "];\n";
  text += "  grid[0] = grid_x;\n  grid[1] = grid_y;\n  grid[2] = grid_z;\n";
  for (size_t i = 0; i < count; ++i) {
    const Parameter &parameter = named.kernel->parameters[i];
    std::string place = "arguments[" + std::to_string(i) + "]";
    std::string value = initializerOf(parameter, named.parameters[i]);
    if (value[0] == '*') {
      text += "  " + place + " = " + value + ";\n";
      continue;
    }
    text += "  {\n    const tilewright_argument tilewright_value = " + value +
            ";\n    " + place + " = tilewright_value;\n  }\n";
    if (parameter.kind == ParameterKind::Float)
      text += "  memcpy(&" + place + ".bits, &" + named.parameters[i] +
              ", sizeof " + named.parameters[i] + ");\n";
  }
  return text + "  return tilewright_kernel_launch(module->kernels[" +
         std::to_string(index) + "], grid, " + (count ? "arguments" : "NULL") +
         ", " + std::to_string(count) + ", stream, " +
         (named.hasScratch ? "scratch" : "0") + ");\n}\n\n";
}

static std::string makeArray(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "static const unsigned char artifact[] = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    text += i % 16 ? "" : "\n    ";
    text += "0x";
    text += digits[uint8_t(bytes[i]) >> 4];
    text += digits[uint8_t(bytes[i]) & 15];
    text += ',';
  }
  return text + "\n};\n\n";
}

static std::string makeSource(const std::vector<NamedKernel> &kernels,
                              const std::string &prefix,
                              std::string_view header, std::string_view bytes) {
  std::string count = std::to_string(kernels.size());
  std::string text =
      "/* Made by tilewright compile --emit=c-header. */\n#include \"" +
      std::string(header) +
      ".h\"\n\n#include <stdlib.h>\n#include <string.h>\n\n" +
      makeArray(bytes) + "struct " + prefix +
      " {\n  tilewright_kernel *kernels[" + count +
      "];\n};\n\nstatic const char *const names[" + count + "] = {";
  for (const NamedKernel &named : kernels)
    text += "\n    " + toLiteral(named.kernel->name) + ",";
  text += "\n};\n\n";
  text += "void " + prefix + "_unload(" + prefix + R"( *module) {
  size_t i;
  if (!module)
    return;
  for (i = 0; i < )" +
          count + R"(; ++i)
    tilewright_kernel_destroy(module->kernels[i]);
  free(module);
}

tilewright_error *)" +
          prefix + "_load(tilewright_device *device, " + prefix +
          R"( **module) {
  tilewright_program *program = NULL;
  tilewright_error *error =
      tilewright_program_create(artifact, sizeof artifact, &program);
  )" + prefix +
          R"( *made = NULL;
  size_t i;
  *module = NULL;
  if (!error) {
    made = ()" +
          prefix + R"( *)calloc(1, sizeof *made);
    if (!made)
      error = tilewright_error_create(TILEWRIGHT_ERROR_OUT_OF_MEMORY,
                                      "no memory for the kernels' handles");
  }
  for (i = 0; !error && i < )" +
          count + R"(; ++i) {
    error = tilewright_kernel_create(program, device, names[i],
                                     &made->kernels[i]);
    if (!error)
      error = tilewright_kernel_prepare(made->kernels[i]);
  }
  tilewright_program_destroy(program);
  if (error)
    )" + prefix +
          R"(_unload(made);
  else
    *module = made;
  return error;
}

)";
  for (size_t i = 0; i < kernels.size(); ++i)
    text += makeLaunch(kernels[i], prefix, i);
  text.pop_back();
  return text;
}

/// "sm_80, sm_90a".
static std::string listTargets(const Artifact &artifact) {
  std::string text;
  std::set<std::string> seen;
  for (const runtime::Image &image : artifact.images)
    if (seen.insert(image.architecture.name()).second)
      text += (text.empty() ? "" : ", ") + image.architecture.name();
  return text;
}

std::pair<std::string, std::string>
compiler::makeCSources(const Artifact &artifact, std::string_view bytes,
                       std::string_view name) {
  std::string prefix = toIdentifier(name);
  if (isTaken(prefix))
    prefix += "_";
  std::vector<NamedKernel> kernels = nameKernels(artifact, prefix);
  return {makeHeader(kernels, prefix, listTargets(artifact)),
          makeSource(kernels, prefix, name, bytes)};
}
