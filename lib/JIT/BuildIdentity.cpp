// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/JIT/BuildIdentity.h"

#include "lib/Compiler/Compiler.h"
#include "mlir/IR/Verifier.h"
#include "runtime/Artifact.h"
#include "runtime/Digest.h"
#include "runtime/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>
#include <link.h>

using namespace tilewright;

namespace {

/// Looks for the object that `address` is in.
struct ObjectSearch {
  uintptr_t address;
  bool isFound = false;
  std::string path;
  /// Hexadecimal; empty where it has no note.
  std::string buildId;
};

/// The build id among the notes of one segment, or "".
std::string findBuildId(const uint8_t *notes, size_t size) {
  auto align = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    size_t name = at + sizeof(note), content = name + align(note.n_namesz);
    at = content + align(note.n_descsz);
    if (at > size)
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0)
      return llvm::toHex({notes + content, note.n_descsz}, /*LowerCase=*/true);
  }
  return "";
}

int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<ObjectSearch *>(data);
  std::string buildId;
  bool contains = false;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      contains |= search.address - start < segment.p_memsz;
    if (segment.p_type == PT_NOTE && buildId.empty())
      buildId = findBuildId(reinterpret_cast<const uint8_t *>(start),
                            segment.p_memsz);
  }
  if (!contains)
    return 0;
  search.isFound = true;
  search.path = object->dlpi_name;
  search.buildId = std::move(buildId);
  return 1;
}

std::string identifyObjectOf(uintptr_t address) {
  ObjectSearch search = {address};
  dl_iterate_phdr(visitObject, &search);
  if (!search.buildId.empty())
    return search.buildId;
  // The program itself has no name here.
  std::string path = search.path.empty() ? "/proc/self/exe" : search.path;
  auto content = runtime::readFile(path, runtime::artifactSizeLimit);
  return content ? runtime::toHex(runtime::digest(*content)) : "unknown";
}

} // namespace

const std::string &jit::buildIdentity() {
  static const std::string identity = [] {
    // One function each of the compiler, of MLIR and of LLVM.
    auto identify = [](auto *function) {
      return " " + identifyObjectOf(reinterpret_cast<uintptr_t>(function));
    };
    return compiler::version() + identify(&compiler::version) +
           identify(&mlir::verify) + identify(&llvm::sys::getProcessTriple);
  }();
  return identity;
}
