// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Casts, arithmetic that `arith` and `math` lack, and code from elsewhere.

// CHECK-LABEL: @bitcast(
// CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<64xf32> -> tensor<64xi32>
// CHECK: %{{.*}} = tt.bitcast %{{.*}} : f32 -> i32
// CHECK: %{{.*}} = tt.bitcast %{{.*}} : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
tt.func @bitcast(%x: tensor<64xf32>, %s: f32, %p: tensor<64x!tt.ptr<f32>>) {
  %0 = tt.bitcast %x : tensor<64xf32> -> tensor<64xi32>
  %1 = tt.bitcast %s : f32 -> i32
  %2 = tt.bitcast %p : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: @int_to_ptr(
// CHECK: %{{.*}} = tt.int_to_ptr %{{.*}} : tensor<4xi64> -> tensor<4x!tt.ptr<f32>>
// CHECK: %{{.*}} = tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
tt.func @int_to_ptr(%x: tensor<4xi64>, %s: i64) {
  %0 = tt.int_to_ptr %x : tensor<4xi64> -> tensor<4x!tt.ptr<f32>>
  %1 = tt.int_to_ptr %s : i64 -> !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: @ptr_to_int(
// CHECK: %{{.*}} = tt.ptr_to_int %{{.*}} : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
// CHECK: %{{.*}} = tt.ptr_to_int %{{.*}} : !tt.ptr<f32, 3> -> i64
tt.func @ptr_to_int(%x: tensor<4x!tt.ptr<f32>>, %s: !tt.ptr<f32, 3>) {
  %0 = tt.ptr_to_int %x : tensor<4x!tt.ptr<f32>> -> tensor<4xi64>
  %1 = tt.ptr_to_int %s : !tt.ptr<f32, 3> -> i64
  tt.return
}

// CHECK-LABEL: @fp_to_fp(
// CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
// CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtz : tensor<64xf32> -> tensor<64xf16>
// CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rs, rbits = %{{.*}} : tensor<64xi32> : tensor<64xf32> -> tensor<64xf8E5M2>
// CHECK: %{{.*}} = tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f8E4M3FN
// CHECK: %{{.*}} = tt.fp_to_fp %{{.*}} : tensor<64xf8E5M2> -> tensor<64xf16>
tt.func @fp_to_fp(%x: tensor<64xf32>, %r: tensor<64xi32>, %s: f32, %e: tensor<64xf8E5M2>) {
  %0 = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
  %1 = tt.fp_to_fp %x, rounding = rtz : tensor<64xf32> -> tensor<64xf16>
  %2 = tt.fp_to_fp %x, rounding = rs, rbits = %r : tensor<64xi32> : tensor<64xf32> -> tensor<64xf8E5M2>
  %3 = tt.fp_to_fp %s, rounding = rtne : f32 -> f8E4M3FN
  %4 = tt.fp_to_fp %e : tensor<64xf8E5M2> -> tensor<64xf16>
  tt.return
}

// CHECK-LABEL: @clampf(
// CHECK: %{{.*}} = tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<64xf32>
// CHECK: %{{.*}} = tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<64xf32>
tt.func @clampf(%x: tensor<64xf32>) {
  %0 = tt.clampf %x, %x, %x, propagateNan = none : tensor<64xf32>
  %1 = tt.clampf %x, %x, %x, propagateNan = all : tensor<64xf32>
  tt.return
}

// CHECK-LABEL: @precise(
// CHECK: %{{.*}} = tt.precise_sqrt %{{.*}} : tensor<64xf32>
// CHECK: %{{.*}} = tt.precise_divf %{{.*}}, %{{.*}} : tensor<64xf32>
// CHECK: %{{.*}} = tt.approx_divf %{{.*}}, %{{.*}} : tensor<64xf32>
tt.func @precise(%x: tensor<64xf32>) {
  %0 = tt.precise_sqrt %x : tensor<64xf32>
  %1 = tt.precise_divf %x, %x : tensor<64xf32>
  %approx = tt.approx_divf %x, %x : tensor<64xf32>
  tt.return
}

// CHECK-LABEL: @mulhiui(
// CHECK: %{{.*}} = tt.mulhiui %{{.*}}, %{{.*}} : tensor<64xi32>
tt.func @mulhiui(%x: tensor<64xi32>) {
  %0 = tt.mulhiui %x, %x : tensor<64xi32>
  tt.return
}

// CHECK-LABEL: @extern_elementwise(
// CHECK: %{{.*}} = tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<64xf32>, f32) -> tensor<64xf32>
tt.func @extern_elementwise(%x: tensor<64xf32>, %s: f32) {
  %0 = tt.extern_elementwise %x, %s {libname = "", libpath = "", pure = true, symbol = "__nv_powf"} : (tensor<64xf32>, f32) -> tensor<64xf32>
  tt.return
}

// CHECK-LABEL: @inline_asm(
// CHECK: %{{.*}} = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<64xi32> -> tensor<64xi32>
// CHECK: %{{.*}} = tt.elementwise_inline_asm "{ mov.b32 $0, $2; mov.b32 $1, $2; }" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %{{.*}} : tensor<64xi32> -> tensor<64xi32>, tensor<64xi32>
// CHECK: %{{.*}} = tt.elementwise_inline_asm "mov.u32 $0, %{{.*}};" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
tt.func @inline_asm(%x: tensor<64xi32>) {
  %0 = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
  %1:2 = tt.elementwise_inline_asm "{ mov.b32 $0, $2; mov.b32 $1, $2; }" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = false} %x : tensor<64xi32> -> tensor<64xi32>, tensor<64xi32>
  %2 = tt.elementwise_inline_asm "mov.u32 $0, %laneid;" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return
}

// CHECK-LABEL: tt.func @map_elementwise
tt.func @map_elementwise(%x: tensor<64xi32>, %y: tensor<64xf16>) {
  // CHECK: "tt.map_elementwise"(%{{.*}}, %{{.*}}) <{pack = 2 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: f16, %{{.*}}: f16):
  // CHECK-NEXT: tt.map_elementwise.return %{{.*}}, %{{.*}} : f16, f16
  // CHECK-NEXT: }) : (tensor<64xi32>, tensor<64xf16>) -> tensor<64xf16>
  %0 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: f16, %d: f16):
    tt.map_elementwise.return %d, %c : f16, f16
  }) : (tensor<64xi32>, tensor<64xf16>) -> tensor<64xf16>
  tt.return
}
