// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k() {
  tt.return
}
// CHECK: :[[@LINE+1]]:1: error: redefinition of symbol named 'k'
tt.func public @k() {
  tt.return
}
