// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>) {
// CHECK: :[[@LINE+1]]:33: error: expected operation name in quotes
  %0 = tt.get_program_id x : i32
