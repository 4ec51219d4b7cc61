// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %D: !tt.tensordesc<16xf16>) {
// CHECK: :[[@LINE+1]]:3: error: 'tt.print' op expects scalars, pointers to them and tiles, but got '!tt.tensordesc<16xf16>'
  tt.print "x" {hex = false, isSigned = array<i32: 1>} : %D : !tt.tensordesc<16xf16>
  tt.return
}
