/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loading and launching kernels that the compiler has made, as a C interface.
 * It needs no LLVM: the CUDA driver is opened when a device is.
 *
 * Rules of all functions:
 * - Whoever fails gives an error object, which the caller destroys; success is
 *   NULL. Results go to the last pointer, which is set to NULL or 0 on failure.
 * - Handles may be used by any thread, and destroyed in any order, each once
 *   and when no call uses it; NULL may be destroyed. What a handle was made
 *   from need not outlive it. Of NULL, a function that gives no error object
 *   gives 0, NULL or "".
 * - Nothing throws, exits the process, prints, or keeps a pointer that it was
 *   given, but where it says so.
 * - Structures begin with their size, `sizeof` as the caller knows it: newer
 *   ones have more members, and what an older caller does not name is zero.
 * - Functions and members may be added, and never change or go, while
 *   TILEWRIGHT_API_VERSION is the same.
 */
#ifndef TILEWRIGHT_C_RUNTIME_H
#define TILEWRIGHT_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TILEWRIGHT_EXPORT __attribute__((visibility("default")))
#else
#define TILEWRIGHT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 2: the options of a compilation are members of their own in place of
      `flags`, and targets have their number beside them. */
#define TILEWRIGHT_API_VERSION 2

/* The version of the library that runs. */
TILEWRIGHT_EXPORT int tilewright_api_version(void);

/* ---- Errors ------------------------------------------------------------- */

typedef struct tilewright_error tilewright_error;

enum tilewright_error_code {
  TILEWRIGHT_ERROR_INVALID_ARGUMENT = 1,
  TILEWRIGHT_ERROR_CORRUPT = 2,     /* bytes are not what they claim to be */
  TILEWRIGHT_ERROR_UNSUPPORTED = 3, /* not possible here */
  TILEWRIGHT_ERROR_NOT_FOUND = 4,   /* no such file, kernel, library, device */
  TILEWRIGHT_ERROR_DRIVER = 5,      /* the device driver reported a failure */
  TILEWRIGHT_ERROR_INPUT_OUTPUT = 6,
  TILEWRIGHT_ERROR_OUT_OF_MEMORY = 7, /* of the host or the device */
  TILEWRIGHT_ERROR_NOT_PREPARED = 8   /* would have to load during a capture */
};

/* A tilewright_error_code; 0 for NULL. */
TILEWRIGHT_EXPORT int tilewright_error_get_code(const tilewright_error *error);
/* Lives as long as the error; "" for NULL. */
TILEWRIGHT_EXPORT const char *
tilewright_error_message(const tilewright_error *error);
TILEWRIGHT_EXPORT void tilewright_error_destroy(tilewright_error *error);
/* For code that adds to this interface. Copies the message. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_error_create(int code, const char *message);

/* ---- Devices ------------------------------------------------------------ */

typedef struct tilewright_device tilewright_device;

/* The context that is current on the calling thread, in place of the primary
   context of device `ordinal`. */
#define TILEWRIGHT_DEVICE_CURRENT_CONTEXT 1u

typedef struct tilewright_device_options {
  size_t struct_size;
  /* The driver's library; NULL: what TILEWRIGHT_CUDA_DRIVER names, else
     libcuda.so.1. */
  const char *driver;
  int32_t ordinal;
  uint32_t flags;
} tilewright_device_options;

/* Opens a device; `options` may be NULL for device 0. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_device_open(const tilewright_device_options *options,
                       tilewright_device **device);
TILEWRIGHT_EXPORT void tilewright_device_destroy(tilewright_device *device);
/* "device 0: NVIDIA H200 (sm_90), CUDA 13.0 (libcuda.so.1)". */
TILEWRIGHT_EXPORT const char *
tilewright_device_description(const tilewright_device *device);
/* Compute capability as ten times the major number, and the minor. */
TILEWRIGHT_EXPORT int32_t
tilewright_device_architecture(const tilewright_device *device);
TILEWRIGHT_EXPORT int32_t
tilewright_device_multiprocessors(const tilewright_device *device);

/* Memory and streams for programs that have none; `stream` is a CUstream.
   Writing and reading wait for the stream. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_memory_allocate(tilewright_device *device, uint64_t size,
                           uint64_t *address);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_memory_free(tilewright_device *device, uint64_t address);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_memory_write(tilewright_device *device, uint64_t to,
                        const void *from, uint64_t size, void *stream);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_memory_read(tilewright_device *device, void *to, uint64_t from,
                       uint64_t size, void *stream);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_stream_create(tilewright_device *device, void **stream);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_stream_destroy(tilewright_device *device, void *stream);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_stream_synchronize(tilewright_device *device, void *stream);

/* From begin to end somebody captures on the device's streams: until then no
   code is unloaded. Captures on blocking streams are noticed without it. */
typedef struct tilewright_capture tilewright_capture;
TILEWRIGHT_EXPORT tilewright_error *
tilewright_capture_begin(tilewright_device *device,
                         tilewright_capture **capture);
TILEWRIGHT_EXPORT void tilewright_capture_end(tilewright_capture *capture);

/* ---- Programs: compiled kernels ----------------------------------------- */

typedef struct tilewright_program tilewright_program;

