// One tile multiplied with two tensors in two loops of two iterations, which become
// straight-line code: the same bits as loops of one stage give, under all checks of
// the emulator.

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// All copies start before the first wait, beside the loads of both scales.
// CHECK-LABEL: .entry multiplied(
// CHECK-COUNT-5: cp.async.commit_group
// CHECK: cp.async.wait_group
// CHECK-NOT: ld.global
// CHECK-NOT: bra

// RUN: tilewright run %s --target=sm_80 --num-stages=1 --device=emulator --grid=2 --arg=random:100x64xf16:1 --arg=random:100x128xf16:2 --arg=random:100x128xf16:3 --arg=random:100xf16:4 --arg=random:100xf32:5 --arg=%t0.npy=zeros:100x128xf16 --arg=%t1.npy=zeros:100x128xf16 --arg=i32:100
// RUN: tilewright run %s --target=sm_80 --seed=1 --device=emulator --grid=2 --arg=random:100x64xf16:1 --arg=random:100x128xf16:2 --arg=random:100x128xf16:3 --arg=random:100xf16:4 --arg=random:100xf32:5 --arg=poison:100x128xf16 --arg=poison:100x128xf16 --arg=i32:100 --compare=5=%t0.npy --compare=6=%t1.npy
// RUN: tilewright run %s --target=sm_86 --num-warps=2 --seed=2 --device=emulator --grid=2 --arg=random:100x64xf16:1 --arg=random:100x128xf16:2 --arg=random:100x128xf16:3 --arg=random:100xf16:4 --arg=random:100xf32:5 --arg=poison:100x128xf16 --arg=poison:100x128xf16 --arg=i32:100 --compare=5=%t0.npy --compare=6=%t1.npy
// RUN: tilewright run %s --target=sm_90a --num-warps=8 --seed=3 --device=emulator --bulk-copies=false --grid=2 --arg=random:100x64xf16:1 --arg=random:100x128xf16:2 --arg=random:100x128xf16:3 --arg=random:100xf16:4 --arg=random:100xf32:5 --arg=poison:100x128xf16 --arg=poison:100x128xf16 --arg=i32:100 --compare=5=%t0.npy --compare=6=%t1.npy

!pointers = tensor<64x64x!tt.ptr<f16>>
!tile = tensor<64x64xf16>
!sums = tensor<64x64xf32>

// Rows of `matrix` from column `at` on.
tt.func private @rows(%matrix: !tt.ptr<f16>, %row: tensor<64xi32>, %width: i32, %at: i32) -> !pointers {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %at1 = tt.splat %at : i32 -> tensor<64xi32>
  %column = arith.addi %i, %at1 : tensor<64xi32>
  %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %widths = tt.splat %width : i32 -> tensor<64x1xi32>
  %first = arith.muli %row1, %widths : tensor<64x1xi32>
  %first1 = tt.broadcast %first : tensor<64x1xi32> -> tensor<64x64xi32>
  %column2 = tt.broadcast %column1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %offset = arith.addi %first1, %column2 : tensor<64x64xi32>
  %base = tt.splat %matrix : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %base, %offset : !pointers, tensor<64x64xi32>
  tt.return %p : !pointers
}

tt.func public @multiplied(%A: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %beta: !tt.ptr<f16>, %g: !tt.ptr<f32>, %u: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %tokens: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : !tile
  %zero = arith.constant dense<0.0> : !sums
  %noBeta = arith.constant dense<0.0> : tensor<64xf16>
  %noG = arith.constant dense<0.0> : tensor<64xf32>
  %x = tt.get_program_id x : i32
  %from = arith.muli %x, %c64 : i32
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %from1 = tt.splat %from : i32 -> tensor<64xi32>
  %row = arith.addi %i, %from1 : tensor<64xi32>
  %tokens1 = tt.splat %tokens : i32 -> tensor<64xi32>
  %in = arith.cmpi slt, %row, %tokens1 : tensor<64xi32>
  %in1 = tt.expand_dims %in {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %mask = tt.broadcast %in1 : tensor<64x1xi1> -> tensor<64x64xi1>
  %pb = tt.splat %beta : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %qb = tt.addptr %pb, %row : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %b = tt.load %qb, %in, %noBeta : tensor<64x!tt.ptr<f16>>
  %b1 = tt.expand_dims %b {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
  %bs = tt.broadcast %b1 : tensor<64x1xf16> -> !tile
  %pa = tt.call @rows(%A, %row, %c64, %c0) : (!tt.ptr<f16>, tensor<64xi32>, i32, i32) -> !pointers
  %a = tt.load %pa, %mask, %none : !pointers
  scf.for %j = %c0 to %c128 step %c64 : i32 {
    %pv = tt.call @rows(%v, %row, %c128, %j) : (!tt.ptr<f16>, tensor<64xi32>, i32, i32) -> !pointers
    %pu = tt.call @rows(%u, %row, %c128, %j) : (!tt.ptr<f16>, tensor<64xi32>, i32, i32) -> !pointers
    %loaded = tt.load %pv, %mask, %none : !pointers
    %scaled = arith.mulf %loaded, %bs : !tile
    %sum = tt.dot %a, %scaled, %zero : !tile * !tile -> !sums
    %rounded = arith.truncf %sum : !sums to !tile
    tt.store %pu, %rounded, %mask : !pointers
  }
  %pg = tt.splat %g : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %qg = tt.addptr %pg, %row : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %gate = tt.load %qg, %in, %noG : tensor<64x!tt.ptr<f32>>
  %e = math.exp2 %gate : tensor<64xf32>
  %e1 = tt.expand_dims %e {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
  %es = tt.broadcast %e1 : tensor<64x1xf32> -> !sums
  scf.for %j = %c0 to %c128 step %c64 : i32 {
    %pk = tt.call @rows(%k, %row, %c128, %j) : (!tt.ptr<f16>, tensor<64xi32>, i32, i32) -> !pointers
    %pw = tt.call @rows(%w, %row, %c128, %j) : (!tt.ptr<f16>, tensor<64xi32>, i32, i32) -> !pointers
    %loaded = tt.load %pk, %mask, %none : !pointers
    %wide = arith.extf %loaded : !tile to !sums
    %scaled = arith.mulf %wide, %es : !sums
    %narrow = arith.truncf %scaled : !sums to !tile
    %sum = tt.dot %a, %narrow, %zero : !tile * !tile -> !sums
    %rounded = arith.truncf %sum : !sums to !tile
    tt.store %pw, %rounded, %mask : !pointers
  }
  tt.return
}
