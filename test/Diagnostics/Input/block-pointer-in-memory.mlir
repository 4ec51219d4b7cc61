// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects scalars, pointers and tiles of {{.*}}, but got '!tt.ptr<!tt.ptr<tensor<4xi32>>>'
tt.func public @k(%p: !tt.ptr<!tt.ptr<tensor<4xi32>>>, %o: !tt.ptr<i32>) {
  %b = tt.load %p : !tt.ptr<!tt.ptr<tensor<4xi32>>>
  %v = tt.load %b : !tt.ptr<tensor<4xi32>>
  %os = tt.splat %o : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  tt.store %os, %v : tensor<4x!tt.ptr<i32>>
  tt.return
}
