// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<i8>, %v: i8) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.atomic_rmw' op expects elements of 16, 32 or 64 bits, but got 'i8'
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i8>, i8) -> i8
  tt.return
}