/* Takes the bytes of an artifact, which are copied. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_program_create(const void *bytes, size_t size,
                          tilewright_program **program);
TILEWRIGHT_EXPORT void tilewright_program_destroy(tilewright_program *program);
TILEWRIGHT_EXPORT size_t
tilewright_program_kernel_count(const tilewright_program *program);
/* Lives as long as the program; NULL where there is no such kernel. */
TILEWRIGHT_EXPORT const char *
tilewright_program_kernel_name(const tilewright_program *program, size_t index);

/* What callers pass to a kernel. */
enum tilewright_kind {
  TILEWRIGHT_POINTER = 0,    /* a device address, 8 bytes */
  TILEWRIGHT_INTEGER = 1,    /* of 1, 2, 4 or 8 bytes */
  TILEWRIGHT_FLOAT = 2,      /* its bits, of 1, 2, 4 or 8 bytes */
  TILEWRIGHT_DESCRIPTOR = 3, /* address, shape and strides of a tensor */
  TILEWRIGHT_UNTYPED = 4     /* bytes */
};

typedef struct tilewright_parameter {
  size_t struct_size;
  const char *name;   /* "" where it has none; lives as long as its owner */
  uint32_t kind;      /* a tilewright_kind */
  uint32_t size;      /* bytes of the value; 0 of descriptors */
  uint32_t rank;      /* of descriptors */
  uint32_t alignment; /* that addresses must have, in bytes */
  /* What an address points to, and what a descriptor's tensor is of; of a
     number, its own type. As in IR: "f32", "bf16", "i1", "f8E4M3FN"; "": not
     known. Lives as long as its owner. */
  const char *element_type;
} tilewright_parameter;

TILEWRIGHT_EXPORT size_t tilewright_program_parameter_count(
    const tilewright_program *program, size_t kernel);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_program_get_parameter(const tilewright_program *program,
                                 size_t kernel, size_t index,
                                 tilewright_parameter *parameter);

/* Bytes with an owner. */
typedef struct tilewright_bytes tilewright_bytes;
TILEWRIGHT_EXPORT const void *
tilewright_bytes_data(const tilewright_bytes *bytes);
TILEWRIGHT_EXPORT size_t tilewright_bytes_size(const tilewright_bytes *bytes);
TILEWRIGHT_EXPORT void tilewright_bytes_destroy(tilewright_bytes *bytes);

/* The artifact: what tilewright_program_create takes. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_program_serialize(const tilewright_program *program,
                             tilewright_bytes **bytes);

/* ---- Kernels ------------------------------------------------------------ */

typedef struct tilewright_kernel tilewright_kernel;

/* A kernel of a program for a device, not loaded yet. `name` may be NULL where
   there is one kernel. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_kernel_create(const tilewright_program *program,
                         const tilewright_device *device, const char *name,
                         tilewright_kernel **kernel);
/* Its code is unloaded once no capture is known to run. Graphs that hold its
   launches must be gone. */
TILEWRIGHT_EXPORT void tilewright_kernel_destroy(tilewright_kernel *kernel);

/* Loads the kernel, if it is not. To be done before a capture begins; a driver
   for CUDA 12.3 or newer can load in a capture, too. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_kernel_prepare(tilewright_kernel *kernel);

typedef struct tilewright_kernel_facts {
  size_t struct_size;
  const char *name;
  uint32_t parameter_count;
  uint32_t num_warps;
  uint32_t block[3];
  uint32_t static_shared_bytes, dynamic_shared_bytes;
  uint32_t registers;   /* of a thread, as the driver says */
  uint32_t local_bytes; /* of a thread */
  uint32_t scratch_alignment;
  uint64_t scratch_bytes_per_block; /* of global scratch memory */
  const char *image;                /* "cubin sm_80"; as long as the kernel */
} tilewright_kernel_facts;

/* Prepares the kernel. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_kernel_get_facts(tilewright_kernel *kernel,
                            tilewright_kernel_facts *facts);

/* The value of one argument. This structure never grows. */
typedef struct tilewright_argument {
  uint32_t kind; /* a tilewright_kind */
  uint32_t size; /* bytes of the value; 0 of descriptors */
  uint64_t bits; /* the value in its low bytes; the address of a descriptor */
  /* Of a descriptor, in elements, the slowest dimension first. */
  const int64_t *shape, *strides;
  uint64_t rank;
  const void *bytes; /* of an untyped argument: `size` bytes */
} tilewright_argument;

/* Launches `grid` blocks on `stream`, a CUstream (NULL: the legacy default
   stream). `scratch` is the address of the grid's scratch memory, or 0. One
   call of the driver where the kernel is prepared and the device's context is
   current on the thread (one more for each tensor map); nothing is allocated,
   locked or waited for. */
TILEWRIGHT_EXPORT tilewright_error *
tilewright_kernel_launch(tilewright_kernel *kernel, const uint32_t grid[3],
                         const tilewright_argument *arguments,
                         size_t argument_count, void *stream, uint64_t scratch);

/* A launch whose arguments are checked and packed already. */
typedef struct tilewright_bound_launch tilewright_bound_launch;
TILEWRIGHT_EXPORT tilewright_error *
tilewright_kernel_bind(tilewright_kernel *kernel, const uint32_t grid[3],
                       const tilewright_argument *arguments,
                       size_t argument_count, uint64_t scratch,
                       tilewright_bound_launch **launch);
TILEWRIGHT_EXPORT tilewright_error *
tilewright_bound_launch_run(const tilewright_bound_launch *launch,
                            void *stream);
TILEWRIGHT_EXPORT void
tilewright_bound_launch_destroy(tilewright_bound_launch *launch);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_C_RUNTIME_H */
