// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds CUDA's assembler and runs it. The order: the folder asked for (option,
// or the environment's TILEWRIGHT_CUDA_ROOT), the usual installation folders,
// and last the dynamic loader's or the shell's own search.

#include "lib/Codegen/Assemble.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <optional>

using namespace llvm;
using namespace tilewright;
using namespace tilewright::codegen;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// The folder that the caller or the environment names, or nothing.
static std::string requestedRoot(const AssembleOptions &options) {
  if (!options.cudaRoot.empty())
    return options.cudaRoot;
  const char *root = std::getenv("TILEWRIGHT_CUDA_ROOT");
  return root ? root : "";
}

/// Toolkit folders to look into: only the one asked for, or else the usual
/// ones, the newest version first.
static SmallVector<std::string> toolkitFolders(const AssembleOptions &options) {
  if (std::string root = requestedRoot(options); !root.empty())
    return {root};
  SmallVector<std::string> folders = {"/usr/local/cuda"};
  SmallVector<std::string> versions;
  std::error_code error;
  for (sys::fs::directory_iterator it("/usr/local", error), end;
       it != end && !error; it.increment(error))
    if (sys::path::filename(it->path()).starts_with("cuda-"))
      versions.push_back(it->path());
  llvm::sort(versions,
             [](StringRef a, StringRef b) { return a.compare_numeric(b) > 0; });
  llvm::append_range(folders, versions);
  return folders;
}

//===----------------------------------------------------------------------===//
// libnvJitLink
//===----------------------------------------------------------------------===//

namespace {
/// The functions of libnvJitLink that are used, with the header's types spelt
/// out (nvJitLink.h of CUDA 12 and 13: handles are pointers, results are int).
struct NvJitLink {
  int (*create)(void **handle, uint32_t count, const char *const *options);
  int (*destroy)(void **handle);
  int (*addData)(void *handle, int kind, const void *data, size_t size,
                 const char *name);
  int (*complete)(void *handle);
  int (*cubinSize)(void *handle, size_t *size);
  int (*cubin)(void *handle, void *data);
  int (*errorLogSize)(void *handle, size_t *size);
  int (*errorLog)(void *handle, char *log);
  int (*infoLogSize)(void *handle, size_t *size);
  int (*infoLog)(void *handle, char *log);
  int (*version)(unsigned *major, unsigned *minor);
  /// Where the loader found it, and of which CUDA it is.
  std::string path;
  unsigned major = 0;
};
} // namespace

/// NVJITLINK_INPUT_PTX of nvJitLink.h.
static constexpr int inputKindPtx = 2;

template <typename Function>
static bool bind(void *library, unsigned major, StringRef name,
                 Function &function) {
  // CUDA's header calls the versioned names; the plain ones are there too.
  std::string versioned = ("__" + name + "_" + Twine(major) + "_0").str();
  void *symbol = dlsym(library, versioned.c_str());
  if (!symbol)
    symbol = dlsym(library, name.str().c_str());
  function = reinterpret_cast<Function>(symbol);
  return symbol;
}

/// The functions of an opened library, or nothing if it lacks one.
static std::optional<NvJitLink> bindAll(void *library, unsigned major) {
  NvJitLink api;
  api.major = major;
  bool bound =
      bind(library, major, "nvJitLinkCreate", api.create) &&
      bind(library, major, "nvJitLinkDestroy", api.destroy) &&
      bind(library, major, "nvJitLinkAddData", api.addData) &&
      bind(library, major, "nvJitLinkComplete", api.complete) &&
      bind(library, major, "nvJitLinkGetLinkedCubinSize", api.cubinSize) &&
      bind(library, major, "nvJitLinkGetLinkedCubin", api.cubin) &&
      bind(library, major, "nvJitLinkGetErrorLogSize", api.errorLogSize) &&
      bind(library, major, "nvJitLinkGetErrorLog", api.errorLog) &&
      bind(library, major, "nvJitLinkGetInfoLogSize", api.infoLogSize) &&
      bind(library, major, "nvJitLinkGetInfoLog", api.infoLog) &&
      bind(library, major, "nvJitLinkVersion", api.version);
  if (!bound)
    return std::nullopt;
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(api.version), &info) && info.dli_fname)
    api.path = info.dli_fname;
  return api;
}

