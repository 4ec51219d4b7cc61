/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The library's operators as a C interface: by name, made once, called with
 * tensors. The rules are those of Runtime.h.
 */
#ifndef TILEWRIGHT_C_OPERATORS_H
#define TILEWRIGHT_C_OPERATORS_H

#include "tilewright-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names of all operators; NULL behind the last. */
TILEWRIGHT_EXPORT const char *tilewright_operator_name(size_t index);
/* The names of an operator's tensors, in the order in which calls take them;
   NULL behind the last, and where there is no such operator. */
TILEWRIGHT_EXPORT const char *
tilewright_operator_tensor_name(const char *operator_name, size_t index);

typedef struct tilewright_plan_options {
  size_t struct_size;
  /* The operator's options that are no sizes, as `tilewright kernels describe`
     lists them: names[i] is given values[i], such as "type" and "f16". Besides
     "dynamic" names sizes whose values the code must not rely on. */
  const char *const *names;
  const char *const *values;
  size_t count;
  /* What to compile for; NULL: the device. */
  const char *target;
  /* In place of the best configuration, as `tilewright kernels run --config`
     takes it; may be NULL. */
  const char *configuration;
  /* Whether to assemble PTX before the driver sees it: a tilewright_switch; on
     by default. */
  uint64_t machine_code;
  /* How many candidates are measured where a call needs a choice that nobody
     has measured yet, with memory of their own; what came of it is kept in the
     cache. 0: as the environment variable TILEWRIGHT_TUNE says, else none. */
  uint64_t tune;
} tilewright_plan_options;

/* A tensor of a call: sizes and strides in elements, the slowest dimension
   first. Without sizes it is not there. This structure never grows. */
typedef struct tilewright_tensor {
  uint64_t address;
  uint64_t rank;
  const int64_t *sizes, *strides;
} tilewright_tensor;

/* An operator that is ready to be called, by any thread. */
typedef struct tilewright_plan tilewright_plan;

/* `options` may be NULL. */
TILEWRIGHT_EXPORT tilewright_error *tilewright_plan_create(
    tilewright_compiler *compiler, const tilewright_device *device,
    const char *operator_name, const tilewright_plan_options *options,
    tilewright_plan **plan);
TILEWRIGHT_EXPORT void tilewright_plan_destroy(tilewright_plan *plan);

/* Chooses, compiles and loads what calls with such tensors need, and says how
   much memory they need besides (`workspace_size` may be NULL). Addresses count
   by their alignment alone, up to 16 bytes. A tensor with fewer dimensions than
   the operator's has leading ones of one element; an input's dimension of one
   element is repeated where others have more. To be done before a capture. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_plan_prepare(tilewright_plan *plan, const tilewright_tensor *tensors,
                        size_t count, uint64_t *workspace_size);

/* Launches on `stream`, a CUstream. `workspace` is the address of memory of
   `workspace_size` bytes at a multiple of 256, which nobody else uses until the
   work is done; 0 where none is needed. Of tensors that were prepared it
   allocates nothing, compiles nothing and waits for nothing. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_plan_run(tilewright_plan *plan, const tilewright_tensor *tensors,
                    size_t count, void *stream, uint64_t workspace,
                    uint64_t workspace_size);

/* Text for people: the configuration that such calls get, the ranking, what was
   refused and why. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_plan_explain(tilewright_plan *plan, const tilewright_tensor *tensors,
                        size_t count, tilewright_bytes **text);

/* How prepacked weights of k x n lie, which operators with an option "packed"
   take: padded to units of `rows` of k by `columns` of n, each of `words` words
   of 32 bits, one behind the other along k, and those along n behind these.
   Rows change places within `span` of them, so that groups of scales are to
   have whole spans. This structure never grows. */
typedef struct tilewright_prepacked_unit {
  uint64_t rows, columns, words, span;
} tilewright_prepacked_unit;

/* The unit of a family ("m16n8" or "m8n8k4", as "packed" says it), for codes as
   "weights" and "order" say. places[rows * columns / words * w + c], of `count`
   = rows * columns: where in the unit, row * columns + column, the element is
   whose code is the c-th of word w, from the lowest bits on. NULL and 0 where
   only `unit` is asked for. */
TILEWRIGHT_EXPORT tilewright_error *tilewright_prepacked_unit_describe(
    const char *family, const char *weights, const char *order,
    tilewright_prepacked_unit *unit, uint32_t *places, size_t count);
/* The family of a target such as "sm_80"; NULL where there is no such target.
 */
TILEWRIGHT_EXPORT const char *tilewright_prepacked_family(const char *target);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_OPERATORS_H */
