/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The C interface from C: everything that succeeds, and what is refused.
 *   consumer KERNEL.mlir
 */
#include "tilewright-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int diagnostics;

static void fail_at(int line, tilewright_error *error) {
  fprintf(stderr, "line %d: %s\n", line, tilewright_error_message(error));
  exit(1);
}
#define OK(call)                                                               \
  do {                                                                         \
    tilewright_error *failed = (call);                                         \
    if (failed)                                                                \
      fail_at(__LINE__, failed);                                               \
  } while (0)

/* Fails with the code and a message that has the text. */
static void expect_error(int line, tilewright_error *error, int code,
                         const char *text) {
  if (tilewright_error_get_code(error) != code ||
      !strstr(tilewright_error_message(error), text))
    fail_at(line, error);
  tilewright_error_destroy(error);
}
#define FAILS(call, code, text) expect_error(__LINE__, (call), (code), (text))
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                  \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void on_diagnostic(const tilewright_diagnostic *diagnostic,
                          void *user_data) {
  ++*(int *)user_data;
  printf("%s:%u: %s\n", diagnostic->file, (unsigned)diagnostic->line,
         diagnostic->message);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = (char *)malloc(1 << 16);
  if (!file || !text)
    exit(1);
  *size = fread(text, 1, 1 << 16, file);
  fclose(file);
  return text;
}

static void check_compiler(tilewright_compiler *compiler) {
  static const char broken[] = "tt.func @f() {\n  %0 = arith.nothing\n}\n";
  tilewright_compile_options options;
  tilewright_program *program = NULL;
  tilewright_compiler *none = NULL;
  tilewright_compiler_options small = {1, NULL};
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.source_name = "broken.mlir";
  options.on_diagnostic = on_diagnostic;
  options.user_data = &diagnostics;
  FAILS(
      tilewright_compile(compiler, broken, strlen(broken), &options, &program),
      TILEWRIGHT_ERROR_INVALID_ARGUMENT, "broken.mlir:2:");
  CHECK(diagnostics > 0 && !program);
  options.num_warps = 3;
  FAILS(
      tilewright_compile(compiler, broken, strlen(broken), &options, &program),
      TILEWRIGHT_ERROR_INVALID_ARGUMENT, "a power of two from 1 to 32");
  options.num_warps = 4;
  options.line_tables = 3;
  FAILS(
      tilewright_compile(compiler, broken, strlen(broken), &options, &program),
      TILEWRIGHT_ERROR_INVALID_ARGUMENT,
      "expects line_tables to be a tilewright_switch (0 to 2), but got 3");
  options.line_tables = TILEWRIGHT_OFF;
  options.remarks = TILEWRIGHT_REMARKS_ALL + 1;
  FAILS(
      tilewright_compile(compiler, broken, strlen(broken), &options, &program),
      TILEWRIGHT_ERROR_INVALID_ARGUMENT,
      "expects remarks to be below 3, but got 3");
  options.remarks = TILEWRIGHT_REMARKS_ALL;
  options.targets.count = 1;
  FAILS(
      tilewright_compile(compiler, broken, strlen(broken), &options, &program),
      TILEWRIGHT_ERROR_INVALID_ARGUMENT,
      "expects targets to have 1 items, but got null");
  FAILS(tilewright_compiler_create(&small, &none),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "begin with its size");
  CHECK(tilewright_target_name(0) && !tilewright_target_name(1000));
  CHECK(!strcmp(tilewright_form_name(0), "tile"));
  CHECK(!tilewright_form_name(1000));
  CHECK(!strcmp(tilewright_target_for_device(90), "sm_90a"));
  CHECK(!strcmp(tilewright_target_for_device(72), "sm_70"));
  CHECK(!strcmp(tilewright_target_for_device(120), "sm_89"));
  CHECK(!tilewright_target_for_device(61) && !tilewright_target_for_device(-1));
  CHECK(strstr(tilewright_compiler_version(), "tilewright"));
  CHECK(strstr(tilewright_compiler_identity(), tilewright_compiler_version()) &&
        strcmp(tilewright_compiler_identity(), tilewright_compiler_version()));
}

