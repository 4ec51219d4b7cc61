// LLVM ends the process on assembly that does not fit its operands: it must not
// get there.

// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.elementwise_inline_asm' op expects operands of the assembly below $2, which its constraints name, but got $2
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $2;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %n : i32 -> i32
  %1 = arith.sitofp %0 : i32 to f32
  tt.store %q, %1 : !tt.ptr<f32>
  tt.return
}
