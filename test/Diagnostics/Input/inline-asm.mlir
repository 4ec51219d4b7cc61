// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.elementwise_inline_asm' op expects $0 to $1, or $$ for a dollar sign, but got '$7, $1;'
  %0 = tt.elementwise_inline_asm "nonsense $7, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32
  %1 = arith.sitofp %0 : i32 to f32
  tt.store %q, %1 : !tt.ptr<f32>
  tt.return
}
