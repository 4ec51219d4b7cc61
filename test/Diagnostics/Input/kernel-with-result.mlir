// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects a kernel (a public function) to return nothing, but got 'i32'
tt.func public @k(%n: i32) -> i32 {
  tt.return %n : i32
}
