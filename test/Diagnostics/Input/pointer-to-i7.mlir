// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<i7>, %q: !tt.ptr<i7>) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.load' op result #0 must be a scalar or a tile, but got 'i7'
  %0 = tt.load %p : !tt.ptr<i7>
  tt.store %q, %0 : !tt.ptr<i7>
  tt.return
}
