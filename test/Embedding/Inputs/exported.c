/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls an operator that was exported ahead of time, as C99, with the runtime
 * alone: products of several sizes, one of which was not named when the code
 * was made, as it is dynamic; and sizes that there is no code for. tilewright
 * kernels export matmul m=4,64 n=24 k=32,640 type=f32 dynamic=m
 *       --target=sm_75,sm_80 -o product.h
 */
#include "product.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(tilewright_error *error) {
  fprintf(stderr, "exported: error: %s\n", tilewright_error_message(error));
  tilewright_error_destroy(error);
  return 1;
}

/* a[i, z] = i + 1, b[z, j] = j - 3: c[i, j] = k (i + 1) (j - 3), exactly. */
static tilewright_error *multiply(tilewright_device *device,
                                  const product *module, int64_t m, int64_t n,
                                  int64_t k, int64_t *wrong) {
  uint64_t a = 0, b = 0, c = 0, workspace = 0, bytes = 0;
  tilewright_error *error = product_workspace_size(module, m, n, k, &bytes);
  float *numbers = (float *)malloc(sizeof(float) * (m * k + k * n + m * n + 1));
  int64_t i;
  *wrong = 0;
  for (i = 0; i < m * k; ++i)
    numbers[i] = (float)(i / k + 1);
  if (!error)
    error = tilewright_memory_allocate(device, sizeof(float) * m * k, &a);
  if (!error)
    error = tilewright_memory_write(device, a, numbers, sizeof(float) * m * k,
                                    NULL);
  for (i = 0; i < k * n; ++i)
    numbers[i] = (float)(i % n - 3);
  if (!error)
    error = tilewright_memory_allocate(device, sizeof(float) * k * n, &b);
  if (!error)
    error = tilewright_memory_write(device, b, numbers, sizeof(float) * k * n,
                                    NULL);
  if (!error)
    error = tilewright_memory_allocate(device, sizeof(float) * m * n, &c);
  if (!error && bytes)
    error = tilewright_memory_allocate(device, bytes, &workspace);
  if (!error)
    error = product_run(module, NULL, m, n, k, a, b, c, workspace);
  if (!error)
    error =
        tilewright_memory_read(device, numbers, c, sizeof(float) * m * n, NULL);
  for (i = 0; !error && i < m * n; ++i)
    *wrong += numbers[i] != (float)(k * (i / n + 1) * (i % n - 3));
  free(numbers);
  return error;
}

int main(void) {
  static const int64_t rows[] = {1, 2, 3, 4, 5, 33, 63, 64};
  static const int64_t depths[] = {32, 640};
  tilewright_device *device = NULL;
  product *module = NULL;
  tilewright_error *error = tilewright_device_open(NULL, &device);
  size_t r, d;
  if (!error)
    error = product_load(device, &module);
  if (error)
    return fail(error);
  for (d = 0; d < 2; ++d)
    for (r = 0; r < sizeof rows / sizeof *rows; ++r) {
      int64_t wrong = 0;
      error = multiply(device, module, rows[r], 24, depths[d], &wrong);
      if (error)
        return fail(error);
      printf("%d x 24 x %d: %d wrong\n", (int)rows[r], (int)depths[d],
             (int)wrong);
    }
  error = product_run(module, NULL, 65, 24, 32, 0, 0, 0, 0);
  printf("%s\n", tilewright_error_message(error));
  tilewright_error_destroy(error);
  product_unload(module);
  tilewright_device_destroy(device);
  return 0;
}
