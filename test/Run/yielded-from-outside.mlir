// A place that the first iteration takes from one value, and all others from
// another one, both made before the loop. Its loads run ahead beside copies.
// RUN: tilewright run %s --kernel=alone --device=emulator --arg=arange:256xi32 --arg=%t.npy=poison:64xi32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=carried --arg=arange:256xi32 --arg=i32:4 --arg=zeros:16x32xf16 --arg=poison:64xi32 --arg=poison:16x16xf32 --compare=3=%t.npy

// x[0..63] + 3 x[192..255]
tt.func public @alone(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %far = arith.constant dense<192> : tensor<64xi32>
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %base, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %q = tt.addptr %p, %far : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a = tt.load %p : tensor<64x!tt.ptr<i32>>
  %b = tt.load %q : tensor<64x!tt.ptr<i32>>
  %t = arith.muli %b, %three : tensor<64xi32>
  %s = arith.addi %a, %t : tensor<64xi32>
  %to = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %o = tt.addptr %to, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %o, %s : tensor<64x!tt.ptr<i32>>
  tt.return
}

tt.func public @carried(%x: !tt.ptr<i32>, %n: i32, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32>, %products: !tt.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : tensor<64xi32>
  %nothing = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x32xf16>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // 192, as nobody knows before.
  %p = tt.addptr %x, %n : !tt.ptr<i32>, i32
  %four = tt.load %p : !tt.ptr<i32>
  %c48 = arith.constant 48 : i32
  %far = arith.muli %four, %c48 : i32
  %base = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %from = tt.addptr %base, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %row = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %strided = arith.muli %rows, %c32 : tensor<16x1xi32>
  %r16x32 = tt.broadcast %strided : tensor<16x1xi32> -> tensor<16x32xi32>
  %c16x32 = tt.broadcast %columns : tensor<1x32xi32> -> tensor<16x32xi32>
  %element = arith.addi %r16x32, %c16x32 : tensor<16x32xi32>
  %tile = tt.splat %b : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
  %elements = tt.addptr %tile, %element : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0, %sum = %zeros, %c = %nothing) -> (i32, tensor<64xi32>, tensor<16x16xf32>) : i32 {
    %places = tt.splat %at : i32 -> tensor<64xi32>
    %q = tt.addptr %from, %places : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %v = tt.load %q : tensor<64x!tt.ptr<i32>>
    %s = arith.addi %sum, %v : tensor<64xi32>
    %h = tt.load %elements : tensor<16x32x!tt.ptr<f16>>
    %t = tt.trans %h {order = array<i32: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
    %d = tt.dot %ones, %t, %c : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    scf.yield %far, %s, %d : i32, tensor<64xi32>, tensor<16x16xf32>
  }
  %to = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %o = tt.addptr %to, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %o, %r#1 : tensor<64x!tt.ptr<i32>>
  %small = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %flat = tt.reshape %r#2 : tensor<16x16xf32> -> tensor<256xf32>
  %toProducts = tt.splat %products : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %eachProduct = tt.addptr %toProducts, %small : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %eachProduct, %flat : tensor<256x!tt.ptr<f32>>
  tt.return
}
