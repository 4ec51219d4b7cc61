// Products of f32 that was 16 bits wide: what instructions of 16 bits compute is what
// exact products of the wide operands are, but for the order of the sums (64 products
// of numbers below 1, each sum rounded to 2^-24 of it, or cut off at that).

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --emit=ptx -o - | FileCheck %s
// CHECK-LABEL: .entry of_bf16(
// CHECK: .f32.bf16.bf16
// CHECK-LABEL: .entry of_f16(
// CHECK: .f32.f16.f16
// CHECK-LABEL: .entry of_bf16_in_parts(
// CHECK-COUNT-4: .f32.bf16.bf16
// CHECK-NOT: .f32.bf16.bf16
// RUN: sed -E 's/= (tf32|tf32x3|bf16x6) :/= ieee :/' %s > %t.ieee.mlir

// RUN: tilewright run %t.ieee.mlir --kernel=of_bf16 --device=emulator --arg=random:64x64xbf16:1 --arg=random:64x64xbf16:2 --arg=%t.of_bf16.npy=poison:64x64xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=of_bf16 --arg=random:64x64xbf16:1 --arg=random:64x64xbf16:2 --arg=poison:64x64xf32 --compare=2=%t.of_bf16.npy@1e-5,1e-5
// RUN: tilewright run %t.ieee.mlir --kernel=of_f16 --device=emulator --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=%t.of_f16.npy=poison:64x64xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=of_f16 --arg=random:64x64xf16:1 --arg=random:64x64xf16:2 --arg=poison:64x64xf32 --compare=2=%t.of_f16.npy@1e-5,1e-5
// RUN: tilewright run %t.ieee.mlir --kernel=of_bf16_in_parts --device=emulator --arg=random:64x64xbf16:1 --arg=random:64x64xbf16:2 --arg=%t.of_bf16_in_parts.npy=poison:64x64xf32
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --kernel=of_bf16_in_parts --arg=random:64x64xbf16:1 --arg=random:64x64xbf16:2 --arg=poison:64x64xf32 --compare=2=%t.of_bf16_in_parts.npy@1e-5,1e-5

tt.func public @of_bf16(%a: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %sums = arith.constant dense<1.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = arith.muli %row, %width : tensor<64x1xi32>
  %downs = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %places = arith.addi %downs, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %bs = tt.splat %b : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pa = tt.addptr %as, %places : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %pb = tt.addptr %bs, %places : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %po = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %pa : tensor<64x64x!tt.ptr<bf16>>
  %y = tt.load %pb : tensor<64x64x!tt.ptr<bf16>>
  %wideX = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
  %wideY = arith.extf %y : tensor<64x64xbf16> to tensor<64x64xf32>
  %turned = tt.trans %wideY {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %product = tt.dot %wideX, %turned, %sums, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %po, %product : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @of_f16(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %sums = arith.constant dense<1.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = arith.muli %row, %width : tensor<64x1xi32>
  %downs = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %places = arith.addi %downs, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pa = tt.addptr %as, %places : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %pb = tt.addptr %bs, %places : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %po = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %pa : tensor<64x64x!tt.ptr<f16>>
  %y = tt.load %pb : tensor<64x64x!tt.ptr<f16>>
  %wideX = arith.extf %x : tensor<64x64xf16> to tensor<64x64xf32>
  %wideY = arith.extf %y : tensor<64x64xf16> to tensor<64x64xf32>
  %turned = tt.trans %wideY {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %product = tt.dot %wideX, %turned, %sums, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %po, %product : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

tt.func public @of_bf16_in_parts(%a: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %sums = arith.constant dense<1.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = arith.muli %row, %width : tensor<64x1xi32>
  %downs = tt.broadcast %down : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %places = arith.addi %downs, %columns : tensor<64x64xi32>
  %as = tt.splat %a : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %bs = tt.splat %b : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %pa = tt.addptr %as, %places : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %pb = tt.addptr %bs, %places : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
  %po = tt.addptr %os, %places : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %x = tt.load %pa : tensor<64x64x!tt.ptr<bf16>>
  %y = tt.load %pb : tensor<64x64x!tt.ptr<bf16>>
  %wideX = arith.extf %x : tensor<64x64xbf16> to tensor<64x64xf32>
  %wideY = arith.extf %y : tensor<64x64xbf16> to tensor<64x64xf32>
  %turned = tt.trans %wideY {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %product = tt.dot %wideX, %turned, %sums, inputPrecision = bf16x6 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.store %po, %product : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
