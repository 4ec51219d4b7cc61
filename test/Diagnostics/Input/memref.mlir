// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: :[[@LINE+1]]:1: error: 'tt.func' op expects scalars, pointers and tiles of i1, i8, i16, i32, i64, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f16, bf16, f32 or f64, but got 'memref<4xf32>'
tt.func public @k(%m: memref<4xf32>) {
  tt.return
}
