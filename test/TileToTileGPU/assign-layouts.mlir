// RUN: tilewright-opt %s --tilewright="target=sm_80 num-warps=1" --split-input-file | FileCheck %s --check-prefix=LOWERED
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=1" --canonicalize --cse --loop-invariant-code-motion --split-input-file --mlir-print-local-scope | FileCheck %s

// What layout assignment chooses where several layouts meet. One warp: nothing
// is gained by sharing work differently.

// The product of one dot is the right operand of the next: computed transposed,
// its accumulators are in the registers in which the next one takes them.
// CHECK-LABEL: @accumulator_as_right_operand
// CHECK: tilegpu.mma
// CHECK: tt.trans
// CHECK: tilegpu.mma
// LOWERED-LABEL: @accumulator_as_right_operand
// LOWERED: nvvm.mma
// LOWERED-NOT: {{shfl|ptr<3>|ldmatrix}}
// LOWERED: nvvm.mma
tt.func @accumulator_as_right_operand(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %p = tt.dot %one, %one, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %narrow = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
  %q = tt.dot %one, %narrow, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %sum = "tt.reduce"(%q) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %pointers, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// The same where it is the left operand: no transposition.
// CHECK-LABEL: @accumulator_as_left_operand
// CHECK: tilegpu.mma
// CHECK-NOT: tt.trans
// CHECK: tilegpu.mma
// LOWERED-LABEL: @accumulator_as_left_operand
// LOWERED: nvvm.mma
// LOWERED-NOT: {{shfl|ptr<3>|ldmatrix}}
// LOWERED: nvvm.mma
tt.func @accumulator_as_left_operand(%out: !tt.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %one = arith.constant dense<1.0> : tensor<16x16xf16>
  %p = tt.dot %one, %one, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %narrow = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
  %q = tt.dot %narrow, %one, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %sum = "tt.reduce"(%q) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %range : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %pointers, %sum : tensor<16x!tt.ptr<f32>>
  tt.return
}

// -----

// What must be converted is converted where it is narrow.
// CHECK-LABEL: @narrow_type
// CHECK-NOT: convert_layout
// CHECK: tilegpu.local_load {{.*}} -> tensor<64x64xi8
// CHECK-NEXT: arith.sitofp
// CHECK-NOT: convert_layout
tt.func @narrow_type(%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %rs = arith.muli %r, %stride : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %byRow = arith.addi %rb, %cb : tensor<64x64xi32>
  %source = tt.splat %x : !tt.ptr<i8> -> tensor<64x64x!tt.ptr<i8>>
  %from = tt.addptr %source, %byRow : tensor<64x64x!tt.ptr<i8>>, tensor<64x64xi32>
  %bytes = tt.load %from : tensor<64x64x!tt.ptr<i8>>
  %wide = arith.sitofp %bytes : tensor<64x64xi8> to tensor<64x64xf32>
  %turned = tt.trans %wide {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %target, %byRow : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %to, %turned : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A vector that is spread over a tile is loaded in the layout that the tile
// asks for.
// CHECK-LABEL: @vector_of_tile
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<2x!tt.ptr<f32>, #tilegpu.slice<dim = 1
// CHECK-NOT: convert_layout
tt.func @vector_of_tile(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %rows = tt.make_range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %stride = arith.constant dense<64> : tensor<2x1xi32>
  %rs = arith.muli %r, %stride : tensor<2x1xi32>
  %rb = tt.broadcast %rs : tensor<2x1xi32> -> tensor<2x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<2x64xi32>
  %byRow = arith.addi %rb, %cb : tensor<2x64xi32>
  %source = tt.splat %x : !tt.ptr<f32> -> tensor<2x!tt.ptr<f32>>
  %from = tt.addptr %source, %rows : tensor<2x!tt.ptr<f32>>, tensor<2xi32>
  %vector = tt.load %from : tensor<2x!tt.ptr<f32>>
  %root = math.sqrt %vector : tensor<2xf32>
  %column = tt.expand_dims %root {axis = 1 : i32} : tensor<2xf32> -> tensor<2x1xf32>
  %tile = tt.broadcast %column : tensor<2x1xf32> -> tensor<2x64xf32>
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<2x64x!tt.ptr<f32>>
  %to = tt.addptr %target, %byRow : tensor<2x64x!tt.ptr<f32>>, tensor<2x64xi32>
  tt.store %to, %tile : tensor<2x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A conversion of what a loop does not change stands before the loop, one that
// a branch alone needs in the branch. (A volatile load goes to registers.)
// CHECK-LABEL: @places
// CHECK: tilegpu.convert_layout
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK-NOT: convert_layout
// CHECK: scf.if
// CHECK: tilegpu.convert_layout
tt.func @places(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32, %also: i1) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %rs = arith.muli %r, %stride : tensor<64x1xi32>
  %rb = tt.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tt.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %byRow = arith.addi %rb, %cb : tensor<64x64xi32>
  %source = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %from = tt.addptr %source, %byRow : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %tile = tt.load %from {isVolatile = true} : tensor<64x64x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %next = tt.dot %tile, %tile, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %target = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %to = tt.addptr %target, %byRow : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %to, %sum : tensor<64x64x!tt.ptr<f32>>
  scf.if %also {
    %turned = tt.trans %tile {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %wide = arith.extf %turned : tensor<64x64xf16> to tensor<64x64xf32>
    tt.store %to, %wide : tensor<64x64x!tt.ptr<f32>>
  }
  tt.return
}