/* The options of an older caller, who knows no member behind the callback: they
   are the defaults. What lies behind is not looked at. */
static void check_older_options(tilewright_compiler *compiler, const char *text,
                                size_t size) {
  tilewright_compile_options options;
  tilewright_program *program = NULL;
  memset(&options, 0xff, sizeof options);
  options.struct_size = offsetof(tilewright_compile_options, targets);
  options.on_diagnostic = on_diagnostic;
  options.user_data = &diagnostics;
  OK(tilewright_compile(compiler, text, size, &options, &program));
  tilewright_program_destroy(program);
  options.struct_size -= 1;
  FAILS(tilewright_compile(compiler, text, size, &options, &program),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "to begin with its size");
}

/* Every form of one output. */
static void check_forms(const char *text, size_t size) {
  tilewright_bytes *bytes = NULL;
  const char *form;
  size_t i;
  for (i = 0; (form = tilewright_form_name(i)); ++i) {
    if (!strcmp(form, "c-header")) {
      FAILS(tilewright_emit(text, size, form, NULL, &bytes),
            TILEWRIGHT_ERROR_INVALID_ARGUMENT,
            "expects one of tile, tilegpu, layout-report, estimate, "
            "estimate-json, llvm-dialect, llvm, "
            "ptx, cubin, artifact, artifact-json, but got 'c-header'");
      continue;
    }
    OK(tilewright_emit(text, size, form, NULL, &bytes));
    CHECK(tilewright_bytes_size(bytes) > 0);
    tilewright_bytes_destroy(bytes);
  }
}

/* Several forms of one compilation. */
static void check_several_forms(const char *text, size_t size) {
  const char *forms[3] = {"ptx", "tilegpu", "artifact-json"};
  const char *unknown[2] = {"ptx", "sass"};
  tilewright_bytes *bytes[3] = {NULL, NULL, NULL};
  int i;
  OK(tilewright_emit_forms(text, size, forms, 3, NULL, bytes));
  for (i = 0; i < 3; ++i) {
    CHECK(tilewright_bytes_size(bytes[i]) > 0);
    tilewright_bytes_destroy(bytes[i]);
  }
  FAILS(tilewright_emit_forms(text, size, unknown, 2, NULL, bytes),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "but got 'sass'");
  CHECK(!bytes[0] && !bytes[1]);
  unknown[1] = NULL;
  FAILS(tilewright_emit_forms(text, size, unknown, 2, NULL, bytes),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT,
        "expects the name of a form, but got null");
}

static void check_launch(tilewright_device *device, tilewright_kernel *kernel) {
  enum { count = 100 };
  float x[count], y[count], sum[count];
  uint64_t addresses[3];
  void *stream = NULL;
  tilewright_argument arguments[4];
  tilewright_bound_launch *bound = NULL;
  const uint32_t grid[3] = {2, 1, 1};
  int i;
  memset(arguments, 0, sizeof arguments);
  for (i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 0.5f;
  }
  OK(tilewright_stream_create(device, &stream));
  for (i = 0; i < 3; ++i) {
    OK(tilewright_memory_allocate(device, sizeof x, &addresses[i]));
    arguments[i].kind = TILEWRIGHT_POINTER;
    arguments[i].size = 8;
    arguments[i].bits = addresses[i];
  }
  arguments[3].kind = TILEWRIGHT_INTEGER;
  arguments[3].size = 4;
  arguments[3].bits = count;
  OK(tilewright_memory_write(device, addresses[0], x, sizeof x, stream));
  OK(tilewright_memory_write(device, addresses[1], y, sizeof y, stream));
  FAILS(tilewright_kernel_launch(kernel, grid, arguments, 3, stream, 0),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "expects 4 arguments, but got 3");
  arguments[3].kind = 77;
  FAILS(tilewright_kernel_launch(kernel, grid, arguments, 4, stream, 0),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "got kind 77");
  arguments[3].kind = TILEWRIGHT_INTEGER;
  OK(tilewright_kernel_launch(kernel, grid, arguments, 4, stream, 0));
  OK(tilewright_memory_read(device, sum, addresses[2], sizeof sum, stream));
  for (i = 0; i < count; ++i)
    CHECK(sum[i] == x[i] + 0.5f);
  arguments[1].bits = addresses[0];
  OK(tilewright_kernel_bind(kernel, grid, arguments, 4, 0, &bound));
  OK(tilewright_bound_launch_run(bound, stream));
  OK(tilewright_memory_read(device, sum, addresses[2], sizeof sum, stream));
  for (i = 0; i < count; ++i)
    CHECK(sum[i] == 2 * x[i]);
  tilewright_bound_launch_destroy(bound);
  for (i = 0; i < 3; ++i)
    OK(tilewright_memory_free(device, addresses[i]));
  OK(tilewright_stream_destroy(device, stream));
}

