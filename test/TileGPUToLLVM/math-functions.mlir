// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

module attributes {tilegpu.target = "sm_80"} {
  // One function for all calls of one type.
  // CHECK: llvm.func internal @__tilewright_log_f64(%{{.*}}: f64) -> f64 attributes {always_inline}
  // CHECK: llvm.func internal @__tilewright_sin_f32
  // CHECK: llvm.cond_br
  // CHECK: llvm.func @functions(%[[P:.*]]: !llvm.ptr<1>{{.*}}, %[[X:.*]]: f32, %[[Y:.*]]: f64, %[[H:.*]]: bf16)
  tt.func @functions(%p: !tt.ptr<f32>, %x: f32, %y: f64, %h: bf16) attributes {tilegpu.num_warps = 1 : i32} {
    // CHECK: %[[FIRST:.*]] = llvm.call @__tilewright_sin_f32(%[[X]]) : (f32) -> f32
    // CHECK: %[[SECOND:.*]] = llvm.call @__tilewright_sin_f32(%[[FIRST]])
    %0 = math.sin %x : f32
    %1 = tt.extern_elementwise %0 {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f32) -> f32
    tt.store %p, %1 : !tt.ptr<f32>
    // CHECK: llvm.call @__tilewright_log_f64(%[[Y]])
    %2 = math.log %y : f64
    %3 = arith.truncf %2 : f64 to f32
    tt.store %p, %3 : !tt.ptr<f32>
    // Halves go by way of f32, where an approximation is enough.
    // CHECK: %[[WIDE:.*]] = llvm.fpext %[[H]] : bf16 to f32
    // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%[[WIDE]])
    %4 = math.log2 %h : bf16
    %5 = arith.extf %4 : bf16 to f32
    tt.store %p, %5 : !tt.ptr<f32>
    // CHECK: llvm.inline_asm "add.rp.f32 $0, $1, $2;", "=f,f,f" %[[X]], %[[X]]
    %6 = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_fadd_ru"} : (f32, f32) -> f32
    tt.store %p, %6 : !tt.ptr<f32>
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @wrong_types(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.extern_elementwise' op expects (f64, f64) -> f64 for '__nv_pow', but got 'f32', 'f32' -> 'f32'}}
    %0 = tt.extern_elementwise %x, %x {libname = "", libpath = "", pure = true, symbol = "__nv_pow"} : (f32, f32) -> f32
    tt.return
  }
}

// -----

module attributes {tilegpu.target = "sm_80"} {
  tt.func @no_tile(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{'tt.extern_elementwise' op expects a tile among the operands where the result is a tile, but got scalars}}
    %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (f32) -> tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>>
    tt.return
  }
}
