// RUN: tilewright-opt %s --tilewright="target=sm_80 num-warps=4" | FileCheck %s --check-prefix=LOWERED
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s

// Tiles that can be computed in any layout are joined in one in which the pairs
// are in registers, whatever layout the store wants.
// CHECK: [[$PAIRS:#[a-z0-9_]+]] = #tilegpu.linear<register = {{\[}}[0, 1]
// CHECK-LABEL: tt.func @join
// CHECK: tt.join {{.*}} -> tensor<64x2xi32, [[$PAIRS]]>
// LOWERED: llvm.func @join
tt.func @join(%out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tt.join %i, %i : tensor<64xi32> -> tensor<64x2xi32>
  %ps = tt.splat %out : !tt.ptr<i32> -> tensor<64x2x!tt.ptr<i32>>
  %column = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %c = tt.expand_dims %column {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
  %cs = tt.broadcast %c : tensor<1x2xi32> -> tensor<64x2xi32>
  %r = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rs = tt.broadcast %r : tensor<64x1xi32> -> tensor<64x2xi32>
  %stride = arith.constant dense<64> : tensor<64x2xi32>
  %columns = arith.muli %cs, %stride : tensor<64x2xi32>
  %offsets = arith.addi %columns, %rs : tensor<64x2xi32>
  %p = tt.addptr %ps, %offsets : tensor<64x2x!tt.ptr<i32>>, tensor<64x2xi32>
  tt.store %p, %j : tensor<64x2x!tt.ptr<i32>>
  tt.return
}
