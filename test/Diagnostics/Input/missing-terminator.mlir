// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:21: error: custom op 'tt.func' expected non-empty function body
tt.func public @k() {
}
