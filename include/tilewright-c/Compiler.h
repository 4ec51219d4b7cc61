/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The compiler as a C interface: tile IR text in, programs out. The rules are
 * those of Runtime.h.
 */
#ifndef TILEWRIGHT_C_COMPILER_H
#define TILEWRIGHT_C_COMPILER_H

#include "tilewright-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version and build, for people. */
TILEWRIGHT_EXPORT const char *tilewright_compiler_version(void);
/* Which build this is, for keys of caches: two that may compile differently
   have different ones. */
TILEWRIGHT_EXPORT const char *tilewright_compiler_identity(void);
/* The names of all targets, oldest first; NULL behind the last. */
TILEWRIGHT_EXPORT const char *tilewright_target_name(size_t index);
/* The target whose code runs best on a device of this compute capability, as
   tilewright_device_architecture gives it (90 for 9.0): the exact one, or else
   the newest older one; NULL where none runs there. */
TILEWRIGHT_EXPORT const char *tilewright_target_for_device(int architecture);
/* The names of the forms of tilewright_emit, in the order in which a
   compilation goes through them; NULL behind the last. */
TILEWRIGHT_EXPORT const char *tilewright_form_name(size_t index);

/* The compiler behind its cache. One is enough for all threads. */
typedef struct tilewright_compiler tilewright_compiler;

typedef struct tilewright_compiler_options {
  size_t struct_size;
  /* Where compiled kernels are kept; NULL: as the environment says
     (TILEWRIGHT_CACHE_DIR and others); "": in memory alone. */
  const char *cache_folder;
} tilewright_compiler_options;

/* `options` may be NULL. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_compiler_create(const tilewright_compiler_options *options,
                           tilewright_compiler **compiler);
TILEWRIGHT_EXPORT void
tilewright_compiler_destroy(tilewright_compiler *compiler);

enum tilewright_severity {
  TILEWRIGHT_NOTE = 0,
  TILEWRIGHT_REMARK = 1,
  TILEWRIGHT_WARNING = 2,
  TILEWRIGHT_FAILURE = 3
};

/* A message about the source; lives during the call. Lines and columns count
   from 1; 0 and "" where the place is not known. */
typedef struct tilewright_diagnostic {
  size_t struct_size;
  uint32_t severity; /* a tilewright_severity */
  uint32_t line, column;
  const char *file;
  const char *message;
} tilewright_diagnostic;

typedef void (*tilewright_diagnostic_callback)(
    const tilewright_diagnostic *diagnostic, void *user_data);

/* The types of options. Each has eight bytes or is made of such, so that no
   later member falls into padding. 0 and NULL stand for the default. */
enum tilewright_switch {
  TILEWRIGHT_DEFAULT = 0,
  TILEWRIGHT_ON = 1,
  TILEWRIGHT_OFF = 2
};
typedef uint64_t tilewright_option_Switch; /* a tilewright_switch */
typedef uint64_t tilewright_option_Number;
typedef const char *tilewright_option_Text;
typedef struct tilewright_option_List {
  const char *const *items;
  size_t count;
} tilewright_option_List;
typedef uint64_t tilewright_option_Remarks;    /* a tilewright_remarks */
typedef uint64_t tilewright_option_Preference; /* a tilewright_preference */

enum tilewright_remarks {
#define TILEWRIGHT_REMARKS_VALUE(ENUMERATOR, C_NAME, ...)                      \
  TILEWRIGHT_REMARKS_##C_NAME,
#include "tilewright-c/CompileOptions.def"
};

/* The same numbers as of tilewright_switch. */
enum tilewright_preference {
#define TILEWRIGHT_PREFERENCE_VALUE(ENUMERATOR, C_NAME, ...)                   \
  TILEWRIGHT_PREFERENCE_##C_NAME,
#include "tilewright-c/CompileOptions.def"
};

/* What to compile, and for what: a member for each row of CompileOptions.def,
   which says what it is. */
typedef struct tilewright_compile_options {
  size_t struct_size;
  /* Called in the thread that compiles, for each message; may be NULL. What
     comes from the cache brings no messages. */
  tilewright_diagnostic_callback on_diagnostic;
  void *user_data;
#define TILEWRIGHT_COMPILE_OPTION(KIND, NAME, ...)                             \
  tilewright_option_##KIND NAME;
#include "tilewright-c/CompileOptions.def"
} tilewright_compile_options;

/* Compiles tile IR once for everybody who shares the cache. The error of a text
   that does not compile has its diagnostics, a line each. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_compile(tilewright_compiler *compiler, const char *text,
                   size_t text_size, const tilewright_compile_options *options,
                   tilewright_program **program);

/* Compiles to one form, past the cache, for the first target alone. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_emit(const char *text, size_t text_size, const char *form,
                const tilewright_compile_options *options,
                tilewright_bytes **bytes);

/* Compiles to several forms by one compilation, past the cache, for the first
   target alone. `bytes` has room for one of each, in the order of `forms`; on
   failure all of them are NULL. */
TILEWRIGHT_EXPORT tilewright_error *tilewright_emit_forms(
    const char *text, size_t text_size, const char *const *forms, size_t count,
    const tilewright_compile_options *options, tilewright_bytes **bytes);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_COMPILER_H */
