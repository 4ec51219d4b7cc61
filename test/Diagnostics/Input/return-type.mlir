// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%n: i32) {
// CHECK: :[[@LINE+1]]:3: error: 'tt.return' op expects 0 values of the function's result types (), but got 1 ('i32')
  tt.return %n : i32
}