/* Who was built before element types were known gets the rest. */
static void check_older_parameter(const tilewright_program *program) {
  tilewright_parameter parameter;
  parameter.struct_size = offsetof(tilewright_parameter, element_type);
  parameter.element_type = "untouched";
  OK(tilewright_program_get_parameter(program, 0, 1, &parameter));
  CHECK(!strcmp(parameter.name, "y"));
  CHECK(!strcmp(parameter.element_type, "untouched"));
}

/* NULL for a handle: an error, or nothing, and the results are set. */
static void check_null(void) {
  const int bad = TILEWRIGHT_ERROR_INVALID_ARGUMENT;
  const uint32_t grid[3] = {1, 1, 1};
  tilewright_program *program = (tilewright_program *)&grid;
  tilewright_kernel *kernel = (tilewright_kernel *)&grid;
  tilewright_bytes *bytes = (tilewright_bytes *)&grid;
  tilewright_parameter parameter;
  tilewright_kernel_facts facts;
  parameter.struct_size = sizeof parameter;
  facts.struct_size = sizeof facts;
  CHECK(!strcmp(tilewright_device_description(NULL), ""));
  CHECK(tilewright_device_architecture(NULL) == 0);
  CHECK(tilewright_device_multiprocessors(NULL) == 0);
  CHECK(tilewright_program_kernel_count(NULL) == 0);
  CHECK(tilewright_program_kernel_name(NULL, 0) == NULL);
  CHECK(tilewright_program_parameter_count(NULL, 0) == 0);
  CHECK(tilewright_bytes_data(NULL) == NULL);
  CHECK(tilewright_bytes_size(NULL) == 0);
  CHECK(tilewright_error_get_code(NULL) == 0);
  CHECK(!strcmp(tilewright_error_message(NULL), ""));
  FAILS(tilewright_program_get_parameter(NULL, 0, 0, &parameter), bad, "null");
  FAILS(tilewright_program_create(NULL, 0, &program), bad, "null");
  CHECK(!program);
  FAILS(tilewright_program_serialize(NULL, &bytes), bad, "null");
  CHECK(!bytes);
  FAILS(tilewright_kernel_create(NULL, NULL, NULL, &kernel), bad, "null");
  CHECK(!kernel);
  FAILS(tilewright_kernel_prepare(NULL), bad, "null");
  FAILS(tilewright_kernel_get_facts(NULL, &facts), bad, "null");
  FAILS(tilewright_kernel_launch(NULL, grid, NULL, 0, NULL, 0), bad, "null");
  FAILS(tilewright_bound_launch_run(NULL, NULL), bad, "null");
  FAILS(tilewright_memory_write(NULL, 1, NULL, 1, NULL), bad, "null");
  FAILS(tilewright_memory_read(NULL, NULL, 1, 1, NULL), bad, "null");
  FAILS(tilewright_memory_free(NULL, 1), bad, "null");
  FAILS(tilewright_stream_synchronize(NULL, NULL), bad, "null");
  FAILS(tilewright_stream_destroy(NULL, NULL), bad, "null");
  program = (tilewright_program *)&grid;
  FAILS(tilewright_compile(NULL, NULL, 0, NULL, &program), bad, "null");
  CHECK(!program);
  bytes = (tilewright_bytes *)&grid;
  FAILS(tilewright_emit("", 0, NULL, NULL, &bytes), bad, "null");
  CHECK(!bytes);
  tilewright_device_destroy(NULL);
  tilewright_program_destroy(NULL);
  tilewright_kernel_destroy(NULL);
  tilewright_bytes_destroy(NULL);
  tilewright_bound_launch_destroy(NULL);
  tilewright_compiler_destroy(NULL);
  tilewright_capture_end(NULL);
}