/// Opens the library. It is never closed: the loader counts, and its threads
/// outlive a call. Appends what was tried to `searched`.
static std::optional<NvJitLink>
openLibrary(const AssembleOptions &options,
            SmallVectorImpl<std::string> &searched) {
  for (unsigned major : {13u, 12u}) {
    std::string file = "libnvJitLink.so." + std::to_string(major);
    SmallVector<std::string> candidates;
    for (const std::string &folder : toolkitFolders(options))
      for (const char *below : {"lib64", "lib", "targets/x86_64-linux/lib"})
        candidates.push_back(folder + "/" + below + "/" + file);
    if (requestedRoot(options).empty())
      candidates.push_back(file);
    for (const std::string &candidate : candidates) {
      searched.push_back(candidate);
      void *library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library)
        continue;
      if (std::optional<NvJitLink> api = bindAll(library, major))
        return api;
    }
  }
  return std::nullopt;
}

static std::string readLog(void *handle, int (*sizeOf)(void *, size_t *),
                           int (*read)(void *, char *)) {
  size_t size = 0;
  if (sizeOf(handle, &size) != 0 || size == 0)
    return "";
  std::string log(size, '\0');
  if (read(handle, log.data()) != 0)
    return "";
  return log.substr(0, log.find('\0'));
}

static constexpr StringLiteral
    lostRegisters("leaves agents the registers that they begin with");

bool codegen::serializesProducts(StringRef log) {
  return log.contains("wgmma.mma_async instructions are serialized");
}

/// What the log's messages C7504, C7508 and C7509 to C7520 say is lost. Where
/// registers do not suffice (C7511, C7512) any assembler says the same.
static std::string findLost(StringRef log) {
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  if (llvm::any_of(lines, [](StringRef line) {
        return codegen::serializesProducts(line) && !line.contains("(C7511)") &&
               !line.contains("(C7512)");
      }))
    return "has products of warp groups wait for each other";
  if (log.contains("'setmaxnreg' ignored"))
    return lostRegisters.str();
  return "";
}

/// What libnvJitLink is sure to lose of `ptx`, without a try: it never knows
/// with how many registers a kernel begins. (Attention of 128 x 128 tiles takes
/// it 0.45 s.)
static std::string findLostByLibrary(StringRef ptx) {
  return ptx.contains("setmaxnreg.") ? lostRegisters.str() : "";
}

