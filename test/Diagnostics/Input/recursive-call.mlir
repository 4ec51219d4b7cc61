// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects calls that do not come back to their caller, but got recursion
tt.func public @k(%n: i32) {
  tt.call @k(%n) : (i32) -> ()
  tt.return
}
