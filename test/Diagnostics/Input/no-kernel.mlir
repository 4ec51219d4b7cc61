// RUN: split-file %s %t
// RUN: not tilewright compile %t/private.mlir --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not tilewright compile %t/empty.mlir --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: error: 'builtin.module' op expects at least one public function (tt.func public), which is the kernel, but got none

//--- private.mlir
tt.func private @f() {
  tt.return
}
//--- empty.mlir