static Expected<AssembledCode>
assembleByLibrary(const NvJitLink &api, StringRef ptx,
                  const target::Target &target,
                  const AssembleOptions &options) {
  // CUDA 12's assembler still has what CUDA 13 dropped.
  StringRef chip = api.major < 13 ? target.chip : target.assemblerChip;
  // What its cache of other processes' code hands out comes without a log: with
  // no word on spills, of which a limit on registers is raised.
  SmallVector<std::string> arguments = {
      "-arch=" + chip.str(),
      "-O" + std::to_string(std::min(options.optimizationLevel, 3u)),
      "-verbose", "-no-cache"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  // Its own "-fma" is for what it optimises itself.
  if (!options.fuse)
    arguments.push_back("-Xptxas=-fmad=false");
  if (options.registerLimit)
    arguments.push_back("-maxrregcount=" +
                        std::to_string(options.registerLimit));
  SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  void *handle = nullptr;
  int status = api.create(&handle, pointers.size(), pointers.data());
  llvm::scope_exit destroy([&] {
    if (handle)
      api.destroy(&handle);
  });
  // PTX is passed as a C string, its terminating zero counted.
  std::string text = ptx.str();
  if (status == 0)
    status = api.addData(handle, inputKindPtx, text.c_str(), text.size() + 1,
                         "kernel.ptx");
  if (status == 0)
    status = api.complete(handle);
  if (status != 0) {
    std::string log =
        handle ? readLog(handle, api.errorLogSize, api.errorLog) : "";
    return makeError("libnvJitLink cannot assemble for " + chip + " (status " +
                     Twine(status) + "):\n" + log);
  }

  AssembledCode code;
  code.assembledFor = chip;
  code.log = readLog(handle, api.infoLogSize, api.infoLog);
  code.kernels = parseAssemblerLog(code.log);
  code.lost = findLost(code.log);
  size_t size = 0;
  status = api.cubinSize(handle, &size);
  if (status == 0) {
    code.cubin.resize(size);
    status = api.cubin(handle, code.cubin.data());
  }
  if (status != 0)
    return makeError("libnvJitLink gives no cubin (status " + Twine(status) +
                     ")");
  return code;
}

/// The ELF build id of a file, in hexadecimal, or "" if it has none.
static std::string readBuildID(StringRef path) {
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(path);
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  return toHex(object::getBuildID(file->getBinary()), /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// ptxas
//===----------------------------------------------------------------------===//

static std::optional<std::string>
findProgram(const AssembleOptions &options,
            SmallVectorImpl<std::string> &searched) {
  for (const std::string &folder : toolkitFolders(options)) {
    std::string candidate = folder + "/bin/ptxas";
    searched.push_back(candidate);
    if (sys::fs::can_execute(candidate))
      return candidate;
  }
  if (requestedRoot(options).empty()) {
    searched.push_back("ptxas in PATH");
    if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
      return *found;
  }
  return std::nullopt;
}

static std::string readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Runs a program with both its outputs in one file; gives back what it wrote.
static Expected<std::string> runProgram(StringRef program,
                                        ArrayRef<StringRef> arguments) {
  SmallString<128> output;
  if (std::error_code error =
          sys::fs::createTemporaryFile("tilewright", "log", output))
    return makeError("cannot create a temporary file: " + error.message());
  FileRemover removeOutput(output);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(output),
                                          StringRef(output)};
  std::string message;
  int status = sys::ExecuteAndWait(program, arguments, /*Env=*/std::nullopt,
                                   redirects, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &message);
  std::string log = readFile(output);
  if (status != 0)
    return makeError(program + " failed (status " + Twine(status) + ")" +
                     (message.empty() ? "" : ": " + message) + ":\n" + log);
  return log;
}

static Expected<AssembledCode>
assembleByProgram(StringRef program, StringRef ptx,
                  const target::Target &target,
                  const AssembleOptions &options) {
  SmallString<128> input, output;
  int descriptor;
  std::error_code error =
      sys::fs::createTemporaryFile("tilewright", "ptx", descriptor, input);
  if (error)
    return makeError("cannot create a temporary file: " + error.message());
  FileRemover removeInput(input);
  {
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << ptx;
    stream.close();
    if (stream.has_error()) {
      std::string message = stream.error().message();
      stream.clear_error();
      return makeError("cannot write '" + input + "': " + message);
    }
  }
  error = sys::fs::createTemporaryFile("tilewright", "cubin", output);
  if (error)
    return makeError("cannot create a temporary file: " + error.message());
  FileRemover removeOutput(output);

  std::string architecture = "-arch=" + std::string(target.assemblerChip);
  std::string level =
      "-O" + std::to_string(std::min(options.optimizationLevel, 3u));
  std::string limit = "-maxrregcount=" + std::to_string(options.registerLimit);
  SmallVector<StringRef> arguments = {program, "-v", architecture, level};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  if (!options.fuse)
    arguments.push_back("-fmad=false");
  if (options.registerLimit)
    arguments.push_back(limit);
  arguments.append({input, "-o", output});

  Expected<std::string> log = runProgram(program, arguments);
  if (!log)
    return makeError("ptxas cannot assemble for " + target.assemblerChip +
                     ": " + toString(log.takeError()));
  AssembledCode code;
  code.assembledFor = target.assemblerChip;
  code.log = std::move(*log);
  code.kernels = parseAssemblerLog(code.log);
  code.lost = findLost(code.log);
  std::string cubin = readFile(output);
  code.cubin.assign(cubin.begin(), cubin.end());
  if (code.cubin.empty())
    return makeError("ptxas wrote no cubin");
  return code;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static Error noAssembler(ArrayRef<std::string> searched) {
  return makeError("expects CUDA's assembler (libnvJitLink or ptxas of CUDA "
                   "12 or 13), but found none; set TILEWRIGHT_CUDA_ROOT to "
                   "the folder of a CUDA toolkit; searched: " +
                   join(searched, ", "));
}

/// Finds the assembler and calls what fits it.
template <typename Result>
static Expected<Result>
withAssembler(const AssembleOptions &options,
              function_ref<Expected<Result>(const NvJitLink &)> library,
              function_ref<Expected<Result>(StringRef)> program) {
  SmallVector<std::string> searched;
  if (options.assembler != AssemblerKind::Program)
    if (std::optional<NvJitLink> api = openLibrary(options, searched))
      return library(*api);
  if (options.assembler != AssemblerKind::Library)
    if (std::optional<std::string> path = findProgram(options, searched))
      return program(*path);
  return noAssembler(searched);
}

/// By the library, but where it loses something by `program`, if there is one.
static Expected<AssembledCode>
assembleByEither(const NvJitLink &api, std::optional<std::string> program,
                 StringRef ptx, const target::Target &target,
                 const AssembleOptions &options) {
  AssembledCode nothing;
  nothing.lost = findLostByLibrary(ptx);
  bool isTried = nothing.lost.empty() || !(program || options.onlyWhole);
  Expected<AssembledCode> code =
      isTried ? assembleByLibrary(api, ptx, target, options)
              : Expected<AssembledCode>(std::move(nothing));
  if (!code || code->lost.empty())
    return code;
  if (program)
    return assembleByProgram(*program, ptx, target, options);
  if (options.onlyWhole)
    code->cubin.clear();
  return code;
}

Expected<AssembledCode>
tilewright::codegen::assemble(StringRef ptx, const target::Target &target,
                              const AssembleOptions &options) {
  return withAssembler<AssembledCode>(
      options,
      [&](const NvJitLink &api) {
        SmallVector<std::string> searched;
        std::optional<std::string> program;
        if (options.assembler != AssemblerKind::Library)
          program = findProgram(options, searched);
        return assembleByEither(api, program, ptx, target, options);
      },
      [&](StringRef program) {
        return assembleByProgram(program, ptx, target, options);
      });
}

Expected<std::string>
tilewright::codegen::assemblerIdentity(const AssembleOptions &options) {
  return withAssembler<std::string>(
      options,
      [&](const NvJitLink &api) -> Expected<std::string> {
        unsigned major = 0, minor = 0;
        if (int status = api.version(&major, &minor))
          return makeError("libnvJitLink gives no version (status " +
                           Twine(status) + ")");
        return "libnvJitLink " + std::to_string(major) + "." +
               std::to_string(minor) + " build " + readBuildID(api.path);
      },
      [&](StringRef program) -> Expected<std::string> {
        Expected<std::string> text =
            runProgram(program, {program, "--version"});
        if (!text)
          return text.takeError();
        for (StringRef line : split(*text, '\n'))
          if (line.contains("release"))
            return "ptxas " + line.trim().str();
        return makeError("expects a version from '" + program +
                         " --version', but got: " + *text);
      });
}
