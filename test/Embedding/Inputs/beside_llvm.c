/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Another LLVM and MLIR in the process, with all their symbols global, before
 * and after the library is used:
 *   beside_llvm LIBLLVM LIBMLIR LIBTILEWRIGHT KERNEL.mlir
 */
#include "tilewright-c/Compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_library(const char *path, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

/* A function of a library, through memory as C wants it. */
static void find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  if (!address) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  memcpy(function, &address, sizeof address);
}

static void use_llvm(void *llvm) {
  void *(*create)(void);
  void (*dispose)(void *);
  void *(*make)(const char *, void *);
  char *(*print)(void *);
  void (*dispose_module)(void *);
  void *context, *module;
  find(llvm, "LLVMContextCreate", &create);
  find(llvm, "LLVMContextDispose", &dispose);
  find(llvm, "LLVMModuleCreateWithNameInContext", &make);
  find(llvm, "LLVMPrintModuleToString", &print);
  find(llvm, "LLVMDisposeModule", &dispose_module);
  context = create();
  module = make("other", context);
  printf("%.20s\n", print(module));
  dispose_module(module);
  dispose(context);
}

int main(int argc, char **argv) {
  void *llvm, *ours;
  char text[1 << 14];
  size_t size;
  tilewright_bytes *ptx = NULL;
  tilewright_error *error;
  FILE *file;
  tilewright_error *(*emit)(const char *, size_t, const char *,
                            const tilewright_compile_options *,
                            tilewright_bytes **);
  const char *(*message)(const tilewright_error *);
  const void *(*data)(const tilewright_bytes *);
  void (*destroy)(tilewright_bytes *);
  if (argc != 5 || !(file = fopen(argv[4], "rb")))
    return 2;
  size = fread(text, 1, sizeof text, file);
  fclose(file);
  llvm = open_library(argv[1], RTLD_GLOBAL);
  open_library(argv[2], RTLD_GLOBAL);
  use_llvm(llvm);
  ours = open_library(argv[3], RTLD_LOCAL);
  find(ours, "tilewright_emit", &emit);
  find(ours, "tilewright_error_message", &message);
  find(ours, "tilewright_bytes_data", &data);
  find(ours, "tilewright_bytes_destroy", &destroy);
  error = emit(text, size, "ptx", NULL, &ptx);
  if (error) {
    fprintf(stderr, "%s\n", message(error));
    return 1;
  }
  printf("%s\n", strstr((const char *)data(ptx), ".entry") ? "an entry" : "");
  destroy(ptx);
  use_llvm(llvm);
  return 0;
}
