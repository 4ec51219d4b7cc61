// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:6: error: 'arith.constant' op expects functions (tt.func) alone in a module of tile IR
%0 = arith.constant 1 : i32
