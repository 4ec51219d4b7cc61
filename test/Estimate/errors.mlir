// What cannot be estimated is said.

// RUN: not tilewright compile %s --emit=estimate --launch=0 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not tilewright compile %s --emit=estimate --launch=8x8x8x8 2>&1 | FileCheck %s --check-prefix=AXES
// RUN: not tilewright compile %s --emit=estimate --launch=8x65536 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright compile %s --emit=estimate --launch=8,size 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not tilewright compile %s --emit=estimate --launch=size=8 2>&1 | FileCheck %s --check-prefix=ORDER
// GRID: expects --launch to be XxYxZ and NAME=VALUE behind it, with integers, X from 1 to 2147483647, Y and Z from 1 to 65535, but got '0'
// AXES: but got '8x8x8x8'
// LARGE: but got '8x65536'
// ARGUMENT: but got 'size'
// ORDER: but got 'size=8'

// RUN: not tilewright compile %s --emit=estimate --gpu=K80 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: expects one of the devices V100, T4, A100, A10, Orin, L4, H200, H100, but got 'K80'

// RUN: not tilewright compile %s --target=sm_90a --gpu=A100 --emit=estimate 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: expects a device that runs code for sm_90a, but got A100, whose compute capability is 8.0

// RUN: not tilewright compile %s --emit=estimate --launch=8,length=8 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: expects a launch to name integer arguments (size), but got 'length'

tt.func public @store(%to: !tt.ptr<i32>, %size: i32 loc("size")) {
  tt.store %to, %size : !tt.ptr<i32>
  tt.return
}
