// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright targets` and `tilewright info`: the tables of targets, forms and
// options, for people and for programs.

#include "dialects/Target/Target.h"
#include "lib/Compiler/Compiler.h"
#include "tools/tilewright/Commands.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
namespace cl = llvm::cl;
using llvm::StringRef;
using llvm::json::OStream;

int driver::runTargets(int argc, const char *const *argv) {
  cl::ResetCommandLineParser();
  cl::opt<bool> isTested("tested",
                         cl::desc("The names of those that tests are run for"));
  cl::opt<unsigned> device(
      "runs-on", cl::value_desc("N"),
      cl::desc("The names of those whose code a GPU of compute capability N / "
               "10 runs (90 for 9.0)"));
  if (!cl::ParseCommandLineOptions(
          argc, argv, "The GPUs that code can be made for\n", &llvm::errs()))
    return 1;
  bool namesAlone = isTested || device.getNumOccurrences();
  for (const target::Target &target : target::allTargets()) {
    if ((isTested && !target.isTested) ||
        (device.getNumOccurrences() && !target.runsOn(device)))
      continue;
    llvm::outs() << StringRef(target.name);
    if (!namesAlone)
      llvm::outs() << "  PTX "
                   << target::formatPtxVersion(target.lowestPtxVersion) << "  "
                   << target.sharedMemoryLimit / 1024
                   << " KB of shared memory a CTA";
    llvm::outs() << "\n";
  }
  return 0;
}

static void writeTarget(OStream &json, const target::Target &target) {
  json.attribute("name", StringRef(target.name));
  json.attribute("compute_capability", target.computeCapability);
  json.attribute("architecture_specific", target.architectureSpecific);
  json.attribute("tested", target.isTested);
  json.attribute("ptx_version",
                 target::formatPtxVersion(target.lowestPtxVersion));
  json.attribute("shared_memory_limit", target.sharedMemoryLimit);
}

static void writeForm(OStream &json, const EmitForm &form) {
  constexpr StringRef outputs[] = {"each target", "one", "two"};
  json.attribute("name", StringRef(form.name));
  json.attribute("outputs", outputs[static_cast<unsigned>(form.outputs)]);
  json.attribute("text", StringRef(form.text));
}

static void writeDefault(OStream &json, bool value) {
  json.attribute("default", value);
}
static void writeDefault(OStream &json, uint32_t value) {
  json.attribute("default", value);
}
static void writeDefault(OStream &json, const std::string &value) {
  json.attribute("default", value);
}
static void writeDefault(OStream &json,
                         const std::vector<std::string> &values) {
  json.attributeArray("default", [&] {
    for (const std::string &value : values)
      json.value(value);
  });
}
/// Enumerations.
template <typename Value>
static void writeDefault(OStream &json, Value value) {
  json.attribute("default",
                 StringRef(valuesOf(value)[static_cast<size_t>(value)].name));
  json.attributeArray("values", [&] {
    for (const NamedValue<Value> &each : valuesOf(value))
      json.value(StringRef(each.name));
  });
}

static void writeOptions(OStream &json) {
  constexpr StringRef effects[] = {"none", "lines", "code"};
  const CompileOptions defaults;
  forEachCompileOption([&](const OptionRow &row, auto member) {
    json.object([&] {
      json.attribute("name", StringRef(row.name));
      json.attribute("flag", StringRef(row.flag));
      json.attribute("type", StringRef(row.kind));
      writeDefault(json, defaults.*member);
      json.attribute("effect", effects[static_cast<unsigned>(row.effect)]);
      json.attribute("text", StringRef(row.text));
    });
  });
}

int driver::runInfo(int argc, const char *const *argv) {
  cl::ResetCommandLineParser();
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Targets, forms and options as JSON, for programs\n",
          &llvm::errs()))
    return 1;
  OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("version", compiler::version());
    json.attributeArray("targets", [&] {
      for (const target::Target &target : target::allTargets())
        json.object([&] { writeTarget(json, target); });
    });
    json.attributeArray("emit_forms", [&] {
      for (const EmitForm &form : emitForms)
        json.object([&] { writeForm(json, form); });
    });
    json.attributeArray("options", [&] { writeOptions(json); });
  });
  llvm::outs() << "\n";
  return 0;
}
