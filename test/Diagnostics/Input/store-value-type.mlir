// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:16: error: use of value '%n' expects different type than prior uses: 'f16' vs 'i32'
  tt.store %p, %n : !tt.ptr<f16>
  tt.return
}
