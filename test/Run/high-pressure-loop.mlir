// A product whose left operand a loop leaves as it is, and whose sum takes all
// registers of two warps, or of one: the operand is loaded in each iteration. With
// eight warps there is room for it, and the result is the same.

// RUN: sed s/FACTOR/qTile/ %s > %t.mlir
// RUN: tilewright compile %t.mlir --target=sm_80 --num-warps=2 --emit=tilegpu -o - | FileCheck %s
// RUN: tilewright compile %t.mlir --target=sm_80 --num-warps=8 --emit=tilegpu -o - | FileCheck %s --check-prefix=ROOM
// RUN: tilewright run %t.mlir --target=sm_80 --num-warps=8 --device=emulator --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=%t.o.npy=zeros:128x64xf32 --arg=i32:96
// RUN: tilewright run %t.mlir --target=sm_80 --num-warps=2 --device=emulator --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=zeros:128x64xf32 --arg=i32:96 --compare=2=%t.o.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.mlir --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=zeros:128x64xf32 --arg=i32:96 --compare=2=%t.o.npy@1e-3,1e-2

// CHECK: tilegpu.local_store %{{.*}}, %[[Q:.*]] : tensor<128x64xf16
// CHECK: ^bb2:
// CHECK: tilegpu.local_load %[[Q]]
// CHECK: tilegpu.mma {{.*}}64xf16

// ROOM: tilegpu.local_load {{.*}} -> tensor<128x64xf16
// ROOM: ^bb2:
// ROOM-NOT: tilegpu.local_load {{.*}} -> tensor<128x64xf16

// What is scaled in the layout of the product never was in shared memory: it is
// stored there before the loop.
// RUN: sed s/FACTOR/half/ %s > %t.scaled.mlir
// RUN: tilewright compile %t.scaled.mlir --target=sm_80 --num-warps=2 --emit=tilegpu -o - | FileCheck %s --check-prefix=SCALED
// RUN: tilewright run %t.scaled.mlir --target=sm_80 --num-warps=8 --device=emulator --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=%t.s.npy=zeros:128x64xf32 --arg=i32:96
// RUN: tilewright run %t.scaled.mlir --target=sm_80 --num-warps=2 --device=emulator --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=zeros:128x64xf32 --arg=i32:96 --compare=2=%t.s.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %t.scaled.mlir --arg=random:128x64xf16:1 --arg=random:96x64xf16:2 --arg=zeros:128x64xf32 --arg=i32:96 --compare=2=%t.s.npy@1e-3,1e-2

// SCALED: %[[S:.*]] = arith.truncf
// SCALED: tilegpu.local_store %[[S]], %[[M:.*]] : tensor<128x64xf16
// SCALED: ^bb2:
// SCALED: tilegpu.local_load %[[M]]
// SCALED: tilegpu.mma {{.*}}64xf16

!wide = tensor<128x64x!tt.ptr<f16>>
!narrow = tensor<32x64x!tt.ptr<f16>>

tt.func public @attend(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %length: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %factor = arith.constant dense<0.7> : tensor<128x64xf32>
  %nothing = arith.constant dense<0.0> : tensor<128x32xf32>
  %rows = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %turn = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %columns = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %width = arith.constant dense<64> : tensor<128x1xi32>
  %widthK = arith.constant dense<64> : tensor<32x1xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %rowStart = arith.muli %row, %width : tensor<128x1xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %a = tt.broadcast %rowStart : tensor<128x1xi32> -> tensor<128x64xi32>
  %b = tt.broadcast %column : tensor<1x64xi32> -> tensor<128x64xi32>
  %place = arith.addi %a, %b : tensor<128x64xi32>
  %qs = tt.splat %q : !tt.ptr<f16> -> !wide
  %qPlaces = tt.addptr %qs, %place : !wide, tensor<128x64xi32>
  %qTile = tt.load %qPlaces : !wide
  %qWide = arith.extf %qTile : tensor<128x64xf16> to tensor<128x64xf32>
  %qScaled = arith.mulf %qWide, %factor : tensor<128x64xf32>
  %half = arith.truncf %qScaled : tensor<128x64xf32> to tensor<128x64xf16>
  %sum = scf.for %i = %c0 to %length step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %start = tt.splat %i : i32 -> tensor<32xi32>
    %at = arith.addi %start, %turn : tensor<32xi32>
    %kRow = tt.expand_dims %at {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %kStart = arith.muli %kRow, %widthK : tensor<32x1xi32>
    %c = tt.broadcast %kStart : tensor<32x1xi32> -> tensor<32x64xi32>
    %d = tt.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
    %kPlace = arith.addi %c, %d : tensor<32x64xi32>
    %ks = tt.splat %k : !tt.ptr<f16> -> !narrow
    %kPlaces = tt.addptr %ks, %kPlace : !narrow, tensor<32x64xi32>
    %kTile = tt.load %kPlaces : !narrow
    %kT = tt.trans %kTile {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tt.dot %FACTOR, %kT, %nothing : tensor<128x64xf16> * tensor<64x32xf16> -> tensor<128x32xf32>
    %p = arith.truncf %s : tensor<128x32xf32> to tensor<128x32xf16>
    %next = tt.dot %p, %kTile, %acc : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %oPlaces = tt.addptr %os, %place : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %oPlaces, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
