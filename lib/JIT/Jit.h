// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler behind a cache, for programs that compile kernels while they
// run: tile IR text in, artifacts out that runtime/Device.h loads. One object
// serves all threads of a process; processes share the folder on disk.

#ifndef TILEWRIGHT_LIB_JIT_JIT_H
#define TILEWRIGHT_LIB_JIT_JIT_H

#include "runtime/Cache/Cache.h"
#include "tilewright/CompileOptions.h"

namespace tilewright {

/// The compiler behind a cache. Any thread may use it.
class Jit {
public:
  explicit Jit(const runtime::CacheOptions &options =
                   runtime::CacheOptions::fromEnvironment())
      : store(options) {}

  /// The artifact for `text`, compiled once for everyone who shares the cache.
  /// Fails where the text does not compile: the error has the diagnostics, a
  /// line each, which went to `options.onDiagnostic` too.
  runtime::Result<std::shared_ptr<const runtime::Artifact>>
  compile(std::string_view text, const CompileOptions &options);

  runtime::Cache &cache() { return store; }

private:
  runtime::Cache store;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_JIT_JIT_H
