// REQUIRES: ptxas
// The assembler's errors have the place of what they are about: the line, or
// the kernel where there is no line table.
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin --line-tables=false -o %t.cubin 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not tilewright compile %s --target=sm_80 --emit=artifact -o %t.cubin 2>&1 | FileCheck %s --check-prefix=LINE

tt.func public @first() {
  tt.return
}
// KERNEL: assembly.mlir:[[@LINE+1]]:1: error: {{.*}} cannot assemble for sm_80
tt.func public @second(%p: !tt.ptr<i32>) {
  %a = tt.load %p : !tt.ptr<i32>
  // LINE: assembly.mlir:[[@LINE+2]]:8: error: {{.*}} cannot assemble for sm_80
  // LINE: Unknown modifier '.b33'
  %b = tt.elementwise_inline_asm "mov.b33 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %a : i32 -> i32
  tt.store %p, %b : !tt.ptr<i32>
  tt.return
}
