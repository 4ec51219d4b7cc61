// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright kernels export`, and sweeps over several problems.

#include "lib/Kernels/Export.h"
#include "tools/tilewright/KernelsCommand.h"
#include "tools/tilewright/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::driver;

void Progress::begin(llvm::StringRef what) {
  ++number;
  if (!llvm::errs().is_displayed())
    return;
  clear();
  llvm::errs() << number << " of " << total << ": " << what.take_front(60);
  llvm::errs().flush();
}

void Progress::clear() {
  if (llvm::errs().is_displayed())
    llvm::errs() << "\r\033[K";
}

std::vector<std::vector<std::string>>
driver::sweep(llvm::ArrayRef<std::string> words) {
  std::vector<std::vector<std::string>> problems = {{}};
  for (llvm::StringRef word : words) {
    auto [name, values] = word.split('=');
    llvm::SmallVector<llvm::StringRef> choices = {word};
    bool isOne = name.contains('.') || name == "dynamic";
    if (!isOne) {
      choices.clear();
      word.split(choices, ',');
    }
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string> &problem : problems)
      for (size_t i = 0; i < choices.size(); ++i) {
        longer.push_back(problem);
        longer.back().push_back(i ? (name + "=" + choices[i]).str()
                                  : choices[i].str());
      }
    problems = std::move(longer);
  }
  return problems;
}

/// The targets that the command line names, the newest first: a device takes
/// the first whose code it runs.
static Result<std::vector<const target::Target *>>
findTargets(const KernelsCommandLine &line) {
  std::vector<const target::Target *> found;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(line.target).split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names) {
    const target::Target *target = target::lookup(name.str());
    if (!target)
      return Error{ErrorCode::InvalidArgument,
                   target::unknownTargetMessage(name.str())};
    found.push_back(target);
  }
  if (found.empty())
    return Error{ErrorCode::InvalidArgument,
                 "expects --target=sm_XX,... to export for"};
  std::ranges::sort(found, std::greater<>(), [](const target::Target *target) {
    return target->computeCapability;
  });
  return found;
}

/// A C name that is its own file name: "gemm" of "out/gemm.h"; else "".
static std::string nameOfHeader(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::stem(path);
  bool isName =
      llvm::sys::path::extension(path) == ".h" && !name.empty() &&
      !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isName ? name.str() : "";
}

int driver::exportKernels(const KernelsCommandLine &line) {
  ExportRequest request;
  request.name = nameOfHeader(line.output);
  if (request.name.empty())
    return fail("expects -o NAME.h, of letters, digits and '_', but got '" +
                line.output + "'");
  auto targets = findTargets(line);
  if (!targets)
    return fail(targets.error().message);
  request.targets = std::move(*targets);
  request.refined = line.refined;
  request.machineCode = line.machineCode;
  for (const std::vector<std::string> &words :
       sweep(llvm::ArrayRef<std::string>(line.words))) {
    Result<AskedProblem> asked = readProblem(words);
    if (!asked)
      return fail(asked.error().message);
    request.of = asked->of;
    request.variants.push_back(std::move(asked->words));
  }
  Progress progress(request.variants.size() * request.targets.size());
  request.onProgress = [&](const std::string &what) { progress.begin(what); };
  Jit jit;
  Result<ExportedSources> sources = exportOperator(request, jit);
  progress.clear();
  if (!sources)
    return fail(sources.error().message);
  llvm::SmallString<128> source(line.output.getValue());
  llvm::sys::path::replace_extension(source, "c");
  if (int status = writeOutput(line.output, sources->header))
    return status;
  return writeOutput(source, sources->source);
}
