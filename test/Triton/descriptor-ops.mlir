// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: %[[V:.*]] = tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x16xsi32>>, tensor<8xi32>, i32) -> tensor<8x16xi32>
// CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %[[V]] : !tt.tensordesc<1x16xi32>, tensor<8xi16>, i32, tensor<8x16xi32>
tt.func @rows(%a: !tt.tensordesc<tensor<1x16xsi32>>, %b: !tt.tensordesc<1x16xi32>, %i: tensor<8xi32>, %j: tensor<8xi16>, %y: i32) {
  %v = tt.descriptor_gather %a[%i, %y] : (!tt.tensordesc<tensor<1x16xsi32>>, tensor<8xi32>, i32) -> tensor<8x16xi32>
  tt.descriptor_scatter %b[%j, %y], %v : !tt.tensordesc<1x16xi32>, tensor<8xi16>, i32, tensor<8x16xi32>
  tt.return
}

// CHECK-LABEL: @updates
// CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
// CHECK: tt.descriptor_reduce xor, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<1x16xui32>, tensor<16xi32>
tt.func @updates(%a: !tt.tensordesc<8x16xf32>, %b: !tt.tensordesc<1x16xui32>, %v: tensor<8x16xf32>, %w: tensor<16xi32>, %i: i32) {
  tt.descriptor_reduce add, %a[%i, %i], %v : !tt.tensordesc<8x16xf32>, tensor<8x16xf32>
  tt.descriptor_reduce xor, %b[%i, %i], %w : !tt.tensordesc<1x16xui32>, tensor<16xi32>
  tt.return
}
