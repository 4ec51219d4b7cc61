// Every function of libdevice that Triton's module for CUDA names compiles, with
// the types that it has there.

// RUN: tilewright compile %s --target=sm_70 --emit=ptx -o - | FileCheck %s
// CHECK-COUNT-313: .visible .entry

// The reference has them too.
// RUN: tilewright-opt %s --tilewright="target=sm_80" --validate-passes -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=KNOWN
// KNOWN-NOT: expects a function that the reference knows

tt.func public @nv_abs(%x0: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_abs"} : (i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_acos(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_acos"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_acosf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_acosf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_acosh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_acosh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_acoshf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_acoshf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_asin(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_asin"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_asinf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_asinf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_asinh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_asinh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_asinhf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_asinhf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_atan(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_atan"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_atan2(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_atan2"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_atan2f(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_atan2f"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_atanf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_atanf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_atanh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_atanh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_atanhf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_atanhf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_brev(%x0: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_brev"} : (i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_brevll(%x0: i64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_brevll"} : (i64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_byte_perm(%x0: i32, %x1: i32, %x2: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_byte_perm"} : (i32, i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_cbrt(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cbrt"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_cbrtf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cbrtf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ceil(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ceil"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ceilf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ceilf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_clz(%x0: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_clz"} : (i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_clzll(%x0: i64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_clzll"} : (i64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_copysign(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_copysign"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_copysignf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_copysignf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_cos(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cos"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_cosf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cosf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_cosh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cosh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_coshf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_coshf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_cospi(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cospi"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_cospif(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cospif"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_cyl_bessel_i0(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i0"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_cyl_bessel_i0f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i0f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_cyl_bessel_i1(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i1"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_cyl_bessel_i1f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_cyl_bessel_i1f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_dadd_rd(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_rd"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dadd_rn(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_rn"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dadd_ru(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_ru"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dadd_rz(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dadd_rz"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ddiv_rd(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ddiv_rd"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ddiv_rn(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ddiv_rn"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ddiv_ru(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ddiv_ru"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ddiv_rz(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ddiv_rz"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dmul_rd(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dmul_rd"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dmul_rn(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dmul_rn"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dmul_ru(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dmul_ru"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dmul_rz(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dmul_rz"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_double2float_rd(%x0: f64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2float_rd"} : (f64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_double2float_rn(%x0: f64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2float_rn"} : (f64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_double2float_ru(%x0: f64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2float_ru"} : (f64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_double2float_rz(%x0: f64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2float_rz"} : (f64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_double2hiint(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2hiint"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2int_rd(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2int_rd"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2int_rn(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2int_rn"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2int_ru(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2int_ru"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2int_rz(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2int_rz"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2ll_rd(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ll_rd"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ll_rn(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ll_rn"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ll_ru(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ll_ru"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ll_rz(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ll_rz"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2loint(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2loint"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2uint_rd(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2uint_rd"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2uint_rn(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2uint_rn"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2uint_ru(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2uint_ru"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2uint_rz(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2uint_rz"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_double2ull_rd(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ull_rd"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ull_rn(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ull_rn"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ull_ru(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ull_ru"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double2ull_rz(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double2ull_rz"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_double_as_longlong(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_double_as_longlong"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_drcp_rd(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_drcp_rd"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_drcp_rn(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_drcp_rn"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_drcp_ru(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_drcp_ru"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_drcp_rz(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_drcp_rz"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsqrt_rd(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_dsqrt_rd"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsqrt_rn(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_dsqrt_rn"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsqrt_ru(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_dsqrt_ru"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsqrt_rz(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_dsqrt_rz"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsub_rd(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dsub_rd"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsub_rn(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dsub_rn"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsub_ru(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dsub_ru"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_dsub_rz(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_dsub_rz"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erf(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erf"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erfc(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfc"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erfcf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_erfcinv(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcinv"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erfcinvf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcinvf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_erfcx(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcx"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erfcxf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfcxf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_erff(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erff"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_erfinv(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfinv"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_erfinvf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_erfinvf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_exp(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_exp10(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp10"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_exp10f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp10f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_exp2(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp2"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_exp2f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_exp2f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_expf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_expm1(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_expm1"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_expm1f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_expm1f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fabs(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fabs"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fabsf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fabsf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fadd_rd(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rd"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fadd_rn(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rn"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fadd_ru(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_ru"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fadd_rz(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_rz"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_cosf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_cosf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_exp10f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_exp10f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_expf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_expf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_fdividef(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_fdividef"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_log10f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_log10f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_log2f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_log2f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_logf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_logf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_powf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_powf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_sinf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_sinf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fast_tanf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fast_tanf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fdim(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdim"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fdimf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdimf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fdiv_rd(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rd"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fdiv_rn(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rn"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fdiv_ru(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_ru"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fdiv_rz(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fdiv_rz"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ffs(%x0: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ffs"} : (i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_ffsll(%x0: i64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ffsll"} : (i64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_finitef(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_finitef"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2int_rd(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rd"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2int_rn(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rn"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2int_ru(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_ru"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2int_rz(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2int_rz"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2ll_rd(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ll_rd"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ll_rn(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ll_rn"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ll_ru(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ll_ru"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ll_rz(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ll_rz"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2uint_rd(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2uint_rd"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2uint_rn(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2uint_rn"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2uint_ru(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2uint_ru"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2uint_rz(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2uint_rz"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float2ull_rd(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ull_rd"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ull_rn(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ull_rn"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ull_ru(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ull_ru"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float2ull_rz(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float2ull_rz"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_float_as_int(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float_as_int"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_float_as_uint(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_float_as_uint"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_floor(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_floor"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_floorf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_floorf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fma(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fma"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fma_rd(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fma_rd"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fma_rn(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fma_rn"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fma_ru(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fma_ru"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fma_rz(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fma_rz"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fmaf(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmaf_rd(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf_rd"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmaf_rn(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf_rn"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmaf_ru(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf_ru"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmaf_rz(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_fmaf_rz"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmod(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmod"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_fmodf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmodf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmul_rd(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmul_rd"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmul_rn(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmul_rn"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmul_ru(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmul_ru"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fmul_rz(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fmul_rz"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_frcp_rd(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_frcp_rd"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_frcp_rn(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_frcp_rn"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_frcp_ru(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_frcp_ru"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_frcp_rz(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_frcp_rz"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_frsqrt_rn(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_frsqrt_rn"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsqrt_rd(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rd"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsqrt_rn(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rn"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsqrt_ru(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_ru"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsqrt_rz(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_fsqrt_rz"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsub_rd(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fsub_rd"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsub_rn(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fsub_rn"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsub_ru(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fsub_ru"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_fsub_rz(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_fsub_rz"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_hadd(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_hadd"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_hiloint2double(%x0: i32, %x1: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_hiloint2double"} : (i32, i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_hypot(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_hypot"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_hypotf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_hypotf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ilogb(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ilogb"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_ilogbf(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ilogbf"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_int2double_rn(%x0: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int2double_rn"} : (i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_int2float_rd(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_rd"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_int2float_rn(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_rn"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_int2float_ru(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_ru"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_int2float_rz(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int2float_rz"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_int_as_float(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_int_as_float"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_isfinited(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_isfinited"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_isinfd(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_isinfd"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_isinff(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_isinff"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_isnand(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_isnand"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_isnanf(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_isnanf"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_j0(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_j0"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_j0f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_j0f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_j1(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_j1"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_j1f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_j1f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_jn(%x0: i32, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_jn"} : (i32, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_jnf(%x0: i32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_jnf"} : (i32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ldexp(%x0: f64, %x1: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ldexp"} : (f64, i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ldexpf(%x0: f32, %x1: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ldexpf"} : (f32, i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_lgamma(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_lgamma"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_lgammaf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_lgammaf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ll2double_rd(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2double_rd"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ll2double_rn(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2double_rn"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ll2double_ru(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2double_ru"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ll2double_rz(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2double_rz"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ll2float_rd(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2float_rd"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ll2float_rn(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2float_rn"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ll2float_ru(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2float_ru"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ll2float_rz(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ll2float_rz"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_llabs(%x0: i64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_llabs"} : (i64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_llrint(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_llrint"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_llrintf(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_llrintf"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_llround(%x0: f64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_llround"} : (f64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_llroundf(%x0: f32, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_llroundf"} : (f32) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_log(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_log10(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log10"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_log10f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log10f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_log1p(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log1p"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_log1pf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log1pf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_log2(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log2"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_log2f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_log2f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_logb(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_logb"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_logbf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_logbf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_logf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_logf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_longlong_as_double(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_longlong_as_double"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_mul24(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_mul24"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_mul64hi(%x0: i64, %x1: i64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_mul64hi"} : (i64, i64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_mulhi(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_mulhi"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_nearbyint(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_nearbyint"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_nearbyintf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_nearbyintf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_nextafter(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_nextafter"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_nextafterf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_nextafterf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_norm3d(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_norm3d"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_norm3df(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_norm3df"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_norm4d(%x0: f64, %x1: f64, %x2: f64, %x3: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2, %x3 {libname = "", libpath = "", pure = true, symbol = "__nv_norm4d"} : (f64, f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_norm4df(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2, %x3 {libname = "", libpath = "", pure = true, symbol = "__nv_norm4df"} : (f32, f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_normcdf(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_normcdf"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_normcdff(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_normcdff"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_normcdfinv(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_normcdfinv"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_normcdfinvf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_normcdfinvf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_popc(%x0: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_popc"} : (i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_popcll(%x0: i64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_popcll"} : (i64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_pow(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_pow"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_powf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_powi(%x0: f64, %x1: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_powi"} : (f64, i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_powif(%x0: f32, %x1: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_powif"} : (f32, i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rcbrt(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rcbrt"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rcbrtf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rcbrtf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rcp64h(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rcp64h"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_remainder(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_remainder"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_remainderf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_remainderf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rhadd(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_rhadd"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_rhypot(%x0: f64, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_rhypot"} : (f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rhypotf(%x0: f32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_rhypotf"} : (f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rint(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rint"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rintf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rintf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rnorm3d(%x0: f64, %x1: f64, %x2: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_rnorm3d"} : (f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rnorm3df(%x0: f32, %x1: f32, %x2: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_rnorm3df"} : (f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rnorm4d(%x0: f64, %x1: f64, %x2: f64, %x3: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1, %x2, %x3 {libname = "", libpath = "", pure = true, symbol = "__nv_rnorm4d"} : (f64, f64, f64, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rnorm4df(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2, %x3 {libname = "", libpath = "", pure = true, symbol = "__nv_rnorm4df"} : (f32, f32, f32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_round(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_round"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_roundf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_roundf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_rsqrt(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rsqrt"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_rsqrtf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_rsqrtf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_sad(%x0: i32, %x1: i32, %x2: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_sad"} : (i32, i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_saturatef(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_saturatef"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_scalbn(%x0: f64, %x1: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_scalbn"} : (f64, i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_scalbnf(%x0: f32, %x1: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_scalbnf"} : (f32, i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_signbitd(%x0: f64, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_signbitd"} : (f64) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_signbitf(%x0: f32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_signbitf"} : (f32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_sin(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sin"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_sinf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_sinh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_sinhf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinhf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_sinpi(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinpi"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_sinpif(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinpif"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_sqrt(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sqrt"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_sqrtf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_sqrtf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_tan(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tan"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_tanf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_tanh(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanh"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_tanhf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_tgamma(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tgamma"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_tgammaf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_tgammaf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_trunc(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_trunc"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_truncf(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_truncf"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_uhadd(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_uhadd"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_uint2double_rn(%x0: i32, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint2double_rn"} : (i32) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_uint2float_rd(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint2float_rd"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_uint2float_rn(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint2float_rn"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_uint2float_ru(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint2float_ru"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_uint2float_rz(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint2float_rz"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_uint_as_float(%x0: i32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_uint_as_float"} : (i32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ull2double_rd(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2double_rd"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ull2double_rn(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2double_rn"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ull2double_ru(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2double_ru"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ull2double_rz(%x0: i64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2double_rz"} : (i64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ull2float_rd(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2float_rd"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ull2float_rn(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2float_rn"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ull2float_ru(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2float_ru"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_ull2float_rz(%x0: i64, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_ull2float_rz"} : (i64) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_umul24(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_umul24"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_umul64hi(%x0: i64, %x1: i64, %out: !tt.ptr<i64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_umul64hi"} : (i64, i64) -> i64
  tt.store %out, %r : !tt.ptr<i64>
  tt.return
}

tt.func public @nv_umulhi(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_umulhi"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_urhadd(%x0: i32, %x1: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_urhadd"} : (i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_usad(%x0: i32, %x1: i32, %x2: i32, %out: !tt.ptr<i32>) {
  %r = tt.extern_elementwise %x0, %x1, %x2 {libname = "", libpath = "", pure = true, symbol = "__nv_usad"} : (i32, i32, i32) -> i32
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
}

tt.func public @nv_y0(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_y0"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_y0f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_y0f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_y1(%x0: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_y1"} : (f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_y1f(%x0: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0 {libname = "", libpath = "", pure = true, symbol = "__nv_y1f"} : (f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}

tt.func public @nv_yn(%x0: i32, %x1: f64, %out: !tt.ptr<f64>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_yn"} : (i32, f64) -> f64
  tt.store %out, %r : !tt.ptr<f64>
  tt.return
}

tt.func public @nv_ynf(%x0: i32, %x1: f32, %out: !tt.ptr<f32>) {
  %r = tt.extern_elementwise %x0, %x1 {libname = "", libpath = "", pure = true, symbol = "__nv_ynf"} : (i32, f32) -> f32
  tt.store %out, %r : !tt.ptr<f32>
  tt.return
}
