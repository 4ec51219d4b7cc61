// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright cache`: the folder of compiled kernels.

#include "lib/JIT/Jit.h"
#include "runtime/Cache/Note.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/CompileFlags.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using driver::fail;
namespace cl = llvm::cl;
using runtime::DiskStore;

namespace {

/// The command line of `tilewright cache`.
struct CacheCommandLine {
  cl::OptionCategory category{"Options of tilewright cache"};
  cl::opt<std::string> action{cl::Positional, cl::init(""), cl::cat(category),
                              cl::desc("list|verify|prune|clear|warm")};
  cl::list<std::string> inputs{cl::Positional, cl::desc("[kernel.mlir ...]"),
                               cl::cat(category)};
  cl::opt<std::string> folder{
      "folder", cl::value_desc("path"), cl::cat(category),
      cl::desc("The folder (default: TILEWRIGHT_CACHE_DIR, or tilewright in "
               "the user's cache folder)")};
  cl::opt<uint64_t> maximumBytes{
      "max-bytes", cl::value_desc("N"), cl::init(runtime::DiskLimits().bytes),
      cl::cat(category), cl::desc("prune: keep at most N bytes")};
  cl::opt<uint64_t> maximumEntries{"max-entries", cl::value_desc("N"),
                                   cl::init(runtime::DiskLimits().entries),
                                   cl::cat(category),
                                   cl::desc("prune: keep at most N entries")};
  cl::opt<uint64_t> maximumDays{
      "max-days", cl::value_desc("N"),
      cl::init(runtime::DiskLimits().age.count() / (24 * 60 * 60)),
      cl::cat(category), cl::desc("prune: keep what was used N days ago")};
  cl::OptionCategory warmCategory{"Options of tilewright cache warm"};
  driver::CompileFlags options{warmCategory};
};

int listEntries(DiskStore &store) {
  uint64_t bytes = 0;
  std::vector<runtime::EntryInfo> entries = store.list();
  for (const runtime::EntryInfo &entry : entries) {
    llvm::outs() << runtime::toHex(entry.key)
                 << llvm::format(" %10llu bytes",
                                 (unsigned long long)entry.bytes);
    if (auto content = store.find(entry.key, runtime::Reading::Look))
      if (auto artifact = runtime::parseArtifact(*content)) {
        llvm::outs() << " ";
        for (const runtime::Kernel &kernel : artifact->kernels)
          llvm::outs() << " " << kernel.name;
      }
    llvm::outs() << "\n";
    bytes += entry.bytes;
  }
  llvm::outs() << entries.size() << " entries, " << bytes << " bytes in "
               << store.folder() << "\n";
  return 0;
}

int verifyEntries(DiskStore &store) {
  unsigned damaged = 0;
  std::vector<runtime::EntryInfo> entries = store.list();
  for (const runtime::EntryInfo &entry : entries) {
    std::optional<std::vector<uint8_t>> content =
        store.find(entry.key, runtime::Reading::Look);
    if (content &&
        (runtime::readNote(*content) || runtime::parseArtifact(*content)))
      continue;
    ++damaged;
    llvm::outs() << runtime::toHex(entry.key) << " is damaged\n";
  }
  llvm::outs() << entries.size() << " entries, " << damaged << " damaged\n";
  return damaged != 0;
}

/// Compiles what is not there, and has it kept.
int warm(const CacheCommandLine &line, const runtime::CacheOptions &cache) {
  Jit jit(cache);
  if (!jit.cache().problems().empty())
    return fail(jit.cache().problems().front());
  int status = 0;
  for (const std::string &input : line.inputs) {
    std::optional<CompileOptions> options = line.options.parse(input);
    if (!options)
      return 1;
    // Errors come with the result.
    options->onDiagnostic = [](const Diagnostic &diagnostic) {
      if (diagnostic.severity != Diagnostic::Severity::Error)
        driver::printDiagnostic(diagnostic);
    };
    auto buffer = llvm::MemoryBuffer::getFile(input);
    if (!buffer) {
      status =
          fail("cannot open '" + input + "': " + buffer.getError().message());
      continue;
    }
    llvm::StringRef text = (*buffer)->getBuffer();
    auto artifact = jit.compile(text, *options);
    if (!artifact)
      status = fail(artifact.error().message);
  }
  runtime::CacheCounts counts = jit.cache().counts();
  llvm::outs() << counts.compilations << " compiled, "
               << counts.diskHits + counts.sharedHits << " there already\n";
  if (counts.unkept)
    return fail(std::to_string(counts.unkept) +
                " of them not kept: " + jit.cache().whyUnkept());
  return status;
}

} // namespace

int driver::runCache(int argc, const char *const *argv) {
  // LLVM's libraries register options of their own; none is this command's.
  cl::ResetCommandLineParser();
  CacheCommandLine line;
  cl::ParseCommandLineOptions(argc, argv, "The cache of compiled kernels\n");
  runtime::CacheOptions options = runtime::CacheOptions::fromEnvironment();
  if (!line.folder.empty()) {
    llvm::SmallString<128> absolute(line.folder.getValue());
    llvm::sys::fs::make_absolute(absolute);
    options.folder = absolute.str().str();
  }
  if (options.folder.empty())
    return fail("expects a folder (--folder, or TILEWRIGHT_CACHE_DIR), but "
                "there is none");
  llvm::StringRef action = line.action;
  if (action == "warm")
    return warm(line, options);
  if (!llvm::is_contained({"list", "verify", "prune", "clear"}, action))
    return fail("expects list, verify, prune, clear or warm, but got '" +
                action + "'");
  if (!line.inputs.empty())
    return fail("expects files for 'warm' alone, but got '" +
                line.inputs.front() + "'");
  auto store = DiskStore::open(options.folder, runtime::FolderOwner::Self);
  if (!store)
    return fail(store.error().message);
  if (action == "list")
    return listEntries(**store);
  if (action == "verify")
    return verifyEntries(**store);
  runtime::DiskLimits limits;
  limits.bytes = line.maximumBytes;
  limits.entries = line.maximumEntries;
  // (No clock counts more days than these.)
  limits.age =
      std::chrono::hours(24 * std::min<uint64_t>(line.maximumDays, 1000000000));
  llvm::outs() << (action == "clear" ? (*store)->clear()
                                     : (*store)->prune(limits))
               << " entries removed\n";
  if (!(*store)->whyUnremoved().empty())
    return fail("cannot remove all that is to go from '" + options.folder +
                "': " + (*store)->whyUnremoved());
  return 0;
}
