// RUN: tilewright-opt %s --tile-set-contraction | FileCheck %s --check-prefixes=CHECK,ALLOW
// RUN: tilewright-opt %s --tile-set-contraction=allow=false | FileCheck %s --check-prefixes=CHECK,FORBID

// CHECK-LABEL: tt.func @products
tt.func @products(%a: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<16xf32> {
  // ALLOW: arith.mulf {{.*}} fastmath<contract> : tensor<16xf32>
  // FORBID: arith.mulf {{%[a-z0-9_]+, %[a-z0-9_]+}} : tensor<16xf32>
  %p = arith.mulf %a, %b : tensor<16xf32>
  // ALLOW: arith.addf {{.*}} fastmath<contract>
  // FORBID: arith.addf {{%[a-z0-9_]+, %[a-z0-9_]+}} : tensor<16xf32>
  %s = arith.addf %p, %a : tensor<16xf32>
  // What the program itself says of other matters stays.
  // ALLOW: arith.subf {{.*}} fastmath<nnan,contract>
  // FORBID: arith.subf {{.*}} fastmath<nnan> : tensor<16xf32>
  %d = arith.subf %s, %p fastmath<nnan,contract> : tensor<16xf32>
  tt.return %d : tensor<16xf32>
}

// In what tiles are combined by, too.
// CHECK-LABEL: tt.func @sum
tt.func @sum(%a: tensor<16xf32>) -> f32 {
  %r = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    // ALLOW: arith.addf {{.*}} fastmath<contract> : f32
    // FORBID: arith.addf {{%[a-z0-9_]+, %[a-z0-9_]+}} : f32
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16xf32>) -> f32
  tt.return %r : f32
}

// Other arithmetic has nothing to fuse with.
// CHECK-LABEL: tt.func @others
tt.func @others(%a: tensor<16xf32>, %i: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
  // CHECK: arith.divf {{%[a-z0-9_]+, %[a-z0-9_]+}} : tensor<16xf32>
  %q = arith.divf %a, %a : tensor<16xf32>
  // CHECK: arith.muli {{%[a-z0-9_]+, %[a-z0-9_]+}} : tensor<16xi32>
  %j = arith.muli %i, %i : tensor<16xi32>
  tt.return %q, %j : tensor<16xf32>, tensor<16xi32>
}
