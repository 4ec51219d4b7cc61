// RUN: split-file %s %t
// RUN: not tilewright compile %t/private.mlir --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not tilewright compile %t/empty.mlir --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not test -e %t.cubin

// CHECK: private.mlir:1:1: error: 'tt.func' op expects a public function in the module, which is the kernel, but got private ones alone
// EMPTY: error: 'builtin.module' op expects a function (tt.func), which is the kernel, but got none

//--- private.mlir
tt.func private @f() {
  tt.return
}
//--- empty.mlir
