// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'arith.constant' op expects scalars, pointers and tiles of i1, i8, i16, i32, i64, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f16, bf16, f32 or f64, but got 'vector<4xi32>'
  %v = arith.constant dense<0> : vector<4xi32>
  %w = arith.addi %v, %v : vector<4xi32>

  tt.return
}
