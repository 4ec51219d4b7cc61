// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler for programs that compile kernels while they run, from C++20:
// over tilewright-c/Compiler.h, as Launching.h is over Runtime.h.

#ifndef TILEWRIGHT_COMPILING_H
#define TILEWRIGHT_COMPILING_H

#include "tilewright-c/Compiler.h"
#include "tilewright/CompileOptions.h"
#include "tilewright/Launching.h"

#include <deque>

namespace tilewright {

/// The names of all targets, oldest first.
inline std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (size_t i = 0; const char *name = tilewright_target_name(i); ++i)
    names.emplace_back(name);
  return names;
}

/// The target whose code runs best on the device, if any does.
inline std::optional<std::string> findTargetFor(const Device &device) {
  const char *name = tilewright_target_for_device(
      tilewright_device_architecture(device.handle()));
  return name ? std::optional<std::string>(name) : std::nullopt;
}

namespace detail {

/// Options as the C interface has them. It points into those that it was made
/// from.
class CompileOptionsForC {
public:
  explicit CompileOptionsForC(const CompileOptions &given) {
    options.struct_size = sizeof options;
    if (given.onDiagnostic) {
      options.on_diagnostic = forward;
      options.user_data = const_cast<CompileOptions *>(&given);
    }
#define TILEWRIGHT_COMPILE_OPTION(KIND, NAME, MEMBER, ...)                     \
  put(options.NAME, given.MEMBER);
#include "tilewright-c/CompileOptions.def"
  }
  CompileOptionsForC(const CompileOptionsForC &) = delete;
  CompileOptionsForC &operator=(const CompileOptionsForC &) = delete;

  const tilewright_compile_options *get() const { return &options; }

private:
  static void forward(const tilewright_diagnostic *diagnostic, void *user) {
    static_cast<const CompileOptions *>(user)->onDiagnostic(
        {Diagnostic::Severity(diagnostic->severity), diagnostic->file,
         diagnostic->line, diagnostic->column, diagnostic->message});
  }

  static void put(uint64_t &member, bool value) {
    member = value ? TILEWRIGHT_ON : TILEWRIGHT_OFF;
  }
  /// Numbers and enumerations.
  template <typename Value>
  static void put(uint64_t &member, Value value) {
    member = static_cast<uint64_t>(value);
  }
  static void put(const char *&member, const std::string &value) {
    member = value.c_str();
  }
  void put(tilewright_option_List &member,
           const std::vector<std::string> &value) {
    std::vector<const char *> &items = lists.emplace_back();
    for (const std::string &item : value)
      items.push_back(item.c_str());
    member = {items.data(), items.size()};
  }

  tilewright_compile_options options = {};
  std::deque<std::vector<const char *>> lists;
};

} // namespace detail

/// The compiler behind its cache. Any thread may use it.
class Compiler {
public:
  /// `cacheFolder`: null as the environment says; "" in memory alone.
  static Expected<Compiler> create(const char *cacheFolder = nullptr) {
    tilewright_compiler_options options = {sizeof options, cacheFolder};
    tilewright_compiler *compiler = nullptr;
    if (tilewright_error *error =
            tilewright_compiler_create(&options, &compiler))
      return Failure::take(error);
    return Compiler(compiler);
  }

  /// Compiles tile IR. The failure of a text that does not compile has its
  /// diagnostics, a line each.
  Expected<Program> compile(std::string_view text,
                            const CompileOptions &options = {}) const {
    detail::CompileOptionsForC request(options);
    tilewright_program *program = nullptr;
    if (tilewright_error *error = tilewright_compile(
            owner.get(), text.data(), text.size(), request.get(), &program))
      return Failure::take(error);
    return Program(program);
  }

  /// Compiles to one form, past the cache, for the first target alone.
  static Expected<std::string> emit(std::string_view text, Emit form,
                                    const CompileOptions &options = {}) {
    auto outputs = emit(text, {&form, 1}, options);
    if (!outputs)
      return outputs.failure();
    return std::move(outputs->front());
  }

  /// Compiles to several forms by one compilation, past the cache, for the
  /// first target alone: a string for each form, in their order.
  static Expected<std::vector<std::string>>
  emit(std::string_view text, std::span<const Emit> forms,
       const CompileOptions &options = {}) {
    detail::CompileOptionsForC request(options);
    std::vector<const char *> names;
    for (Emit form : forms)
      names.push_back(describe(form).name.data());
    std::vector<tilewright_bytes *> bytes(names.size());
    if (tilewright_error *error =
            tilewright_emit_forms(text.data(), text.size(), names.data(),
                                  names.size(), request.get(), bytes.data()))
      return Failure::take(error);
    std::vector<std::string> results;
    for (tilewright_bytes *each : bytes) {
      results.emplace_back(
          static_cast<const char *>(tilewright_bytes_data(each)),
          tilewright_bytes_size(each));
      tilewright_bytes_destroy(each);
    }
    return results;
  }

  tilewright_compiler *handle() const { return owner.get(); }

private:
  explicit Compiler(tilewright_compiler *compiler) : owner(compiler) {}

  detail::Owner<tilewright_compiler, tilewright_compiler_destroy> owner;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILING_H
