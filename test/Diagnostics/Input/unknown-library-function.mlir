// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.load %q : !tt.ptr<f32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.extern_elementwise' op expects a function of libdevice that is known here (docs/Numbers.md lists them), but got '__nv_nobody'
  %1 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = true, symbol = "__nv_nobody"} : (f32) -> f32
  tt.store %q, %1 : !tt.ptr<f32>
  tt.return
}
