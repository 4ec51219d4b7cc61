/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every kind of parameter through the functions that --emit=c-header makes. */
#include "types_kernels.h"

#include <stdio.h>

int main(void) {
  tilewright_device *device = NULL;
  types_kernels *kernels = NULL;
  uint64_t out = 0;
  double numbers[8] = {0};
  int i;
  tilewright_error *error = tilewright_device_open(NULL, &device);
  if (!error)
    error = types_kernels_load(device, &kernels);
  if (!error)
    error = tilewright_memory_allocate(device, sizeof numbers, &out);
  if (!error)
    error =
        types_launch(kernels, NULL, 1, 1, 1, out, -5, -300, -70000,
                     (int64_t)-5000000000, 1, 0x3e00 /* 1.5 */, 0.25f, 1e-300);
  if (!error)
    error = tilewright_memory_read(device, numbers, out, sizeof numbers, NULL);
  if (error) {
    fprintf(stderr, "%s\n", tilewright_error_message(error));
    tilewright_error_destroy(error);
    return 1;
  }
  for (i = 0; i < 8; ++i)
    printf("%g ", numbers[i]);
  printf("\n");
  types_kernels_unload(kernels);
  types_kernels_unload(NULL);
  tilewright_memory_free(device, out);
  tilewright_device_destroy(device);
  return 0;
}