int main(int argc, char **argv) {
  tilewright_device *device = NULL;
  tilewright_compiler *compiler = NULL;
  tilewright_program *program = NULL, *again = NULL, *bad = NULL;
  tilewright_kernel *kernel = NULL, *none = NULL;
  tilewright_bytes *bytes = NULL;
  tilewright_capture *capture = NULL;
  tilewright_kernel_facts facts;
  tilewright_parameter parameter;
  tilewright_compiler_options in_memory = {sizeof in_memory, ""};
  tilewright_device_options absent = {sizeof absent, "/nowhere/libcuda.so", 0,
                                      0};
  size_t size = 0;
  char *text = argc > 1 ? read_file(argv[1], &size) : NULL;
  CHECK(tilewright_api_version() == TILEWRIGHT_API_VERSION);
  FAILS(tilewright_device_open(&absent, &device), TILEWRIGHT_ERROR_NOT_FOUND,
        "/nowhere/libcuda.so");
  OK(tilewright_device_open(NULL, &device));
  printf("%s\n", tilewright_device_description(device));
  CHECK(tilewright_device_architecture(device) >= 70);
  OK(tilewright_compiler_create(&in_memory, &compiler));
  check_compiler(compiler);
  check_older_options(compiler, text, size);
  check_forms(text, size);
  check_several_forms(text, size);
  OK(tilewright_compile(compiler, text, size, NULL, &program));
  CHECK(tilewright_program_kernel_count(program) == 1);
  CHECK(!strcmp(tilewright_program_kernel_name(program, 0), "add"));
  parameter.struct_size = sizeof parameter;
  CHECK(tilewright_program_parameter_count(program, 0) == 4);
  OK(tilewright_program_get_parameter(program, 0, 3, &parameter));
  CHECK(parameter.kind == TILEWRIGHT_INTEGER && parameter.size == 4);
  CHECK(!strcmp(parameter.name, "count"));
  CHECK(!strcmp(parameter.element_type, "i32"));
  OK(tilewright_program_get_parameter(program, 0, 0, &parameter));
  CHECK(!strcmp(parameter.element_type, "f32"));
  check_older_parameter(program);
  check_null();
  FAILS(tilewright_program_get_parameter(program, 0, 4, &parameter),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "below 4, but got 4");
  OK(tilewright_program_serialize(program, &bytes));
  OK(tilewright_program_create(tilewright_bytes_data(bytes),
                               tilewright_bytes_size(bytes), &again));
  FAILS(tilewright_program_create(tilewright_bytes_data(bytes), 100, &bad),
        TILEWRIGHT_ERROR_CORRUPT, "");
  tilewright_bytes_destroy(bytes);
  FAILS(tilewright_kernel_create(again, device, "subtract", &none),
        TILEWRIGHT_ERROR_NOT_FOUND, "has no kernel 'subtract', only 'add'");
  OK(tilewright_kernel_create(again, device, NULL, &kernel));
  /* What a kernel was made from need not outlive it. */
  tilewright_program_destroy(program);
  tilewright_program_destroy(again);
  tilewright_compiler_destroy(compiler);
  OK(tilewright_kernel_prepare(kernel));
  facts.struct_size = 8;
  FAILS(tilewright_kernel_get_facts(kernel, &facts),
        TILEWRIGHT_ERROR_INVALID_ARGUMENT, "but got 8");
  facts.struct_size = sizeof facts;
  OK(tilewright_kernel_get_facts(kernel, &facts));
  CHECK(facts.num_warps == 4 && facts.block[0] == 128);
  printf("image: %s\n", facts.image);
  check_launch(device, kernel);
  OK(tilewright_capture_begin(device, &capture));
  tilewright_kernel_destroy(kernel);
  tilewright_device_destroy(device);
  tilewright_capture_end(capture);
  free(text);
  printf("diagnostics: %d\n", diagnostics);
  return 0;
}
