// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: expects an operation of tile IR that is known here (docs/TritonIR.md lists them), but got 'func.func'
func.func @k() {
  return
}
