// The first product's left operand stays as it is. If the warps share out columns
// alone, each of them has all of it, in 128 registers: not beside a sum of 64.
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s
// CHECK: #[[MMA:.*]] = #tilegpu.mma<m16n8, warps = [4, 1]>
// CHECK-NOT: #tilegpu.mma
// CHECK: tilegpu.mma {{.*}} -> tensor<128x32xf32, #[[MMA]]>

// With a quarter of K and of the sum's columns there is room, and warps load
// fewer elements of what each iteration brings.
// RUN: sed s/64/16/g %s | tilewright-opt --tilegpu-assign-layouts="target=sm_75 num-warps=4" | FileCheck %s --check-prefix=ROOM
// ROOM: #[[MMA:.*]] = #tilegpu.mma<m16n8, warps = [1, 4]>
// ROOM: tilegpu.mma {{.*}} -> tensor<128x32xf32, #[[MMA]]>

!wide = tensor<128x64x!tt.ptr<f16>>
!narrow = tensor<32x64x!tt.ptr<f16>>

tt.func public @attend(%q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %g: !tt.ptr<f32>, %o: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %length: i32, %from: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
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
    %s = tt.dot %qTile, %kT, %nothing : tensor<128x64xf16> * tensor<64x32xf16> -> tensor<128x32xf32>
    %gs = tt.splat %g : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %gPlaces = tt.addptr %gs, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %gTile = tt.load %gPlaces : tensor<32x!tt.ptr<f32>>
    %gRow = tt.expand_dims %gTile {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %gWide = tt.broadcast %gRow : tensor<1x32xf32> -> tensor<128x32xf32>
    %scaled = arith.mulf %s, %gWide : tensor<128x32xf32>
    %e = math.exp2 %scaled : tensor<128x32xf32>
    %isUsed = arith.cmpi sge, %i, %from : i32
    %next = scf.if %isUsed -> (tensor<128x64xf32>) {
      %p = arith.truncf %e : tensor<128x32xf32> to tensor<128x32xf16>
      %added = tt.dot %p, %kTile, %acc : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
      scf.yield %added : tensor<128x64xf32>
    } else {
      scf.yield %acc : tensor<128x64xf32>
    }
    scf.yield %next : tensor<128x64xf32>
  }
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>>
  %oPlaces = tt.addptr %os, %place : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
  tt.store %oPlaces, %sum : tensor<128x64x!tt.ptr<f32>>
  tt.return
}
