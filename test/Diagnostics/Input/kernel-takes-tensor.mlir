// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects scalars, pointers to them and descriptors as arguments of a kernel, but got 'tensor<4xi32>' as argument 0
tt.func public @k(%n: tensor<4xi32>) {
  tt.return
}
