// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file | FileCheck %s

// A loop carries one pointer of an affine tile, that of register 0. The other
// rows are at multiples of the stride, the other columns at constants.

#layout = #tilegpu.blocked<elements = [4, 2], threads = [1, 32], warps = [1, 1], order = [1, 0]>
#row = #tilegpu.slice<dim = 1, parent = #layout>
#column = #tilegpu.slice<dim = 0, parent = #layout>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @carried
  tt.func @carried(%base: !tt.ptr<f32>, %stride: i32, %count: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %value = arith.constant dense<1.0> : tensor<4x64xf32, #layout>
    %advance = arith.constant dense<64> : tensor<4x64xi32, #layout>
    %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #row>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %i2 = tt.expand_dims %i {axis = 1 : i32} : tensor<4xi32, #row> -> tensor<4x1xi32, #layout>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #column> -> tensor<1x64xi32, #layout>
    %strides = tt.splat %stride : i32 -> tensor<4x1xi32, #layout>
    %offset = arith.muli %i2, %strides : tensor<4x1xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<f32> -> tensor<4x1x!tt.ptr<f32>, #layout>
    %rows = tt.addptr %bases, %offset : tensor<4x1x!tt.ptr<f32>, #layout>, tensor<4x1xi32, #layout>
    %rows2 = tt.broadcast %rows : tensor<4x1x!tt.ptr<f32>, #layout> -> tensor<4x64x!tt.ptr<f32>, #layout>
    %columns = tt.broadcast %j2 : tensor<1x64xi32, #layout> -> tensor<4x64xi32, #layout>
    %first = tt.addptr %rows2, %columns : tensor<4x64x!tt.ptr<f32>, #layout>, tensor<4x64xi32, #layout>
    // CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i32, !llvm.ptr<1>)
    cf.br ^head(%zero, %first : i32, tensor<4x64x!tt.ptr<f32>, #layout>)
  // CHECK: ^[[HEAD]](%{{.*}}: i32, %[[POINTER:.*]]: !llvm.ptr<1>):
  ^head(%k: i32, %pointer: tensor<4x64x!tt.ptr<f32>, #layout>):
    %more = arith.cmpi slt, %k, %count : i32
    cf.cond_br %more, ^body, ^exit
  ^body:
    // CHECK: llvm.store %{{.*}}, %[[POINTER]]
    // CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64) : i64
    // CHECK: %[[POINTER_1:.*]] = llvm.getelementptr %[[POINTER]][%[[FOUR]]]
    // CHECK: llvm.store %{{.*}}, %[[POINTER_1]]
    // CHECK: %[[ROW1:.*]] = llvm.inline_asm "mad.wide.s32 $0, $1, 4, $2;", "=l,r,l" %arg1, %[[POINTER]]
    // CHECK: llvm.store %{{.*}}, %[[ROW1]]
    // CHECK: %[[ROW1_1:.*]] = llvm.getelementptr %[[ROW1]][%[[FOUR]]]
    // CHECK: llvm.store %{{.*}}, %[[ROW1_1]]
    // CHECK: %[[ROW2:.*]] = llvm.inline_asm "mad.wide.s32 $0, $1, 8, $2;", "=l,r,l" %arg1, %[[POINTER]]
    // CHECK: llvm.store %{{.*}}, %[[ROW2]]
    // CHECK: %[[ROW2_1:.*]] = llvm.getelementptr %[[ROW2]][%[[FOUR]]]
    // CHECK: llvm.store %{{.*}}, %[[ROW2_1]]
    // CHECK: %[[ROW3:.*]] = llvm.inline_asm "mad.wide.s32 $0, $1, 12, $2;", "=l,r,l" %arg1, %[[POINTER]]
    // CHECK: llvm.store %{{.*}}, %[[ROW3]]
    // CHECK: %[[ROW3_1:.*]] = llvm.getelementptr %[[ROW3]][%[[FOUR]]]
    // CHECK: llvm.store %{{.*}}, %[[ROW3_1]]
    tt.store %pointer, %value : tensor<4x64x!tt.ptr<f32>, #layout>
    // CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[POINTER]][%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // CHECK-NOT: llvm.getelementptr
    %next = tt.addptr %pointer, %advance : tensor<4x64x!tt.ptr<f32>, #layout>, tensor<4x64xi32, #layout>
    %k2 = arith.addi %k, %one : i32
    // CHECK: llvm.br ^[[HEAD]](%{{.*}}, %[[NEXT]] : i32, !llvm.ptr<1>)
    cf.br ^head(%k2, %next : i32, tensor<4x64x!tt.ptr<f32>, #layout>)
  ^exit:
    tt.return
  }
}

// -----

// Constant distances are the immediate of the access, here in inline PTX.

#layout = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @masked
  tt.func @masked(%base: !tt.ptr<i32>, %bound: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #layout>
    %bounds = tt.splat %bound : i32 -> tensor<64xi32, #layout>
    %mask = arith.cmpi slt, %i, %bounds : tensor<64xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #layout>
    %pointer = tt.addptr %bases, %i : tensor<64x!tt.ptr<i32>, #layout>, tensor<64xi32, #layout>
    // CHECK: %[[POINTER:.*]] = llvm.getelementptr
    // CHECK: "@$2 st.global.b32 [$0], $1;", "l,r,b" %[[POINTER]]
    // CHECK: "@$2 st.global.b32 [$0+128], $1;", "l,r,b" %[[POINTER]]
    tt.store %pointer, %i, %mask : tensor<64x!tt.ptr<i32>, #layout>
    tt.return
  }
}

// -----

// Where a branch brings pointers that are not affine, the block takes all of
// them, from the affine branch too.

#layout = #tilegpu.blocked<elements = [1], threads = [32], warps = [1], order = [0]>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @merged
  tt.func @merged(%base: !tt.ptr<i32>, %table: !tt.ptr<i64>, %which: i1) attributes {tilegpu.num_warps = 1 : i32} {
    %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #layout>
    cf.cond_br %which, ^affine, ^loaded
  ^affine:
    %bases = tt.splat %base : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #layout>
    %pointer = tt.addptr %bases, %i : tensor<64x!tt.ptr<i32>, #layout>, tensor<64xi32, #layout>
    // CHECK: %[[FIRST:.*]] = llvm.getelementptr
    // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]]
    // CHECK: llvm.br ^[[MERGE:.*]](%[[FIRST]], %[[SECOND]] : !llvm.ptr<1>, !llvm.ptr<1>)
    cf.br ^merge(%pointer : tensor<64x!tt.ptr<i32>, #layout>)
  ^loaded:
    %tables = tt.splat %table : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #layout>
    %entries = tt.addptr %tables, %i : tensor<64x!tt.ptr<i64>, #layout>, tensor<64xi32, #layout>
    %numbers = tt.load %entries : tensor<64x!tt.ptr<i64>, #layout>
    %pointers = tt.int_to_ptr %numbers : tensor<64xi64, #layout> -> tensor<64x!tt.ptr<i32>, #layout>
    // CHECK: llvm.br ^[[MERGE]](%{{.*}}, %{{.*}} : !llvm.ptr<1>, !llvm.ptr<1>)
    cf.br ^merge(%pointers : tensor<64x!tt.ptr<i32>, #layout>)
  ^merge(%p: tensor<64x!tt.ptr<i32>, #layout>):
    tt.store %p, %i : tensor<64x!tt.ptr<i32>, #layout>
    tt.return
  }
}

// -----

// A remainder is not affine: rows keep a pointer each, columns none.

#layout = #tilegpu.blocked<elements = [2, 1], threads = [1, 32], warps = [1, 1], order = [1, 0]>
#row = #tilegpu.slice<dim = 1, parent = #layout>
#column = #tilegpu.slice<dim = 0, parent = #layout>
module attributes {tilegpu.target = "sm_80"} {
  // CHECK-LABEL: llvm.func @remainder
  tt.func @remainder(%base: !tt.ptr<i32>, %rows: i32, %flag: i1) attributes {tilegpu.num_warps = 1 : i32} {
    %value = arith.constant dense<1> : tensor<2x64xi32, #layout>
    %i = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #row>
    %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #column>
    %sizes = tt.splat %rows : i32 -> tensor<2xi32, #row>
    %wrapped = arith.remsi %i, %sizes : tensor<2xi32, #row>
    %i2 = tt.expand_dims %wrapped {axis = 1 : i32} : tensor<2xi32, #row> -> tensor<2x1xi32, #layout>
    %j2 = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #column> -> tensor<1x64xi32, #layout>
    %bases = tt.splat %base : !tt.ptr<i32> -> tensor<2x1x!tt.ptr<i32>, #layout>
    %starts = tt.addptr %bases, %i2 : tensor<2x1x!tt.ptr<i32>, #layout>, tensor<2x1xi32, #layout>
    %starts2 = tt.broadcast %starts : tensor<2x1x!tt.ptr<i32>, #layout> -> tensor<2x64x!tt.ptr<i32>, #layout>
    %columns = tt.broadcast %j2 : tensor<1x64xi32, #layout> -> tensor<2x64xi32, #layout>
    %pointer = tt.addptr %starts2, %columns : tensor<2x64x!tt.ptr<i32>, #layout>, tensor<2x64xi32, #layout>
    // CHECK: llvm.br ^{{.*}}(%{{[^,]*}}, %{{[^,]*}} : !llvm.ptr<1>, !llvm.ptr<1>)
    cf.br ^next(%pointer : tensor<2x64x!tt.ptr<i32>, #layout>)
  ^next(%p: tensor<2x64x!tt.ptr<i32>, #layout>):
    tt.store %p, %value : tensor<2x64x!tt.ptr<i32>, #layout>
    tt.return
  }
}
